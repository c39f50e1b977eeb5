package study

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"closedform/core/random"
	"closedform/core/softmax"
	store "closedform/runner/internal/oldstore"
)

// Mean, standard error and effective number of samples of samples that are known.
func TestMCEstimate(t *testing.T) {
	// Every tenth sample of the first is a hit, every hundredth of the second.
	k := 0
	p := mcProblem{
		scores: []mcScore{{value: 0.1}, {value: 0.01}, {value: 3}, {value: -1}},
		sample: func(x []float64) {
			k++
			x[0], x[1], x[2], x[3] = 0, 0, 3, float64(k)
			if k%10 == 0 {
				x[0] = 1
			}
			if k%100 == 0 {
				x[1] = 1
			}
		},
	}
	const n = 2*mcBlock - 72 // in two blocks, and a multiple of 100
	scores, err := p.estimate(context.Background(), n)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []mcScore{
		{mc: 0.1, se: math.Sqrt(0.1 * 0.9 / (n - 1)), effective: n * 0.09 * 0.09 / (0.1*0.9*0.9*0.9*0.9 + 0.9*1e-4)},
		{mc: 0.01, se: math.Sqrt(0.01 * 0.99 / (n - 1)), effective: n * 0.0099 * 0.0099 / (0.01*math.Pow(0.99, 4) + 0.99*1e-8)},
		{mc: 3}, // no deviation: nothing is known
		{mc: (n + 1) / 2.0, se: math.Sqrt((float64(n)*n - 1) / 12 / (n - 1)), effective: scores[3].effective},
	} {
		near(t, "mc", scores[i].mc, want.mc, 1e-12)
		near(t, "se", scores[i].se, want.se, 1e-9)
		near(t, "effective", scores[i].effective, want.effective, 1e-9)
		if want := i != 2; scores[i].trusted() != want || math.IsNaN(scores[i].z()) == want {
			t.Errorf("score %d: trusted is %t, z = %g", i, scores[i].trusted(), scores[i].z())
		}
	}
}

// A standard error that rests on a few hits is not trusted.
func TestMCRareEventsAreNotTrusted(t *testing.T) {
	for _, hits := range []int{0, 1, 900, 1100} {
		k := 0
		p := mcProblem{scores: []mcScore{{value: 1e-5}}, sample: func(x []float64) {
			x[0] = 0
			if k < hits {
				x[0] = 1
			}
			k++
		}}
		scores, err := p.estimate(context.Background(), 1000000)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := scores[0].trusted(), hits > 1000; got != want {
			t.Errorf("%d hits: trusted is %t", hits, got)
		}
	}
}

// handZScores is a table of z-scores; the rows of one formula and case are one
// cell.
func handZScores(rows ...[]string) frame {
	t := store.Table{Name: "zscores", Header: zscoresTable.Header}
	for _, r := range rows { // formula, case, quantity, z
		t.Rows = append(t.Rows, []string{r[0], "2", "", r[1], r[2], "1", "1", "0", "0", "1", "1", "", r[3], ""})
	}
	return frame{&t}
}

func TestMCSummary(t *testing.T) {
	summary := mcSummary(handZScores(
		[]string{"a", "1", "p", "1"}, []string{"a", "1", "p", "-2.5"}, []string{"a", "1", "E", "0.5"},
		[]string{"a", "2", "p", "-0.3"}, []string{"a", "2", "p", ""}, []string{"a", "2", "E", "9"},
		[]string{"b", "1", "p", ""},
	))
	rows := records(t, []store.Table{summary}, "summary", nil)
	var verdicts []string
	for _, r := range rows {
		verdicts = append(verdicts, r["formula"]+" "+r["quantity"]+" "+r["scores"]+" "+r["untrusted"]+" "+r["independent"]+" "+r["verdict"])
	}
	want := []string{"a p 3 1 2 agrees", "a E 2 0 2 disagrees", "b p 0 1 0 untested", "all all 5 2 2 disagrees"}
	if !slices.Equal(verdicts, want) {
		t.Fatalf("summary %q, want %q", verdicts, want)
	}
	r := rows[0]
	near(t, "mean", r.number(t, "mean"), -0.6, 1e-12)
	near(t, "sd", r.number(t, "sd"), math.Sqrt((1.6*1.6+1.9*1.9+0.3*0.3)/2), 1e-12)
	near(t, "max |z|", r.number(t, "max_abs_z"), 2.5, 0)
	near(t, "share", r.number(t, "share_beyond_1.96"), 1.0/3, 1e-12)
	near(t, "bound", r.number(t, "bound"), mathext.NormalQuantile(1-0.01/4/5), 1e-12)
	near(t, "level", r.number(t, "ks_level"), 0.005/4, 1e-12)
	near(t, "distance", r.number(t, "ks"), 0.5*(1+math.Erf(-0.3/math.Sqrt2)), 1e-12) // below −0.3
	if p := rows[2]["ks_p"]; p != "" {
		t.Errorf("p = %s without z-scores", p)
	}
}

// Z-scores that are too small or too large everywhere are found though none is
// beyond the bound.
func TestMCSummaryFindsWrongDistributions(t *testing.T) {
	for _, c := range []struct {
		scale, shift float64
		want         string
	}{{1, 0, "agrees"}, {1, 0.6, "disagrees"}, {0.4, 0, "disagrees"}} {
		var rows [][]string
		x, _, _ := mcQuantiles(100)
		for k, z := range x {
			rows = append(rows, []string{"a", strconv.Itoa(k), "p", store.Float(c.scale*z + c.shift)}, []string{"a", strconv.Itoa(k), "p", "0"})
		}
		summary := records(t, []store.Table{mcSummary(handZScores(rows...))}, "summary", record{"formula": "a"})[0]
		if summary["verdict"] != c.want || !(summary.number(t, "max_abs_z") < summary.number(t, "bound")) {
			t.Errorf("z-scores times %g plus %g: %s, max |z| = %s", c.scale, c.shift, summary["verdict"], summary["max_abs_z"])
		}
	}
}

// The critical distances at 5 and 1 %, from Miller (1956), are met to 0.002 in p,
// and the exact value of Marsaglia, Tsang and Wang (2003) to 0.01.
func TestKolmogorov(t *testing.T) {
	for _, c := range []struct {
		n           int
		distance, p float64
		tol         float64
	}{
		{5, 0.56328, 0.05, 0.002},
		{10, 0.40925, 0.05, 0.002},
		{10, 0.48893, 0.01, 0.002},
		{20, 0.29408, 0.05, 0.002},
		{40, 0.25205, 0.01, 0.002},
		{100, 0.13403, 0.05, 0.002},
		{10, 0.274, 1 - 0.6284796154565043, 0.01},
	} {
		// Normal quantiles that are shifted so that the largest distance is the
		// wanted one.
		x := make([]float64, c.n)
		for k := range x {
			x[k] = mathext.NormalQuantile(min(1-1e-12, float64(k)/float64(c.n)+c.distance))
		}
		slices.Reverse(x)
		distance, p := kolmogorov(x)
		near(t, "distance", distance, c.distance, 1e-9)
		for k := range x {
			x[k] = -x[k]
		}
		mirrored, _ := kolmogorov(x)
		near(t, "mirrored distance", mirrored, c.distance, 1e-9)
		if !(math.Abs(p-c.p) < c.tol) {
			t.Errorf("n = %d, distance %g: p = %g, want %g", c.n, c.distance, p, c.p)
		}
	}
	if _, p := kolmogorov([]float64{-1, 0, 1}); !(p > 0.9 && p <= 1) {
		t.Errorf("p = %g of three quartiles", p)
	}
	if d, p := kolmogorov(nil); !math.IsNaN(d) || !math.IsNaN(p) {
		t.Errorf("distance %g, p = %g without data", d, p)
	}
}

func TestMCQuantiles(t *testing.T) {
	x, low, high := mcQuantiles(1)
	near(t, "median", x[0], 0, 1e-12)
	near(t, "low", low[0], mathext.NormalQuantile(0.025), 1e-9)
	near(t, "high", high[0], mathext.NormalQuantile(0.975), 1e-9)
	// The least of three is below t with probability 1 − (1−Φ(t))³.
	x, low, high = mcQuantiles(3)
	near(t, "low", low[0], mathext.NormalQuantile(1-math.Cbrt(0.975)), 1e-9)
	near(t, "high", high[0], mathext.NormalQuantile(1-math.Cbrt(0.025)), 1e-9)
	for k := range x {
		near(t, "mirrored x", x[k], -x[2-k], 1e-9)
		near(t, "mirrored interval", low[k], -high[2-k], 1e-9)
	}
}

// The derivatives are those of the values, against finite differences, and the
// values of two classes are those in closed form.
func TestMCProbitFunction(t *testing.T) {
	const n, h = 4, 1e-6
	f := newMCProbitFunction(softmax.Probit{Lambda: 0.8, Rho: 0.3}, n)
	z := []float64{0.4, -1, 0.7, 0.1}
	y, slopes := make([]float64, n), make([]float64, n*(n-1))
	f.values(y, slopes, z, 0.9)
	up, down := make([]float64, n), make([]float64, n)
	for i := range n {
		z[i] += h
		f.values(up, nil, z, 0.9)
		z[i] -= 2 * h
		f.values(down, nil, z, 0.9)
		z[i] += h
		for j := range n {
			if i == j {
				continue
			}
			k := i // of row j without its diagonal
			if i > j {
				k--
			}
			near(t, "slope", slopes[j*(n-1)+k], (down[j]-up[j])/(2*h), 1e-8)
		}
	}
	two := newMCProbitFunction(softmax.Probit{Lambda: 0.8, Rho: 0.5}, 2)
	two.values(y[:2], nil, []float64{1, 0.25}, -0.5)
	near(t, "y₁", y[0], 0.5*math.Erfc(-(0.8*0.75/math.Sqrt(0.5)-0.5)/math.Sqrt2), 1e-14)
	near(t, "y₂", y[1], 0.5*math.Erfc(-(-0.8*0.75/math.Sqrt(0.5)-0.5)/math.Sqrt2), 1e-14)
}

func TestMCCorrelations(t *testing.T) {
	for seed := range 20 {
		corr := mcCorrelations(4, rand.New(random.Source("correlations", seed))).correlation()
		var eigen mat.EigenSym
		if !eigen.Factorize(corr, false) {
			t.Fatal("no eigenvalues")
		}
		if least := slices.Min(eigen.Values(nil)); !(least > -1e-15) {
			t.Errorf("eigenvalue %g", least)
		}
		for i := range 4 {
			near(t, "variance", corr.At(i, i), 1, 1e-15)
		}
	}
	factor := mcFactor{{1}, {0.6, 0.8}, {0, 0.6, 0.8}}
	corr := factor.correlation()
	for _, c := range []struct {
		i, j int
		want float64
	}{{0, 1, 0.6}, {0, 2, 0}, {1, 2, 0.48}} {
		near(t, "correlation", corr.At(c.i, c.j), c.want, 1e-15)
	}
}

// The covariances by Monte Carlo are those of the exact moments of the softmax.
// Σ_zy of the probit function is exact, and its Σ_y is not.
func TestMCCovariance(t *testing.T) {
	z := logits{[]float64{0.2, -0.5, 0.4}, []float64{2, 1, 0.5}}
	p := softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}
	scores, err := mcCovarianceProblem(p, z, rand.New(random.Source("covariance"))).estimate(context.Background(), 200000)
	if err != nil {
		t.Fatal(err)
	}
	exact := softmax.NewMoments(3)
	softmax.Exact{}.Moments(exact, z.mean, z.variance)
	var y mat.SymDense
	var zy mat.Dense
	exact.Cov(&y)
	exact.Cross(&zy, z.variance)
	largest := 0.0 // of Σ_y of the probit function
	for _, s := range scores {
		want := s.value
		switch {
		case s.of == "softmax" && s.quantity == "sigma_y":
			want = y.At(s.i-1, s.j-1)
		case s.of == "softmax":
			want = zy.At(s.i-1, s.j-1)
		case s.quantity == "sigma_y":
			largest = max(largest, math.Abs(s.z()))
			continue
		}
		if z := (s.mc - want) / s.se; !(math.Abs(z) < 4.5) {
			t.Errorf("%s of the %s, %d, %d: %g ± %g, want %g", s.quantity, s.of, s.i, s.j, s.mc, s.se, want)
		}
	}
	if !(largest > 5) {
		t.Errorf("Σ_y of the probit function: z-scores up to %g", largest)
	}
}

// For two classes the values of the probit function are Φ(±λ(z₁−z₂)), whose
// variance is one integral.
func TestMCCovarianceOfTwoClasses(t *testing.T) {
	z := logits{[]float64{0.5, -0.2}, []float64{1, 2}}
	p := softmax.Probit{Lambda: 0.7, Rho: 0.5}
	scores, err := mcCovarianceProblem(p, z, rand.New(random.Source("two"))).estimate(context.Background(), 200000)
	if err != nil {
		t.Fatal(err)
	}
	var mean, square float64
	for x := -9.0; x <= 9; x += 0.01 {
		y := 0.5 * math.Erfc(-p.Lambda*(0.7+math.Sqrt(3)*x)/math.Sqrt2)
		weight := 0.01 * math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		mean += weight * y
		square += weight * y * y
	}
	checked := 0
	for _, s := range scores {
		if s.of != "probit" || s.quantity != "sigma_y" {
			continue
		}
		checked++
		want := square - mean*mean
		if s.i != s.j {
			want = -want
		}
		if z := (s.mc - want) / s.se; !(math.Abs(z) < 4) {
			t.Errorf("Σ_y %d, %d: %g ± %g, want %g", s.i, s.j, s.mc, s.se, want)
		}
	}
	if checked != 3 {
		t.Errorf("%d entries of Σ_y", checked)
	}
}

func TestMCMatrices(t *testing.T) {
	gaps := store.Table{Name: "gaps", Header: gapsTable.Header}
	for _, of := range []string{"softmax", "probit"} {
		for _, r := range [][4]string{{"1", "1", "3", "1"}, {"1", "2", "2", "2"}, {"2", "2", "1", "0"}} {
			gaps.Rows = append(gaps.Rows, []string{"covariance", "2", "", "1", "sigma_y", of, r[0], r[1], "0", r[2], "0.5", r[3], ""})
		}
		for _, r := range [][4]string{{"1", "1", "4", "0"}, {"1", "2", "3", "0"}, {"2", "1", "0", "0"}, {"2", "2", "0", "2"}} {
			gaps.Rows = append(gaps.Rows, []string{"covariance", "2", "", "1", "sigma_zy", of, r[0], r[1], "0", r[2], "0.5", r[3], ""})
		}
	}
	inputs := store.Table{Name: "inputs", Header: inputsTable.Header, Rows: [][]string{
		{"covariance", "2", "", "1", "variance", "", "1", "2"},
		{"covariance", "2", "", "1", "variance", "", "2", "5"},
		{"softmax", "2", "", "1", "variance", "", "2", "9"},
		{"covariance", "2", "", "1", "mean", "", "2", "9"},
	}}
	got := mcMatrices(frame{&gaps}, frame{&inputs})
	rows := records(t, []store.Table{got}, "matrices", record{"of": "probit", "classes": "2", "case": "1"})
	if len(rows) != 2 || len(got.Rows) != 4 {
		t.Fatalf("%d of %d rows", len(rows), len(got.Rows))
	}
	for k, want := range [][2]float64{{math.Sqrt(1+2*4) / math.Sqrt(9+2*4+1), 1 / math.Sqrt(18)}, {2.0 / 5, 1.0 / 5}} {
		near(t, "mean variance", rows[k].number(t, "mean_variance"), 3.5, 0)
		near(t, "gap", rows[k].number(t, "relative_gap"), want[0], 1e-12)
		near(t, "se", rows[k].number(t, "relative_se"), want[1], 1e-12)
	}
}
