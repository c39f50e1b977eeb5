package mccheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"closedform/core/activation"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const manifest = `
name = "small"; study = "mc_check"; seed = 5
[mc_check]; classes = [2, 3]; rho = [0, 0.4]; samples = 20000; cases = 2; spread = 1; variance = 1
`

// An input of one's own is checked as it is given.
func TestGiven(t *testing.T) {
	z := studytest.Run(t, Kind, `
name = "mine"; study = "mc_check"; seed = 1
[mc_check]; samples = 2000; rho = [0.5]; mean = [1, 0, -2.5]; variance = [0.5, 2, 1]; lambda = 0.7
`).Get("zscores")
	moments := softmax.NewMoments(3)
	for formula, by := range map[string]softmax.Approximation{"probit": softmax.Probit{Lambda: 0.7, Rho: 0.5}, "softmax": softmax.Exact{}} {
		by.Moments(moments, []float64{1, 0, -2.5}, []float64{0.5, 2, 1})
		check.NearAll(t, formula, z.Where("formula", formula).Where("quantity", "p").Nums("value"), moments.P, 1e-8)
	}
	check.Equal(t, "formulas", len(z.Distinct("formula")), 2)
}

// Every number is there once, with its classes, and right formulas agree.
func TestTables(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	z := tables.Get("zscores")
	for _, c := range []struct {
		formula, quantity string
		classes           any
		i, j              string // of the second case, for the last ρ
	}{
		{"activation", "mean", "", "", ""},
		{"probit", "p", 2, "", "1 2"},
		{"probit", "E", 3, "2 3 1 3 1 2", "1 1 2 2 3 3"},
		{"probit_corr", "p", 3, "", "1 2 3"},
		{"probit_corr", "cross", 3, "1 2 3 1 2 3 1 2 3", "1 1 1 2 2 2 3 3 3"},
		{"softmax", "E", 3, "1 1 2", "2 3 3"},
		{"softmax", "variance", 3, "", "1 2 3"},
	} {
		rows := z.Where("formula", c.formula).Where("quantity", c.quantity).Where("classes", c.classes).Where("case", 2)
		rows = rows.Where("rho", slices.Max(rows.Texts("rho")))
		for column, want := range map[string]string{"i": c.i, "j": c.j} {
			check.Equal(t, fmt.Sprintf("%s %s of %v classes: %s", c.formula, c.quantity, c.classes, column), strings.TrimSpace(strings.Join(rows.Texts(column), " ")), want)
		}
	}
	// As many inputs of the unit as of the probit; three classes or more for any Σ_0.
	for formula, want := range map[string]int{"activation": 8 * 3, "probit": 4 * (4 + 9), "probit_corr": 2 * 12, "softmax": 2 * (5 + 9)} {
		check.Equal(t, formula, z.Where("formula", formula).Len(), want)
	}
	summary := tables.Get("summary")
	for i, verdict := range summary.Texts("verdict") {
		if verdict != "agrees" && summary.Texts("formula")[i] != "activation" || verdict == "disagrees" {
			t.Errorf("%s %s: %s", summary.Texts("formula")[i], summary.Texts("quantity")[i], verdict)
		}
	}
}

// The values are those of the formulas at the inputs of the cell, which come from streams named by the
// manifest, its seed, the cell and the purpose; a cell stays when the experiment grows.
func TestCell(t *testing.T) {
	z := studytest.Run(t, Kind, manifest).Get("zscores").Where("case", 2)
	found := 0
	for _, c := range studytest.New(t, Kind, manifest, "mc_check.classes=[3, 2]", "mc_check.rho=[0.2, 0.4, 0]", "mc_check.cases=3").Cells() {
		s := c.Spec.(spec)
		check.Equal(t, fmt.Sprintf("%s: another stream", c.Key), s.rand("samples").Uint64(), random.Source("small", 5, "mc_check", c.Key, "samples").Uint64())
		in, m := s.inputs(), softmax.NewMoments(max(2, s.Classes))
		rows := z.Where("formula", s.Formula)
		var want []float64
		switch c.Key {
		case "activation case=2":
			mean, variance, cross := in.unit.Moments(in.Mean[0], in.Variance[0])
			want = []float64{mean, variance, cross}
		case "probit n=3 rho=0.4 case=2":
			softmax.Probit{Lambda: in.lambda, Rho: 0.4}.Moments(m, in.Mean, in.Variance)
			want = append(m.P, m.E.At(0, 1), m.E.At(0, 2), m.E.At(1, 0), m.E.At(1, 2), m.E.At(2, 0), m.E.At(2, 1))
			rows = rows.Where("classes", 3).Where("rho", 0.4)
		case "softmax n=2 case=2":
			softmax.Exact{}.Moments(m, in.Mean, in.Variance)
			v := m.P[0]*m.P[1] - m.E.At(0, 1)
			want, rows = append(m.P, m.E.At(0, 1), v, v), rows.Where("classes", 2)
		default:
			continue
		}
		found++
		check.NearAll(t, c.Key, rows.Nums("value"), want, 1e-10)
	}
	check.Equal(t, "cells", found, 3)
}

var three = approx.Logits{Mean: []float64{0.3, -0.2, 0.5}, Variance: []float64{1, 0.5, 2}}

// The check can fail: each formula with a small mistake in its inputs has a z-score beyond 5.
func TestFindsMistakes(t *testing.T) {
	f := factor{{1}, {0.6, 0.8}}
	unit := func(beta float64) inputs {
		return inputs{Logits: approx.Logits{Mean: []float64{-0.3}, Variance: []float64{2}}, unit: activation.PiecewiseLinear{Alpha: 0.2, Beta: beta}}
	}
	larger := approx.Logits{Mean: three.Mean, Variance: []float64{1.2, 0.6, 2.4}}
	for _, c := range []struct {
		name         string
		of           estimator
		right, wrong inputs
	}{
		{"slope of the unit", activationUnit, unit(1), unit(1.02)},
		{"λ", probit, inputs{Logits: three, lambda: 0.6, rho: 0.3}, inputs{Logits: three, lambda: 0.65, rho: 0.3}},
		{"ρ", probit, inputs{Logits: three, lambda: 0.6, rho: 0.3}, inputs{Logits: three, lambda: 0.6, rho: 0.36}},
		{"Σ_0", probitCorr, inputs{Logits: three, lambda: 0.6, factor: f}, inputs{Logits: three, lambda: 0.6, factor: factor{{1}, {0.8, 0.6}}}},
		{"λ with Σ_0", probitCorr, inputs{Logits: three, lambda: 0.6, factor: f}, inputs{Logits: three, lambda: 0.7, factor: f}},
		{"variances", exact, inputs{Logits: three}, inputs{Logits: larger}},
	} {
		scores := func(in inputs) []score {
			out := check.Must(c.of(context.Background(), in, 2*block+1, rand.New(random.Source("mistakes"))))
			return out
		}
		var right, wrong float64
		other := scores(c.wrong)
		for k, s := range scores(c.right) {
			if !s.trusted() {
				t.Errorf("%s: %s is not trusted", c.name, s.quantity)
			}
			right = max(right, math.Abs(s.z()))
			s.value = other[k].value
			wrong = max(wrong, math.Abs(s.z()))
		}
		if !(right < 4 && wrong > 5) {
			t.Errorf("%s: max |z| = %g where all is right, %g where it is wrong", c.name, right, wrong)
		}
	}
}

// Samples are within the bounds that a formula claims, and the parts of the softmax
// together have the standard error of the whole.
func TestBounds(t *testing.T) {
	in := inputs{Logits: three, lambda: 3, rho: 0.7, factor: factor{{1}, {0.6, 0.8}}}
	for name, of := range map[string]estimator{"probit": probit, "probit_corr": probitCorr} {
		rnd := rand.New(random.Source("bounds"))
		largest := 0.0
		for range 5000 {
			one := check.Must(of(context.Background(), in, 1, rnd))
			for _, s := range one {
				if s.most > 0 {
					largest = max(largest, s.mc/s.most)
					if !(s.mc >= -1e-15 && s.mc <= s.most*(1+1e-15)) {
						t.Fatalf("%s, %s: sample %g of 0 to %g", name, s.quantity, s.mc, s.most)
					}
				}
			}
		}
		if !(largest > 0.5) {
			t.Errorf("%s: samples up to %g of their bound", name, largest)
		}
	}
	of := func(samples int) []score {
		scores, _ := exact(context.Background(), inputs{Logits: three}, samples, rand.New(random.Source("parts", samples)))
		return scores
	}
	many := of(4 * block)
	for k, s := range of(block) {
		check.Near(t, s.quantity+": se", many[k].se, s.se/2, 0.03)
		check.Near(t, s.quantity+": effective", many[k].effective, 4*s.effective, 0.05)
	}
}

// Mean, standard error and effective number of samples that are known: every tenth is a hit, every hundredth, all are
// the same, and 1, 2, 3, …. A standard error that rests on a few hits, every thousandth, is not trusted.
func TestEstimate(t *testing.T) {
	k := 0
	const n = 2*block - 72 // in two blocks, and a multiple of 1000
	scores := []score{{value: 0.1}, {value: 0.01}, {value: 3}, {value: -1}, {value: 0.001}}
	check.Must(estimate(context.Background(), scores, n, func(x []float64) {
		k++
		x[0], x[1], x[2], x[3], x[4] = 0, 0, 3, float64(k), 0
		if k%10 == 0 {
			x[0] = 1
		}
		if k%100 == 0 {
			x[1] = 1
		}
		if k%1000 == 0 {
			x[4] = 1
		}
	}))
	for i, want := range []score{
		{mc: 0.1, se: math.Sqrt(0.1 * 0.9 / (n - 1)), effective: n * 0.09 * 0.09 / (0.1*0.9*0.9*0.9*0.9 + 0.9*1e-4)},
		{mc: 0.01, se: math.Sqrt(0.01 * 0.99 / (n - 1)), effective: n * 0.0099 * 0.0099 / (0.01*math.Pow(0.99, 4) + 0.99*1e-8)},
		{mc: 3}, // no deviation: nothing is known
		{mc: (n + 1) / 2.0, se: math.Sqrt((float64(n)*n - 1) / 12 / (n - 1)), effective: scores[3].effective},
	} {
		check.NearAll(t, "mc, se and effective", []float64{scores[i].mc, scores[i].se, scores[i].effective}, []float64{want.mc, want.se, want.effective}, 1e-9)
		check.Equal(t, fmt.Sprintf("score %d: z = %g", i, scores[i].z()), math.IsNaN(scores[i].z()), i == 2)
	}
	if s := scores[4]; !(s.effective < enough) || !math.IsNaN(s.z()) {
		t.Errorf("%g effective samples, z = %g", s.effective, s.z())
	}
}

// Bounds of tails of the binomial distribution, against the exact tails of one side.
func TestChance(t *testing.T) {
	for _, c := range []struct {
		s    score
		tail float64
	}{
		{score{mc: 1, value: 0.9, most: 1, samples: 10}, math.Pow(0.9, 10)},
		{score{mc: 3e-6, value: 1e-6, most: 1, samples: 1000000}, 0.0803},
		{score{mc: 0.2, value: 0.2, most: 1, samples: 1000}, 0.5},
	} {
		if got := c.s.chance(); !(got >= min(1, 2*c.tail)*(1-1e-9)) || !(got <= 1) {
			t.Errorf("%+v: bound %g, the tail is %g", c.s, got, c.tail)
		}
	}
	never := 2 * math.Pow(0.75, 100)
	for name, c := range map[string]struct {
		s    score
		want float64
	}{
		"never happened":           {score{value: 0.25, most: 1, samples: 100}, never},
		"twice the samples":        {score{value: 0.5, most: 2, samples: 100}, never},
		"above the largest":        {score{mc: 1, value: 1.1, most: 1, samples: 2}, 0},
		"below zero":               {score{value: -0.1, most: 1, samples: 2}, 0},
		"zero but for rounding":    {score{mc: -1e-17, value: 1e-12, most: 1, samples: 1e9}, 1},
		"a value that is nearly 0": {score{mc: 1e-12, value: 0, most: 1, samples: 1e9}, 1},
	} {
		check.Near(t, name, c.s.chance(), c.want, 1e-8*c.want)
	}
	if a, b := (score{value: 0.25, samples: 100}).chance(), (score{value: 0.25, most: 1, samples: 100, se: 1, effective: 2 * enough}).chance(); !math.IsNaN(a) || !math.IsNaN(b) {
		t.Errorf("bound %g of samples without bounds, %g of a trusted score", a, b)
	}
}

// scoresOf reads z-scores: formula, case, quantity, z and p_bound.
func scoresOf(t *testing.T, rows ...string) *table.Table {
	t.Helper()
	z := check.Must(table.Read("zscores", strings.NewReader("classes,rho,formula,case,quantity,z,p_bound\n2,,"+strings.Join(rows, "\n2,,"))))
	return z
}

func TestSummary(t *testing.T) {
	s := summary(scoresOf(t, "a,1,p,1,", "a,1,p,-2.5,", "a,1,E,0.5,", "a,2,p,-0.3,", "a,2,p,,", "a,2,E,9,", "b,1,p,,"))
	for i, want := range []string{"a p 3 1 0 2 agrees", "a E 2 0 0 2 disagrees", "b p 0 1 0 0 untested", "all all 5 2 0 2 disagrees"} {
		var got []string
		for _, column := range []string{"formula", "quantity", "scores", "untrusted", "bounded", "independent", "verdict"} {
			got = append(got, s.Texts(column)[i])
		}
		check.Equal(t, fmt.Sprintf("row %d: %q, want", i, got), strings.Join(got, " "), want)
	}
	for column, want := range map[string]float64{
		"mean": -0.6, "sd": math.Sqrt((1.6*1.6 + 1.9*1.9 + 0.3*0.3) / 2), "max_abs_z": 2.5, "share_beyond_1.96": 1.0 / 3,
		"bound": math.Sqrt2 * math.Erfinv(1-0.001), "p_level": 0.001, "ks_level": 0.005 / 4,
		"ks": 0.5 * (1 + math.Erf(-0.3/math.Sqrt2)), // below −0.3
	} {
		check.Near(t, column, s.Nums(column)[0], want, 1e-12)
	}
	if !math.IsNaN(s.Nums("ks_p")[2]) || !math.IsNaN(s.Nums("mean")[2]) {
		t.Errorf("without z-scores: %s", s.CSV())
	}
	// A formula that is plainly wrong is called so though there is no z-score.
	for bound, want := range map[string]string{"1e-09": "disagrees", "0.9": "untested"} {
		if s := summary(scoresOf(t, "a,1,p,,"+bound)); s.Texts("verdict")[0] != want || s.Texts("bounded")[1] != "1" {
			t.Errorf("p_bound %s: %s", bound, s.CSV())
		}
	}
	// So are z-scores that are too small or too large everywhere, none of them beyond the bound.
	for _, c := range []struct {
		scale, shift float64
		want         string
	}{{1, 0, "agrees"}, {1, 0.6, "disagrees"}, {0.4, 0, "disagrees"}} {
		var rows []string
		for k := range 100 {
			z := mathext.NormalQuantile((float64(k) + 0.5) / 100)
			rows = append(rows, fmt.Sprintf("a,%d,p,%v,", k, c.scale*z+c.shift), fmt.Sprintf("a,%d,p,0,", k))
		}
		if s := summary(scoresOf(t, rows...)); s.Texts("verdict")[0] != c.want || !(s.Nums("max_abs_z")[0] < s.Nums("bound")[0]) {
			t.Errorf("z-scores times %g plus %g: %s", c.scale, c.shift, s.CSV())
		}
	}
}
