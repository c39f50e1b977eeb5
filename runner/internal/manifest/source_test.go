package manifest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"closedform/runner/internal/dataset"
)

var dataStudies = []Study{{Name: "learn"}, {Name: "compare"}, {Name: "unknown"}}

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

// dataFolder returns a folder with table.csv, other files of which each breaks in
// its own way, and IDX files of ten images of 2 × 3 pixels.
func dataFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("table.csv", twelve)
	write("ragged.csv", "x,y,class\n1,2,a\n3,b\n")
	write("wide.csv", "x,y,z,class\n1,2,3,a\n3,4,5,b\n")
	idx := func(name string, magic uint32, sizes []uint32, data []byte) {
		b := binary.BigEndian.AppendUint32(nil, magic)
		for _, n := range sizes {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		write(name, string(append(b, data...)))
	}
	pixels := make([]byte, 60)
	for i := range pixels {
		pixels[i] = byte(i)
	}
	idx("images", 0x803, []uint32{10, 2, 3}, pixels)
	idx("labels", 0x801, []uint32{10}, []byte{0, 1, 2, 0, 1, 2, 0, 1, 2, 0})
	idx("few-images", 0x803, []uint32{2, 2, 3}, pixels[:12])
	idx("few-labels", 0x801, []uint32{2}, []byte{1, 2})
	idx("new-labels", 0x801, []uint32{2}, []byte{1, 7})
	return dir
}

// parseIn reads a manifest that lies in the folder.
func parseIn(dir, src string, overrides ...string) (*Manifest, error) {
	return Parse(filepath.Join(dir, "x.toml"), []byte(src), dataStudies, overrides)
}

func mustParseIn(t *testing.T, dir, src string, overrides ...string) *Manifest {
	t.Helper()
	m, err := parseIn(dir, src, overrides...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

const streamHead = "name = \"s\"\nstudy = \"learn\"\nseed = 3\n[data]\n"

// inputs returns the first inputs of all examples.
func inputs(e *dataset.Examples) []float64 {
	var all []float64
	for _, x := range e.Set().X {
		all = append(all, x[0])
	}
	return all
}

// The parts are those that the keys describe.
func TestSourceParts(t *testing.T) {
	dir := dataFolder(t)
	for _, c := range []struct {
		data            string
		inputs, classes int
		train, test     []float64 // first inputs; nil: random
		trains, tests   int
	}{
		{"file = \"table.csv\"\ntrain_rows = \"1-6,10-12\"\nscale = \"none\"", 2, 3, []float64{1, 2, 3, 4, 5, 6, 10, 11, 12}, []float64{7, 8, 9}, 9, 3},
		{"file = \"table.csv\"\ntrain_rows = \"1-9\"\nscale = \"none\"\ntrain = 4", 2, 3, []float64{1, 2, 3, 4}, []float64{10, 11, 12}, 4, 3},
		{"file = \"table.csv\"\ntest_fraction = 0.25", 2, 3, nil, nil, 9, 3},
		{"file = \"table.csv\"\nclass = \"class\"\ntest_fraction = 0.25\ntrain = 5", 2, 3, nil, nil, 5, 3},
		{"images = \"images\"\nlabels = \"labels\"\ntrain_rows = \"1-8\"\nscale = \"none\"", 6, 3, []float64{0, 6, 12, 18, 24, 30, 36, 42}, []float64{48, 54}, 8, 2},
		{
			"images = \"images\"\nlabels = \"labels\"\ntest_images = \"few-images\"\ntest_labels = \"few-labels\"\ntrain = 3", 6, 3,
			[]float64{0, 6. / 255, 12. / 255},
			[]float64{0, 6. / 255},
			3, 2,
		},
		{"generator = \"spirals\"\narms = 4\ntrain = 7\ntest = 5", 2, 4, nil, nil, 7, 5},
	} {
		m := mustParseIn(t, dir, streamHead+c.data)
		train, test, err := m.Stream.Source.Parts(rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if train.Inputs() != c.inputs || len(train.Classes()) != c.classes || m.Stream.Source.Classes() != c.classes {
			t.Errorf("%s: %d inputs, classes %v", c.data, train.Inputs(), train.Classes())
		}
		if train.Len() != c.trains || test.Len() != c.tests {
			t.Errorf("%s: %d examples to train, %d to test", c.data, train.Len(), test.Len())
		}
		if c.train != nil && (!slices.Equal(inputs(train), c.train) || !slices.Equal(inputs(test), c.test)) {
			t.Errorf("%s: training part %v, test part %v", c.data, inputs(train), inputs(test))
		}
		if want := []int{c.inputs, c.classes}; !slices.Equal(m.Stream.Model.Layers, want) {
			t.Errorf("%s: layers %v, want %v", c.data, m.Stream.Model.Layers, want)
		}
	}
}

// A random split takes its examples, and how many of them are to be learned, by the
// stream; inputs are scaled by the training part alone.
func TestSourceRandomSplit(t *testing.T) {
	dir := dataFolder(t)
	source := &mustParseIn(t, dir, streamHead+"file = \"table.csv\"\ntest_fraction = 0.25\ntrain = 5").Stream.Source
	parts := map[string]bool{}
	for seed := range uint64(20) {
		train, test, err := source.Unscaled(rand.NewPCG(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range inputs(train) {
			if slices.Contains(inputs(test), x) {
				t.Errorf("seed %d: example %g is in both parts", seed, x)
			}
		}
		parts[fmt.Sprint(slices.Sorted(slices.Values(inputs(train))))] = true

		scaled, _, err := source.Parts(rand.NewPCG(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		var sum, squares float64
		for _, x := range inputs(scaled) {
			sum += x
			squares += x * x
		}
		if !(sum < 1e-12 && sum > -1e-12 && squares > 5-1e-12 && squares < 5+1e-12) {
			t.Errorf("seed %d: the training part has the mean %g and the mean square %g", seed, sum/5, squares/5)
		}
	}
	if len(parts) < 15 {
		t.Errorf("%d training parts for 20 seeds", len(parts))
	}
}

func TestSourceErrors(t *testing.T) {
	dir := dataFolder(t)
	file := filepath.Join(dir, "x.toml")
	for _, c := range []struct{ data, want string }{
		{"", "4: data.generator: missing; allowed: one of generator = \"moons\", file = \"path.csv\" and images = \"path\""},
		{"file = \"table.csv\"", "5: data.file = \"table.csv\": needs a test part; allowed: one of train_rows = \"1-100\" and test_fraction = 0.2"},
		{"file = \"table.csv\"\ntrain_rows = \"1-3\"\ntest_fraction = 0.5", "6: data.train_rows = \"1-3\": with test_fraction; allowed: one of the two"},
		{"file = \"table.csv\"\ntest_fraction = 1.0", "6: data.test_fraction = 1.0: must be a number > 0 and < 1"},
		{"file = \"table.csv\"\ntest_fraction = 0.5\nscale = \"log\"", "7: data.scale = \"log\": must be \"standard\" or \"centred\" or \"global\" or \"unit\" or \"none\""},
		{"file = \"table.csv\"\ntest_fraction = 0.5\nlabels = \"labels\"", "7: data.labels = \"labels\": does not go with file; allowed with it: class, train, train_rows, test_fraction, scale"},
		{"generator = \"moons\"\nfile = \"table.csv\"\ntrain = 3\ntest = 3", "6: data.file = \"table.csv\": does not go with generator; allowed with it: train, test, noise, arms, rings, scale"},
		{"generator = \"moons\"\ntrain = 3\ntest = 3\narms = 4", "5: data.generator = \"moons\": task \"moons\" with arms = 4; allowed: no arms"},
		{"file = \"table.csv\"\ntest_fraction = 0.5\nclass = \"kind\"", "5: data.file = \"table.csv\": dataset: DIR/table.csv:1: no column \"kind\" for the class; the columns are \"x\", \"y\", \"class\""},
		{"file = \"ragged.csv\"\ntest_fraction = 0.5", "5: data.file = \"ragged.csv\": dataset: DIR/ragged.csv:3: 2 cells, need 3, as many as the header has"},
		{"file = \".\"\ntest_fraction = 0.5", "5: data.file = \".\": DIR is not a regular file"},
		{"file = \"/dev/null\"\ntest_fraction = 0.5", "5: data.file = \"/dev/null\": /dev/null is not a regular file"},
		{"file = \"table.csv\"\ntrain_rows = \"1-13\"", "6: data.train_rows = \"1-13\": dataset: rows 1-13; allowed: from 1 to 12"},
		{"file = \"table.csv\"\ntrain_rows = \"1-12\"", "6: data.train_rows = \"1-12\": dataset: no rows of 12 are left for testing"},
		{"file = \"table.csv\"\ntrain_rows = \"3-1\"", "6: data.train_rows = \"3-1\": dataset: rows \"3-1\": \"3-1\" is not a range; allowed: FIRST-LAST with 1 ≤ FIRST ≤ LAST, or several, separated by commas"},
		{"file = \"table.csv\"\ntrain_rows = \"1-2\"", "6: data.train_rows = \"1-2\": dataset: DIR/table.csv:4: class \"c\" is not in the training part, which has \"a\", \"b\""},
		{"file = \"table.csv\"\ntrain_rows = \"1-6\"\ntrain = 7", "7: data.train = 7: the training part has 6 examples; allowed: 1 to 6"},
		{"images = \"images\"\ntest_fraction = 0.5", "5: data.images = \"images\": without labels; allowed: images and labels together"},
		{"images = \"images\"\nlabels = \"labels\"\ntest_labels = \"few-labels\"", "7: data.test_labels = \"few-labels\": without test_images; allowed: test_images and test_labels together"},
		{"images = \"images\"\nlabels = \"few-labels\"\ntest_fraction = 0.5", "5: data.images = \"images\": dataset: DIR/images has 10 images and DIR/few-labels has 2 labels; need as many"},
		{"images = \"labels\"\nlabels = \"labels\"\ntest_fraction = 0.5", "5: data.images = \"labels\": dataset: DIR/labels: "},
		{
			"images = \"images\"\nlabels = \"labels\"\ntest_images = \"few-images\"\ntest_labels = \"new-labels\"",
			"7: data.test_images = \"few-images\": dataset: DIR/few-images: image 2: class \"7\" is not in the training part, which has \"0\", \"1\", \"2\"",
		},
		{
			"images = \"images\"\nlabels = \"labels\"\ntest_images = \"few-images\"\ntest_labels = \"few-labels\"\ntrain_rows = \"1-3\"",
			"9: data.train_rows = \"1-3\": with test_images there is nothing to split; allowed: one or the other",
		},
		{"file = \"table.csv\"\ntest_fraction = 0.25\n[model]\nlayers = [3, 3]", "8: model.layers = [3, 3]: data.file has 2 inputs and 3 classes; allowed: [2, …, 3]"},
		{"file = \"table.csv\"\ntest_fraction = 0.25\n[evaluate]\nsnapshots = [4, 10]", "8: evaluate.snapshots = [4, 10]: 10 is beyond the 9 training examples; allowed: 1 to 9"},
		{"file = \"table.csv\"\ntest_fraction = 0.25\n[evaluate]\nsnapshots = [4, 4]", "8: evaluate.snapshots = [4, 4]: 4 comes after 4; allowed: strictly increasing"},
		{
			"file = \"table.csv\"\ntest_fraction = 0.25\n[evaluate]\ngird = 4",
			"8: evaluate.gird: unknown key; did you mean \"grid\"? allowed: grid, order, passes, predictions, snapshots",
		},
		{
			"file = \"table.csv\"\ntest_fraction = 0.25\n[[rival]]\nname = \"k\"\nkind = \"kalman\"\ntune = [\"prior_var\"]\ncandidates = [[1]]",
			"10: rival.k.tune: unknown key; allowed: covariance, hidden_layers, kind, name, prior_mean_var, prior_var, process_noise",
		},
		{"file = \"table.csv\"\ntest_fraction = 0.25\n[[rival]]\nname = \"model\"\nkind = \"majority\"", "8: rival.model.name = \"model\": a variant or rival before it has this name; allowed: names that differ"},
		{"file = \"table.csv\"\ntest_fraction = 0.25\n[[rival]]\nname = \"k\"\nkind = \"kalmann\"\nprior_var = 3", "9: rival.k.kind = \"kalmann\": must be \"backprop\" or \"closed-form\""},
		{
			"file = \"table.csv\"\ntest_fraction = 0.25\n[[rival]]\nname = \"k\"\nkind = \"kalman\"\nhidden_layers = [3000]",
			"9: rival.k.kind = \"kalman\": data.file and the layers [2 3000 3]: the covariance has 3.24e+08 numbers; allowed: at most 100000000",
		},
	} {
		_, err := parseIn(dir, streamHead+c.data)
		want := file + ":" + strings.ReplaceAll(c.want, "DIR", dir)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, want) || strings.Contains(got, "\n") {
			t.Errorf("%s\ngot  %s\nwant %s", c.data, got, want)
		}
	}
}

// Files that are not there are no mistake of the manifest.
func TestSourceMissing(t *testing.T) {
	dir := dataFolder(t)
	images := "images = \"images\"\nlabels = \"gone-labels\"\ntest_images = \"gone-images\"\ntest_labels = \"gone-labels\"\n"
	for _, c := range []struct {
		data string
		want []string
	}{
		{"file = \"gone.csv\"\ntest_fraction = 0.25", []string{"gone.csv"}},
		{"file = \"no/folder.csv\"\ntest_fraction = 0.25", []string{"no/folder.csv"}},
		{images, []string{"gone-labels", "gone-images"}},
	} {
		m, err := parseIn(dir, streamHead+c.data)
		if err != nil {
			t.Errorf("%s: %v", c.data, err)
			continue
		}
		for i, name := range c.want {
			c.want[i] = filepath.Join(dir, name)
		}
		if !slices.Equal(m.Missing, c.want) {
			t.Errorf("%s: missing %q, want %q", c.data, m.Missing, c.want)
		}
	}
	// What is wrong apart from that is an error.
	if _, err := parseIn(dir, streamHead+"file = \"gone.csv\"\ntest_fraction = 2.0"); err == nil {
		t.Error("a fraction of 2 is allowed where the file is not there")
	}
}

// A resolved manifest is one that says the same, wherever it lies.
func TestResolvedFindsData(t *testing.T) {
	dir := dataFolder(t)
	for _, src := range []string{
		streamHead + "file = \"table.csv\"\ntest_fraction = 0.25",
		streamHead + "images = \"images\"\nlabels = \"labels\"\ntrain_rows = \"1-8\"\n[sweep]\nlambda = [0.3, \"slope\"]\n[[rival]]\nname = \"k\"\nkind = \"laplace\"",
		streamHead + "generator = \"moons\"\ntrain = 3\ntest = 4\n[model]\nhidden_layers = [5]\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nrandom_features = true",
		compareSrc,
		unknownSrc,
	} {
		m := mustParseIn(t, dir, src)
		again, err := Parse(filepath.Join(t.TempDir(), "manifest.toml"), m.Resolved(), dataStudies, nil)
		if err != nil {
			t.Errorf("%s\nresolved: %v", m.Resolved(), err)
			continue
		}
		if len(again.Missing) > 0 || !reflect.DeepEqual(again, m) {
			t.Errorf("resolved:\n%s\nbecomes\n%s\nmissing %v", m.Resolved(), again.Resolved(), again.Missing)
		}
	}
	if m := mustParseIn(t, dir, streamHead+"generator = \"moons\"\ntrain = 3\ntest = 4"); m.Folder != "" {
		t.Errorf("a folder %q without files", m.Folder)
	}
	// The folder is a key like others.
	if m := mustParseIn(t, t.TempDir(), streamHead+"file = \"table.csv\"\ntest_fraction = 0.25", "folder="+dir); len(m.Missing) > 0 {
		t.Errorf("missing %v", m.Missing)
	}
}

// Each way to give the layers, in [model] and in a variant.
func TestStreamLayers(t *testing.T) {
	dir := dataFolder(t)
	for _, c := range []struct {
		model, variant string
		want           []int // of the variant
	}{
		{"", "", []int{2, 3}},
		{"", "layers = [2, 7, 3]", []int{2, 7, 3}},
		{"", "hidden_layers = [7]", []int{2, 7, 3}},
		{"layers = [2, 4, 3]", "", []int{2, 4, 3}},
		{"layers = [2, 4, 3]", "layers = [2, 3]", []int{2, 3}},
		{"layers = [2, 4, 3]", "hidden_layers = [7, 8]", []int{2, 7, 8, 3}},
		{"layers = [2, 4, 3]", "hidden_layers = []", []int{2, 3}},
		{"hidden_layers = [4]", "", []int{2, 4, 3}},
		{"hidden_layers = [4]", "layers = [2, 7, 8, 3]", []int{2, 7, 8, 3}},
		{"hidden_layers = [4]", "hidden_layers = [7]", []int{2, 7, 3}},
		{"hidden_layers = [4]", "hidden_layers = []", []int{2, 3}},
	} {
		src := streamHead + "file = \"table.csv\"\ntest_fraction = 0.25\n[model]\nbias = true\n" + c.model +
			"\n[sweep]\nlambda = [0.1, 0.2]\n[[variant]]\nname = \"v\"\nrule = \"total\"\n" + c.variant
		m := mustParseIn(t, dir, src)
		for i, model := range m.Stream.Models() {
			if !slices.Equal(model.Layers, c.want) || model.HiddenLayers != nil || !model.Bias || model.Rule != "total" || model.Lambda.Number != []float64{0.1, 0.2}[i] {
				t.Errorf("model %q, variant %q: %+v", c.model, c.variant, model)
			}
		}
		// An override stands for what it replaces.
		if m = mustParseIn(t, dir, src, "variant.v.bias=false", "data.test_fraction=0.5", "sweep.lambda=[0.4]"); m.Stream.Variants[0].Bias || m.Stream.Source.TestFraction != 0.5 || len(m.Stream.Models()) != 1 {
			t.Errorf("overrides: %+v", m.Stream)
		}
	}
	_, err := parseIn(dir, streamHead+"file = \"table.csv\"\ntest_fraction = 0.25\n[model]\nlayers = [2, 3]\nhidden_layers = [4]")
	if want := filepath.Join(dir, "x.toml") + ":9: model.hidden_layers = [4]: with layers they are given already; allowed: one of layers and hidden_layers"; fmt.Sprint(err) != want {
		t.Errorf("both: %v, want %s", err, want)
	}
}

// A manifest with what goes with a grid is not taken for a stream.
func TestGridForgotten(t *testing.T) {
	_, err := parseIn(".", streamHead+"generator = \"wedges\"\ntrain = 3\n[model]\nlayers = [2, 3]\n[evaluate]\nsnapshots = [1]\n[monte_carlo]\nsamples = 10")
	if want := "x.toml:9: evaluate.grid: missing; allowed: an integer from 2 to 2001"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// There is no map of data from files.
func TestGridWithFile(t *testing.T) {
	_, err := parseIn(".", streamHead+"file = \"table.csv\"\ntest_fraction = 0.5\n[model]\nlayers = [2, 3]\n[evaluate]\ngrid = 9")
	if want := "x.toml:10: evaluate.grid = 9: maps are of the plane; allowed: no grid with data from files"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}
