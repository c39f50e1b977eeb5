package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"closedform/core/bnn"
	check "closedform/internal/checktest"
	"closedform/runner/internal/own"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// kept returns the network that a manifest keeps, and the merged tables, nil if it keeps none.
func kept(t *testing.T, manifest string) (n *own.Network, tables table.Set) {
	t.Helper()
	e := studytest.New(t, Kind, manifest)
	var cells []table.Set
	for _, c := range e.Cells() {
		cells = append(cells, check.Must(c.Run(t.Context())))
		if file := cells[len(cells)-1].Get(savedFile); file != nil {
			path := filepath.Join(t.TempDir(), savedFile)
			check.OK(t, os.WriteFile(path, file.File, 0o666))
			n = check.Must(own.Read(path))
		}
	}
	return n, check.Must(e.Tables(cells))
}

// The network that is kept is the first, of the first seed. It says of the test part what the tables say,
// with the scaling that it was trained with.
func TestKeptNetwork(t *testing.T) {
	const keep = "[save]\nnetwork = true\n"
	manifest := streamOf(t, studytest.Clusters(36))
	manifest = strings.Replace(manifest, `train_rows = "1-24"`, "test_fraction = 0.3", 1)
	source := studytest.New(t, Kind, manifest).(*experiment).sets[0].Source
	_, test, err := source.Parts(study.Stream("small_stream", 1, "data"))
	check.OK(t, err)
	for _, members := range []int{1, 3} {
		n, tables := kept(t, strings.Replace(manifest, "members = 1", fmt.Sprint("members = ", members), 1)+keep)
		rows := studytest.Rows(t, tables.Get("predictions"), "method=linear seed=1")
		check.Equal(t, "predictions and classes", []any{rows.Len(), n.Classes}, []any{test.Len(), source.Classes()})
		var p bnn.Prediction
		for i, x := range test.Set(0, test.Len()).X {
			for j := range x {
				x[j] = (x[j] - n.Scaler.Shift[j]) * n.Scaler.Factor[j]
			}
			check.OK(t, n.Model().Predict(&p, x))
			for j, class := range n.Classes {
				what := fmt.Sprintf("%d members: example %d, class %s", members, i+1, class)
				check.Near(t, what, p.P[j]/p.Sum(), rows.Nums("p_" + class)[i], 1e-12) // sums are in another order
			}
		}
	}
	none, _ := kept(t, manifest)
	if none != nil {
		t.Error("a network without [save]")
	}
	fails := strings.Replace(manifest, `name = "linear"`, `name = "linear"; rule = "joint"; lambda = 3`, 1)
	fails += keep
	n, tables := kept(t, fails)
	notes := studytest.New(t, Kind, fails).(study.Noted).Notes(tables)
	if n != nil || !slices.Contains(notes, "no network.npz is kept: linear broke down") {
		t.Errorf("a network that broke down is kept, or not told of: %q", notes)
	}
	// Of a generator, too, and of the model alone.
	const moons = `name = "g"; study = "learn"; seed = 1; data = {generator = "moons", train = 30, test = 9}; `
	n, _ = kept(t, moons+keep)
	if n == nil || n.Scaler.Features[1].Column != "x2" {
		t.Errorf("%+v", n)
	}
	// On all rows, after the test, which is the same.
	n, tables = kept(t, manifest+keep)
	all, after := kept(t, manifest+keep+"all_rows = true\n")
	check.Equal(t, "examples", []int{n.Familiar.Seen, all.Familiar.Seen}, []int{36 - test.Len(), 36})
	check.Equal(t, "runs", string(after.Get("runs").CSV()), string(tables.Get("runs").CSV()))
	studytest.Refused(t, Kind, manifest, map[string]string{
		"save.all_rows=true": "allowed: with network",
	})
}

// A note says where an output layer cuts its inputs.
func TestLargeInputs(t *testing.T) {
	set := studytest.Clusters(36)
	for _, x := range set.X {
		x[0] *= 100
	}
	manifest := strings.Replace(streamOf(t, set),
		"[[method]]; name = \"hidden\"; hidden_layers = [4]; hidden = \"smooth\"; "+
			"covariance = \"diagonal\"\nprior_draw = \"independent\"; prior_mean_var = 2\n",
		"[[method]]; name = \"layer\"; output = \"gaussian\"\n", 1)
	for scale, want := range map[string]bool{"none": true, "standard": false} {
		m := strings.Replace(manifest, "[model]", "scale = \""+scale+"\"\n[model]", 1)
		notes := studytest.New(t, Kind, m).(study.Noted).Notes(studytest.Run(t, Kind, m))
		found := slices.ContainsFunc(notes, func(note string) bool {
			return strings.Contains(note, "layer: ") &&
				strings.Contains(note, "of 48 training examples have an input beyond ±32")
		})
		check.Equal(t, fmt.Sprint(scale, ": ", notes), found, want)
	}
}
