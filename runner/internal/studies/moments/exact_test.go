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
	"gonum.org/v1/gonum/mathext"
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

// The errors by hand, for two problems of two classes. A relative error is NaN where the truth is within its own
// error of 0, or a method gives no value.
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
	e = &momentErrors{draws: 2, accuracy: covError(2, softmax.MomentError)}
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
	z := problem{Classes: 100000, Spread: 3, Variance: 2}.draw(rand.New(random.Source("logits")))
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
			closed := name == "laplace-bridge" && !math.IsNaN(m.cross.At(0, 0))
			check.True(t, !closed, "the Laplace bridge gives no Σ_zy")
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

const monteCarloManifest = `
name = "small"; study = "moments"; seed = 5
[moments]; against = "montecarlo"; classes = [2, 3]; spread = 1; variance = [0.5, 2]; draws = 2
samples = 20000
methods = ["activation", "exact", "probit", "probit-corr"]; lambda = 0.6; rho = [0, 0.4]
`

// Every number is there once, with its classes and the value of its formula, and right formulas agree.
func TestScores(t *testing.T) {
	tables := studytest.Run(t, Kind, monteCarloManifest)
	z := tables.Get("zscores")
	for method, want := range map[string]int{
		"activation": 2 * 2 * 3 * (2 + 3), "exact": 2 * 2 * (2 + 4 + 3 + 9),
		"probit": 2 * 2 * 2 * (2 + 4 + 3 + 9), "probit-corr": 2 * 2 * 2 * (2 + 4 + 3 + 9),
	} {
		check.Equal(t, method, z.Where("method", method).Len(), want)
	}
	// The second draw, of the logits of its name.
	rnd := rand.New(random.Source("small", 5, "n=3 spread=1 variance=2", "logits"))
	p := problem{Classes: 3, Spread: 1, Variance: 2}
	p.draw(rnd)
	l, m := p.draw(rnd), softmax.NewMoments(3)
	softmax.Probit{Lambda: 0.6, Rho: 0.4}.Moments(m, l.Mean, l.Variance)
	rows := studytest.Rows(t, z, "method=probit classes=3 variance=2 rho=0.4 draw=2 lambda=0.6")
	check.NearAll(t, "means of a probit", rows.Where("quantity", "mean").Nums("value"), m.P, 1e-12)
	for i := range 3 {
		for j := range 3 {
			want := -l.Variance[i] * m.E.At(j, i)
			if i == j {
				want = l.Variance[i] * (m.E.At(j, 0) + m.E.At(j, 1) + m.E.At(j, 2))
			}
			row := studytest.Rows(t, rows, fmt.Sprintf("quantity=cross i=%d j=%d", i+1, j+1))
			check.NearAll(t, "cross", row.Nums("value"), []float64{want}, 1e-12)
		}
	}
	for i, verdict := range tables.Get("summary").Texts("verdict") {
		check.Equal(t, fmt.Sprintf("verdict of row %d", i), verdict, "agrees")
	}
}

// The check can fail: each formula with a small mistake in its parameters has a z-score beyond 5.
func TestFindsMistakes(t *testing.T) {
	z := logits{Mean: []float64{0.3, -0.2, 0.5}, Variance: []float64{1, 0.5, 2}}
	larger := logits{Mean: z.Mean, Variance: []float64{1.2, 0.6, 2.4}}
	lambda := func(name string, l, rho float64) method { return method{name, slope.Lambda{Number: l}, rho} }
	for _, c := range []struct {
		what         string
		right, wrong method
		of           logits
	}{
		{"variances of the softmax", method{Name: "exact"}, method{Name: "exact"}, larger},
		{"variances of a unit", method{Name: "activation"}, method{Name: "activation"}, larger},
		{"λ", lambda("probit", 0.6, 0.3), lambda("probit", 0.65, 0.3), z},
		{"ρ", lambda("probit", 0.6, 0.3), lambda("probit", 0.6, 0.36), z},
		{"λ with Σ_0", lambda("probit-corr", 0.6, 0.5), lambda("probit-corr", 0.66, 0.5), z},
		{"Σ_0", lambda("probit-corr", 0.6, 0.5), lambda("probit", 0.6, 0.5), z},
		{"an approximation", method{Name: "exact"}, lambda("probit", 0.6, 0.5), z},
	} {
		rnd := rand.New(random.Source("mistakes"))
		right, sample := c.right.check(z, rnd)
		wrong, _ := c.wrong.check(c.of, rand.New(random.Source("mistakes")))
		check.OK(t, spec{Samples: []int{200_000}}.estimate(t.Context(), z, right, sample, rnd))
		var agrees, differs float64
		for k, s := range right {
			agrees = max(agrees, math.Abs(s.mc-s.value)/s.se)
			differs = max(differs, math.Abs(s.mc-wrong[k].value)/s.se)
			check.Equal(t, c.what+" is trusted", s.effective >= 1000, true)
		}
		check.True(t, agrees < 4 && differs > 5, "%s: max |z| %g if right, %g if wrong", c.what, agrees, differs)
	}
}

// Mean, standard error and effective number of known samples: every tenth is a hit, every hundredth, all are
// the same, and 1, 2, 3, ….
func TestEstimate(t *testing.T) {
	k := 0
	const n = 131000
	values := []float64{0.1, 0.01, 3, -1, 0.001}
	var scores []score
	for j, value := range values {
		scores = append(scores, score{quantity: "mean", i: j, j: j, value: value})
	}
	scores = append(scores, score{quantity: "cross", j: 4}, score{quantity: "mean", j: 2, value: 3},
		score{quantity: "cross", j: 2}, score{quantity: "mean", value: 0.1},
		score{quantity: "variance", value: 0.09})
	z := logits{Mean: make([]float64, 5), Variance: []float64{1, 1, 1, 1, 1}}
	hit := func(every int) float64 { return float64(1 - min(1, k%every)) }
	sample := func(y, _ []float64) {
		k++
		copy(y, []float64{hit(10), hit(100), 3, float64(k), hit(1000)})
	}
	rnd := rand.New(random.Source("estimate"))
	check.OK(t, spec{Samples: []int{n}}.estimate(t.Context(), z, scores, sample, rnd))
	ten, hundred := 0.1*math.Pow(0.9, 4)+0.9*1e-4, 0.01*math.Pow(0.99, 4)+0.99*1e-8
	for i, want := range []score{
		{mc: 0.1, se: math.Sqrt(0.1 * 0.9 / (n - 1)), effective: n * 0.09 * 0.09 / ten},
		{mc: 0.01, se: math.Sqrt(0.01 * 0.99 / (n - 1)), effective: n * 0.0099 * 0.0099 / hundred},
		{mc: 3}, // no deviation: nothing is known
		{mc: (n + 1) / 2.0, se: math.Sqrt((float64(n)*n - 1) / 12 / (n - 1)), effective: scores[3].effective},
	} {
		check.NearAll(t, "mc, se and effective", []float64{scores[i].mc, scores[i].se, scores[i].effective},
			[]float64{want.mc, want.se, want.effective}, 1e-9)
	}
	check.Near(t, "effective number of a rare event", scores[4].effective, n/1000, 2)
	check.Equal(t, "no covariance of a rare event is trusted", scores[5].effective < 200, true)
	check.Equal(t, "nor of an event that never happens", scores[7].effective, 0)
	check.Near(t, "variance", scores[9].mc, 0.09, 1e-12)
}

// scoresOf reads z-scores: method, draw, quantity and z.
func scoresOf(t *testing.T, rows ...string) *table.Table {
	t.Helper()
	const head = "classes,spread,variance,lambda,rho,method,draw,quantity,z\n2,1,1,,,"
	return check.Must(table.Read("zscores", strings.NewReader(head+strings.Join(rows, "\n2,1,1,,,"))))
}

func TestSummary(t *testing.T) {
	s := summary(scoresOf(t, "a,1,p,1", "a,1,p,-2.5", "a,1,E,0.5", "a,2,p,-0.3", "a,2,p,", "a,2,E,9", "b,1,p,"))
	for i, want := range []string{
		"a p 3 1 agrees", "a E 2 0 disagrees", "b p 0 1 untested", "all all 5 2 disagrees",
	} {
		var got []string
		for _, column := range []string{"method", "quantity", "scores", "untrusted", "verdict"} {
			got = append(got, s.Texts(column)[i])
		}
		check.Equal(t, fmt.Sprintf("row %d", i), strings.Join(got, " "), want)
	}
	for column, want := range map[string]float64{
		"max_abs_z": 2.5,
		"bound":     math.Sqrt2 * math.Erfinv(1-0.001),
		"ks":        0.5 * (1 + math.Erf(-0.3/math.Sqrt2)), // below −0.3
	} {
		check.Near(t, column, s.Nums(column)[0], want, 1e-12)
	}
	check.True(t, math.IsNaN(s.Nums("ks_p")[2]), "no z-scores: %s", s.CSV())
	// z-scores that are too small or too large everywhere disagree, though none of them is beyond the bound.
	for _, c := range []struct {
		scale, shift float64
		want         string
	}{{1, 0, "agrees"}, {1, 0.6, "disagrees"}, {0.4, 0, "disagrees"}} {
		var rows []string
		for k := range 100 {
			z := mathext.NormalQuantile((float64(k) + 0.5) / 100)
			rows = append(rows, fmt.Sprintf("a,%d,p,%v", k, c.scale*z+c.shift), fmt.Sprintf("a,%d,p,0", k))
		}
		s := summary(scoresOf(t, rows...))
		if s.Texts("verdict")[0] != c.want || !(s.Nums("max_abs_z")[0] < s.Nums("bound")[0]) {
			t.Errorf("z-scores times %g plus %g: %s", c.scale, c.shift, s.CSV())
		}
	}
}
