package manifest

import (
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/dataset"
)

// Unknown is what the study unknown reads: classifiers that may answer "unknown",
// on the classes they have learned, on other data, and on classes that were kept
// from them.
type Unknown struct {
	Source     Source
	Validation float64   // share of the training examples that thresholds are chosen by; default 1/6
	Wrong      []float64 // shares of wrong answers that a threshold is chosen for; required
	Thresholds []float64 // of the largest probability, beside those that are chosen; default none
	Unseen     []string  // classes that are kept from a second training; default none
	Outside    []Outside // other data
	Methods    []Method
}

// Outside is an [[outside]]: data of other classes with as many inputs.
type Outside struct {
	Name           string // required
	Images, Labels string // IDX
	File, Class    string // CSV

	Sums     []string // SHA-256 of the files; set by Parse
	examples *dataset.Examples
}

// Examples returns the examples. Their classes mean nothing here.
func (o *Outside) Examples() *dataset.Examples { return o.examples }

// The names of data in the tables beside those of [[outside]].
const (
	TestPart    = "test"   // the test part
	UnseenClass = "unseen" // its examples of classes that were kept back
)

func (u *Unknown) fields(f *fields, m *Manifest) {
	m.folder(f)
	f.table("data", u.Source.fields)
	f.table("unknown", func(f *fields) {
		field(f, "validation", &u.Validation, share.or(1./6))
		field(f, "wrong", &u.Wrong, distinct(listOf(1, maxTables, share)))
		field(f, "thresholds", &u.Thresholds, distinct(listOf(0, maxTables, within(0, 1))).or(nil))
		field(f, "unseen", &u.Unseen, distinct(listOf(0, maxClasses, text)).or(nil))
	})
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..5", 0, maxSeed, maxCells).or(nil))
	})
	blocks(f, "outside", &u.Outside, Outside{}, (*Outside).fields)
	blocks(f, "method", &u.Methods, Method{}, (*Method).untuned)
}

func (o *Outside) fields(f *fields) {
	field(f, "name", &o.Name, name)
	field(f, "images", &o.Images, orZero(text))
	field(f, "labels", &o.Labels, orZero(text))
	field(f, "file", &o.File, orZero(text))
	field(f, "class", &o.Class, orZero(text))
}

func (u *Unknown) check(root *table, m *Manifest) {
	checkMethods(root, root.list("method"), u.Methods, 0)
	m.checkDrawn(root)
	data, ok := u.Source.check(root.sub("data"), m)
	for i, t := range root.list("outside") {
		o := &u.Outside[i]
		if slices.ContainsFunc(u.Outside[:i], func(p Outside) bool { return p.Name == o.Name }) || o.Name == TestPart || o.Name == UnseenClass {
			t.reject("name", fmt.Sprintf("allowed: names that differ from each other, %s and %s", TestPart, UnseenClass))
		}
		if o.check(t, m) && ok && o.examples.Inputs() != data.inputs {
			t.reject(o.key(), fmt.Sprintf("has %d inputs; allowed: %d, as [data] has", o.examples.Inputs(), data.inputs))
		}
	}
	if !ok {
		return
	}
	for i, t := range root.list("method") {
		u.Methods[i].fit(t, data)
	}
	train, _, err := u.Source.Parts(fixedStream())
	if err != nil {
		root.sub("data").reject("scale", err.Error())
		return
	}
	for _, class := range u.Unseen {
		if !slices.Contains(train.Classes(), class) {
			root.sub("unknown").reject("unseen", fmt.Sprintf("%s is no class of the data; allowed: %s", class, limited(strings.Join(train.Classes(), ", "), shown)))
			return
		}
	}
	if len(train.Classes())-len(u.Unseen) < 2 {
		root.sub("unknown").reject("unseen", "leaves fewer than two classes; allowed: at least two")
	}
}

// key returns the key that says where the examples are.
func (o *Outside) key() string {
	if o.File != "" {
		return "file"
	}
	return "images"
}

// check reads the examples; ok is false if they are not there or are none.
func (o *Outside) check(t *table, m *Manifest) (ok bool) {
	s := Source{File: o.File, Class: o.Class, Images: o.Images, Labels: o.Labels}
	var err error
	switch {
	case (o.File != "") == (o.Images != "") || (o.Images != "") != (o.Labels != "") || o.Class != "" && o.File == "":
		t.reject("name", "allowed: with images and labels, or with file and, if it is not called class, the column class")
		return false
	case o.File != "":
		if o.Class == "" {
			o.Class = "class"
		}
		if !s.open(t, m, "file", o.File) {
			return false
		}
		o.examples, err = dataset.LoadCSV(m.path(t, o.File), o.Class)
	default:
		there := s.open(t, m, "images", o.Images)
		if there = s.open(t, m, "labels", o.Labels) && there; !there {
			return false
		}
		o.examples, err = dataset.LoadIDX(m.path(t, o.Images), m.path(t, o.Labels))
	}
	if err != nil {
		t.reject(o.key(), err.Error())
		return false
	}
	o.Sums = s.Sums
	return true
}
