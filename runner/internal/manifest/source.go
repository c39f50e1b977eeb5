package manifest

import (
	"math/rand/v2"

	"closedform/runner/internal/dataset"
)

// Source says where labelled examples come from: a generator, a CSV file, or
// IDX files of images and labels. Exactly one of Generator, File and Images is
// given. Relative paths are relative to Manifest.Folder.
type Source struct {
	// Data is the generator. Its Train may be given for files, too: so many
	// examples of the training part are taken, the first of the file, or random
	// ones where the split is random; default all.
	Data
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
	// standard (each input to mean 0 and variance 1), centred (each to mean 0, the
	// largest value of all to 1 before), global (one mean and
	// variance for all), unit (the largest value becomes 1), none. Default:
	// standard for CSV, unit for IDX, none for generators.
	Scale string

	// Sums are the SHA-256 of the files, in the order of the keys; set by Parse.
	Sums []string

	whole, test *dataset.Examples // what the files hold
}

// share is the kind of a share of examples.
var share = number("a number > 0 and < 1", func(x float64) bool { return 0 < x && x < 1 })

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
	field(f, "test_fraction", &s.TestFraction, orZero(share))
	field(f, "scale", &s.Scale, orZero(word("standard", "centred", "global", "unit", "none")))
}

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
	if s.Train > 0 {
		chosen := upTo(0, train.Len())
		if s.TestFraction != 0 {
			rand.New(src).Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		}
		train = train.Subset(chosen[:s.Train])
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
