package meanfield

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

// cases calls f with random problems of many shapes.
func cases(n, count int, f func(mean, variance []float64)) {
	rnd := rand.New(random.Source("meanfield", n))
	for range count {
		m, v := make([]float64, n), make([]float64, n)
		spread, size := math.Exp(rnd.NormFloat64()), math.Exp(2*rnd.NormFloat64()-1)
		for j := range m {
			m[j], v[j] = spread*rnd.NormFloat64(), size*math.Exp(rnd.NormFloat64())
			if rnd.IntN(8) == 0 {
				v[j] = 0
			}
		}
		f(m, v)
	}
}

func softmaxOf(z []float64) []float64 {
	s := slices.Clone(z)
	normalise(s)
	return s
}

// At v = 0 all methods but two return softmax(m) and no covariance.
func TestCertainLogits(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		cases(n, 20, func(mean, _ []float64) {
			zero := make([]float64, n)
			for name, m := range methods() {
				want := softmaxOf(mean)
				switch m {
				case probit1, probitScaled:
					lambda := 1.0
					if m == probitScaled {
						lambda = 1.25
					}
					for j, x := range mean {
						want[j] = gauss.CDF(lambda * x)
					}
					floats.Scale(1/floats.Sum(want), want)
				case LaplaceBridgeCorrected:
					clear(want)
					want[floats.MaxIdx(mean)] = 1
				case LaplaceBridge:
					if n > 2 {
						continue
					}
				}
				got := evaluate(m, mean, zero)
				if !floats.EqualApprox(got.P, want, 1e-14) {
					t.Errorf("%s m=%v: p = %v, want %v", name, mean, got.P, want)
				}
				for k := range n * n {
					if c := got.cov.At(k/n, k%n); !math.IsNaN(c) && c != 0 {
						t.Errorf("%s m=%v: covariance %g of certain probabilities", name, mean, c)
					}
					if c := got.cross.At(k/n, k%n); !math.IsNaN(c) && c != 0 {
						t.Errorf("%s m=%v: cross-covariance %g with certain logits", name, mean, c)
					}
				}
			}
		})
	}
}

func TestBinaryClosedForms(t *testing.T) {
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	cases(2, 200, func(m, v []float64) {
		d, w := m[0]-m[1], v[0]+v[1]
		s := sigmoid(d)
		slope := s * (1 - s)
		curve := slope * (1 - 2*s)
		root := math.Sqrt(2)
		plus, minus := sigmoid(d+math.Sqrt(2*v[0])), sigmoid(d-math.Sqrt(2*v[0]))
		up, down := sigmoid(d+math.Sqrt(2*v[1])), sigmoid(d-math.Sqrt(2*v[1]))
		cubature := (plus + minus + up + down) / 4
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"Delta Var", evaluate(Delta, m, v).cov.At(0, 0), slope * slope * w},
			{"Delta Cov(z_1, y_2)", evaluate(Delta, m, v).cross.At(0, 1), -v[0] * slope},
			{"Taylor p", evaluate(Taylor, m, v).P[0], s + curve*w/2},
			{"Taylor Var", evaluate(Taylor, m, v).cov.At(1, 1), slope*slope*w + curve*curve*w*w/2},
			{"Pairwise p", evaluate(Pairwise, m, v).P[0], sigmoid(d / math.Sqrt(1+math.Pi/8*w))},
			{"Pairwise order 0 p", evaluate(PairwiseMean, m, v).P[1], sigmoid(-d / math.Sqrt(1+math.Pi/8*v[1]))},
			{"MacKay p", evaluate(MacKay, []float64{d, 0}, []float64{w, 0}).P[0], sigmoid(d / math.Sqrt(1+math.Pi/8*w))},
			{"Daunizeau p", evaluate(Daunizeau, m, v).P[0], sigmoid(d / math.Sqrt(1+0.368*w))},
			{"Unscented p", evaluate(Unscented, m, v).P[0], cubature},
			{"Unscented Cov(z_1, y_1)", evaluate(Unscented, m, v).cross.At(0, 0), root * math.Sqrt(v[0]) * (plus - minus) / 4},
		} {
			if !scalar.EqualWithinAbsOrRel(c.got, c.want, 1e-14, 1e-12) {
				t.Errorf("m=%v v=%v: %s = %.16g, want %.16g", m, v, c.name, c.got, c.want)
			}
		}
	})
}

// Every method treats classes alike; all but three do not see a constant added
// to all logits, and those do not either where all variances are equal, except
// for the normalised probit.
func TestInvariances(t *testing.T) {
	const n = 5
	perm := []int{3, 0, 4, 1, 2}
	cases(n, 60, func(mean, variance []float64) {
		equal := make([]float64, n)
		floats.AddConst(variance[0]+0.1, equal)
		for name, m := range methods() {
			shift, v := 20.0, variance
			switch m {
			case MacKay, LaplaceBridge, LaplaceBridgeCorrected:
				v = equal
			case probit1, probitScaled:
				shift = 0
			}
			got := evaluate(m, mean, v)
			pm, pv := make([]float64, n), make([]float64, n)
			for j := range n {
				pm[perm[j]], pv[perm[j]] = mean[j]+shift, v[j]
			}
			other := evaluate(m, pm, pv)
			for j := range n {
				if p, q := got.P[j], other.P[perm[j]]; !scalar.EqualWithinAbsOrRel(q, p, 1e-12, 1e-11) {
					t.Errorf("%s m=%v v=%v: p_%d = %g, shifted and permuted %g", name, mean, v, j, p, q)
				}
				for i := range n {
					a, b := got.cov.At(i, j), other.cov.At(perm[i], perm[j])
					c, d := got.cross.At(i, j), other.cross.At(perm[i], perm[j])
					if !same(b, a, 1e-12, 1e-10) || !same(d, c, 1e-12, 1e-10) {
						t.Errorf("%s m=%v v=%v: entry %d, %d: Σ_y %g and %g, Σ_zy %g and %g", name, mean, v, i, j, a, b, c, d)
					}
				}
			}
		}
	})
}

// The bridge inverts the Laplace approximation of a Dirichlet distribution.
func TestBridgeInvertsLaplace(t *testing.T) {
	rnd := rand.New(random.Source("meanfield", "bridge"))
	for _, n := range []int{2, 3, 10} {
		alpha := make([]float64, n)
		mu, logVar := make([]float64, n), make([]float64, n)
		var inverse, logs float64
		for k := range alpha {
			alpha[k] = math.Exp(2 * rnd.NormFloat64())
			inverse += 1 / alpha[k]
			logs += math.Log(alpha[k])
		}
		f := float64(n)
		for k, a := range alpha {
			mu[k] = math.Log(a) - logs/f
			logVar[k] = math.Log((1-2/f)/a + inverse/(f*f))
		}
		d := bridge(mu, logVar)
		for k, a := range alpha {
			if got := d.p[k] * d.concentration; !scalar.EqualWithinRel(got, a, 1e-12) {
				t.Errorf("n=%d: α_%d = %g, want %g", n, k, got, a)
			}
		}
		var want mat.SymDense
		got := mat.NewSymDense(n, nil)
		fill(got, d.moments().cov)
		distmv.NewDirichlet(alpha, nil).CovarianceMatrix(&want)
		if !mat.EqualApprox(got, &want, 1e-14) {
			t.Errorf("n=%d: covariance %v, want %v", n, mat.Formatted(got), mat.Formatted(&want))
		}
	}
}

// For two classes with Φ(z_1) + Φ(z_2) = 1 in the mean and equal variances, the
// Dirichlet is a beta distribution with the exact variance of Φ(z).
func TestNormalizedProbitMatchesBeta(t *testing.T) {
	for _, m := range []float64{0, 0.5, -2, 6} {
		for _, v := range []float64{1e-8, 0.3, 2, 50} {
			a, h := 0.0, 1.0/64
			for x := -12.0; x <= 12; x += h { // in the tail where Φ keeps its digits
				d := gauss.CDF(math.Sqrt(v)*x-math.Abs(m)) - gauss.CDF(-math.Abs(m)/math.Sqrt(1+v))
				a += h * gauss.PDF(x) * d * d
			}
			got := evaluate(probit1, []float64{m, -m}, []float64{v, v}).cov.At(0, 0)
			if !scalar.EqualWithinRel(got, a, 1e-7) {
				t.Errorf("m=%g v=%g: Var = %.10g, of Φ(z) %.10g", m, v, got, a)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	two, inf, nan := []float64{0, 0}, math.Inf(1), math.NaN()
	for name, m := range methods() {
		for _, c := range [][2][]float64{
			{two, {1}}, {{0}, {1}}, {two, {-1, 0}}, {two, {inf, 0}}, {two, {nan, 0}}, {{nan, 0}, two}, {{inf, 0}, two},
		} {
			mean, variance := c[0], c[1]
			label := fmt.Sprintf("%s m=%v v=%v ", name, mean, variance)
			check.AllPanic(t, map[string]func(){
				label + "Moments": func() { m.Moments(softmax.NewMoments(2), mean, variance) },
				label + "Covariances": func() {
					m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil), mean, variance)
				},
			})
		}
		check.AllPanic(t, map[string]func(){
			name + " three classes": func() { m.Covariances(mat.NewSymDense(3, nil), mat.NewDense(3, 3, nil), two, two) },
			name + " Σ_zy 2×3":      func() { m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 3, nil), two, two) },
		})
	}
}
