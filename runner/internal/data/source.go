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
	"closedform/runner/internal/config"
)

// Sample is so many examples of a generator.
type Sample struct {
	Generator
	Train int `toml:"train,omitzero" json:"train,omitzero"` // their number
}

// Validate returns an error if there is no such generator or number of examples. It fills in the defaults.
func (s *Sample) Validate() error {
	if err := s.Generator.Validate(); err != nil {
		return err
	}
	return field.Within("train", s.Train, 1, config.MaxTrain)
}

// Source says where labelled examples come from, which is exactly one of a generator, a
// CSV file and IDX files, and how they are split and scaled. Load comes before all that
// speaks of the examples.
type Source struct {
	Sample
	Test int `toml:"test,omitzero" json:"test,omitzero"` // examples of the generator after those for training

	Files
	// The test part, with files of its own: a table with the columns of File, or images.
	TestFile   string `toml:"test_file,omitempty" json:"test_file,omitempty"`
	TestImages string `toml:"test_images,omitempty" json:"test_images,omitempty"`
	TestLabels string `toml:"test_labels,omitempty" json:"test_labels,omitempty"`

	// How the examples of files are split else.
	// TrainRows are those to train, from 1, such as "1-4435"; the rest is the test part, unless that has files.
	TrainRows    string  `toml:"train_rows,omitempty" json:"train_rows,omitempty"`
	TestFraction float64 `toml:"test_fraction,omitzero" json:"test_fraction,omitzero"` // share of the test part, drawn at random, the classes in proportion

	// TestRows are those of the test part that count, from 1, such as "1-500"; empty: all.
	TestRows string `toml:"test_rows,omitempty" json:"test_rows,omitempty"`

	Scale dataset.Scaling `toml:"scale,omitempty" json:"scale,omitzero"` // as fitted on the training part

	whole, test *Examples // what the files hold; of a generator an example
}

// testFiles returns the files of the test part, if it has any.
func (s Source) testFiles() (f Files, given bool) {
	f = Files{File: s.TestFile, Format: s.Format, Images: s.TestImages, Labels: s.TestLabels}
	return f, f.File != "" || f.Images != ""
}

// Validate returns the first error that can be seen without opening a file.
func (s Source) Validate() error {
	kind, err := s.kind()
	if err = cmp.Or(err, s.Scale.Validate()); err != nil {
		return err
	}
	if kind == "generator" {
		return cmp.Or(s.Sample.Validate(), field.Within("test", s.Test, 1, config.MaxTrain))
	}
	_, files := s.testFiles()
	parts := 0
	for _, given := range []bool{s.TrainRows != "" && !files, s.TestFraction != 0, files} {
		if given {
			parts++
		}
	}
	switch {
	case (s.Images == "") != (s.Labels == ""):
		return field.Errorf("labels", "allowed: images and labels together")
	case (s.TestImages == "") != (s.TestLabels == ""):
		return field.Errorf("test_images", "allowed: test_images and test_labels together")
	case parts != 1:
		return field.Errorf("test_fraction", `%d test parts; allowed: one of train_rows = "1-100", test_fraction = 0.2, `+
			`and test_file or test_images with test_labels, with train_rows or without`, parts)
	case !(s.TestFraction >= 0 && s.TestFraction < 1):
		return field.Errorf("test_fraction", "%g is not allowed; allowed: above 0 and below 1", s.TestFraction)
	}
	return cmp.Or(s.Format.Validate(), CheckRows("train_rows", s.TrainRows), CheckRows("test_rows", s.TestRows))
}

// kind returns the key by which the source is given, or an error if there is none or
// another key does not go with it.
func (s Source) kind() (kind string, err error) {
	for _, k := range []struct {
		with, keys string // the kinds that the keys go with
		values     []any
	}{
		{"generator", "generator", []any{s.Name}},
		{"file", "file", []any{s.File}},
		{"images", "images", []any{s.Images}},
		{"generator", "noise arms rings train test", []any{s.Noise, s.Arms, s.Rings, s.Train, s.Test}},
		{"file", "separator decimal class missing categorical ignore test_file", []any{
			s.Separator, s.Decimal, s.Class, s.Missing, s.Categorical, s.Ignore, s.TestFile,
		}},
		{"images", "labels test_images test_labels", []any{s.Labels, s.TestImages, s.TestLabels}},
		{"file or images", "train_rows test_rows test_fraction", []any{s.TrainRows, s.TestRows, s.TestFraction}},
	} {
		for i, key := range strings.Fields(k.keys) {
			if reflect.ValueOf(k.values[i]).IsZero() {
				continue
			}
			if kind == "" && key == k.with {
				kind = key
			}
			if kind != "" && !strings.Contains(k.with, kind) {
				return "", field.Errorf(key, "does not go with %s; allowed with %s only", kind, k.with)
			}
		}
	}
	if kind == "" {
		err = field.Errorf("generator", `missing; allowed: one of generator = "moons", file = "path.csv" and images = "path"`)
	}
	return kind, err
}

// WithDefaults returns the source with all that follows from what is given.
func (s Source) WithDefaults() Source {
	s.Generator = s.Generator.WithDefaults()
	switch {
	case s.File != "":
		s.Class, s.Scale = cmp.Or(s.Class, "class"), cmp.Or(s.Scale, dataset.Standard)
	case s.Images != "":
		s.Scale = cmp.Or(s.Scale, dataset.Unit)
	default:
		s.Scale = cmp.Or(s.Scale, dataset.None)
	}
	return s
}

// Paths returns the paths of the files. Relative ones are in the folder.
func (s Source) Paths(folder string) []string {
	test, _ := s.testFiles()
	return append(s.Files.Paths(folder), test.Paths(folder)...)
}

// Load fills in the defaults, reads the files, of which relative ones are in the folder,
// and sets Digests. The error names file and line, or the key.
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
	key := "test_fraction"
	if test, given := s.testFiles(); given {
		if key = "test_images"; test.File != "" {
			key = "test_file"
		}
		if s.test, err = test.Load(folder, s.whole); err != nil {
			return err
		}
		s.Digests = append(s.Digests, test.Digests...)
	}
	if s.TrainRows != "" {
		key = "train_rows"
	}
	_, _, err = s.Parts(rand.NewPCG(0, 0))
	if named := (*field.Error)(nil); err == nil || errors.As(err, &named) {
		return err
	}
	return field.Errorf(key, "%v", err)
}

// Inputs returns the number of inputs of an example.
func (s *Source) Inputs() int { return s.whole.Inputs() }

// Classes returns the names of the classes, in the order of their numbers.
func (s *Source) Classes() []string { return s.whole.Classes() }

// About says what the files have, in lines.
func (s *Source) About() (lines []string) {
	for _, e := range []*Examples{s.whole, s.test} {
		if s.Name == "" && e != nil {
			lines = append(lines, e.About())
		}
	}
	if s.test != nil && s.File != "" {
		if n := dataset.Repeats(s.whole, s.test); n > 0 {
			lines = append(lines, fmt.Sprintf("%s: rows whose inputs repeat rows of the training table: %d", s.TestFile, n))
		}
	}
	return lines
}

// Parts returns the training and the test part, scaled. The stream draws the examples of
// a generator, or the split where it is a fraction.
func (s *Source) Parts(src rand.Source) (train, test *Examples, err error) {
	if train, test, err = s.Unscaled(src); err != nil {
		return nil, nil, err
	}
	scaler, err := train.Scaler(s.Scale)
	if err != nil {
		return nil, nil, err
	}
	return scaler.Apply(train), scaler.Apply(test), nil
}

// Unscaled is Parts with the inputs as they are.
func (s *Source) Unscaled(src rand.Source) (train, test *Examples, err error) {
	train, test, err = s.split(src)
	if err != nil {
		return nil, nil, err
	}
	if test, err = Rows(test, s.TestRows); err != nil {
		err = field.Errorf("test_rows", "%v", err)
	}
	return train, test, err
}

// split returns the training and the whole test part.
func (s *Source) split(src rand.Source) (train, test *Examples, err error) {
	var trainRows, testRows []int
	switch {
	case s.Name != "":
		task := s.Task()
		set := task.Draw(s.Train+s.Test, src)
		first := Set{X: set.X[:s.Train], Class: set.Class[:s.Train]}
		rest := Set{X: set.X[s.Train:], Class: set.Class[s.Train:]}
		return dataset.NewExamples(first, task.Classes), dataset.NewExamples(rest, task.Classes), nil
	case s.test != nil:
		if test, err = dataset.Align(s.whole, s.test); err != nil || s.TrainRows == "" {
			return s.whole, test, err
		}
		trainRows, _, err = splitRows(s.whole, s.TrainRows)
		return s.whole.Subset(trainRows), test, err
	case s.TrainRows != "":
		trainRows, testRows, err = splitRows(s.whole, s.TrainRows)
	default:
		trainRows, testRows, err = s.whole.Split(s.TestFraction, src)
	}
	if err != nil {
		return nil, nil, err
	}
	return dataset.Parts(s.whole, trainRows, testRows)
}
