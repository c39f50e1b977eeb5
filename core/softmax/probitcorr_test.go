package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/mvn"
)

// correlations returns an n×n correlation matrix with f beside the diagonal.
func correlations(n int, f func(i, j int) float64) *mat.SymDense {
	corr := mat.NewSymDense(n, nil)
	for i := range n {
		corr.SetSym(i, i, 1)
		for j := range i {
			corr.SetSym(i, j, f(i, j))
		}
	}
	return corr
}

// unequal returns random correlations of both signs.
func unequal(rnd *rand.Rand, n int) *mat.SymDense {
	a := mat.NewDense(n, n+1, nil)
	for i := range n {
		for k := range n + 1 {
			a.Set(i, k, rnd.NormFloat64())
		}
	}
	return correlations(n, func(i, j int) float64 {
		return mat.Dot(a.RowView(i), a.RowView(j)) / (mat.Norm(a.RowView(i), 2) * mat.Norm(a.RowView(j), 2))
	})
}

func TestProbitCorrIsProbitWhereEqual(t *testing.T) {
	for _, c := range []struct {
		n, count int
		tol      float64
	}{{2, 60, 1e-12}, {3, 60, 1e-12}, {4, 60, 1e-12}, {5, 12, 2e-11}, {7, 6, 2e-11}, {10, 6, 2e-11}} {
		got, want := NewMoments(c.n), NewMoments(c.n)
		cases(c.n, c.count, func(p Probit, m, v []float64) {
			ProbitCorr{p.Lambda, correlations(c.n-1, func(i, j int) float64 { return p.Rho })}.Moments(got, m, v)
			// Probit's own error comes from its step.
			want.work.reset(c.n)
			want.work.step = step(c.n) / 2
			p.Moments(want, m, v)
			for j := range c.n {
				if !scalar.EqualWithinAbs(got.P[j], want.P[j], c.tol) {
					t.Errorf("%+v m=%v v=%v: p_%d = %.15g, Probit %.15g", p, m, v, j, got.P[j], want.P[j])
				}
				for i := range c.n {
					if !scalar.EqualWithinAbs(got.E.At(j, i), want.E.At(j, i), c.tol) {
						t.Errorf("%+v m=%v v=%v: E_%d%d = %.15g, Probit %.15g", p, m, v, j, i, got.E.At(j, i), want.E.At(j, i))
					}
				}
			}
		})
	}
}

// A variance so large that all variables of its class are nearly the same.
func TestProbitCorrNarrow(t *testing.T) {
	mean := []float64{5598.436517013812, 3.4673316848282623, -0.4772158000085831, 4.704887251392458, -0.6947019708168309, -0.6491798811548886}
	variance := []float64{1e8, 0, 0, 1, 1, 0}
	got, want := NewMoments(6), NewMoments(6)
	ProbitCorr{0.6, correlations(5, func(i, j int) float64 { return 0.9 })}.Moments(got, mean, variance)
	Probit{Lambda: 0.6, Rho: 0.9}.Moments(want, mean, variance)
	if !scalar.EqualWithinAbs(got.P[0], 0.7120428620633, 1e-12) {
		t.Errorf("p_0 = %.15g", got.P[0])
	}
	for j := range mean {
		if !scalar.EqualWithinAbs(got.P[j], want.P[j], 1e-11) {
			t.Errorf("p_%d = %.15g, Probit %.15g", j, got.P[j], want.P[j])
		}
		for i := range mean {
			if !scalar.EqualWithinAbs(got.E.At(j, i), want.E.At(j, i), 1e-11) {
				t.Errorf("E_%d%d = %.15g, Probit %.15g", j, i, got.E.At(j, i), want.E.At(j, i))
			}
		}
	}
}

// Without variance p_j is Φ(λ(m_j − m_τ), τ ≠ j; Σ_0): the three classes that are
// left stand for rows 0, 1, 2 of Σ_0 in their order, whichever is taken out.
func TestProbitCorrIndices(t *testing.T) {
	const lambda = 0.8
	corr := mat.NewSymDense(3, []float64{
		1, 0.9, -0.2,
		0.9, 1, 0.1,
		-0.2, 0.1, 1,
	})
	m := []float64{0.3, -0.4, 0.1, 0.5}
	got := NewMoments(4)
	ProbitCorr{lambda, corr}.Moments(got, m, make([]float64, 4))
	for j, left := range [][]int{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}} {
		var x []float64
		for _, tau := range left {
			x = append(x, lambda*(m[j]-m[tau]))
		}
		p, _ := mvn.CDF(x, corr)
		if !scalar.EqualWithinAbs(got.P[j], p, 1e-14) {
			t.Errorf("p_%d = %.15g, want %.15g", j, got.P[j], p)
		}
		for k, g := range mvn.Gradient(nil, x, corr) {
			if e := got.E.At(j, left[k]); !scalar.EqualWithinAbs(e, lambda*g, 1e-14) {
				t.Errorf("E_%d%d = %.15g, want %.15g", j, left[k], e, lambda*g)
			}
		}
		if e := got.E.At(j, j); e != 0 {
			t.Errorf("E_%d%[1]d = %g", j, e)
		}
	}
}

// The definition, by sampling: y_j = 1{ε_τ ≤ λ(z_j − z_τ) for τ ≠ j}, ε ~ N(0, Σ_0),
// and E_ji = −Cov(z_i, y_j)/v_i (Stein), each within 5 standard errors.
func TestProbitCorrIsMonteCarlo(t *testing.T) {
	const samples = 200000
	for n := 3; n <= 5; n++ {
		rnd := rand.New(rand.NewPCG(21, uint64(n)))
		corr := unequal(rnd, n-1)
		m, v := make([]float64, n), make([]float64, n)
		for j := range m {
			m[j], v[j] = 0.7*rnd.NormFloat64(), math.Exp(rnd.NormFloat64())
		}
		p := ProbitCorr{0.7, corr}
		got := NewMoments(n)
		p.Moments(got, m, v)

		var chol mat.Cholesky
		if !chol.Factorize(corr) {
			t.Fatal("Σ_0 is not positive definite")
		}
		var l mat.TriDense
		chol.LTo(&l)
		hits := make([]float64, n)
		sum, square := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil) // of (z_i − m_i) y_j
		z, white, noise := make([]float64, n), mat.NewVecDense(n-1, nil), mat.NewVecDense(n-1, nil)
		for range samples {
			for j := range z {
				z[j] = m[j] + math.Sqrt(v[j])*rnd.NormFloat64()
			}
			for k := range n - 1 {
				white.SetVec(k, rnd.NormFloat64())
			}
			noise.MulVec(&l, white)
			for j := range n {
				hit, k := true, 0
				for tau := range n {
					if tau != j {
						hit = hit && noise.AtVec(k) <= p.Lambda*(z[j]-z[tau])
						k++
					}
				}
				if !hit {
					continue
				}
				hits[j]++
				for i := range n {
					d := z[i] - m[i]
					sum.Set(j, i, sum.At(j, i)+d)
					square.Set(j, i, square.At(j, i)+d*d)
				}
			}
		}
		for j, pj := range got.P {
			if s := (hits[j] - samples*pj) / math.Sqrt(samples*pj*(1-pj)); !(math.Abs(s) < 5) {
				t.Errorf("n = %d: class %d: %g of %d samples, %.1f standard errors from p = %g", n, j, hits[j], samples, s, pj)
			}
			for i := range n {
				if i == j {
					continue
				}
				mean := sum.At(j, i) / samples
				deviation := math.Sqrt(square.At(j, i)/samples-mean*mean) / math.Sqrt(samples)
				if s := (mean + v[i]*got.E.At(j, i)) / deviation; !(math.Abs(s) < 5) {
					t.Errorf("n = %d: Cov(z_%d, y_%d) = %.5g, %.1f standard errors from −v E = %.5g", n, i, j, mean, s, -v[i]*got.E.At(j, i))
				}
			}
		}
	}
}

// ∂p_j/∂m_i = −E_ji, and = Σ_i E_ji for i = j: finite differences.
func TestProbitCorrDerivatives(t *testing.T) {
	const h = 1e-4
	rnd := rand.New(rand.NewPCG(23, 24))
	for n := 2; n <= 5; n++ {
		got, up, down := NewMoments(n), NewMoments(n), NewMoments(n)
		for range 5 {
			p := ProbitCorr{math.Exp(0.5 * rnd.NormFloat64()), unequal(rnd, n-1)}
			m, v := make([]float64, n), make([]float64, n)
			for j := range m {
				m[j], v[j] = rnd.NormFloat64(), rnd.ExpFloat64()
			}
			p.Moments(got, m, v)
			for i := range n {
				centre := m[i]
				m[i] = centre + h
				p.Moments(up, m, v)
				m[i] = centre - h
				p.Moments(down, m, v)
				m[i] = centre
				for j := range n {
					want := -got.E.At(j, i)
					if j == i {
						want = 0
						for k := range n {
							want += got.E.At(j, k)
						}
					}
					if fd := (up.P[j] - down.P[j]) / (2 * h); !scalar.EqualWithinAbs(fd, want, 1e-6) {
						t.Errorf("n = %d, λ = %g: ∂p_%d/∂m_%d = %.9g, from E %.9g", n, p.Lambda, j, i, fd, want)
					}
				}
			}
		}
	}
}

func TestProbitCorrBinaryIsHuber(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	got := NewMoments(2)
	for range 200 {
		lambda := math.Exp(rnd.NormFloat64())
		m := []float64{5 * rnd.NormFloat64(), 5 * rnd.NormFloat64()}
		v := []float64{math.Exp(4 * rnd.NormFloat64()), math.Exp(4 * rnd.NormFloat64())}
		ProbitCorr{lambda, mat.NewSymDense(1, []float64{1})}.Moments(got, m, v)
		p, e := binary(lambda, m, v)
		if !scalar.EqualWithinRel(got.P[0], p, 1e-12) || !scalar.EqualWithinRel(got.E.At(0, 1), e, 1e-12) ||
			!scalar.EqualWithinAbs(got.P[1], 1-p, 1e-14) || !scalar.EqualWithinRel(got.E.At(1, 0), e, 1e-12) {
			t.Errorf("λ = %g, m = %v, v = %v: p = %v, E = %v, want %g, %g", lambda, m, v, got.P, got.E.RawMatrix().Data, p, e)
		}
	}
}

func TestProbitCorrExtremes(t *testing.T) {
	means := []float64{0, 1e-300, 1, -1, 40, 1e8, -1e8, 1e150, math.MaxFloat64, -math.MaxFloat64}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 1e4, 1e150, 1e300, math.MaxFloat64}
	rnd := rand.New(rand.NewPCG(27, 28))
	for n := 2; n <= 5; n++ {
		got := NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for k := range 80 {
			for j := range n {
				m[j], v[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			corr := unequal(rnd, n-1)
			if k%4 == 0 { // singular
				corr = correlations(n-1, func(i, j int) float64 { return 1 - 2*float64((i+j)%2) })
			}
			p := ProbitCorr{[]float64{1e-300, 1e-6, 0.3, 1, 50, 1e300}[rnd.IntN(6)], corr}
			p.Moments(got, m, v)
			if err := sound(got); err != nil {
				t.Fatalf("λ = %g, Σ_0 = %v, m = %v, v = %v: %v", p.Lambda, corr.RawSymmetric().Data, m, v, err)
			}
		}
	}
	// A common variance beyond all others leaves the ranks of the others to chance.
	got := NewMoments(3)
	ProbitCorr{1, correlations(2, func(i, j int) float64 { return 0.3 })}.Moments(got, []float64{1e8, -1e8, 0}, []float64{1e300, 1e300, 1e300})
	for j, p := range got.P {
		if !scalar.EqualWithinAbs(p, 1./3, 1e-12) {
			t.Errorf("p_%d = %g, want ⅓", j, p)
		}
	}
}

func TestProbitCorrValidate(t *testing.T) {
	good := correlations(3, func(i, j int) float64 { return 0.5 })
	scaled := mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1})
	for _, c := range []struct {
		p    ProbitCorr
		want string
	}{
		{ProbitCorr{0, good}, "0 < λ < ∞"},
		{ProbitCorr{math.NaN(), good}, "0 < λ < ∞"},
		{ProbitCorr{math.Inf(1), good}, "0 < λ < ∞"},
		{ProbitCorr{1, nil}, "without correlations"},
		{ProbitCorr{1, new(mat.SymDense)}, "without correlations"},
		{ProbitCorr{1, scaled}, "1 on its diagonal"},
		{ProbitCorr{1, correlations(3, func(i, j int) float64 { return -0.6 })}, "positive semi-definite"},
		{ProbitCorr{1, correlations(3, func(i, j int) float64 { return math.NaN() })}, "[−1, 1]"},
	} {
		if err := c.p.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.p, err, c.want)
		}
	}
	if err := (ProbitCorr{1, good}).Validate(); err != nil {
		t.Error(err)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, "need 4×4") {
			t.Errorf("3×3 correlations for 5 classes: panic %q", text)
		}
	}()
	ProbitCorr{1, good}.Moments(NewMoments(5), make([]float64, 5), make([]float64, 5))
}

func BenchmarkProbitCorr(b *testing.B) {
	for n := 2; n <= 7; n++ {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rnd := rand.New(rand.NewPCG(29, uint64(n)))
			p, dst := ProbitCorr{0.5, unequal(rnd, n-1)}, NewMoments(n)
			m, v := make([]float64, n), make([]float64, n)
			for j := range m {
				m[j], v[j] = rnd.NormFloat64(), rnd.ExpFloat64()
			}
			for b.Loop() {
				p.Moments(dst, m, v)
			}
		})
	}
}
