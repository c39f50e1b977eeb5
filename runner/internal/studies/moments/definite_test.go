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
	"closedform/internal/check"
	"closedform/runner/internal/study/studytest"
)

// definiteManifest is of maps that have all that can occur: definite, indefinite, divided and undecided points.
const definiteManifest = `
name = "steady"; study = "moments"; seed = 3
[moments]; against = "definite"; classes = [2, 3, 4]; lambda = [0.3, "slope", 2]; gap = [0, 9]; variance = [0.01, 4]
grid = 7; draws = 6
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
		check.Near(t, "undecided", summary.Nums("undecided")[i], stat.Mean(of.Nums("undecided"), nil), 1e-6)
	}
}

// byEigenvalues returns the definite and undecided shares of a point, the draws made once more, and the last
// smallest eigenvalue.
func byEigenvalues(t *testing.T, n int, p softmax.Probit, gap, v float64) (shares []float64, smallest float64) {
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
		switch smallest = eigen.Values(nil)[0]; {
		case smallest > softmax.MomentError:
			shares[0] += 1 / draws
		case smallest > -softmax.MomentError:
			shares[1] += 1 / draws
		}
	}
	return shares, smallest
}

// The standard error is that of the draws' shares of the map. More draws begin
// with the same ones, so that sums over more and fewer give each share.
func TestStandardError(t *testing.T) {
	var shares []float64
	sum := 0.0
	for draws := 1; draws <= 4; draws++ {
		summary := studytest.Run(t, Kind, definiteManifest, "moments.classes=3", "moments.lambda=0.6",
			fmt.Sprintf("moments.draws=%d", draws)).Get("summary")
		total := summary.Nums("definite")[0] * float64(draws)
		shares = append(shares, total-sum)
		sum = total
		if err := summary.Nums("definite_se")[0]; draws == 1 {
			check.Equal(t, "the standard error of one draw is no value", math.IsNaN(err), true)
		} else {
			check.Near(t, "standard error", err, stat.StdDev(shares, nil)/math.Sqrt(float64(draws)), 1e-12)
		}
	}
	if stat.StdDev(shares, nil) == 0 {
		t.Errorf("all draws have the share %v", shares)
	}
}

// On both sides of the boundary Var y has both signs. There h(x) = c, with Φ(x)Φ(−x)/φ(x) in 40 digits by mpmath.
func TestBoundary(t *testing.T) {
	for _, c := range []struct{ x, h float64 }{
		{0.5, 0.60597312403253278724},
		{1, 0.55165253811868243483},
		{3, 0.30417913286542090477},
		{8, 0.12313196325793221968},
		{30, 0.033296419072497213382},
	} {
		for _, v := range []float64{0, 0.7 / (c.h * c.h)} { // of both logits together
			lambda := 1 / math.Sqrt(1/(c.h*c.h)-v)
			gap := boundary(lambda, v)
			check.Near(t, fmt.Sprintf("boundary at h = %g, V = %g", c.h, v), gap, c.x/c.h, 1e-10)
			check.Equal(t, "sign below", signOfTwo(lambda, gap*(1-1e-9), v), 1)
			check.Equal(t, "sign above", signOfTwo(lambda, -gap*(1+1e-9), v), -1)
		}
	}
	check.Equal(t, "no boundary", boundary(0.63, 0), 0)
}
