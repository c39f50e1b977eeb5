package study

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"closedform/core/softmax"
	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

const fitting = `
name  = "fitting"
study = "calibrate"
seed  = 3

[calibrate]
classes = [3, 2]
rho     = [0.5, 0.3]
box     = 1
`

var fittingOnce struct {
	sync.Once
	outcome
}

// runFitting returns the outcome of fitting, which is to be read only.
func runFitting(t *testing.T) outcome {
	t.Helper()
	fittingOnce.Do(func() { fittingOnce.outcome = run(t, parse(t, fitting)) })
	if fittingOnce.report.Tables == nil {
		t.Skip("the experiment failed in another test")
	}
	return fittingOnce.outcome
}

func TestCalibrateRows(t *testing.T) {
	o := runFitting(t)
	if len(o.cells) != 2 || o.cells[0].Key != "n=2" || o.cells[1].Key != "n=3" {
		t.Fatalf("cells %v", o.cells)
	}
	rows := records(t, o.report.Tables, "lambda", nil)
	var got []string
	for _, r := range rows {
		n, err := strconv.Atoi(r["classes"])
		if err != nil {
			t.Fatal(err)
		}
		box := softmax.Box{Classes: n, Half: 1}
		p := softmax.Probit{Lambda: r.number(t, "lambda"), Rho: r.number(t, "rho")}
		near(t, "rms", r.number(t, "rms"), box.RMS(p), 1e-14)
		near(t, "max", r.number(t, "max"), box.Max(p), 1e-14)
		if r["criterion"] == "slope" {
			near(t, "slope-matched λ", p.Lambda, softmax.SlopeLambda(n, p.Rho), 0)
		}
		rho := r["rho"]
		if r["criterion"] == "lsq_rho" || r["criterion"] == "minimax_rho" {
			rho = "free"
		}
		got = append(got, r["classes"]+" "+r["criterion"]+" "+rho)
	}
	var want []string
	for _, n := range []string{"2", "3"} {
		for _, rho := range []string{"0.5", "0.3"} {
			want = append(want, n+" slope "+rho, n+" lsq "+rho, n+" minimax "+rho)
		}
		want = append(want, n+" lsq_rho free", n+" minimax_rho free")
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %v, want %v", got, want)
	}
}

// Each criterion is best by its own measure: among the criteria, and against its
// neighbours.
func TestCalibrateIsBest(t *testing.T) {
	o := runFitting(t)
	for n := 2; n <= 3; n++ {
		box := softmax.Box{Classes: n, Half: 1}
		for _, rho := range []string{"0.5", "0.3"} {
			of := func(word string) record {
				return records(t, o.report.Tables, "lambda", record{"classes": strconv.Itoa(n), "criterion": word, "rho": rho})[0]
			}
			for _, c := range []struct {
				word, column string
				loss         func(softmax.Probit) float64
			}{{"lsq", "rms", box.RMS}, {"minimax", "max", box.Max}} {
				best := of(c.word).number(t, c.column)
				for _, other := range []string{"slope", "lsq", "minimax"} {
					if !(best <= of(other).number(t, c.column)*(1+1e-9)) {
						t.Errorf("n = %d, ρ = %s: %s has a larger %s than %s", n, rho, c.word, c.column, other)
					}
				}
				p := softmax.Probit{Lambda: of(c.word).number(t, "lambda"), Rho: of(c.word).number(t, "rho")}
				for _, factor := range []float64{0.97, 1.03} {
					if q := (softmax.Probit{Lambda: p.Lambda * factor, Rho: p.Rho}); !(c.loss(q) >= best) {
						t.Errorf("n = %d, ρ = %s: %g has a smaller %s than the λ %g of %s", n, rho, q.Lambda, c.column, p.Lambda, c.word)
					}
				}
				free := records(t, o.report.Tables, "lambda", record{"classes": strconv.Itoa(n), "criterion": c.word + "_rho"})[0]
				if !(free.number(t, c.column) <= best*(1+1e-6)) {
					t.Errorf("n = %d, ρ = %s: free, %s is larger", n, rho, c.column)
				}
				if n == 3 && c.word == "minimax" && !(free.number(t, "max") < 0.99*best) {
					t.Errorf("ρ = %s: free, the largest error is %s, not less than %g", rho, free["max"], best)
				}
			}
		}
	}
}

// For three classes the ρ of least squares is ½: there ∂Φ₂/∂ρ is the same for
// all classes, and the errors add up to zero. For two classes ρ has no meaning,
// and is called ½.
func TestCalibrateRhoOfFew(t *testing.T) {
	for _, r := range records(t, runFitting(t).report.Tables, "lambda", record{"criterion": "lsq_rho"}) {
		near(t, "ρ for n = "+r["classes"], r.number(t, "rho"), 0.5, 1e-4)
	}
}

func TestCalibrateGain(t *testing.T) {
	o := runFitting(t)
	gains := records(t, o.report.Tables, "gain", nil)
	if len(gains) != 2*6 {
		t.Fatalf("%d rows", len(gains))
	}
	for _, g := range gains {
		fit := records(t, o.report.Tables, "lambda", record{"classes": g["classes"], "criterion": g["criterion"], "rho": g["rho"]})
		base := g["rho"]
		if g["criterion"] == "lsq_rho" || g["criterion"] == "minimax_rho" {
			base = "0.5" // the first of the manifest
		}
		slope := records(t, o.report.Tables, "lambda", record{"classes": g["classes"], "criterion": "slope", "rho": base})
		near(t, "ratio of rms", g.number(t, "rms_ratio"), fit[0].number(t, "rms")/slope[0].number(t, "rms"), 1e-15)
		near(t, "ratio of max", g.number(t, "max_ratio"), fit[0].number(t, "max")/slope[0].number(t, "max"), 1e-15)
	}
}

// A λ that explodes is written down without its errors, which would take for
// ever.
func TestCalibrateSteep(t *testing.T) {
	b := softmax.Box{Classes: 2, Half: 1}
	if e := errorOver(b, softmax.Probit{Lambda: steepest, Rho: 0.5}); !(e.rms > 0.1 && e.largest > 0.1) {
		t.Errorf("errors %v at the steepest λ", e)
	}
	if e := errorOver(b, softmax.Probit{Lambda: softmax.SlopeLambda(500, 0), Rho: 0}); !math.IsNaN(e.rms) || !math.IsNaN(e.largest) {
		t.Errorf("errors %v of a λ that explodes", e)
	}
}

func TestCalibrateCells(t *testing.T) {
	o := runFitting(t)
	again, err := o.cells[1].Run(context.Background())
	if err != nil || !reflect.DeepEqual(again, o.tables[1]) {
		t.Errorf("other tables the second time, error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := o.cells[0].Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after cancelling", err)
	}
	seen := map[string][]string{}
	for _, overrides := range [][]string{nil, {"calibrate.classes=[4]"}, {"calibrate.rho=[0.5]"}, {"calibrate.box=2"}} {
		s := spec(t, (&calibrate{parse(t, fitting, overrides...)}).Cells()[0])
		if other, ok := seen[s]; ok {
			t.Errorf("%v and %v give one spec", overrides, other)
		}
		seen[s] = overrides
	}
}

func TestCalibrateFigures(t *testing.T) {
	o := runFitting(t)
	column := func(word, rho, name string) (x []float64) {
		where := record{"criterion": word}
		if rho != "" {
			where["rho"] = rho
		}
		for _, r := range records(t, o.report.Tables, "lambda", where) {
			x = append(x, r.number(t, name))
		}
		return x
	}
	chart := func(label string, log bool, name string) figures.Chart {
		c := figures.Chart{X: figures.Axis{Label: "classes $n$", Log: true}, Y: figures.Axis{Label: label, Log: log}}
		add := func(legend, word, rho string) {
			c.Curves = append(c.Curves, figures.Curve{Name: legend, X: []float64{2, 3}, Y: column(word, rho, name)})
		}
		if name != "rho" {
			for _, rho := range []string{"0.5", "0.3"} {
				add("slope matched, $ρ$ = "+rho, "slope", rho)
				add("least squares, $ρ$ = "+rho, "lsq", rho)
				add("minimax, $ρ$ = "+rho, "minimax", rho)
			}
		}
		add("least squares, $ρ$ free", "lsq_rho", "")
		add("minimax, $ρ$ free", "minimax_rho", "")
		if name == "rho" {
			c.Curves[0].Y[0], c.Curves[1].Y[0] = math.NaN(), math.NaN()
		}
		return c
	}
	for i, want := range []Figure{
		{"lambda", figures.Charts([][]figures.Chart{{chart("slope $λ$", false, "lambda"), chart("correlation $ρ$", false, "rho")}})},
		{"error", figures.Charts([][]figures.Chart{{chart("root mean square error", true, "rms"), chart("largest error", true, "max")}})},
	} {
		a, err := o.report.Figures[i].Drawing.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		b, err := want.Drawing.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		if o.report.Figures[i].Name != want.Name || !bytes.Equal(a, b) {
			t.Errorf("figure %s does not show the table", want.Name)
		}
	}
}

// The words "lsq" and "minimax" of a manifest stand for the λ of the committed
// table, which is for the box that the words are for.
func TestWordsAreTabulated(t *testing.T) {
	m, err := manifest.Load("../../../experiments/calibrate_lambda.toml", Kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.Calibrate.Box != 3 || !slices.Contains(m.Calibrate.Rho, 0.5) {
		t.Errorf("box %g, ρ %v; the words are for the box 3, and most manifests have ρ = 0.5", m.Calibrate.Box, m.Calibrate.Rho)
	}
	path := filepath.Join("../../../results", m.Name, "lambda.csv")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	tables := []store.Table{{Name: "lambda", Header: lines[0], Rows: lines[1:]}}
	for _, n := range []int{2, 3, 50} {
		for _, word := range []string{"lsq", "minimax"} {
			rows := records(t, tables, "lambda", record{"classes": strconv.Itoa(n), "criterion": word, "rho": "0.5"})
			if len(rows) != 1 {
				t.Fatalf("%s has %d rows of %s for n = %d", path, len(rows), word, n)
			}
			// The simplex of the fit stops within 1e-6; elsewhere than on the
			// machine that made the table it may stop beside it.
			near(t, word+" for n = "+strconv.Itoa(n), lambdaValue(manifest.Lambda{Word: word}, n, 0.5), rows[0].number(t, "lambda"), 1e-5)
		}
	}
}
