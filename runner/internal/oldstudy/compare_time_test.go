package study

import (
	"context"
	"maps"
	"testing"

	"closedform/runner/internal/manifest"
)

// What the column chosen says is read back as it was written.
func TestChosen(t *testing.T) {
	s := compareSpec{Method: manifest.Method{
		Hyper: map[string]float64{"prior_var": 7, "rate": 0.5, "step": 1}, Tune: []string{"rate", "prior_var"},
	}}
	got, err := s.chosen("rate=0.25 prior_var=1e-05")
	if want := map[string]float64{"prior_var": 1e-5, "rate": 0.25, "step": 1}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	if _, err := s.chosen("rate=a"); err == nil {
		t.Error("a word is a number")
	}
	s.Method.Tune = nil
	if got, err := s.chosen(""); err != nil || !maps.Equal(got, s.Method.Hyper) {
		t.Errorf("nothing chosen: %v, %v", got, err)
	}
}

// Times are measured for every set and method, and are positive.
func TestMeasureCompare(t *testing.T) {
	o := run(t, parse(t, compareOf(csvFile(t, clusters(36))), "sweep.seed=[1]"))
	m := parse(t, compareOf(csvFile(t, clusters(36))), "sweep.seed=[1]")
	c := &compare{m.Compare, m}
	times, err := c.Measure(context.Background(), o.report.Tables)
	if err != nil {
		t.Fatal(err)
	}
	rows := find(times.Tables, "timing_methods")
	if want := len(c.Sets) * len(c.Methods); len(rows.Rows) != want {
		t.Fatalf("%d rows, want %d", len(rows.Rows), want)
	}
	for _, column := range []string{"learn_seconds", "predict_microseconds"} {
		for i, x := range rows.floats(column) {
			if !(x > 0) {
				t.Errorf("row %d: %s = %g", i, column, x)
			}
		}
	}
}
