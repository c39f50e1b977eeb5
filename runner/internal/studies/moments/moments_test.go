package moments

import (
	"strings"
	"testing"

	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
)

const own = `
name = "mine"; study = "moments"
[moments]; mean = [1, 0, -2.5]; variance = [0.5, 2, 2]; lambda = 0.7
`

// A manifest of five keys says how good the probit is at one's own logits; they can be checked against Monte
// Carlo, too.
func TestOwnLogits(t *testing.T) {
	z := logits{[]float64{1, 0, -2.5}, []float64{0.5, 2, 2}}
	got, want, e := newMoments(3), newMoments(3), &momentErrors{draws: 1}
	got.compute(softmax.Probit{Lambda: 0.7, Rho: 0.5}, z)
	want.compute(softmax.Exact{}, z)
	e.add(got, want, 2)
	errors := studytest.Run(t, Kind, own).Get("errors")
	check.Equal(t, "rows", errors.Len(), 1)
	for _, column := range []string{"tv", "cov_error", "cross_error", "indefinite"} {
		check.Near(t, column, errors.Nums(column)[0], errorsBy(e)[column], 0)
	}
	check.Equal(t, "spread", errors.Texts("spread")[0], "")

	overrides := []string{"moments.against=montecarlo", "moments.samples=20000"}
	scores := studytest.Run(t, Kind, own, overrides...).Get("zscores")
	check.NearAll(t, "means", scores.Where("quantity", "mean").Nums("value"), got.P, 0)
}

// Values that are not allowed, and what the error says.
func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, exactManifest, map[string]string{
		"moments.classes=[1]": "classes: 1 is not allowed; allowed: 2 to", "moments.classes=[3, 3]": "differ",
		"moments.spread=[-1]": "spread", "moments.variance=[2e30]": "variance",
		"moments.methods=magic": "mackay", "moments.methods=probit-lsq": "in the list lambda",
		"moments.methods=['delta', 'delta']": "moments.methods: delta comes twice", "moments.methods=[]": "methods",
		"moments.rho=[0.5, 0.5]": "moments.rho: 0.5 comes twice", "moments.rho=0.995": "0 to 0.99",
		"moments.lambda=['lsq', 1, 1.0]": "lambda: 1.0 comes twice", "moments.lambda=['steep']": "minimax",
		"moments.spread=[1, 1]": "spread: 1 comes twice", "moments.variance=[1, 1]": "variance: 1 comes twice",
		"moments.samples=[1]": "samples", "moments.draws=0": "draws", "moments.methods=activation": "activation",
		"moments.against=all": "exact, montecarlo, definite",
		"moments.mean=[1, 2]": "one of spread, gap and mean", "moments.gap=[0, 1]": "one of spread, gap and mean",
		"moments.against=definite": "gap: missing",
	})
	studytest.Refused(t, Kind, definiteManifest, map[string]string{
		"moments.gap=[2, 1]": "low < high", "moments.variance=[2, 1]": "0 < low", "moments.grid=1": "2 to",
		"moments.variance=[0, 1]": "0 < low", "moments.methods=delta": "allowed: probit",
		"moments.against=exact": "definite",
	})
	studytest.Refused(t, Kind, monteCarloManifest, map[string]string{
		"moments.samples=[]": "samples", "moments.samples=[100, 200]": "one number", "moments.samples=1": "samples",
	})
	studytest.Refused(t, Kind, own, map[string]string{
		"seed=1": "", "moments.mean=[1]": "as many", "moments.variance=[1, 1]": "as many",
		"moments.mean=[1, 1, 1e31]": "mean", "moments.classes=2": "not with mean",
		"moments.against=definite": "gap",
	})
}

// What a cell follows from is in its spec.
func TestSpecs(t *testing.T) {
	studytest.Differ(t, Kind, strings.Replace(exactManifest, `"probit", `, "", 1), "seed=2", "moments.spread=2",
		"moments.variance=2", "moments.draws=3", "moments.samples=[]", "moments.methods=delta",
		"moments.logits_of=other")
	studytest.Differ(t, Kind, definiteManifest, "seed=2", "moments.gap=[0, 1]", "moments.variance=[1, 2]",
		"moments.grid=3", "moments.lambda=1", "moments.rho=0.2", "moments.classes=4")
	studytest.Differ(t, Kind, monteCarloManifest, "seed=2", "moments.samples=10", "moments.methods=exact")
}
