package study

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"closedform/core/bnn"
	store "closedform/runner/internal/oldstore"
)

// A cell gives the same tables again, whatever runs beside it.
func TestCellsArePure(t *testing.T) {
	once := runSmall(t)
	again := make([][]store.Table, len(once.cells))
	var wg sync.WaitGroup
	for i, c := range once.cells {
		wg.Go(func() {
			var err error
			if again[i], err = c.Run(context.Background()); err != nil {
				t.Errorf("%s: %v", c.Key, err)
			}
		})
	}
	wg.Wait()
	for i, c := range once.cells {
		if !reflect.DeepEqual(once.tables[i], again[i]) {
			t.Errorf("%s: other tables the second time", c.Key)
		}
	}
}

// A cell does not know which others there are: neither its tables nor its spec,
// by which a finished cell is recognised, change when the experiment grows.
func TestCellsStandAlone(t *testing.T) {
	const variant = `
[[variant]]
name   = "late"
lambda = 0.1
`
	front := strings.Replace(small, "[[variant]]", variant+"\n[[variant]]", 1)
	for _, c := range []struct {
		name         string
		small, large string
		overrides    [2][]string
		train        bool // whether the same cells write train.csv
	}{
		{"seed", small, small, [2][]string{nil, {"sweep.seed=[7, 1, 2, 5, 3]"}}, true},
		{"variant", small, small + variant, [2][]string{}, true},
		{"first variant", small, front, [2][]string{}, false},
		{"λ", small, small, [2][]string{{"sweep.lambda=[0.1, 0.2]"}, {"sweep.lambda=[0.1, 0.15, 0.2]"}}, true},
		{"ρ", small, small, [2][]string{{"sweep.lambda=[0.1]", "sweep.rho=[0.5]"}, {"sweep.lambda=[0.1]", "sweep.rho=[0.5, 0.2]"}}, true},
		{"claim", small, small, [2][]string{nil, {"claim.1.threshold=0.3"}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			const quick = "monte_carlo.samples=20"
			before := run(t, parse(t, c.small, append(c.overrides[0], quick)...))
			after := run(t, parse(t, c.large, append(c.overrides[1], quick)...))
			if c.name != "claim" && len(after.cells) <= len(before.cells) {
				t.Fatalf("%d cells became %d", len(before.cells), len(after.cells))
			}
			for i, cell := range before.cells {
				j := slices.IndexFunc(after.cells, func(other Cell) bool { return other.Key == cell.Key })
				if j < 0 {
					t.Fatalf("no cell %s any more", cell.Key)
				}
				a, b := before.tables[i], after.tables[j]
				if !c.train {
					isTrain := func(t store.Table) bool { return t.Name == "train" }
					a, b = slices.DeleteFunc(slices.Clone(a), isTrain), slices.DeleteFunc(slices.Clone(b), isTrain)
				} else if a, b := spec(t, cell), spec(t, after.cells[j]); a != b {
					t.Errorf("%s: spec was %s, is %s", cell.Key, a, b)
				}
				if !reflect.DeepEqual(a, b) {
					t.Errorf("%s: other tables in the larger experiment", cell.Key)
				}
			}
			if !c.train && !reflect.DeepEqual(records(t, before.report.Tables, "train", nil), records(t, after.report.Tables, "train", nil)) {
				t.Error("other training data")
			}
		})
	}
}

// Two models that differ by their name alone learn the same from the same
// examples; only the noise of Monte Carlo, by which they are checked, is their
// own.
func TestTwins(t *testing.T) {
	o := run(t, parse(t, small+"\n[[variant]]\nname = \"twin\"\n"))
	for _, table := range []string{"steps", "weights", "grid"} {
		a, b := records(t, o.report.Tables, table, record{"variant": "joint"}), records(t, o.report.Tables, table, record{"variant": "twin"})
		if len(a) == 0 || len(a) != len(b) {
			t.Fatalf("%s: %d and %d rows", table, len(a), len(b))
		}
		for i, r := range a {
			for column, x := range r {
				switch {
				case column == "variant":
				case strings.HasSuffix(column, "_mc"):
					if r["x1"] != "0" && b[i][column] == x {
						t.Errorf("%s row %d: both have %s = %s", table, i, column, x)
					}
				case strings.HasSuffix(column, "_se"):
				case b[i][column] != x:
					t.Errorf("%s row %d: %s is %s and %s", table, i, column, x, b[i][column])
				}
			}
		}
	}
}

func spec(t *testing.T, c Cell) string {
	t.Helper()
	b, err := json.Marshal(c.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whatever changes the tables of a cell is in its spec, by which a finished cell
// is recognised.
func TestSpecTellsCellsApart(t *testing.T) {
	specOf := func(overrides ...string) string {
		experiment, err := New(parse(t, small, overrides...))
		if err != nil {
			t.Fatal(err)
		}
		c := experiment.Cells()[2] // the drawn seed of the first variant
		if c.Key != "joint seed=3" {
			t.Fatalf("cell %s, want joint seed=3", c.Key)
		}
		return spec(t, c)
	}
	seen := map[string][]string{specOf(): nil}
	for _, overrides := range [][]string{
		{"name=large"},
		{"seed=2"},
		{"data.train=7"},
		{"model.layers=[2, 4, 3]", "model.prior_mean=[]"},
		{"model.bias=true", "model.prior_mean=[[0, 1, 1], [0, 1, 1], [1, 1, 1]]"},
		{"model.alpha=0.1"},
		{"model.beta=0.9"},
		{"model.rule=total"},
		{"model.lambda=0.31"},
		{"model.lambda=slope"},
		{"model.rho=0.4"},
		{"model.prior_mean=[[0, 1], [0, 1], [1, 1]]"},
		{"model.prior_var=0.9"},
		{"model.prior_mean_var=0.9"},
		{"model.on_indefinite=skip"},
		{"model.eigenvalue_floor=0.1"},
		{"model.variance_floor=0.1"},
		{"evaluate.snapshots=[1, 6]"},
		{"evaluate.grid=10"},
		{"monte_carlo.samples=201"},
		{"monte_carlo.stride=3"},
	} {
		s := specOf(overrides...)
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
}

func TestTrainOncePerSeed(t *testing.T) {
	o := runSmall(t)
	rows := map[string][]string{} // by seed
	for _, r := range records(t, o.report.Tables, "train", nil) {
		rows[r["seed"]] = append(rows[r["seed"]], r["k"]+" "+r["x1"]+" "+r["x2"])
		if x1, x2 := r.number(t, "x1"), r.number(t, "x2"); r["class"] != strconv.Itoa(truth(x1, x2)) {
			t.Errorf("(%g, %g) has class %s", x1, x2, r["class"])
		}
	}
	for _, seed := range []string{"1", "2", "3"} {
		if len(rows[seed]) != 6 {
			t.Errorf("%d training examples of seed %s", len(rows[seed]), seed)
		}
	}
	if reflect.DeepEqual(rows["1"], rows["2"]) || reflect.DeepEqual(rows["2"], rows["3"]) || reflect.DeepEqual(rows["1"], rows["3"]) {
		t.Error("two seeds drew the same examples")
	}
}

// Only the drawn seed has maps: all of the grid at every snapshot of every
// variant, row by row.
func TestGridRows(t *testing.T) {
	rows := records(t, runSmall(t).report.Tables, "grid", nil)
	i := 0
	for _, variant := range []string{"joint", "project", "skip", "total"} {
		for _, k := range []string{"1", "3", "6"} {
			for x2 := -2.0; x2 <= 2; x2 += 0.5 {
				for x1 := -2.0; x1 <= 2; x1 += 0.5 {
					r := rows[i]
					if r["variant"] != variant || r["k"] != k || r.number(t, "x1") != x1 || r.number(t, "x2") != x2 {
						t.Fatalf("row %d is %s, %s, %s, %s; want %s, %s, %g, %g", i, r["variant"], r["k"], r["x1"], r["x2"], variant, k, x1, x2)
					}
					i++
				}
			}
		}
	}
	if len(rows) != i {
		t.Errorf("%d rows, want %d", len(rows), i)
	}
}

// Under the policy fail the first step that is not possible stops the cell and
// is named.
func TestIndefiniteStepIsNamed(t *testing.T) {
	m := parse(t, small, "variant.skip.on_indefinite=fail")
	experiment, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, c := range experiment.Cells() {
		if !strings.HasPrefix(c.Key, "skip ") {
			continue
		}
		first := ""
		_, seed, _ := strings.Cut(c.Key, "seed=")
		for _, r := range records(t, runSmall(t).report.Tables, "steps", record{"variant": "skip", "seed": seed}) {
			if r["action"] == "skipped" {
				first = r["k"]
				break
			}
		}
		if first == "" {
			continue
		}
		failed++
		tables, err := c.Run(context.Background())
		var indefinite *bnn.IndefiniteError
		if !errors.As(err, &indefinite) || !strings.HasPrefix(err.Error(), "example "+first+": ") || tables != nil {
			t.Errorf("%s: %v; want the error of example %s", c.Key, err, first)
		}
	}
	if failed == 0 {
		t.Error("no indefinite step to test with")
	}
}

func TestCancelledCellStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range runSmall(t).cells {
		if tables, err := c.Run(ctx); !errors.Is(err, context.Canceled) || tables != nil {
			t.Errorf("%s: %v, %d tables", c.Key, err, len(tables))
		}
	}
}

// Also before the first snapshot, where the step would fail.
func TestCancelledCellDoesNotLearnOn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := parse(t, small, "evaluate.snapshots=[6]", "variant.skip.on_indefinite=fail")
	experiment, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range experiment.Cells() {
		if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cell %s: %v, want %v", c.Key, err, context.Canceled)
		}
	}
}
