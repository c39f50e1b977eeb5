package study

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/baselines/meanfield"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

const smallMoments = `
name  = "small_moments"
study = "moments"
seed  = 1

[moments]
classes  = [2, 3]
spread   = [1]
variance = [0.01, 1, 10]
draws    = 30
methods  = ["probit-slope", "exact", "exact-fast", "delta", "mackay", "lognormal-normalised"]
samples  = [2000]
montecarlo_draws = 3
`

func TestMoments(t *testing.T) {
	o := run(t, parse(t, smallMoments))
	report := o.report
	errors := find(report.Tables, "errors")
	if got, want := len(errors.Rows), 2*3*7; got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	at := func(method, variance, column string) float64 {
		return errors.where("method", method).where("classes", "3").where("variance", variance).floats(column)[0]
	}
	// Linearisation is right for small variances, the probit for large ones.
	if d, p := at("delta", "0.01", "tv"), at("probit-slope", "0.01", "tv"); !(d < 0.1*p) {
		t.Errorf("total variation at v = 0.01: %g by the delta method, %g by the probit", d, p)
	}
	if d, p := at("delta", "10", "tv"), at("probit-slope", "10", "tv"); !(p < 0.1*d) {
		t.Errorf("total variation at v = 10: %g by the probit, %g by the delta method", p, d)
	}
	for _, column := range []string{"tv", "tv_max", "var_error", "cov_error", "cross_error", "indefinite"} {
		if got := at("exact", "1", column); got != 0 {
			t.Errorf("%s of the exact moments against themselves is %g", column, got)
		}
	}
	if got := at("exact-fast", "1", "tv"); !(got > 0 && got < 1e-8) {
		t.Errorf("total variation of the fast integrals is %g", got)
	}
	// Standard errors of 2000 samples are of order 0.01.
	if got := at("monte-carlo-2000", "1", "tv"); !(got > 1e-4 && got < 0.03) {
		t.Errorf("total variation of Monte Carlo is %g", got)
	}
	if got := errors.where("method", "monte-carlo-2000").floats("draws")[0]; got != 3 {
		t.Errorf("Monte Carlo had %g draws", got)
	}
	few := run(t, parse(t, smallMoments, "moments.montecarlo_pairs=18", "moments.variance=[1]")).report
	draws := find(few.Tables, "errors").where("method", "monte-carlo-2000").floats("draws")
	if !slices.Equal(draws, []float64{3, 2}) {
		t.Errorf("Monte Carlo had %v draws of 2 and 3 classes", draws)
	}
	// What a method does not give is an empty field.
	for _, gap := range []struct{ method, column string }{
		{"mackay", "cov_error"},
		{"mackay", "indefinite"},
		{"mackay", "var_error"},
		{"lognormal-normalised", "cov_error"},
		{"lognormal-normalised", "cross_error"},
	} {
		row := errors.where("method", gap.method)
		if got := row.Rows[0][row.column(gap.column)]; got != "" {
			t.Errorf("%s of %s is %q", gap.column, gap.method, got)
		}
	}
	if got := at("lognormal-normalised", "0.01", "var_error"); !(got < 0.1) {
		t.Errorf("relative error of the variances of the log-normal is %g", got)
	}
	if len(report.Figures) != 3 {
		t.Errorf("%d figures", len(report.Figures))
	}
	for _, f := range report.Figures {
		if _, err := f.Drawing.Encode("png"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	if again := run(t, parse(t, smallMoments)); !reflect.DeepEqual(o.tables, again.tables) {
		t.Error("the cells are not the same the second time")
	}
}

// A cell does not depend on the other values of the sweep.
func TestMomentsCellsStandAlone(t *testing.T) {
	large := run(t, parse(t, smallMoments)).report
	one := run(t, parse(t, strings.NewReplacer("[2, 3]", "[3]", "[0.01, 1, 10]", "[1]").Replace(smallMoments))).report
	want := find(large.Tables, "errors").where("classes", "3").where("variance", "1")
	if got := find(one.Tables, "errors"); !reflect.DeepEqual(got.Rows, want.Rows) {
		t.Errorf("alone %v, among others %v", got.Rows, want.Rows)
	}
}

func TestMomentsMeasure(t *testing.T) {
	o := run(t, parse(t, smallMoments))
	experiment, report := o.experiment.(Timed), o.report
	timed, err := experiment.Measure(context.Background(), report.Tables)
	if err != nil {
		t.Fatal(err)
	}
	costs := find(timed.Tables, "timing_cost")
	for i, ns := range costs.floats("ns") {
		if !(ns > 1) {
			t.Errorf("%v takes %g ns", costs.Rows[i], ns)
		}
	}
	if sampling, probit := costs.where("method", "monte-carlo-2000").floats("ns"), costs.where("method", "probit-slope").floats("ns"); !(sampling[0] > probit[0]) {
		t.Errorf("2000 samples take %g ns, the probit %g ns", sampling[0], probit[0])
	}
	for _, f := range timed.Figures {
		if !strings.HasPrefix(f.Name, "timing_") {
			t.Errorf("figure %s", f.Name)
		}
		if _, err := f.Drawing.Encode("png"); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := experiment.Measure(ctx, report.Tables); err != context.Canceled {
		t.Errorf("error %v after cancelling", err)
	}
}

// The statistics by hand, for two problems of two classes.
func TestMomentsError(t *testing.T) {
	moments := func(p, variance, cross float64) *fullMoments {
		m := newFullMoments(2)
		m.P[0], m.P[1] = p, 1-p
		for i, row := range [2][2]float64{{1, -1}, {-1, 1}} {
			for j, sign := range row {
				m.cov.SetSym(i, j, sign*variance)
				m.cross.Set(i, j, sign*cross)
			}
		}
		return m
	}
	var e momentsError
	e.add(moments(0.5, 0.2, 1), moments(0.6, 0.1, 3))
	bad := moments(0.9, -0.1, 1)
	bad.P[1] = 0.3
	e.add(bad, moments(0.9, 0.2, 1))
	want := []float64{
		(0.1 + 0.1) / 2, 0, 0.1, 0.2 / 2,
		// a − qb = ∓0.04 for both a, of mean b = 0.1, and ∓1.6 where it is 20.
		math.Sqrt(2), 0.4 / (2 * math.Sqrt(2)), math.Sqrt(2), 0.4 / (2 * math.Sqrt(2)), math.Sqrt(0.4), 0.08 / (2 * math.Sqrt(0.4)), 0.5,
	}
	for i, got := range e.values() {
		if !(math.Abs(got-want[i]) < 1e-12) {
			t.Errorf("%s = %g, want %g", momentsColumns[i], got, want[i])
		}
	}
}

// The largest total variation is neither that of the first problem nor of the
// last.
func TestMomentsErrorLargest(t *testing.T) {
	var e momentsError
	want := newFullMoments(2)
	for _, p := range []float64{0.1, 0.4, 0.2} {
		got := newFullMoments(2)
		got.P[0], got.P[1] = p, -p
		e.add(got, want)
	}
	near(t, "tv_max", e.worst, 0.4, 1e-15)
	tv, err := e.variation.value()
	near(t, "tv", tv, 0.7/3, 1e-15)
	near(t, "tv_se", err, math.Sqrt((0.01+0.16+0.04-0.49/3)/6), 1e-15)
}

// An eigenvalue is negative beyond the error of the moments only, and that is
// larger for the fast integrals. As in the paper the last class is left out.
func TestMomentsNegative(t *testing.T) {
	for _, c := range []struct {
		accuracy        float64
		trace, smallest float64
		last            float64
		negative        bool
	}{
		{accuracyOf(softmax.Exact{}), 1, -5e-4, 1, true},
		{accuracyOf(softmax.Exact{}), 1, -1e-9, 1, true},
		{accuracyOf(softmax.Probit{}), 1, -1e-9, 1, true},
		{accuracyOf(softmax.Probit{}), 1, -5e-11, 1, false},
		{accuracyOf(softmax.Exact{Fast: true}), 1, -5e-8, 1, false},
		{accuracyOf(softmax.Exact{Fast: true}), 1, -1e-7, 1, true},
		{accuracyOf(softmax.Exact{}), 1e6, -1e-7, 1, false}, // rounding
		{accuracyOf(softmax.Exact{}), 1e6, -1e-4, 1, true},
		{accuracyOf(softmax.Exact{}), 1, 0.1, -5, false},
	} {
		e := momentsError{accuracy: c.accuracy}
		if got := e.negative(mat.NewSymDense(3, []float64{c.trace, 0, 0, 0, c.smallest, 0, 0, 0, c.last})); got != c.negative {
			t.Errorf("%+v: negative is %t", c, got)
		}
	}
}

// A relative error to a truth that is nothing but error is a gap.
func TestMomentsOfNoVariance(t *testing.T) {
	o := run(t, parse(t, smallMoments, "moments.variance=[0, 1e-12]", "moments.draws=4"))
	for _, r := range records(t, o.report.Tables, "errors", nil) {
		if r["var_error"] != "" || r["cov_error"] != "" || r["cov_se"] != "" || r["variance"] == "0" && r["cross_error"] != "" {
			t.Errorf("%v", r)
		}
		if r["method"] == "exact-fast" && r["indefinite"] != "0" {
			t.Errorf("share of indefinite Σ_y of the fast integrals: %s", r["indefinite"])
		}
		r.number(t, "tv")
	}
}

// The largest numbers that a manifest may have leave gaps, not infinities.
func TestMomentsExtremes(t *testing.T) {
	o := run(t, parse(t, smallMoments, "moments.variance=[1e-30, 1e30]", "moments.spread=[0, 1e30]", "moments.draws=2"))
	for _, row := range find(o.report.Tables, "errors").Rows {
		if text := strings.Join(row, " "); strings.Contains(text, "Inf") || strings.Contains(text, "NaN") {
			t.Error(text)
		}
	}
}

// The manifest's order is not that of its numbers.
func TestMomentsMeasureTheMiddle(t *testing.T) {
	m := parse(t, smallMoments, "moments.spread=[5, 1, 2]", "moments.variance=[10, 0.01, 1]", "moments.draws=2")
	o := run(t, m)
	middle := find(o.report.Tables, "errors").where("spread", "2").where("variance", "1")
	if _, err := o.experiment.(Timed).Measure(context.Background(), []store.Table{*middle.Table}); err != nil {
		t.Error(err)
	}
}

func TestDrawLogits(t *testing.T) {
	const n, spread, variance, unequal = 100000, 3, 2, 0.5
	z := drawLogits(n, spread, variance, unequal, rand.New(random.Source("logits")))
	mean, sd := stat.MeanStdDev(z.mean, nil)
	near(t, "mean", mean, 0, 5*spread/math.Sqrt(n))
	near(t, "spread", sd, spread, 0.02)
	near(t, "least variance", slices.Min(z.variance), 1, 1e-3)
	near(t, "largest variance", slices.Max(z.variance), 3, 1e-3)
	near(t, "mean variance", stat.Mean(z.variance, nil), 2, 0.01)
}

// A name stands for the method that it says.
func TestMethodNames(t *testing.T) {
	const n = 3
	probit := func(word string) softmax.Approximation {
		return softmax.Probit{Lambda: lambdaValue(manifest.Lambda{Word: word}, n, 0.5), Rho: 0.5}
	}
	want := map[string]softmax.Approximation{
		"probit-slope": probit("slope"), "probit-lsq": probit("lsq"), "probit-minimax": probit("minimax"),
		"exact": softmax.Exact{}, "exact-fast": softmax.Exact{Fast: true},
		"delta": meanfield.Delta{}, "taylor": meanfield.Taylor{}, "mackay": meanfield.MacKay{},
		"lu-0": meanfield.Pairwise{}, "lu-1": meanfield.Pairwise{Order: 1}, "lu-2": meanfield.Pairwise{Order: 2},
		"daunizeau": meanfield.Daunizeau{}, "unscented": meanfield.Unscented{},
		"laplace-bridge": meanfield.LaplaceBridge{}, "laplace-bridge-corrected": meanfield.LaplaceBridge{Correct: true},
		"lognormal": meanfield.LogNormal{}, "lognormal-normalised": meanfield.LogNormal{Normalise: true},
		"normalised-probit": meanfield.NormalizedProbit{Lambda: math.Sqrt(math.Pi / 2)},
	}
	for _, name := range methodNames {
		if got := methods[name](n); got != want[name] {
			t.Errorf("%s is %#v, want %#v", name, got, want[name])
		}
	}
}

// Every method that a manifest may name works for any number of classes.
func TestMethods(t *testing.T) {
	for _, name := range methodNames {
		for _, n := range []int{2, 5} {
			m := newFullMoments(n)
			z := logits{make([]float64, n), make([]float64, n)}
			for j := range n {
				z.mean[j], z.variance[j] = 0.1*float64(j), 0.2
			}
			m.compute(methods[name](n), z)
			for j, p := range m.P {
				if !(p > 0 && p < 1) {
					t.Errorf("%s, n=%d: p_%d = %g", name, n, j, p)
				}
			}
			// Own covariances win over those that follow from E.
			if name == "laplace-bridge" && !math.IsNaN(m.cross.At(0, 0)) {
				t.Error("the Laplace bridge gives no Σ_zy")
			}
		}
	}
	if p := methods["probit-slope"](3).(softmax.Probit); p.Lambda != softmax.SlopeLambda(3, 0.5) {
		t.Errorf("probit-slope has λ = %g", p.Lambda)
	}
}
