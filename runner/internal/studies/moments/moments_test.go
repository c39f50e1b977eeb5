package moments

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/baselines/moments/meanfield"
	"closedform/baselines/moments/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const manifest = `
name = "small"; study = "moments"; seed = 4
[moments]; classes = [2, 3]; spread = [1]; variance = [0.01, 1, 10]; draws = 30; methods = ["probit-slope", "exact", "exact-fast", "delta", "mackay", "lognormal-normalised"]; samples = [2000]; montecarlo_draws = 3
`

func errorsOf(t *testing.T, manifest string, overrides ...string) *table.Table {
	t.Helper()
	return studytest.Run(t, Kind, manifest, overrides...).Get("errors")
}

func TestErrors(t *testing.T) {
	all := errorsOf(t, manifest)
	if all.Len() != 2*3*7 {
		t.Fatalf("%d rows", all.Len())
	}
	at := all.Where("classes", 3).Where("variance", 1)
	// What a method does not give is no value.
	for _, gap := range [][2]string{
		{"mackay", "var_error"},
		{"mackay", "cov_error"},
		{"mackay", "indefinite"},
		{"lognormal-normalised", "cov_error"},
		{"lognormal-normalised", "cross_error"},
	} {
		if x := at.Where("method", gap[0]).Nums(gap[1])[0]; !math.IsNaN(x) {
			t.Errorf("%s has %s = %g", gap[0], gap[1], x)
		}
	}
}

// The rows once more from the streams of their names: the logits are those of the
// cell, Monte Carlo gets the first of them, and each method is the one it is called.
func TestCell(t *testing.T) {
	all := errorsOf(t, manifest).Where("classes", 3).Where("variance", 1)
	stream := func(purpose ...any) rand.Source {
		return random.Source(append([]any{"small", 4, "n=3 spread=1 variance=1"}, purpose...)...)
	}
	for _, c := range []struct {
		name  string
		of    softmax.Approximation
		draws int
	}{
		{"probit-slope", softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5}, 30},
		{"delta", meanfield.Delta, 30},
		{"monte-carlo-2000", montecarlo.Softmax{Samples: 2000, Source: stream("montecarlo", 2000)}, 3},
	} {
		errors := approx.NewErrors(c.of, c.draws)
		problems := approx.Problems{Classes: 3, Spread: 1, Variance: 1, Unequal: 0.5}
		check.OK(t, problems.Compare(t.Context(), rand.New(stream("logits")), []*approx.Errors{errors}))
		row := all.Where("method", c.name)
		check.Near(t, "draws", row.Nums("draws")[0], float64(c.draws), 0)
		for i, x := range errors.Row() {
			column := approx.Columns()[i].Name
			check.Near(t, c.name+" "+column, row.Nums(column)[0], x, 0)
		}
	}
}

// Monte Carlo gets fewer draws of more classes, and no more than there are.
func TestMonteCarloDraws(t *testing.T) {
	for override, want := range map[string][]float64{"moments.montecarlo_pairs=18": {3, 2}, "moments.montecarlo_pairs=1": {2, 2}, "moments.draws=1": {1, 1}} {
		draws := errorsOf(t, manifest, override, "moments.variance=[1]").Where("method", "monte-carlo-2000").Nums("draws")
		check.Equal(t, override, draws, want)
	}
}

// A relative error to a truth that is nothing but error is no value; nor are the
// largest numbers that a manifest may have infinite.
func TestExtremes(t *testing.T) {
	all := errorsOf(t, manifest, "moments.variance=[0, 1e-12, 1e30]", "moments.spread=[0, 1e30]", "moments.draws=4")
	for i := range all.Len() {
		for _, c := range all.Columns {
			if c.Kind != table.Words && math.IsInf(c.Nums[i], 0) {
				t.Errorf("%s = %g", c.Name, c.Nums[i])
			}
		}
	}
	small := all.Where("spread", 0)
	for _, v := range []float64{0, 1e-12} {
		at := small.Where("variance", v)
		for _, column := range []string{"var_error", "cov_error", "cov_se"} {
			if x := at.Nums(column); slices.ContainsFunc(x, func(x float64) bool { return !math.IsNaN(x) }) {
				t.Errorf("v = %g: %s = %v", v, column, x)
			}
		}
		check.NearAll(t, "indefinite", at.Where("method", "exact-fast").Nums("indefinite"), []float64{0, 0}, 0)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"moments.classes=[1]": "2 to", "moments.spread=[-1]": "spread", "moments.variance=[2e30]": "variance", "moments.unequal=1": "0 to 0.999",
		"moments.methods=[\"magic\"]": "mackay", "moments.samples=[1]": "samples", "moments.draws=0": "draws", "moments.methods=[]": "probit-lsq",
	})
}
