package moments

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/baselines/moments/meanfield"
	"closedform/baselines/moments/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const exactManifest = `
name = "small"; study = "moments"; seed = 4
[moments]; classes = [2, 3]; spread = [1]; variance = [0.01, 1, 10]; draws = 30; lambda = ["slope", 0.3]
methods = ["probit", "exact", "exact-fast", "delta", "mackay", "lognormal-normalised"]
samples = [2000]
`

// two returns moments of two classes.
func two(p, variance, cross float64) *allMoments {
	m := newMoments(2)
	m.P[0], m.P[1] = p, 1-p
	for i, row := range [2][2]float64{{1, -1}, {-1, 1}} {
		for j, sign := range row {
			m.cov.SetSym(i, j, sign*variance)
			m.cross.Set(i, j, sign*cross)
		}
	}
	return m
}

// errorsBy returns a row of errors by the names of its columns.
func errorsBy(e *momentErrors) map[string]float64 {
	row := map[string]float64{}
	for i, x := range e.row() {
		row[errorColumns()[i].Name] = x
	}
	return row
}

// The errors by hand, for two problems of two classes.
func TestErrors(t *testing.T) {
	e := &momentErrors{draws: 2, accuracy: covError(2, softmax.MomentError)}
	e.add(two(0.5, 0.2, 1), two(0.6, 0.1, 3), 0)
	bad := two(0.9, -0.1, 1)
	bad.P[1] = 0.3
	e.add(bad, two(0.9, 0.2, 1), 0)
	for column, want := range map[string]float64{
		"draws": 2, "tv": 0.1, "indefinite": 0.5,
		"cov_error": math.Sqrt(2), "cross_error": math.Sqrt(0.4),
	} {
		check.Near(t, column, errorsBy(e)[column], want, 1e-12)
	}
}

// A relative error is NaN where the truth is within its own error of 0, or a method gives no value.
func TestNoValue(t *testing.T) {
	e := &momentErrors{draws: 2, accuracy: covError(2, softmax.MomentError)}
	e.add(two(0.5, 1e-13, math.NaN()), two(0.5, 1e-12, 1), 1)
	e.add(two(0.5, math.NaN(), 1), two(0.5, 1e-12, 1), 1)
	for _, column := range []string{"cov_error", "cross_error"} {
		check.Equal(t, column+" is no value", math.IsNaN(errorsBy(e)[column]), true)
	}
	check.Equal(t, "share of indefinite matrices", errorsBy(e)["indefinite"], 0)
}

// An eigenvalue has a sign beyond the error of the moments, and beyond rounding. The last class is left out.
func TestSign(t *testing.T) {
	for c, want := range map[[4]float64]int{ // by the accuracy and the diagonal
		{1e-11, 1, -5e-4, 1}: -1, {1e-11, 1, -5e-12, 1}: 0, {1e-11, 1, 5e-12, 1}: 0, {1e-11, 1, 2e-11, 1}: 1,
		{1e-8, 1, -5e-9, 1}: 0, {1e-8, 1, -2e-8, 1}: -1, {1e-11, 1, 0.1, -5}: 1,
		{1e-11, 1e6, -1e-7, 1}: 0, {1e-11, 1e6, -1e-4, 1}: -1, // rounding
	} {
		m := newMoments(3)
		m.cov = mat.NewSymDense(3, []float64{c[1], 0, 0, 0, c[2], 0, 0, 0, c[3]})
		check.Equal(t, fmt.Sprint(c), m.sign(c[0]), want)
	}
}

func TestDraw(t *testing.T) {
	p := problem{Classes: 100000, Spread: 3, Variance: 2}
	z := p.draw(rand.New(random.Source("logits")))
	mean, sd := stat.MeanStdDev(z.Mean, nil)
	got := []float64{mean, sd, slices.Min(z.Variance), slices.Max(z.Variance), stat.Mean(z.Variance, nil)}
	check.NearAll(t, "mean and spread; least, largest and mean variance", got, []float64{0, 3, 1, 3, 2}, 0.02)
}

// A name stands for a method that works for any number of classes, all of them near the exact moments.
func TestMethods(t *testing.T) {
	for _, name := range append(slices.Sorted(maps.Keys(formulas)), "probit") {
		for _, n := range []int{2, 3} {
			m, exact := newMoments(n), newMoments(n)
			z := logits{Mean: []float64{0, 0.1, 0.2}[:n], Variance: slices.Repeat([]float64{0.2}, n)}
			m.compute(method{name, slope.Lambda{Word: "lsq"}, 0.5}.formula(n), z)
			exact.compute(softmax.Exact{}, z)
			check.NearAll(t, fmt.Sprintf("%s, n=%d", name, n), m.P, exact.P, 0.06)
			// Own covariances win over those that follow from E.
			if name == "laplace-bridge" && !math.IsNaN(m.cross.At(0, 0)) {
				t.Error("the Laplace bridge gives no Σ_zy")
			}
		}
	}
}

// Each row holds the errors of its λ.
func TestLambda(t *testing.T) {
	lambda := studytest.Run(t, Kind, exactManifest).Get("lambda")
	check.Equal(t, "rows", lambda.Len(), 2*len(slope.Criteria))
	for _, n := range []int{2, 3} {
		rows := lambda.Where("classes", n).Where("rho", 0.5)
		check.Equal(t, "criteria", rows.Texts("criterion"), slope.Criteria)
		rms, largest, ratio := rows.Nums("rms"), rows.Nums("max"), rows.Nums("rms_ratio")
		for i, l := range rows.Nums("lambda") {
			r, m := slope.BoxErrors(softmax.Probit{Lambda: l, Rho: 0.5}, n)
			check.NearAll(t, "errors", []float64{rms[i], largest[i], ratio[i]}, []float64{r, m, r / rms[0]}, 1e-12)
		}
	}
}

// The rows once more by the streams of their names: the logits are those of the problem, or of n classes in
// the other experiment, of which Monte Carlo gets the first.
func TestExact(t *testing.T) {
	const key = "n=3 spread=1 variance=1"
	stream := func(purpose ...any) rand.Source { return random.Source(append([]any{"small", 4}, purpose...)...) }
	matched := softmax.SlopeLambda(3, 0.5)
	probit, sampled := softmax.Probit{Lambda: 0.3, Rho: 0.5}, stream(key, "montecarlo", 2000)
	for _, c := range []struct {
		method, override string // method, λ and ρ as filters
		formula          any
		draws            int
		logits           rand.Source
	}{
		{"probit-slope rho=0.5", "", softmax.Probit{Lambda: matched, Rho: 0.5}, 30, stream(key, "logits")},
		{"probit lambda=0.3 rho=0.5", "", probit, 30, stream(key, "logits")},
		{"delta lambda= rho=", "", meanfield.Delta, 30, stream(key, "logits")},
		{"monte-carlo-2000", "", montecarlo.Softmax{Samples: 2000, Source: sampled}, 20, stream(key, "logits")},
		{"probit", "moments.logits_of=other", probit, 30, random.Source("other", 4, "logits", 3)},
	} {
		errors := studytest.Run(t, Kind, exactManifest, strings.Fields(c.override)...).Get("errors")
		row := studytest.Rows(t, errors, "classes=3 spread=1 variance=1 method="+c.method)
		check.Equal(t, c.method+" rows", row.Len(), 1)
		e := &momentErrors{formula: c.formula, draws: c.draws, accuracy: accuracy(c.formula, 3)}
		rnd, got, want := rand.New(c.logits), newMoments(3), newMoments(3)
		for range c.draws {
			z := problem{Classes: 3, Spread: 1, Variance: 1}.draw(rnd)
			got.compute(c.formula, z)
			want.compute(softmax.Exact{}, z)
			e.add(got, want, slices.Max(z.Variance))
		}
		for column, want := range errorsBy(e) {
			check.Equal(t, c.method+" "+column, row.Texts(column)[0], table.Format(want))
		}
	}
}

// The largest numbers that a manifest may have give no infinite ones, tiny ones no relative errors.
func TestExtremes(t *testing.T) {
	all := studytest.Run(t, Kind, exactManifest,
		"moments.variance=[0, 1e-12, 1e30]", "moments.spread=[0, 1e30]", "moments.draws=4").Get("errors")
	for _, c := range all.Columns {
		infinite := func(x float64) bool { return math.IsInf(x, 0) }
		check.Equal(t, c.Name+" is infinite", slices.ContainsFunc(c.Nums, infinite), false)
	}
	for _, v := range []float64{0, 1e-12} {
		small := all.Where("spread", 0).Where("variance", v)
		check.Equal(t, "cov_error", len(numbers(small.Nums("cov_error"))), 0)
		check.NearAll(t, "indefinite", small.Where("method", "exact-fast").Nums("indefinite"), []float64{0, 0}, 0)
	}
}
