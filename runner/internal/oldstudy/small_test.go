package study

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// small is an experiment whose cells take milliseconds, with the paper's rule
// where every step is definite, and where some are not.
const small = `
name  = "small"
study = "learn"
seed  = 3

[data]
generator = "wedges"
train     = 6

[model]
layers     = [2, 3]
lambda     = 0.3
prior_mean = [[1, 0], [0, 1], [1, 1]]
prior_var  = 0.8

[evaluate]
snapshots = [1, 3, 6]
grid      = 9

[monte_carlo]
samples = 200
stride  = 2

[sweep]
seed = [1, 2, 3]

[[variant]]
name = "joint"

[[variant]]
name             = "project"
lambda           = "slope"
on_indefinite    = "project"
eigenvalue_floor = 0.01
variance_floor   = 0.02

[[variant]]
name          = "skip"
lambda        = 2
on_indefinite = "skip"

[[variant]]
name   = "total"
lambda = "slope"
rule   = "total"
rho    = 0.3

[[claim]]
claim     = "better than nothing"
statistic = "accuracy"
threshold = 0.1

[[figure]]
kind    = "maps"
variant = "joint"
single  = true

[[figure]]
kind    = "maps"
variant = "project"
`

func parse(t *testing.T, src string, overrides ...string) *manifest.Manifest {
	t.Helper()
	m, err := manifest.Parse("test.toml", []byte(src), Kinds, overrides)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// outcome is an experiment and all it gave.
type outcome struct {
	experiment Experiment
	cells      []Cell
	tables     [][]store.Table // of each cell
	report     Report
}

func run(t *testing.T, m *manifest.Manifest) outcome {
	t.Helper()
	experiment, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{experiment: experiment, cells: experiment.Cells()}
	for _, c := range o.cells {
		tables, err := c.Run(context.Background())
		if err != nil {
			t.Fatalf("%s: %v", c.Key, err)
		}
		o.tables = append(o.tables, tables)
	}
	if o.report, err = experiment.Report(o.tables); err != nil {
		t.Fatal(err)
	}
	return o
}

// checkPure runs every cell once more: it knows neither the others nor how often
// it is run, and stops when told.
func checkPure(t *testing.T, o outcome) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for i, c := range o.cells {
		again, err := c.Run(context.Background())
		if err != nil || !reflect.DeepEqual(again, o.tables[i]) {
			t.Errorf("%s: other tables the second time, error %v", c.Key, err)
		}
		if _, err := c.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v after cancelling", c.Key, err)
		}
	}
}

var smallOnce struct {
	sync.Once
	outcome
}

// runSmall returns the outcome of small, which is to be read only.
func runSmall(t *testing.T) outcome {
	t.Helper()
	smallOnce.Do(func() { smallOnce.outcome = run(t, parse(t, small)) })
	if smallOnce.report.Tables == nil {
		t.Skip("the experiment failed in another test")
	}
	return smallOnce.outcome
}

// record is a row of a table by the names of its columns.
type record map[string]string

// records returns the rows of a table whose columns have the values of where.
func records(t *testing.T, tables []store.Table, name string, where record) []record {
	t.Helper()
	i := slices.IndexFunc(tables, func(table store.Table) bool { return table.Name == name })
	if i < 0 {
		t.Fatalf("no table %s", name)
	}
	var out []record
rows:
	for _, row := range tables[i].Rows {
		if len(row) != len(tables[i].Header) {
			t.Fatalf("table %s: %d fields under %d columns", name, len(row), len(tables[i].Header))
		}
		r := record{}
		for c, column := range tables[i].Header {
			r[column] = row[c]
		}
		for column, value := range where {
			if r[column] != value {
				continue rows
			}
		}
		out = append(out, r)
	}
	return out
}

// number returns the number in a column.
func (r record) number(t *testing.T, column string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(r[column], 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return x
}

// numbers returns the numbers in the columns that the format names for the
// classes 1, 2 and 3.
func (r record) numbers(t *testing.T, format string) []float64 {
	t.Helper()
	var x []float64
	for _, class := range []string{"1", "2", "3"} {
		x = append(x, r.number(t, strings.Replace(format, "#", class, 1)))
	}
	return x
}

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}

// truth is the class, from 1, in the paper's Eq. (f): 1 above both diagonals,
// 2 below both, 3 to the left and right, 0 on a diagonal.
func truth(x1, x2 float64) int {
	switch {
	case x2 > x1 && x2 > -x1:
		return 1
	case x2 < x1 && x2 < -x1:
		return 2
	case x2 == x1 || x2 == -x1:
		return 0
	}
	return 3
}
