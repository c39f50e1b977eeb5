package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Vouched is the study that compares figures that others have published of a method with what this
// program has published of it, and lists the tests that compare a method with other programs.
var Vouched = study.Kind{
	Name: "vouched",
	Asks: "Do the baselines reproduce what is published of them, or what other programs compute?",
	New:  study.Decoded(func(*config.Manifest) *vouched { return &vouched{} }),
}

type vouched struct {
	study.Plain
	Published []*figure `toml:"figure" allowed:"at least one table headed [[figure]]"`
	Tests     []test    `toml:"test"`
}

// figure is a number that others have published of a method. Ours is the column value of the row of
// a table, a mean over the seeds, with the columns value_low, value_high and seeds beside it.
type figure struct {
	Method   string  `toml:"method" allowed:"the name of a method"`
	Source   string  `toml:"source" allowed:"who published it, and where"`
	Setting  string  `toml:"setting" allowed:"data, network and training, in words"`
	Quantity string  `toml:"quantity" allowed:"what the number is, in words"`
	Theirs   float64 `toml:"theirs" allowed:"a number"`
	Note     string  `toml:"note,omitempty"`

	Number

	mean, low, high float64
}

// test is a test that compares methods with another program.
type test struct {
	Methods []string `toml:"methods" allowed:"names of methods"`
	Source  string   `toml:"source" allowed:"the other program"`
	Setting string   `toml:"setting" allowed:"data, network and training, in words"`
	Test    string   `toml:"test" allowed:"the name of the test, with its package"`
}

func (e *vouched) Sources() (names []string) {
	for _, f := range e.Published {
		names = append(names, f.Manifest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (e *vouched) Use(read func(experiment, table string) (*table.Table, error)) error {
	for i, f := range e.Published {
		t, err := read(f.Manifest, f.Table)
		if err == nil {
			err = f.find(t)
		}
		if err != nil {
			return fmt.Errorf("figure.%d: %s/%s: %w", i+1, f.Manifest, f.Table, err)
		}
	}
	return nil
}

// find reads the mean over the seeds, and sets low and high to the ends of the 95 % prediction interval of
// one more seed: with h half of the interval of the mean over n seeds, mean ± h √(n+1).
func (f *figure) find(t *table.Table) error {
	t, err := t.Select(f.Rows...)
	if err == nil {
		err = t.Needs("seeds", f.Value, f.Value+"_low", f.Value+"_high")
	}
	if err == nil && t.Len() != 1 {
		err = fmt.Errorf("%d rows have %s; allowed: one", t.Len(), strings.Join(f.Rows, ", "))
	}
	if err != nil {
		return err
	}
	at := func(column string) float64 { return t.Nums(column)[0] }
	f.mean = at(f.Value)
	half := max(f.mean-at(f.Value+"_low"), at(f.Value+"_high")-f.mean) * math.Sqrt(at("seeds")+1)
	f.low, f.high = f.mean-half, f.mean+half
	return nil
}

func (e *vouched) Tables([]table.Set) (table.Set, error) {
	t := table.New("vouched",
		table.Text("method", "the baseline"), table.Text("source", "who published the number, or computes it otherwise"),
		table.Text("setting", "data, network and training"), table.Text("quantity", "what the number is"),
		table.Num("theirs", "the number in the source; empty where a test compares"), table.Num("ours", "ours, a mean over the seeds"),
		table.Num("low", "lower end of the 95 % prediction interval of ours with one more seed, Student's t"), table.Num("high", "its upper end"),
		table.Text("agrees", "whether theirs is in this interval; tested: the test in shown_by compares all numbers"),
		table.Text("shown_by", "the experiment, or the test"), table.Text("note", "what differs between the settings"))
	for _, f := range e.Published {
		agrees := "no"
		if f.low <= f.Theirs && f.Theirs <= f.high {
			agrees = "yes"
		}
		t.Add(f.Method, f.Source, f.Setting, f.Quantity, f.Theirs, f.mean, f.low, f.high, agrees, f.Manifest, f.Note)
	}
	for _, s := range e.Tests {
		for _, method := range s.Methods {
			t.Add(method, s.Source, s.Setting, "class probabilities", table.Gaps(4), "tested", s.Test, "")
		}
	}
	return table.Set{t}, nil
}

var _ study.Derived = (*vouched)(nil)
