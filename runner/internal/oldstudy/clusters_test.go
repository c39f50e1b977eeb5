package study

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"closedform/runner/internal/dataset"
	store "closedform/runner/internal/oldstore"
)

// cluster is an example of the classes a, b and c.
type cluster struct {
	x, y  float64
	class int
}

// clusters returns n examples around three points, their classes in turn.
func clusters(n int) []cluster {
	rnd := rand.New(rand.NewPCG(1, 2))
	all := make([]cluster, n)
	for i := range all {
		c := i % 3
		all[i] = cluster{[]float64{0, 3, 1}[c] + rnd.NormFloat64(), []float64{0, 1, 4}[c] + rnd.NormFloat64(), c}
	}
	return all
}

// csvFile writes the examples to a file of its own and returns its path.
func csvFile(t *testing.T, examples []cluster) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("x,y,class\n")
	for _, e := range examples {
		fmt.Fprintf(&b, "%v,%v,%c\n", e.x, e.y, 'a'+e.class)
	}
	path := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// scaled returns the examples as a study sees those of both parts: each input with
// the mean 0 and the variance 1 in the training part.
func scaled(t *testing.T, train, test []cluster) (tr, te dataset.Set) {
	t.Helper()
	set := func(all []cluster) (s dataset.Set) {
		for _, e := range all {
			s.X, s.Class = append(s.X, []float64{e.x, e.y}), append(s.Class, e.class)
		}
		return s
	}
	e := dataset.NewExamples(set(train), 3)
	scaler, err := e.Scaler(dataset.Standard)
	if err != nil {
		t.Fatal(err)
	}
	return scaler.Apply(e).Set(), scaler.Apply(dataset.NewExamples(set(test), 3)).Set()
}

// checkOrder runs the cells from the last to the first: they give the same report.
func checkOrder(t *testing.T, o outcome) {
	t.Helper()
	again := make([][]store.Table, len(o.cells))
	for i := len(o.cells) - 1; i >= 0; i-- {
		var err error
		if again[i], err = o.cells[i].Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	report, err := o.experiment.Report(again)
	if err != nil || !reflect.DeepEqual(report.Tables, o.report.Tables) {
		t.Errorf("other tables in another order, error %v", err)
	}
}

// probabilities returns the numbers in some columns.
func probabilities(t *testing.T, r record, columns ...string) []float64 {
	t.Helper()
	var p []float64
	for _, c := range columns {
		p = append(p, r.number(t, c))
	}
	return p
}
