package data

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/internal/field"
	"closedform/runner/dataset"
)

// twelve is a CSV file of twelve examples of the classes a, b and c, in turn, whose
// first input is their number from 1.
var twelve = func() string {
	var b strings.Builder
	b.WriteString("x,y,class\n")
	for i := range 12 {
		fmt.Fprintf(&b, "%d,%d,%c\n", i+1, i*i, 'a'+i%3)
	}
	return b.String()
}()

// dataFolder returns a folder with table.csv and IDX files of ten images of 2 × 3 pixels.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	pixels := make([]byte, 60)
	for i := range pixels {
		pixels[i] = byte(i)
	}
	for name, content := range map[string]string{
		"table.csv":  twelve,
		"few.csv":    "class,more,y,x\nb,9,0,14\na,9,0,13\n",
		"new.csv":    "x,y,class\n1,2,a\n3,4,d\n",
		"uneven.csv": "x,class\n1,a\n2,a\n3,b\n4,c\n5,c\n",
		"word.csv":   "x,c,class\n7,u,b\n,w,a\n",
		"numbers":    "1 2\n3 4\n5 6\n7 8\n",
		"answers":    "b\na\nb\na\n",
		"few":        "3 9\n1 9\n",
		"few.answer": "a\nb\n",
		"gaps.csv":   "x,c,class\n1.5,u,a\n,v,b\n3,u,a\n5,u,b\n",
		"images":     idx(pixels, 0x803, 10, 2, 3),
		"labels":     idx([]byte{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}, 0x801, 10),
		"few-images": idx(pixels[:12], 0x803, 2, 2, 3),
		"few-labels": idx([]byte{1, 2}, 0x801, 2),
		"new-labels": idx([]byte{1, 7}, 0x801, 2),
	} {
		check.Write(t, content, dir, name)
	}
	return dir
}

// decode reads a source as a manifest has it, but with "; " for line ends, and validates it.
func decode(text string) (Source, error) {
	var s Source
	md, err := toml.Decode(strings.ReplaceAll(text, "; ", "\n"), &s)
	if err == nil && len(md.Undecoded()) > 0 {
		err = fmt.Errorf("unknown key %v", md.Undecoded())
	}
	if err == nil {
		err = field.Resolve(&s)
	}
	return s, err
}

func examples(e *Examples) Set { return e.Set(0, e.Len()) }

// firsts returns the first inputs of all examples.
func firsts(e *Examples) []float64 {
	var x []float64
	for _, input := range examples(e).X {
		x = append(x, input[0])
	}
	return x
}

// The parts are those that the keys of each first line describe. Each second line has the numbers of inputs,
// classes, training and test examples, and files, and, unless they are random, the first inputs of both parts.
func TestSourceParts(t *testing.T) {
	dir := dataFolder(t)
	for lines := range slices.Chunk(strings.Split(`file = "table.csv"; train_rows = "1-9"
[2 3 9 3 1] [1 2 3 4 5 6 7 8 9] [10 11 12]
file = "table.csv"; class = "class"; test_fraction = 0.25
[2 3 9 3 1]
file = "uneven.csv"; test_fraction = 0.5; min_class_rows = 2
[1 2 2 2 1]
file = "gaps.csv"; categorical = ["c"]; missing = "mean"; train_rows = "1-3"
[3 2 3 1 1] [1.5 2.25 3] [5]
file = "gaps.csv"; ignore = ["c"]; missing = "drop"; train_rows = "2-3"
[1 2 2 1 1] [3 5] [1.5]
images = "images"; labels = "labels"; train_rows = "1-8"
[6 3 8 2 2] [0 6 12 18 24 30 36 42] [48 54]
images = "images"; labels = "labels"; test_images = "few-images"; test_labels = "few-labels"
[6 3 10 2 4] [0 6 12 18 24 30 36 42 48 54] [0 6]
file = "table.csv"; train_rows = "1-9"; test_rows = "2-3"
[2 3 9 2 1] [1 2 3 4 5 6 7 8 9] [11 12]
file = "table.csv"; test_file = "few.csv"; train_rows = "2-7"
[2 3 6 2 2] [2 3 4 5 6 7] [14 13]
file = "gaps.csv"; test_file = "word.csv"; categorical = ["c"]; missing = "mean"
[3 2 4 2 2] [1.5 3.1666666666666665 3 5] [7 3.1666666666666665]
file = "numbers"; labels = "answers"; separator = "blank"; no_header = true; ignore = ["x2"]; test_file = "few"; `+
		`test_labels = "few.answer"
[1 2 4 2 4] [1 3 5 7] [3 1]
generator = "spirals"; arms = 4; train = 7; test = 5
[2 4 7 5 0]`, "\n"), 2) {
		text, want, fixed := lines[0], lines[1], strings.Contains(lines[1], "] [")
		if fixed {
			text += `; scale = "none"`
		}
		s := check.Must(decode(text))
		check.OK(t, s.Load(dir))
		train, test, err := s.Parts(rand.NewPCG(1, 2))
		check.OK(t, err)
		scaler := check.Must(train.Scaler(s.Scale)) // fills in means
		train, test = scaler.Apply(train), scaler.Apply(test)
		files := len(s.Paths(dir))
		got := fmt.Sprint([]int{s.Inputs(), len(s.Classes()), train.Len(), test.Len(), files})
		if fixed {
			got = fmt.Sprint(got+" ", firsts(train), firsts(test))
		}
		check.Equal(t, text, got, want)
		check.Equal(t, text, []any{train.Inputs(), train.Classes()}, []any{s.Inputs(), s.Classes()})
		about := s.About()
		check.Equal(t, text+": digests", len(s.Digests), len(about))
		right := len(about) > 0 == (files > 0) && (files == 0 || strings.HasPrefix(about[0], dir))
		check.True(t, right, "%s: about %q", text, about)
		for _, x := range firsts(test) {
			both := files == 0 && slices.Contains(firsts(train), x)
			check.True(t, !both, "%s: the example at %g is in both parts", text, x)
		}
	}
}

func TestSourceValidate(t *testing.T) {
	for line := range strings.SplitSeq(` -> generator: missing; allowed: one of generator = "moons", file =
file = "table.csv" -> test_fraction: 0 is not allowed; allowed: one test part
file = "t.csv"; train_rows = "1-3"; test_fraction = 0.5 -> test_fraction: 0.5 is not allowed; allowed: one
file = "t.csv"; train_rows = "1-3"; test_rows = "3" -> test_rows: "3" is not allowed; allowed: FIRST-LAST
generator = "moons"; train = 3; test = 3; labels = "l" -> labels: "l" is not allowed; allowed: with file or
images = "i"; labels = "l"; test_fraction = 0.5; no_header = true -> no_header: true is not allowed; allowed:
file = "t.csv"; labels = "l"; test_file = "u.csv" -> test_labels: missing; allowed: the classes of the
file = "t.csv"; test_file = "u.csv"; test_labels = "l" -> test_labels: "l" is not allowed; allowed: with
file = "t.csv"; test_fraction = 0.5; train = 4 -> train: 4 is not allowed; allowed: with generator, not
generator = "moons"; file = "t.csv"; train = 3; test = 3 -> file: "t.csv" is not allowed; allowed: with
generator = "waves"; train = 3; test = 3 -> generator: "waves" is not allowed; allowed: "drifting-shares", "fl
generator = "wedges"; train = 3; test = 3; noise = 0.1 -> noise: 0.1 is not allowed; allowed: a generator with
generator = "moons"; train = 3; test = 3; arms = 4 -> arms: 4 is not allowed; allowed: a generator with arms
generator = "spirals"; train = 3; test = 3; arms = 1 -> arms: 1 is not allowed; allowed: 2 to 100
generator = "gaussians"; train = 3; test = 3; period = 9 -> period: 9 is not allowed; allowed: a generator that
generator = "sea"; train = 3; test = 3; noise = 0.6 -> noise: 0.6 is not allowed; allowed: at most 0.5
generator = "hyperplane"; train = 3; test = 3; noise = 5 -> noise: 5 is not allowed; allowed: at most 0.5
file = "t.csv"; train_rows = "1-3"; min_class_rows = 5 -> min_class_rows: 5 is not allowed; allowed: with test_f
file = "t.csv"; train_rows = "0-3" -> train_rows: "0-3" is not allowed; allowed: FIRST-LAST
file = "t.csv"; train_rows = "4-3" -> train_rows:
file = "t.csv"; train_rows = "1-2-3" -> train_rows:
generator = "moons"; test = 3 -> train: 0 is not allowed; allowed: 1 or more
file = "t.csv"; test_fraction = 0.5; test_file = "u.csv" -> test_fraction: 0.5 is not allowed; allowed: one
images = "i"; labels = "l"; test_file = "u.csv" -> test_file: "u.csv" is not allowed; allowed: with file
images = "i"; test_fraction = 0.5 -> labels:
images = "i"; labels = "l"; test_labels = "f" -> test_labels:
images = "i"; labels = "l"; test_images = "i"; test_labels = "f"; test_fraction = 0.5 -> test_f`, "\n") {
		text, want, _ := strings.Cut(line, " -> ")
		_, err := decode(text)
		_, ok := errors.AsType[*field.Error](err)
		check.True(t, ok && strings.HasPrefix(err.Error(), want), "%q: error %v, want %s", text, err, want)
	}
	class := dataset.Format{Class: "c"}
	for _, f := range []Files{{}, {Images: "i"}, {Labels: "l"}, {Images: "i", Labels: "l", Format: class}} {
		check.Refuses(t, fmt.Sprint(f), f.Validate(), ": ")
	}
}

func TestSourceLoadErrors(t *testing.T) {
	dir := dataFolder(t)
	const images = `images = "images"; labels = "labels"; test_images = "few-images"; `
	for line := range strings.SplitSeq(`file = "table.csv"; class = "kind" -> DIR/table.csv:1: no column "kind";
file = "red.csv" -> open DIR/red.csv: no such file
file = "numbers"; labels = "few"; no_header = true -> DIR/numbers:1: one column, "1 2"; separator = "blank"
file = "table.csv"; labels = "red" -> open DIR/red: no such file
file = "." -> read DIR: is a directory
file = "table.csv"; train_rows = "1-13" -> train_rows: "1-13" is not allowed; allowed: from 1 to 12
file = "table.csv"; train_rows = "1-9"; test_rows = "1-4" -> test_rows: "1-4" is not allowed; allowed: from
file = "table.csv"; train_rows = "1-2" -> train_rows: DIR/table.csv:4: class "c" is not in the training part,
file = "table.csv"; test_file = "gaps.csv" -> DIR/gaps.csv:1: no column "y"; the columns are x, c, class
file = "table.csv"; test_file = "new.csv" -> test_file: DIR/new.csv:3: class "d" is not in the training part,
IMAGES test_labels = "images" -> DIR/images: the magic number is
IMAGES test_labels = "new-labels" -> test_images: DIR/few-images:2: class "7" is not in`, "\n") {
		line = strings.NewReplacer("DIR", dir, "IMAGES ", images).Replace(line)
		text, want, _ := strings.Cut(line, " -> ")
		if !strings.Contains(text, "test_") && !strings.Contains(text, "train_") {
			text += "; test_fraction = 0.5"
		}
		s := check.Must(decode(text))
		check.Refuses(t, text, s.Load(dir), want)
	}
}

// A change of a file changes what a cell's results follow from, and a source that is
// written with its defaults reads the same.
func TestSourceSpelledOut(t *testing.T) {
	dir := dataFolder(t)
	for _, c := range []struct{ text, words string }{
		{`file = "table.csv"; test_fraction = 0.25`, `class = "class"|scale = "standard"`},
		{`file = "t.csv"; test_fraction = 0.25; missing = "mean"; ignore = ["y"]`, `ignore = ["y"]`},
		{`images = "images"; labels = "labels"; train_rows = "1-8"`, `scale = "unit"`},
		{`images = "images"; labels = "labels"; train_rows = "1-8"; scale = "centred"`, `scale = "centred"`},
		{`generator = "rings"; train = 3; test = 4`, `noise = 0.05|scale = "none"`},
	} {
		s := check.Must(decode(c.text))
		text := check.Must(toml.Marshal(s.WithDefaults()))
		for word := range strings.SplitSeq(c.words, "|") {
			check.True(t, strings.Contains("\n"+string(text), "\n"+word+"\n"), "%s does not say %s", text, word)
		}
		again := check.Must(decode(string(text)))
		check.Equal(t, "read again: "+string(text), fmt.Sprint(again), fmt.Sprint(s.WithDefaults()))
	}
	spec := func() string {
		s := Source{Files: Files{File: "table.csv"}, TestFraction: 0.25}
		check.OK(t, s.Load(dir))
		return string(check.Must(json.Marshal(s)))
	}
	before := spec()
	check.Write(t, strings.Replace(twelve, "1,0,a", "1,1,a", 1), dir, "table.csv")
	after := spec()
	check.True(t, after != before && !strings.Contains(after, dir), "before %s, after %s", before, after)
}

// idx returns an IDX file: its header of 4-byte numbers, then the values.
func idx(values []byte, header ...uint32) string {
	var b []byte
	for _, word := range header {
		b = binary.BigEndian.AppendUint32(b, word)
	}
	return string(append(b, values...))
}

// Three images of 2 × 2 pixels, and their labels.
var (
	idxImages = idx([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 127, 255}, 2051, 3, 2, 2)
	idxLabels = idx([]byte{7, 200, 10}, 2049, 3)
)

// read reads files of a folder with these contents.
func read(t *testing.T, dir, images, labels string) (*Examples, error) {
	return readIDX(check.Write(t, images, dir, "im"), check.Write(t, labels, dir, "la"))
}

// Whatever is in the files, it is refused or read without much memory.
func FuzzReadIDX(f *testing.F) {
	f.Add([]byte(idxImages), []byte(idxLabels), false)
	f.Add([]byte(idxImages), []byte(check.Gzip(idxLabels)), true)
	f.Add([]byte(idx(nil, 2051, 1<<20, 1<<8, 1)), []byte{}, true)
	f.Fuzz(func(t *testing.T, images, labels []byte, packed bool) {
		if packed {
			images = []byte(check.Gzip(string(images)))
		}
		dir := t.TempDir()
		check.Frugal(t, func() {
			e, err := read(t, dir, string(images), string(labels))
			if err == nil && (e.Len() == 0 || e.Inputs() == 0 || len(e.Classes()) == 0) {
				t.Errorf("%d examples of %d inputs, classes %q", e.Len(), e.Inputs(), e.Classes())
			}
		})
	})
}

func TestReadIDX(t *testing.T) {
	images, labels, dir := idxImages, idxLabels, t.TempDir()
	want := Set{X: [][]float64{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 127, 255}}, Class: []int{0, 2, 1}}
	for name, c := range map[string][2]string{
		"plain":            {images, labels},
		"gzip":             {check.Gzip(images), check.Gzip(labels)},
		"one of each":      {check.Gzip(images), labels},
		"two gzip members": {check.Gzip(images[:20]) + check.Gzip(images[20:]), labels},
	} {
		e := check.Must(read(t, dir, c[0], c[1]))
		check.Equal(t, name, examples(e), want)
		check.Equal(t, name, e.Classes(), []string{"7", "10", "200"})
	}
}

func TestReadIDXErrors(t *testing.T) {
	images, labels, dir := idxImages, idxLabels, t.TempDir()
	zipped := check.Gzip(images)
	broken := []byte(zipped)
	broken[len(broken)-8] ^= 1 // of the checksum
	for name, c := range map[string]struct{ images, labels, want string }{
		"labels for images":      {idx(make([]byte, 30), 2049, 30), labels, "im: the magic number is 0x00000801; need"},
		"images for labels":      {images, images, "la: the magic number is 0x00000803; need 0x00000801"},
		"short images":           {images[:27], labels, "im: 11 values; the header says [3 2 2]"},
		"short gzip trailer":     {zipped[:len(zipped)-1], labels, "im: after 28 bytes: unexpected EOF"},
		"only a gzip header":     {zipped[:5], labels, "im: gzip: "},
		"wrong checksum":         {string(broken), labels, "im: after 28 bytes: gzip: invalid checksum"},
		"more images":            {images, idx([]byte{7, 8}, 2049, 2), "im has 3 images and DIR/la has 2 labels"},
		"no images":              {idx(nil, 2051, 0, 2, 2), idx(nil, 2049, 0), "im: 0 values; the header says [0 2 2]"},
		"a header that promises": {idx(nil, 2051, 1<<20, 1<<20, 1<<20), labels, "im: 0 values; the header"},
		"a bomb":                 {check.Gzip(idx(make([]byte, 32<<20), 2051, 1, 1, 1)), labels, "im: 33554432 "},
	} {
		e, err := read(t, dir, c.images, c.labels)
		check.Refuses(t, name, err, filepath.Join(dir, strings.ReplaceAll(c.want, "DIR", dir)))
		check.True(t, e == nil, "%s: examples beside an error", name)
	}
}
