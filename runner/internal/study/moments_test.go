package study

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
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
		(0.1 + 0.1) / 2, 0.1, 0.2 / 2,
		math.Sqrt((0.01 + 0.09) / (0.01 + 0.04)), math.Sqrt((0.01 + 0.09) / (0.01 + 0.04)), math.Sqrt(4.0 / 10), 0.5,
	}
	for i, got := range e.values() {
		if !(math.Abs(got-want[i]) < 1e-12) {
			t.Errorf("%s = %g, want %g", momentsColumns[i], got, want[i])
		}
	}
	// As in the paper the last class is left out.
	cov := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1, 0, 0, 0, -5})
	if e := (&momentsError{}); e.negative(cov) {
		t.Error("a positive definite reduced Σ_y counts as indefinite")
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
