package data

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/manifest"
)

// Sample is training examples drawn from a generator.
type Sample struct {
	Generator
	Train int `toml:"train,omitzero" json:"train,omitzero"` // number of training examples of the generator
}

// Validate fills in the defaults. It returns an error if the generator or the number of examples is invalid.
func (s *Sample) Validate() error {
	return cmp.Or(s.Generator.Validate(), field.Within("train", s.Train, 1, manifest.MaxTrain))
}

// Source is labelled examples from a generator, a CSV file or IDX files, with their split and scaling. Call
// Load before Inputs, Classes, About and Parts.
type Source struct {
	Sample
	Test int `toml:"test,omitzero" json:"test,omitzero"` // number of test examples of the generator

	Files

	// TestFile is a table of test examples, with the columns of file; default none.
	TestFile string `toml:"test_file,omitempty" json:"test_file,omitempty"`
	// TestImages is the IDX file of test images, with labels in test_labels; default none.
	TestImages string `toml:"test_images,omitempty" json:"test_images,omitempty"`
	TestLabels string `toml:"test_labels,omitempty" json:"test_labels,omitempty"` // IDX file of test labels

	// TrainRows are the rows of the training part, such as "1-4435"; the others are the test part; default none.
	TrainRows string `toml:"train_rows,omitempty" json:"train_rows,omitempty"`
	// TestFraction is the share of each class that is drawn at random as the test part; default none.
	TestFraction float64 `toml:"test_fraction,omitzero" json:"test_fraction,omitzero"`
	// TestRows are the rows of the test part that are used, such as "1-500"; default all.
	TestRows string `toml:"test_rows,omitempty" json:"test_rows,omitempty"`

	// Scale is the scaling of inputs, fitted to the training part; default by kind, see below.
	Scale dataset.Scaling `toml:"scale,omitempty" json:"scale,omitzero"`

	whole, test *Examples // examples of the files, or one example of the generator; nil: no test files
}

func (s Source) testFiles() Files {
	return Files{File: s.TestFile, Format: s.Format, Images: s.TestImages, Labels: s.TestLabels}
}

// Validate fills in the defaults of the kind, and returns the first error that can be found without a file.
func (s *Source) Validate() error {
	if err := cmp.Or(s.checkKeys(), s.Scale.Validate()); err != nil {
		return err
	}
	*s = s.WithDefaults()
	if s.Name != "" {
		return cmp.Or(s.Sample.Validate(), field.Within("test", s.Test, 1, manifest.MaxTrain))
	}
	files, rows, fraction := s.given("test_file", "test_images") != "", s.TrainRows != "", s.TestFraction != 0
	switch {
	case (s.Images == "") != (s.Labels == ""):
		return field.Errorf("labels", "allowed: images and labels together")
	case (s.TestImages == "") != (s.TestLabels == ""):
		return field.Errorf("test_images", "allowed: test_images and test_labels together")
	case fraction == (files || rows):
		return field.Errorf("test_fraction",
			`need one test part; allowed: one of train_rows = "1-100", test_fraction = 0.2, `+
				`and test_file or test_images with test_labels, with train_rows or without`)
	case !(s.TestFraction >= 0 && s.TestFraction < 1):
		return field.Errorf("test_fraction", "%g is not allowed; allowed: above 0 and below 1", s.TestFraction)
	}
	return cmp.Or(s.Format.Validate(), CheckRows("train_rows", s.TrainRows), CheckRows("test_rows", s.TestRows))
}

// checkKeys returns an error unless the source has one kind, and no key of another kind.
func (s Source) checkKeys() error {
	kind := s.given("generator", "file", "images")
	if kind == "" {
		return field.Errorf("generator",
			`missing; allowed: one of generator = "moons", file = "path.csv" and images = "path"`)
	}
	for _, k := range [][2]string{
		{"generator", "noise arms train test"},
		{"file", "file separator decimal class missing categorical ignore test_file"},
		{"images", "images labels test_images test_labels"},
		{"file or images", "train_rows test_rows test_fraction"},
	} {
		if key := s.given(strings.Fields(k[1])...); key != "" && !strings.Contains(k[0], kind) {
			return field.Errorf(key, "does not go with %s; allowed with %s only", kind, k[0])
		}
	}
	return nil
}

// given returns the first of the keys that has a value, or "".
func (s Source) given(keys ...string) string {
	values := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Source]()) {
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		values[key] = !reflect.ValueOf(s).FieldByIndex(f.Index).IsZero()
	}
	for _, key := range keys {
		if values[key] {
			return key
		}
	}
	return ""
}

// WithDefaults returns the source with the defaults of its kind.
func (s Source) WithDefaults() Source {
	switch {
	case s.File != "":
		s.Class, s.Scale = cmp.Or(s.Class, "class"), cmp.Or(s.Scale, dataset.Standard)
	case s.Images != "":
		s.Scale = cmp.Or(s.Scale, dataset.Unit)
	default:
		_ = s.Generator.Validate() // fills in its defaults
		s.Scale = cmp.Or(s.Scale, dataset.None)
	}
	return s
}

// Paths returns the paths of the files. Relative paths are in folder.
func (s Source) Paths(folder string) []string {
	return append(s.Files.Paths(folder), s.testFiles().Paths(folder)...)
}

// Load sets defaults and Digests, and reads files, relative ones in folder. An error names the line or a key.
func (s *Source) Load(folder string) (err error) {
	*s = s.WithDefaults()
	if s.Name != "" {
		task := s.Task()
		s.whole = dataset.NewExamples(task.Draw(1, rand.NewPCG(0, 0)), task.Classes)
		return nil
	}
	if s.whole, err = s.Files.Load(folder, nil); err != nil {
		return err
	}
	if test := s.testFiles(); s.given("test_file", "test_images") != "" {
		if s.test, err = test.Load(folder, s.whole); err != nil {
			return err
		}
		s.Digests = append(s.Digests, test.Digests...)
	}
	train, _, err := s.Parts(rand.NewPCG(0, 0))
	if err == nil {
		_, err = train.Scaler(s.Scale)
	}
	if named := (*field.Error)(nil); err == nil || errors.As(err, &named) {
		return err
	}
	return field.Errorf(s.given("train_rows", "test_file", "test_images", "test_fraction"), "%v", err)
}

// Inputs returns the number of inputs of an example.
func (s *Source) Inputs() int { return s.whole.Inputs() }

// Classes returns the names of the classes, in the order of their numbers.
func (s *Source) Classes() []string { return s.whole.Classes() }

// About describes the contents of the files, in lines.
func (s *Source) About() (lines []string) {
	for _, e := range []*Examples{s.whole, s.test} {
		if s.Name == "" && e != nil {
			lines = append(lines, e.About())
		}
	}
	return lines
}

// Parts returns the unscaled training and test parts. src draws the examples of a generator, or a fraction.
func (s *Source) Parts(src rand.Source) (train, test *Examples, err error) {
	if train, test, err = s.split(src); err != nil {
		return nil, nil, err
	}
	if test, err = Rows(test, s.TestRows); err != nil {
		err = field.Errorf("test_rows", "%v", err)
	}
	return train, test, err
}

func (s *Source) split(src rand.Source) (train, test *Examples, err error) {
	var trainRows, testRows []int
	switch {
	case s.Name != "":
		task := s.Task()
		drawn := dataset.NewExamples(task.Draw(s.Train+s.Test, src), task.Classes)
		trainRows, testRows = divide(drawn.Len(), 0, s.Train)
		return drawn.Subset(trainRows), drawn.Subset(testRows), nil
	case s.test != nil:
		if train, err = Rows(s.whole, s.TrainRows); err != nil {
			return nil, nil, err
		}
		return dataset.Parts(train, s.test)
	case s.TrainRows != "":
		trainRows, testRows, err = splitRows(s.whole, s.TrainRows)
	default:
		trainRows, testRows, err = s.whole.Split(s.TestFraction, src)
	}
	if err != nil {
		return nil, nil, err
	}
	return dataset.Parts(s.whole.Subset(trainRows), s.whole.Subset(testRows))
}

func rowRange(text string) (first, last int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%d-%d%s", &first, &last, &rest); n != 2 || first < 1 || last < first {
		err = fmt.Errorf("%q is not allowed; allowed: FIRST-LAST with 1 ≤ FIRST ≤ LAST", text)
	}
	return first, last, err
}

// CheckRows returns an error unless the value of a key is empty or a range of rows.
func CheckRows(key, text string) error {
	if _, _, err := rowRange(text); text != "" && err != nil {
		return field.Errorf(key, "%v", err)
	}
	return nil
}

// Rows returns the examples in a range of rows; if the text is empty, all of them.
func Rows(e *Examples, text string) (*Examples, error) {
	if text == "" {
		return e, nil
	}
	rows, _, err := splitRows(e, text)
	if err != nil {
		return nil, err
	}
	return e.Subset(rows), nil
}

func splitRows(e *Examples, text string) (in, others []int, err error) {
	first, last, err := rowRange(text)
	if err == nil && (last > e.Len() || last-first+1 == e.Len()) {
		err = fmt.Errorf("%q is not allowed; allowed: from 1 to %d, and not all of them", text, e.Len())
	}
	if err != nil {
		return nil, nil, err
	}
	in, others = divide(e.Len(), first-1, last)
	return in, others, nil
}

// divide returns the indices from start to end−1, and the others below n.
func divide(n, start, end int) (in, others []int) {
	for i := range n {
		if start <= i && i < end {
			in = append(in, i)
		} else {
			others = append(others, i)
		}
	}
	return in, others
}
