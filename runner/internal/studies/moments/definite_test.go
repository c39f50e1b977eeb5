package moments

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

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

// byEigenvalues returns the definite and undecided shares of a point, the draws made once more, and the last
// smallest eigenvalue.
func byEigenvalues(t *testing.T, n int, p softmax.Probit, gap, v float64) (shares []float64, least float64) {
	t.Helper()
	rnd, moments := rand.New(random.Source("steady", 3, "logits", n)), softmax.NewMoments(n)
	shares, draws := make([]float64, 2), 6.0
	if n == 2 {
		draws = 1
	}
	for range int(draws) {
		mean := make([]float64, n)
		for j := range mean {
			mean[j] = rnd.NormFloat64()
		}
		next := slices.Max(mean[1:])
		for j := range mean {
			mean[j] -= next
		}
		mean[0] = gap
		p.Moments(moments, mean, slices.Repeat([]float64{v}, n))
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

// The standard error is that of the draws' shares of the map. More draws begin with the same ones, so that
// the share of the last follows from the means of more and of fewer.
func TestStandardError(t *testing.T) {
	sum, shares := 0.0, []float64{}
	for draws := 1.0; draws <= 4; draws++ {
		summary := studytest.Run(t, Kind, definiteManifest, "moments.classes=3", "moments.lambda=0.6",
			fmt.Sprintf("moments.draws=%g", draws)).Get("summary")
		shares = append(shares, summary.Nums("definite")[0]*draws-sum)
		sum += shares[len(shares)-1]
		want := table.Finite(stat.StdDev(shares, nil) / math.Sqrt(draws)) // of one draw no value
		check.NearAll(t, "standard error", numbers(summary.Nums("definite_se")), numbers([]float64{want}), 1e-12)
	}
	check.Equal(t, "the draws have different shares", stat.StdDev(shares, nil) > 0, true)
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
