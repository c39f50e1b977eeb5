package learn

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"closedform/core/bnn"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// kept returns the network that a manifest keeps, and the merged tables, nil if it keeps none.
func kept(t *testing.T, manifest string) (*trained.Network, table.Set) {
	t.Helper()
	e := studytest.New(t, Kind, manifest)
	var cells []table.Set
	for _, c := range e.Cells() {
		cells = append(cells, check.Must(c.Run(t.Context())))
	}
	tables := check.Must(e.Tables(cells))
	i := slices.IndexFunc(cells, func(c table.Set) bool { return c.Get("network.npz") != nil })
	if i < 0 {
		return nil, tables
	}
	path := filepath.Join(t.TempDir(), "network.npz")
	check.OK(t, os.WriteFile(path, cells[i].Get("network.npz").File, 0o666))
	return check.Must(trained.Read(path)), tables
}

// The network that is kept is the first, of the first seed. It says of the test part what the
// tables say, with the scaling that it was trained with.
func TestKeptNetwork(t *testing.T) {
	const bank = `[[method]]; name = "bank"; kind = "closed-form"; hidden_layers = [3]
`
	const keep = "[save]\nnetwork = true\n"
	manifest := strings.Replace(streamOf(t, studytest.Clusters(36)), `train_rows = "1-24"`, "test_fraction = 0.3", 1)
	source := studytest.New(t, Kind, manifest).(*stream).Data
	for method, manifest := range map[string]string{"linear": manifest + keep, "bank": strings.Replace(manifest, "[[method]]", bank+"[[method]]", 1) + keep} {
		n, tables := kept(t, manifest)
		check.Equal(t, "the network as a table", tables.Get("network.npz"), nil)
		_, test, err := source.Unscaled(study.Stream("small_stream", 1, "data"))
		check.OK(t, err)
		rows := tables.Get("predictions").Where("method", method).Where("seed", 1)
		if rows.Len() != test.Len() || rows.Len() == 0 || !slices.Equal(n.Classes, source.Classes()) {
			t.Fatalf("%d predictions of %d examples, classes %q", rows.Len(), test.Len(), n.Classes)
		}
		var p bnn.Prediction
		for i, x := range test.Set(0, test.Len()).X {
			for j := range x {
				x[j] = (x[j] - n.Scaler.Shift[j]) * n.Scaler.Factor[j]
			}
			check.OK(t, n.Model.Predict(&p, x))
			for j, class := range n.Classes {
				check.Near(t, fmt.Sprintf("%s: example %d, class %s", method, i+1, class), p.P[j]/(1+p.Moments.Excess()), rows.Nums("p_" + class)[i], 1e-12) // the order of sums in a bank
			}
		}
	}
	none, _ := kept(t, manifest)
	check.Equal(t, "a network without [save]", none, nil)
	fails := strings.NewReplacer(`name = "linear"`, `name = "linear"`+"\nrule = \"joint\"\nlambda = 3").Replace(manifest) + keep
	n, tables := kept(t, fails)
	notes := studytest.New(t, Kind, fails).(study.Noted).Notes(tables)
	if n != nil || !slices.Contains(notes, "no network.npz is kept: linear broke down") {
		t.Errorf("a network that broke down is kept, or not told of: %q", notes)
	}
}

// Of a generator, too.
func TestKeptNetworkOfGenerator(t *testing.T) {
	n, _ := kept(t, "name = \"g\"\nstudy = \"learn\"\nseed = 1\n[data]\ngenerator = \"moons\"\ntrain = 30\ntest = 9\n[model]\nrule = \"adf\"\n[save]\nnetwork = true\n")
	var p bnn.Prediction
	if n == nil || n.Scaler.Features[1].Column != "x2" || n.Model.Predict(&p, []float64{rand.Float64(), 1}) != nil {
		t.Errorf("%+v", n)
	}
}
