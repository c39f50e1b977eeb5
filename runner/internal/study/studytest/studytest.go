// Package studytest runs experiments for the tests of studies.
package studytest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// New returns the prepared experiment of a manifest, in which "; " ends a line, with overrides.
func New(t testing.TB, kind study.Kind, text string, overrides ...string) study.Experiment {
	t.Helper()
	return check.Must(prepare(kind, text, overrides))
}

// Refused fails unless each override, or several joined by "; ", gives an error with the words; "" for none.
func Refused(t testing.TB, kind study.Kind, text string, overrides map[string]string) {
	t.Helper()
	for o, want := range overrides {
		_, err := prepare(kind, text, strings.Split(o, "; "))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", o, err, want)
		}
	}
}

func prepare(kind study.Kind, text string, overrides []string) (study.Experiment, error) {
	m, err := manifest.Parse("test.toml", []byte(strings.ReplaceAll(text, "; ", "\n")), overrides)
	if err != nil {
		return nil, err
	}
	e, err := kind.New(m)
	if err != nil {
		return nil, err
	}
	return e, e.Prepare(context.Background())
}

// Run runs all cells, last first, and returns the tables as read back from their files. It checks that cells
// have distinct keys and JSON specs, and end when cancelled, and draws all figures once.
func Run(t testing.TB, kind study.Kind, text string, overrides ...string) table.Tables {
	t.Helper()
	e := New(t, kind, text, overrides...)
	cells := e.Cells()
	sets := make([]table.Tables, len(cells))
	keys := map[string]bool{}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for i := len(cells) - 1; i >= 0; i-- {
		if keys[cells[i].Key] {
			t.Errorf("two cells %q", cells[i].Key)
		}
		keys[cells[i].Key] = true
		_, err := json.Marshal(cells[i].Spec)
		check.OK(t, err)
		if _, _, err := cells[i].Run(cancelled); !errors.Is(err, context.Canceled) {
			t.Errorf("cell %s goes on after it was cancelled: %v", cells[i].Key, err)
		}
		if sets[i], _, err = cells[i].Run(context.Background()); err != nil {
			t.Fatalf("cell %s: %v", cells[i].Key, err)
		}
	}
	var published table.Tables
	for _, from := range e.Tables(sets) {
		published = append(published, check.Must(table.Read(from.Name, bytes.NewReader(from.CSV()))))
	}
	for _, f := range e.Figures() {
		for _, need := range f.Needs {
			if published.Get(need) == nil {
				t.Errorf("figure %s needs %s, which there is not", f.Name, need)
			}
		}
		if _, err := f.Draw(published).Encode("pdf"); err != nil {
			t.Errorf("figure %s: %v", f.Name, err)
		}
	}
	return published
}

// Rows returns the rows that match all filters, such as "method=adf k=4". There must be some.
func Rows(t testing.TB, from *table.Table, filters string) *table.Table {
	t.Helper()
	return check.Must(from.Select(strings.Fields(filters)...))
}

// Differ fails unless each override, and none, gives the first cell a different spec.
func Differ(t testing.TB, kind study.Kind, text string, overrides ...string) {
	t.Helper()
	seen := map[string]string{}
	for _, o := range append([]string{"seed=1"}, overrides...) {
		spec := string(check.Must(json.Marshal(New(t, kind, text, o).Cells()[0].Spec)))
		if other, ok := seen[spec]; ok {
			t.Errorf("%q and %q give one spec", other, o)
		}
		seen[spec] = o
	}
}

// Clusters returns n examples around three points of the plane, their classes in turn.
func Clusters(n int) (set data.Set) {
	rnd, centres := rand.New(rand.NewPCG(1, 2)), [][]float64{{0, 0}, {3, 1}, {1, 4}}
	for i := range n {
		c := centres[i%3]
		set.X = append(set.X, []float64{c[0] + random.Normal(rnd), c[1] + random.Normal(rnd)})
		set.Class = append(set.Class, i%3)
	}
	return set
}

// File writes examples in the plane to a new CSV file and returns its path. The classes are a, b, c, …
func File(t testing.TB, set data.Set) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("x,y,class\n")
	for i, x := range set.X {
		fmt.Fprintf(&b, "%v,%v,%c\n", x[0], x[1], 'a'+set.Class[i])
	}
	return check.Write(t, b.String(), t.TempDir(), "data.csv")
}
