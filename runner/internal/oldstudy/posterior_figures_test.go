package study

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// The maps are of the right columns.
func TestPosteriorMaps(t *testing.T) {
	o := run(t, parse(t, near2))
	maps, train := find(o.report.Tables, "maps"), find(o.report.Tables, "train")
	rows := o.experiment.(*posteriorStudy).rows(maps, train, 4)
	if len(rows) != 1 || len(rows[0].Maps) != 3 {
		t.Fatalf("%d rows of maps", len(rows))
	}
	for i, name := range []string{"exact", "adf", "perceptron-adf"} {
		m, r := rows[0].Maps[i], maps.where("variant", name)
		if m.Title != name || !slices.Equal(m.Z, r.floats("p1")) || len(m.Z) != 9 || len(m.Points) != 4 || len(m.Boundary) != 0 {
			t.Errorf("the map of %s is %+v", name, m)
		}
		p2 := r.floats("p2")
		for k, p1 := range m.Z {
			near(t, "Σp", p1+p2[k], 1, 1e-10)
		}
	}
	if slices.Equal(rows[0].Maps[0].Z, rows[0].Maps[1].Z) {
		t.Error("adf is drawn as exact")
	}
	s := &posteriorStudy{&manifest.Posterior{Training: manifest.Training{Data: manifest.Data{Generator: "wedges"}}, MapGrid: 2}, nil}
	header := []string{"variant", "k", "x1", "x2", "p1", "p2", "p3"}
	var points [][]string
	for range 4 {
		points = append(points, []string{"exact", "400", "0", "0", "0.5", "0.3", "0.2"})
	}
	rows = s.rows(frame{&store.Table{Header: header, Rows: points}}, frame{}, 400)
	if len(rows) != 2 || len(rows[0].Maps[0].Points) != 0 || len(rows[1].Maps[0].Boundary) != 2 || rows[1].Maps[0].Z[0] != 0.3 {
		t.Errorf("maps after 400 examples %+v", rows)
	}
}

// Curves have gaps where a mean is infinite, and no interval that reaches 0.
func TestPosteriorCurves(t *testing.T) {
	s := &posteriorStudy{&manifest.Posterior{Training: manifest.Training{Networks: manifest.Networks{Variants: []manifest.Model{{Name: "a"}}}}, Snapshots: []int{1, 2, 3}}, nil}
	header := []string{"variant", "k", "kl", "kl_low", "kl_high", "kl_infinite", "tv", "tv_low", "tv_high", "tv_noise"}
	var rows [][]string
	for _, name := range []string{"exact", "a", "uniform"} {
		rows = append(rows,
			[]string{name, "1", "1", "0.5", "1.5", "0", "0.3", "0.2", "0.4", "0.01"},
			[]string{name, "2", "2", "1", "5", "0.25", "0.5", "-0.1", "1.1", "0.02"},
			[]string{name, "3", "4", "3", "5", "0", "0.6", "", "", "0.03"})
	}
	summary := frame{&store.Table{Header: header, Rows: rows}}
	same := func(name string, got, want []float64) {
		if !floats.Same(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	kl := s.curves(summary, "kl", false)
	if len(kl) != 2 || kl[0].Name != "a" || kl[1].Name != "equal probabilities" {
		t.Fatalf("curves %+v", kl)
	}
	nan := math.NaN()
	same("kl", kl[0].Y, []float64{1, math.Inf(1), 4})
	same("kl low", kl[0].Low, []float64{0.5, nan, 3})
	same("kl high", kl[0].High, []float64{1.5, nan, 5})
	tv := s.curves(summary, "tv", false)
	same("noise", tv[0].Y, []float64{0.01, 0.02, 0.03})
	same("tv", tv[1].Y, []float64{0.3, 0.5, 0.6})
	same("tv low", tv[1].Low, []float64{0.2, nan, nan})
	if scores := s.curves(summary, "tv", true); scores[0].Name != "exact" || len(scores[0].Low) != 3 {
		t.Errorf("the score of the exact answer is %+v", scores[0])
	}
}
