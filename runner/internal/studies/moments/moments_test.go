package moments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

const own = `
name = "mine"; study = "moments"
[moments]; mean = [1, 0, -2.5]; variance = [0.5, 2, 2]; lambda = 0.7
`

// A manifest of five keys says how good the probit is at given logits.
func TestGivenLogits(t *testing.T) {
	z := logits{Mean: []float64{1, 0, -2.5}, Variance: []float64{0.5, 2, 2}}
	got, want := newMoments(3), newMoments(3)
	e := &momentErrors{draws: 1, accuracy: covError(3, softmax.MomentError)}
	got.compute(softmax.Probit{Lambda: 0.7, Rho: 0.5}, z)
	want.compute(softmax.Exact{}, z)
	e.add(got, want, 2)
	errors := studytest.Run(t, Kind, own).Get("errors")
	check.Equal(t, "rows", errors.Texts("method"), []string{"exact", "probit"})
	errors = errors.Where("method", "probit")
	check.Equal(t, "Σ_y is indefinite", errors.Nums("definite")[0], -1)
	for _, column := range []string{"tv", "cov_error", "cross_error", "indefinite"} {
		check.Near(t, column, errors.Nums(column)[0], errorsBy(e)[column], 0)
	}
	check.Equal(t, "spread", errors.Texts("spread")[0], "")
	overrides := []string{"moments.against=montecarlo", "moments.samples=20000"}
	scores := studytest.Run(t, Kind, own, overrides...).Get("zscores")
	check.NearAll(t, "means", scores.Where("quantity", "mean").Nums("value"), got.P, 0)
}

// values returns the values of a method in the table moments.
func values(t *testing.T, tables table.Tables, method, quantity string) []float64 {
	t.Helper()
	return studytest.Rows(t, tables.Get("moments"), "method="+method+" quantity="+quantity).Nums("value")
}

// The moments of two classes are those of the closed form. Monte Carlo is within its standard errors, of
// correlated logits, too: z_1 − z_2 is all that matters.
func TestMomentsOfTwo(t *testing.T) {
	two := strings.NewReplacer("[1, 0, -2.5]", "[0.4, -0.3]", "[0.5, 2, 2]", "[0.5, 1.5]").Replace(own)
	correlated := []string{
		"moments.variance=[]", "moments.covariance=[[1, 0.25], [0.25, 1.5]]", "moments.samples=200000",
	}
	exact := studytest.Run(t, Kind, two, "moments.methods=['probit', 'mackay']", "moments.samples=[200000, 1000]")
	cov := studytest.Run(t, Kind, two, correlated...)
	p, v := gauss.CDF(0.7*0.7/math.Sqrt(1+0.49*2)), []float64{0.5, 1.5}
	e := 0.7 / math.Sqrt(1+0.49*2) * gauss.PDF(0.7*0.7/math.Sqrt(1+0.49*2))
	y := p*(1-p) - e
	for _, tables := range []table.Tables{exact, cov} {
		check.NearAll(t, "p", values(t, tables, "probit", "mean"), []float64{p, 1 - p}, 1e-10)
		check.NearAll(t, "Σ_y", values(t, tables, "probit", "covariance"), []float64{y, -y, -y, y}, 1e-10)
		samples := studytest.Rows(t, tables.Get("moments"), "method=monte-carlo-200000")
		reference := slices.Concat(values(t, exact, "exact", "mean"), values(t, exact, "exact", "covariance"))
		for i, want := range reference {
			check.Near(t, "Monte Carlo", samples.Nums("value")[i], want, 4.5*samples.Nums("se")[i])
			check.True(t, samples.Nums("se")[i] < 0.001, "a standard error of %g", samples.Nums("se")[i])
		}
	}
	want := []float64{v[0] * e, -v[0] * e, -v[1] * e, v[1] * e}
	check.NearAll(t, "Σ_zy", values(t, exact, "probit", "cross"), want, 1e-10)
	want = []float64{0.75 * e, -0.75 * e, -1.25 * e, 1.25 * e} // Cov(z_i, z_1 − z_2) e
	check.NearAll(t, "correlated Σ_zy", values(t, cov, "probit", "cross"), want, 1e-10)
	mackay := studytest.Rows(t, exact.Get("moments"), "method=mackay")
	check.Equal(t, "MacKay gives means alone", mackay.Texts("quantity"), []string{"mean", "mean"})
	verdict := studytest.Rows(t, exact.Get("errors"), "method=mackay").Texts("definite")
	check.Equal(t, "his Σ_y", verdict, []string{""})
	check.Equal(t, "the reference", cov.Get("errors").Texts("method")[0], "monte-carlo-200000")
}

// Values that are not allowed, and what the error says.
func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, exactManifest, map[string]string{
		"moments.methods=magic": "mackay", "moments.methods=probit-lsq": `allowed: "probit", `,
		"moments.methods=activation": "activation", "moments.lambda=['lsq', 1, 1.0]": "lambda: 1.0 twice",
		"moments.lambda=['steep']": "minimax", "moments.variance=[1, 1]": "each value once",
		"moments.mean=[1, 2]": "one of spread, gap and mean", "moments.gap=[0, 1]": "one of spread, gap and mean",
		"moments.against=definite": "gap: missing",
	})
	studytest.Refused(t, Kind, definiteManifest, map[string]string{
		"moments.gap=[2, 1]": "low < high", "moments.variance=[2, 1]": "0 < low",
		"moments.variance=[0, 1]": "0 < low", "moments.methods=delta": `allowed: "probit"`,
		"moments.against=exact": "definite",
	})
	studytest.Refused(t, Kind, monteCarloManifest, map[string]string{
		"moments.samples=[]": "samples", "moments.samples=[100, 200]": "one number",
		"moments.methods=delta": `allowed: "probit", "probit-corr", "activation", "exact", "exact-fast"`,
	})
	studytest.Refused(t, Kind, own, map[string]string{
		"seed=1": "", "moments.mean=[1]": "as many", "moments.variance=[1, 1]": "as many",
		"moments.classes=2": "not with mean", "moments.against=definite": "gap",
		"moments.variance=[]": "variance: missing", "moments.covariance=[[1]]": "3 rows",
		"moments.covariance=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]": "in place of variance",
	})
	const matrix = "[[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]"
	correlated := strings.Replace(own, "variance = [0.5, 2, 2]", "samples = 100; covariance = "+matrix, 1)
	studytest.Refused(t, Kind, correlated, map[string]string{
		"seed=1": "", "moments.methods=['probit', 'delta']": `methods: ["delta"] is not allowed; allowed: "probit"`,
		"moments.samples=[]": "samples: missing", "moments.against=montecarlo": `against = "exact"`,
		"moments.covariance=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]":   "positive definite",
		"moments.covariance=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]": "symmetric",
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

// definiteManifest is of maps with all that can occur: definite, indefinite, divided and undecided points.
const definiteManifest = `
name = "steady"; study = "moments"; seed = 3
[moments]; against = "definite"; classes = [2, 3, 4]; lambda = [0.3, "slope", 2]; draws = 6
gap = [0, 9]; variance = [0.01, 4]; grid = 7
`

// Each point is what the eigenvalues of the same draws say.
func TestMaps(t *testing.T) {
	tables := studytest.Run(t, Kind, definiteManifest)
	maps, kinds := tables.Get("maps"), map[string]int{}
	check.Equal(t, "rows", maps.Len(), 9*49)
	for i := range maps.Len() {
		at := func(column string) float64 { return maps.Nums(column)[i] }
		n, lambda, definite, undecided := int(at("classes")), at("lambda"), at("definite"), at("undecided")
		gap, v := 1.5*float64(i%49%7), 0.01*math.Pow(400, float64(i%49/7)/6)
		check.Near(t, "gap", at("gap"), gap, 1e-5)
		check.Near(t, "variance", at("variance")/v, 1, 1e-5)
		if maps.Texts("method")[i] == "probit-slope" {
			check.Near(t, "λ", lambda, softmax.SlopeLambda(n, 0.5), 0)
		}
		switch {
		case undecided > 0:
			kinds["undecided"]++
		case definite == 0 || definite == 1:
			kinds[fmt.Sprint(definite)]++
		default:
			kinds["divided"]++
		}
		want, smallest := byEigenvalues(t, n, softmax.Probit{Lambda: lambda, Rho: 0.5}, gap, v)
		if n == 2 && math.Abs(smallest) < softmax.MomentError {
			continue // beyond the moments, not beyond the closed form
		}
		what := fmt.Sprintf("definite and undecided shares, row %d", i)
		check.NearAll(t, what, []float64{definite, undecided}, want, 1e-6)
	}
	check.Equal(t, fmt.Sprintf("kinds of points, of %v", kinds), len(kinds), 4)
	summary := tables.Get("summary")
	for i := range summary.Len() {
		of := maps.Where("classes", summary.Texts("classes")[i]).Where("lambda", summary.Texts("lambda")[i])
		check.Near(t, "definite", summary.Nums("definite")[i], stat.Mean(of.Nums("definite"), nil), 1e-6)
	}
}

// byEigenvalues returns the definite and undecided shares of a point and the last smallest eigenvalue.
func byEigenvalues(t *testing.T, n int, p softmax.Probit, gap, v float64) (shares []float64, least float64) {
	t.Helper()
	rnd, moments := rand.New(random.Source("steady", 3, "logits", n)), softmax.NewMoments(n)
	shares, draws := make([]float64, 2), 6.0
	if n == 2 {
		draws = 1
	}
	for range int(draws) {
		z := problem{Classes: n, Spread: 1, Gaps: []float64{gap}}.draw(rnd)
		check.Near(t, "largest of the other logits", slices.Max(z.Mean[1:]), 0, 0)
		z.Mean[0] = gap
		p.Moments(moments, z.Mean, slices.Repeat([]float64{v}, n))
		var cov mat.SymDense
		var eigen mat.EigenSym
		moments.Cov(&cov)
		check.Equal(t, "eigenvalues", eigen.Factorize(cov.SliceSym(0, n-1), false), true)
		switch least = eigen.Values(nil)[0]; {
		case least > softmax.MomentError:
			shares[0] += 1 / draws
		case least > -softmax.MomentError:
			shares[1] += 1 / draws
		}
	}
	return shares, least
}

// Var y has another sign on each side of h(x) = c, with Φ(x)Φ(−x)/φ(x) in 40 digits by mpmath.
func TestSignOfTwo(t *testing.T) {
	for x, h := range map[float64]float64{
		0.5: 0.60597312403253278724, 1: 0.55165253811868243483, 3: 0.30417913286542090477,
		8: 0.12313196325793221968, 30: 0.033296419072497213382,
	} {
		for _, v := range []float64{0, 0.7 / (h * h)} { // of both logits together
			lambda, gap := 1/math.Sqrt(1/(h*h)-v), x/h
			check.Equal(t, fmt.Sprintf("sign below, x = %g, V = %g", x, v), signOfTwo(lambda, gap*(1-1e-9), v), 1)
			check.Equal(t, fmt.Sprintf("sign above, x = %g, V = %g", x, v), signOfTwo(lambda, -gap*(1+1e-9), v), -1)
		}
	}
	check.Equal(t, "never definite", signOfTwo(0.63, 0, 0), -1) // above √(2π)/4
}

// The tables of a result have the numbers of its CSV files.
func TestResult(t *testing.T) {
	sweep := strings.NewReplacer(`["slope", 0.3]`, "[0.3, 0.4]; rho = [0, 0.5]", "0.01, 1, 10", "1").Replace(exactManifest)
	for manifest, want := range map[string][]string{
		own:                {"probit, λ = 0.7", "indefinite", "-0.00389"},
		exactManifest:      {"relative error of Σ_y, spread = 1, variance = 1", "probit-slope", "slope-matched"},
		definiteManifest:   {"classes = 4", "probit, λ = 0.3", "indefinite"},
		monteCarloManifest: {"standard errors", "activation", "cross"},
		sweep:              {"lambda = 0.4", "rho = 0.5"},
	} {
		tables := studytest.Run(t, Kind, manifest)
		text := fmt.Sprint(studytest.New(t, Kind, manifest).(study.WithResult).Result(tables, nil))
		for _, word := range want {
			check.Contains(t, text, word)
		}
	}
}
