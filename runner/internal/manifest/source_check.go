package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/dataset"
)

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
	allowed = append(allowed, "scale")
	for _, k := range slices.Sorted(maps.Keys(t.entries)) {
		if k != key && !slices.Contains(others, k) && !slices.Contains(allowed, k) {
			t.reject(k, fmt.Sprintf("does not go with %s; allowed with it: %s", key, strings.Join(allowed, ", ")))
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
	if s.whole, err = dataset.LoadCSV(m.path(t, s.File), s.Class); err != nil {
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
		for i, key := range pair {
			if t.has(key) && !t.has(pair[1-i]) {
				t.reject(key, fmt.Sprintf("without %s; allowed: %s and %s together", pair[1-i], pair[0], pair[1]))
			}
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
	if s.whole, err = dataset.LoadIDX(m.path(t, s.Images), m.path(t, s.Labels)); err != nil {
		t.reject("images", err.Error())
		return shape{}, false
	}
	if s.TestImages == "" {
		return s.checkSplit(t, "images")
	}
	test, err := dataset.LoadIDX(m.path(t, s.TestImages), m.path(t, s.TestLabels))
	if err == nil {
		s.test, err = dataset.Align(s.whole, test)
	}
	if err != nil {
		t.reject("test_images", err.Error())
		return shape{}, false
	}
	if s.TrainRows != "" || s.TestFraction != 0 {
		key := "train_rows"
		if s.TrainRows == "" {
			key = "test_fraction"
		}
		t.reject(key, "with test_images there is nothing to split; allowed: one or the other")
		return shape{}, false
	}
	return s.checkParts(t, "images")
}

// path returns where a file of the manifest is. The first that is relative sets
// the folder.
func (m *Manifest) path(t *table, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	if m.Folder == "" {
		m.Folder = filepath.Dir(t.r.file)
	}
	return filepath.Join(m.Folder, file)
}

// open notes the checksum of a file, or that it is not there.
func (s *Source) open(t *table, m *Manifest, key, file string) bool {
	if t.rejected() {
		return false
	}
	path := m.path(t, file)
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		t.reject(key, path+" is not a regular file") // reading a pipe or a device may never end
		return false
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if !slices.Contains(m.Missing, path) {
			m.Missing = append(m.Missing, path)
		}
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
	if s.TrainRows != "" && s.TestFraction != 0 {
		t.reject("train_rows", "with test_fraction; allowed: one of the two")
		return shape{}, false
	}
	if s.TrainRows == "" && s.TestFraction == 0 {
		others := ""
		if key == "images" {
			others = ", or test_images and test_labels"
		}
		t.reject(key, `needs a test part; allowed: one of train_rows = "1-100" and test_fraction = 0.2`+others)
		return shape{}, false
	}
	return s.checkParts(t, key)
}

// checkParts reports parts that cannot be made of the files.
func (s *Source) checkParts(t *table, key string) (shape, bool) {
	of := t.at(key).label
	switch {
	case s.TrainRows != "":
		key = "train_rows"
	case s.TestFraction != 0:
		key = "test_fraction"
	}
	whole := *s
	whole.Train = 0
	train, _, err := whole.Parts(fixedStream())
	if err != nil {
		t.reject(key, err.Error())
		return shape{}, false
	}
	if s.Train > train.Len() {
		t.reject("train", fmt.Sprintf("the training part has %d examples; allowed: 1 to %[1]d", train.Len()))
		return shape{}, false
	}
	return shape{of, train.Inputs(), len(train.Classes())}, true
}

// fixedStream draws a split whose shape is that of all.
func fixedStream() rand.Source { return rand.NewPCG(0, 0) }
