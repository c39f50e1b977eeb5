package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/dataset"
)

// Source says where labelled examples come from: a generator, a CSV file, or
// IDX files of images and labels. Exactly one of Generator, File and Images is
// given. Relative paths are relative to the folder of the manifest.
type Source struct {
	Data     // of a generator
	Test int // number of test examples of a generator

	File  string // CSV with a header line
	Class string // its column of classes; default "class"

	Images, Labels         string // IDX, gzip or not
	TestImages, TestLabels string // the test part; default: split off Images

	// How one file is split. With neither, or for a test part of its own, all of
	// the file is the training part.
	TrainRows    string  // rows of the training part from 1, such as "1-4435"; the rest is the test part
	TestFraction float64 // share of the test part, drawn by the seed, the classes in proportion

	// Scale is what is done to the inputs, as fitted on the training part:
	// standard (each input to mean 0 and variance 1), global (one mean and
	// variance for all), unit (the largest value becomes 1), none. Default:
	// standard for CSV, unit for IDX, none for generators.
	Scale string

	// Sums are the SHA-256 of the files, in the order of the keys; set by Parse.
	Sums []string

	whole, test *dataset.Examples // what the files hold
}

func (s *Source) fields(f *fields) {
	field(f, "generator", &s.Generator, orZero(word(dataset.Names()...)))
	field(f, "train", &s.Train, orZero(integer(1, maxTrain)))
	field(f, "test", &s.Test, orZero(integer(1, maxTrain)))
	s.law(f)
	field(f, "file", &s.File, orZero(text))
	field(f, "class", &s.Class, orZero(text))
	field(f, "images", &s.Images, orZero(text))
	field(f, "labels", &s.Labels, orZero(text))
	field(f, "test_images", &s.TestImages, orZero(text))
	field(f, "test_labels", &s.TestLabels, orZero(text))
	field(f, "train_rows", &s.TrainRows, orZero(text))
	field(f, "test_fraction", &s.TestFraction, orZero(number("a number > 0 and < 1", func(x float64) bool { return 0 < x && x < 1 })))
	field(f, "scale", &s.Scale, orZero(word("standard", "global", "unit", "none")))
}

// check reports keys that do not go together, reads the files and says what
// shape their examples have. A file that is not there is noted in m.Missing and
// is no mistake of the manifest; ok is false for it and for any mistake. The keys
// of the table that are not of the source are others.
func (s *Source) check(t *table, m *Manifest, others ...string) (_ shape, ok bool) {
	switch {
	case s.Generator != "":
		return s.checkGenerator(t, others)
	case s.File != "":
		return s.checkFile(t, m, others)
	case s.Images != "":
		return s.checkImages(t, m, others)
	}
	t.missing("generator", `one of generator = "moons", file = "path.csv" and images = "path"`)
	return shape{}, false
}

// only reports every key but these, scale, and those that are not of the source.
func only(t *table, key string, others []string, allowed ...string) {
	for k := range t.entries {
		switch {
		case k == key || k == "scale" || slices.Contains(others, k):
		case slices.Contains(allowed, k):
		default:
			t.known = append(t.known, k)
			t.reject(k, fmt.Sprintf("does not go with %s; allowed with it: %s, scale", key, strings.Join(allowed, ", ")))
		}
	}
}

func (s *Source) checkGenerator(t *table, others []string) (shape, bool) {
	only(t, "generator", others, "train", "test", "noise", "arms", "rings")
	if s.Train == 0 {
		t.missing("train", fmt.Sprintf("an integer from 1 to %d", maxTrain))
	}
	if s.Test == 0 {
		t.missing("test", fmt.Sprintf("an integer from 1 to %d, or evaluate.grid for maps of the square", maxTrain))
	}
	s.Data.check(t)
	if s.Scale == "" {
		s.Scale = "none"
	}
	if t.rejected() {
		return shape{}, false
	}
	return s.Data.shape(), true
}

func (s *Source) checkFile(t *table, m *Manifest, others []string) (shape, bool) {
	only(t, "file", others, "class", "train", "train_rows", "test_fraction")
	if s.Class == "" {
		s.Class = "class"
	}
	if s.Scale == "" {
		s.Scale = "standard"
	}
	if !s.open(t, m, "file", s.File) {
		return shape{}, false
	}
	var err error
	if s.whole, err = dataset.LoadCSV(s.path(t, s.File), s.Class); err != nil {
		t.reject("file", err.Error())
		return shape{}, false
	}
	return s.checkSplit(t, "file")
}

func (s *Source) checkImages(t *table, m *Manifest, others []string) (shape, bool) {
	only(t, "images", others, "labels", "test_images", "test_labels", "train", "train_rows", "test_fraction")
	if s.Scale == "" {
		s.Scale = "unit"
	}
	for _, pair := range [][2]string{{"images", "labels"}, {"test_images", "test_labels"}} {
		if t.has(pair[0]) != t.has(pair[1]) {
			t.reject(pair[0], fmt.Sprintf("allowed: data.%s and data.%s together", pair[0], pair[1]))
		}
	}
	if t.rejected() {
		return shape{}, false
	}
	there := s.open(t, m, "images", s.Images)
	there = s.open(t, m, "labels", s.Labels) && there
	if s.TestImages != "" {
		there = s.open(t, m, "test_images", s.TestImages) && there
		there = s.open(t, m, "test_labels", s.TestLabels) && there
	}
	if !there {
		return shape{}, false
	}
	var err error
	if s.whole, err = dataset.LoadIDX(s.path(t, s.Images), s.path(t, s.Labels)); err != nil {
		t.reject("images", err.Error())
		return shape{}, false
	}
	if s.TestImages == "" {
		return s.checkSplit(t, "images")
	}
	test, err := dataset.LoadIDX(s.path(t, s.TestImages), s.path(t, s.TestLabels))
	if err == nil {
		s.test, err = dataset.Align(s.whole, test)
	}
	if err != nil {
		t.reject("test_images", err.Error())
		return shape{}, false
	}
	if s.TrainRows != "" || s.TestFraction != 0 {
		t.reject("images", "with data.test_images there is nothing to split; allowed: neither train_rows nor test_fraction")
		return shape{}, false
	}
	return s.checkParts(t, "images")
}

// path returns where a file of the manifest is.
func (s *Source) path(t *table, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(filepath.Dir(t.r.file), file)
}

// open notes the checksum of a file, or that it is not there.
func (s *Source) open(t *table, m *Manifest, key, file string) bool {
	if t.rejected() {
		return false
	}
	path := s.path(t, file)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.Missing = append(m.Missing, path)
		return false
	case err != nil:
		t.reject(key, err.Error())
		return false
	}
	sum := sha256.Sum256(data)
	s.Sums = append(s.Sums, hex.EncodeToString(sum[:]))
	return true
}

// checkSplit reports a split that one file cannot have.
func (s *Source) checkSplit(t *table, key string) (shape, bool) {
	if (s.TrainRows == "") == (s.TestFraction == 0) {
		t.reject(key, `needs a test part; allowed: one of data.train_rows = "1-100" and data.test_fraction = 0.2`)
		return shape{}, false
	}
	return s.checkParts(t, key)
}

// checkParts reports parts that cannot be made of the files.
func (s *Source) checkParts(t *table, key string) (shape, bool) {
	if s.TrainRows != "" {
		key = "train_rows"
	}
	train, _, err := s.Parts(fixedStream())
	if err != nil {
		t.reject(key, err.Error())
		return shape{}, false
	}
	return shape{fmt.Sprintf("data.%s", key), train.Inputs(), len(train.Classes())}, true
}

// fixedStream draws a split whose shape is that of all.
func fixedStream() rand.Source { return rand.NewPCG(0, 0) }

// Classes returns the number of classes.
func (s *Source) Classes() int {
	if s.Generator != "" {
		return s.Task().Classes()
	}
	return len(s.whole.Classes())
}

// Parts returns the training and the test part, scaled. The stream draws the
// examples of a generator, or the split where it is a fraction.
func (s *Source) Parts(src rand.Source) (train, test *dataset.Examples, err error) {
	train, test, err = s.Unscaled(src)
	if err != nil {
		return nil, nil, err
	}
	scaler, err := train.Scaler(dataset.Scaling(s.Scale))
	if err != nil {
		return nil, nil, err
	}
	return scaler.Apply(train), scaler.Apply(test), nil
}

// Unscaled is Parts with the inputs as they are.
func (s *Source) Unscaled(src rand.Source) (train, test *dataset.Examples, err error) {
	switch {
	case s.Generator != "":
		task := s.Task()
		all := dataset.NewExamples(task.Generate(s.Train+s.Test, src), task.Classes())
		return all.Subset(upTo(0, s.Train)), all.Subset(upTo(s.Train, s.Train+s.Test)), nil
	case s.test != nil:
		train, test = s.whole, s.test
	default:
		if train, test, err = s.split(src); err != nil {
			return nil, nil, err
		}
	}
	if s.Train > train.Len() {
		return nil, nil, fmt.Errorf("the training part has %d examples, fewer than train = %d", train.Len(), s.Train)
	}
	if s.Train > 0 {
		train = train.Subset(upTo(0, s.Train))
	}
	return train, test, nil
}

func (s *Source) split(src rand.Source) (train, test *dataset.Examples, err error) {
	var in, out []int
	if s.TrainRows != "" {
		rows, err := dataset.ParseRows(s.TrainRows)
		if err != nil {
			return nil, nil, err
		}
		in, out, err = rows.Split(s.whole.Len())
		if err != nil {
			return nil, nil, err
		}
	} else if in, out, err = s.whole.SplitFraction(s.TestFraction, src); err != nil {
		return nil, nil, err
	}
	return dataset.Parts(s.whole, in, out)
}

// upTo returns the integers from first to last − 1.
func upTo(first, last int) []int {
	all := make([]int, last-first)
	for i := range all {
		all[i] = first + i
	}
	return all
}
