package stability

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
)

// manifest is of maps that have all that can occur: definite, indefinite, divided and undecided points.
const manifest = `
name = "steady"; study = "stability"; seed = 3
[stability]; classes = [2, 3, 4]; lambda = [0.3, "slope", 2]; gap = [0, 9]; variance = [0.01, 4]; grid = 7; draws = 6
`

// Each point is what Cholesky factors of the same draws say.
func TestMaps(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	maps := tables.Get("maps")
	if maps.Len() != 9*49 {
		t.Fatalf("%d rows", maps.Len())
	}
	kinds := map[string]int{}
	for i := range maps.Len() {
		at := func(column string) float64 { return maps.Nums(column)[i] }
		point, n := i%49, int(at("classes"))
		check.Near(t, "gap", at("gap"), 1.5*float64(point%7), 1e-5)
		check.Near(t, "variance", at("variance")/(0.01*math.Pow(400, float64(point/7)/6)), 1, 1e-5)
		lambda := map[string]float64{"0.3": 0.3, "slope": softmax.SlopeLambda(n, 0.5), "2.0": 2}[maps.Texts("lambda")[i]]
		check.Near(t, "λ", at("lambda_value"), lambda, 0)
		definite, undecided := at("definite"), at("undecided")
		switch {
		case undecided > 0:
			kinds["undecided"]++
		case definite == 1:
			kinds["definite"]++
		case definite == 0:
			kinds["indefinite"]++
		default:
			kinds["divided"]++
		}
		gap, v := 1.5*float64(point%7), 0.01*math.Pow(400, float64(point/7)/6)
		want := byCholesky(t, n, softmax.Probit{Lambda: lambda, Rho: 0.5}, gap, v)
		check.Near(t, "smallest eigenvalue", at("mean_min_eigenvalue"), want.eigenvalue, 5e-6*math.Abs(want.eigenvalue)+1e-11)
		if n == 2 && math.Abs(want.eigenvalue) < softmax.MomentError {
			continue // beyond the moments, not beyond the closed form
		}
		check.Near(t, fmt.Sprintf("definite share, row %d", i), definite, want.definite, 1e-6)
		check.Near(t, fmt.Sprintf("undecided share, row %d", i), undecided, want.undecided, 1e-6)
	}
	for _, kind := range []string{"definite", "indefinite", "divided", "undecided"} {
		if kinds[kind] == 0 {
			t.Errorf("no point is %s: %v", kind, kinds)
		}
	}
	summary := tables.Get("summary")
	for i := range summary.Len() {
		of := maps.Where("classes", summary.Texts("classes")[i]).Where("lambda", summary.Texts("lambda")[i])
		check.Near(t, "definite", summary.Nums("definite")[i], stat.Mean(of.Nums("definite"), nil), 1e-6)
		check.Near(t, "undecided", summary.Nums("undecided")[i], stat.Mean(of.Nums("undecided"), nil), 1e-6)
	}
}

// shares are the numbers of a row.
type shares struct{ definite, undecided, eigenvalue float64 }

// byCholesky works a point out from the probit, the draws made once more: a matrix A is positive definite beyond the
// error ε if A − εI has a Cholesky factor, and it is undecided if A + εI has one and A − εI has none.
func byCholesky(t *testing.T, n int, p softmax.Probit, gap, v float64) shares {
	t.Helper()
	rnd := rand.New(random.Source("steady", 3, "logits", n))
	moments := softmax.NewMoments(n)
	variance := slices.Repeat([]float64{v}, n)
	var out shares
	draws := 6.0
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
		p.Moments(moments, mean, variance)
		factors := func(shift float64) bool {
			var cov mat.SymDense
			moments.Cov(&cov)
			for j := range n {
				cov.SetSym(j, j, cov.At(j, j)+shift)
			}
			return new(mat.Cholesky).Factorize(cov.SliceSym(0, n-1))
		}
		switch {
		case factors(-softmax.MomentError):
			out.definite += 1 / draws
		case factors(softmax.MomentError):
			out.undecided += 1 / draws
		}
		var cov mat.SymDense
		var eigen mat.EigenSym
		moments.Cov(&cov)
		if !eigen.Factorize(cov.SliceSym(0, n-1), true) {
			t.Fatal("no eigenvalues")
		}
		out.eigenvalue += eigen.Values(nil)[0] / draws
	}
	return out
}

// The standard error is that of the draws' shares of the map. More draws begin
// with the same ones, so that sums over more and fewer give each share.
func TestStandardError(t *testing.T) {
	var shares []float64
	sum := 0.0
	for draws := 1; draws <= 4; draws++ {
		summary := studytest.Run(t, Kind, manifest, "stability.classes=[3]", "stability.lambda=[0.6]", fmt.Sprintf("stability.draws=%d", draws)).Get("summary")
		total := summary.Nums("definite")[0] * float64(draws)
		shares = append(shares, total-sum)
		sum = total
		if err := summary.Nums("definite_se")[0]; draws == 1 && !math.IsNaN(err) || draws > 1 && math.Abs(err-stat.StdDev(shares, nil)/math.Sqrt(float64(draws))) > 1e-12 {
			t.Errorf("standard error %g of %d draws", err, draws)
		}
	}
	if stat.StdDev(shares, nil) == 0 {
		t.Errorf("all draws have the share %v", shares)
	}
}

func TestBoundary(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	for lambda, first := range map[string]float64{"0.3": 0.01, "slope": 0.01, "2.0": 4/math.Pi - 0.125} {
		b := tables.Get("boundary").Where("lambda", lambda)
		v, gap := b.Nums("variance"), b.Nums("gap")
		if len(v) != 25 || !slices.IsSorted(gap) {
			t.Fatalf("λ = %s: variances %v, gaps %v", lambda, v, gap)
		}
		check.Near(t, "first variance", v[0], first, 1e-14)
		check.Near(t, "last variance", v[24], 4, 0)
		// On both sides of it Var y has both signs.
		at := twoClasses(b.Nums("lambda_value")[12])
		if !(at.variance(gap[12]-1e-6, v[12]) > 0) || !(at.variance(gap[12]+1e-6, v[12]) < 0) {
			t.Errorf("λ = %s: Var y is %g and %g beside the boundary", lambda, at.variance(gap[12]-1e-6, v[12]), at.variance(gap[12]+1e-6, v[12]))
		}
	}
	none := studytest.Run(t, Kind, manifest, "stability.classes=[2]", "stability.lambda=[2]", "stability.variance=[0.01, 0.5]")
	if n := none.Get("boundary").Len(); n != 0 {
		t.Errorf("%d points of a boundary above the map", n)
	}
}

func TestFlattest(t *testing.T) {
	// Φ(x)Φ(−x)/φ(x) in 40 digits by mpmath.
	for _, c := range []struct{ x, want float64 }{
		{0, math.Sqrt(2*math.Pi) / 4},
		{0.5, 0.60597312403253278724},
		{-1, 0.55165253811868243483},
		{3, 0.30417913286542090477},
		{8, 0.12313196325793221968},
		{30, 0.033296419072497213382},
		{1000, 0.000999999000002999985},
		{math.Inf(1), 0},
	} {
		check.Near(t, fmt.Sprintf("h(%g)", c.x), flattest(c.x), c.want, 5e-15*c.want)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"stability.gap=[2, 1]": "low < high", "stability.variance=[2, 1]": "0 < low", "stability.variance=[1e-300, 1e300]": "1e-30 to 1e30", "stability.rho=0.995": "0 to 0.99", "stability.rho=1; stability.lambda=[2]": "rho", "stability.grid=1": "2 to",
		"stability.lambda=[\"steep\"]": "minimax", "stability.draws=0": "1 to",
	})
}
