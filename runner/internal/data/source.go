package data

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
)

// Sample is training examples drawn from a generator.
type Sample struct {
	Generator
	// Train is the number of training examples of the generator.
	Train int `toml:"train,omitzero" json:"train,omitzero" range:"1 1,000,000"`
}

// Validate fills in the defaults. It returns an error if the generator is invalid, or nothing is drawn.
func (s *Sample) Validate() error {
	return errors.Join(s.Generator.Validate(), field.Refuse(s.Train == 0, "train", s.Train, "1 or more"))
}

// Source is labelled examples from a generator, a table or IDX files, with their split and scaling. Call
// Load before Inputs, Classes, About and Parts.
type Source struct {
	Sample
	// Test is the number of test examples of the generator.
	Test int `toml:"test,omitzero" json:"test,omitzero" range:"1 1,000,000"`

	Files

	// TestFile is a table of test examples, with the columns of file; default none.
	TestFile string `toml:"test_file,omitempty" json:"test_file,omitempty"`
	// TestImages is the IDX file of test images, with labels in test_labels; default none.
	TestImages string `toml:"test_images,omitempty" json:"test_images,omitempty"`
	// TestLabels is the file of the classes of test_file or test_images, if there are labels; default none.
	TestLabels string `toml:"test_labels,omitempty" json:"test_labels,omitempty"`

	// TrainRows are the rows of the training part, such as "1-4435"; the others are the test part; default none.
	TrainRows string `toml:"train_rows,omitempty" json:"train_rows,omitempty"`
	// TestFraction is the share of each class that is drawn at random as the test part; default none.
	TestFraction float64 `toml:"test_fraction,omitzero" json:"test_fraction,omitzero" range:"1e-6 0.999999"`
	// MinClassRows leaves out the classes with fewer rows, with test_fraction; default none.
	MinClassRows int `toml:"min_class_rows,omitzero" json:"min_class_rows,omitzero" range:"2 1,000,000"`
	// TestRows are the rows of the test part that are used, such as "1-500"; default all.
	TestRows string `toml:"test_rows,omitempty" json:"test_rows,omitempty"`

	// Stream leaves out the test part: each example is predicted before it is learned; default false.
	Stream bool `toml:"stream,omitempty" json:"stream,omitzero"`

	// Scale is the scaling of inputs, fitted to the training part; default by kind, see below.
	Scale dataset.Scaling `toml:"scale,omitempty" json:"scale,omitzero"`

	whole, test *Examples // examples of the files, or one example of the generator; nil: no test files
}

func (s Source) testFiles() Files {
	return Files{File: s.TestFile, Format: s.Format, Images: s.TestImages, Labels: s.TestLabels}
}

// Validate fills in the defaults of the kind, and returns the errors that can be found without a file.
func (s *Source) Validate() error {
	if err := s.checkKeys(); err != nil {
		return err
	}
	*s = s.WithDefaults()
	if s.Name != "" {
		return errors.Join(s.Sample.Validate(),
			field.Refuse((s.Test > 0) == s.Stream, "test", s.Test, "1 or more, or none with stream = true"))
	}
	testFiles := s.TestFile != "" || s.TestImages != ""
	testLabels := testFiles && s.Labels != ""
	test, value := s.given("test_file", "test_images", "test_labels", "test_rows")
	return errors.Join(
		field.Refuse(s.Stream && test != "", test, value, "none, with stream = true"),
		field.Refuse(s.Images != "" && s.Scale == dataset.Stream, "scale", s.Scale, "another one for images"),
		field.Refuse(s.Images != "" && s.Labels == "", "labels", nil, "images and labels together"),
		field.Refuse(testLabels && s.TestLabels == "", "test_labels", nil, "the classes of the test part"),
		field.Refuse(!testLabels && s.TestLabels != "", "test_labels", s.TestLabels,
			"with labels and test_file or test_images"),
		field.Refuse((s.TestFraction != 0) == (testFiles || s.TrainRows != "" || s.Stream), "test_fraction",
			s.TestFraction, `one test part: train_rows = "1-100", or test_fraction = 0.2, or test_file or test_images `+
				`with test_labels, with train_rows or without; or none with stream = true`),
		field.Refuse(s.MinClassRows > 0 && s.TestFraction == 0, "min_class_rows", s.MinClassRows,
			"with test_fraction"),
		s.Format.Validate(), CheckRows("train_rows", s.TrainRows), CheckRows("test_rows", s.TestRows))
}

// checkKeys returns an error unless the source has one kind, and no key of another kind.
func (s Source) checkKeys() (err error) {
	kind, _ := s.given("generator", "file", "images")
	for _, k := range [][2]string{
		{"generator", "noise arms period train test"},
		{"file", "file separator decimal no_header class missing categorical ignore numeric no_value as_written " +
			"test_file"},
		{"images", "images test_images"},
		{"file or images", "labels test_labels train_rows test_rows test_fraction min_class_rows"},
	} {
		key, value := s.given(strings.Fields(k[1])...)
		wrong := key != "" && !strings.Contains(k[0], kind)
		err = errors.Join(err, field.Refuse(wrong, key, value, "with "+k[0]+", not with "+kind))
	}
	return errors.Join(err, field.Refuse(kind == "", "generator", nil,
		`one of generator = "moons", file = "path.csv" and images = "path"`))
}

// given returns the first of the keys that has a value, or "", and the value.
func (s Source) given(keys ...string) (string, any) {
	for _, key := range keys {
		for _, f := range field.Fields(&s) {
			if f.Key == key && !f.Value.IsZero() {
				return key, f.Value.Interface()
			}
		}
	}
	return "", nil
}

// WithDefaults returns the source with the defaults of its kind.
func (s Source) WithDefaults() Source {
	switch {
	case s.File != "":
		s.Class, s.Scale = cmp.Or(s.Class, "class"), cmp.Or(s.Scale, dataset.Standard)
	case s.Images != "":
		s.Scale = cmp.Or(s.Scale, dataset.Unit)
	default:
		_ = s.Generator.Validate() // sets the defaults of the generator
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
	if s.MinClassRows > 0 {
		s.whole = s.whole.Frequent(s.MinClassRows)
	}
	if test := s.testFiles(); test.File != "" || test.Images != "" {
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
	key, _ := s.given("train_rows", "test_file", "test_images", "test_fraction")
	return field.Errorf(key, "%v", err)
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

// Omitted returns what is left out of the examples of the file.
func (s *Source) Omitted() []string { return s.whole.Omitted() }

// Parts returns the unscaled training and test parts. src draws the examples of a generator, or a fraction.
func (s *Source) Parts(src rand.Source) (train, test *Examples, err error) {
	if train, test, err = s.split(src); err != nil {
		return nil, nil, err
	}
	test, err = Rows(test, "test_rows", s.TestRows)
	return train, test, err
}

func (s *Source) split(src rand.Source) (train, test *Examples, err error) {
	switch {
	case s.Name != "":
		task := s.Task()
		drawn := dataset.NewExamples(task.Draw(s.Train+s.Test, src), task.Classes)
		train, test = Divide(drawn, 0, s.Train)
		return train, test, nil
	case s.test != nil:
		test = s.test
		train, err = Rows(s.whole, "train_rows", s.TrainRows)
	case s.Stream:
		test = s.whole.Subset(nil)
		train, err = Rows(s.whole, "train_rows", s.TrainRows)
	case s.TrainRows != "":
		train, test, err = splitRows(s.whole, "train_rows", s.TrainRows)
	default:
		train, test, err = s.whole.Split(s.TestFraction, src)
	}
	if err != nil {
		return nil, nil, err
	}
	return dataset.Parts(train, test)
}

func rowRange(key, text string) (first, last int, err error) {
	var rest string
	n, _ := fmt.Sscanf(text, "%d-%d%s", &first, &last, &rest)
	return first, last, field.Refuse(n != 2 || first < 1 || last < first, key, text,
		"FIRST-LAST with 1 ≤ FIRST ≤ LAST")
}

// CheckRows returns an error unless the value of a key is empty or a range of rows.
func CheckRows(key, text string) (err error) {
	if text != "" {
		_, _, err = rowRange(key, text)
	}
	return err
}

// Rows returns the examples in a range of rows, the value of a key; if it is empty, all of them.
func Rows(e *Examples, key, text string) (*Examples, error) {
	if text == "" {
		return e, nil
	}
	in, _, err := splitRows(e, key, text)
	return in, err
}

func splitRows(e *Examples, key, text string) (in, others *Examples, err error) {
	first, last, err := rowRange(key, text)
	if err = cmp.Or(err, field.Refuse(last > e.Len() || last-first+1 == e.Len(), key, text,
		fmt.Sprintf("from 1 to %d, and not all of them", e.Len()))); err != nil {
		return nil, nil, err
	}
	in, others = Divide(e, first-1, last)
	return in, others, nil
}

// Divide returns the examples from start to end−1, and the others.
func Divide(e *Examples, start, end int) (in, others *Examples) {
	rows := make([]int, e.Len())
	for i := range rows {
		rows[i] = i
	}
	return e.Subset(rows[start:end]), e.Subset(slices.Concat(rows[:start], rows[end:]))
}
