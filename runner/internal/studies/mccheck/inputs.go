package mccheck

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/activation"
	"closedform/core/random"
	"closedform/internal/kernel"
	"closedform/runner/internal/approx"
)

// inputs are random inputs of the formulas, of which each uses some.
type inputs struct {
	approx.Logits         // one where there are no classes
	lambda, rho   float64 // of the probit
	unit          activation.PiecewiseLinear
	factor        factor // of Σ_0
}

// inputs returns the inputs of a cell as they are given, or draws them: means N(0, Spread²), variances
// log-uniform within a factor of ten of Variance, λ log-uniform, α uniform on [0, 1], β on [α, α+2].
func (s spec) inputs() inputs {
	if g := s.Given; g != nil {
		return inputs{Logits: approx.Logits{Mean: g.Mean, Variance: g.Variance}, lambda: g.Lambda, rho: s.Rho}
	}
	rnd, n := s.rand("inputs"), max(1, s.Classes)
	in := inputs{Logits: approx.Logits{Mean: make([]float64, n), Variance: make([]float64, n)}, rho: s.Rho}
	for j := range n {
		in.Mean[j] = s.Spread * random.Normal(rnd)
		in.Variance[j] = s.Variance * kernel.Exp(math.Ln10*(2*rnd.Float64()-1))
	}
	in.lambda = s.Lambda[0] * kernel.Exp(kernel.Log(s.Lambda[1]/s.Lambda[0])*rnd.Float64())
	in.unit.Alpha = rnd.Float64()
	in.unit.Beta = in.unit.Alpha + 2*rnd.Float64()
	in.factor = newFactor(n-1, rnd)
	return in
}

// sampler returns a function that draws logits z, and d = z − mean.
func sampler(of approx.Logits, rnd *rand.Rand) func() (z, d []float64) {
	n := len(of.Mean)
	z, d, sd := make([]float64, n), make([]float64, n), make([]float64, n)
	for j, v := range of.Variance {
		sd[j] = math.Sqrt(v)
	}
	return func() ([]float64, []float64) {
		for j := range z {
			d[j] = sd[j] * random.Normal(rnd)
			z[j] = of.Mean[j] + d[j]
		}
		return z, d
	}
}

// factor is a lower triangular factor of a correlation matrix: row k has k+1 numbers, and length 1.
type factor [][]float64

// newFactor draws the factor of a random correlation matrix: the direction of each
// row is uniform. Correlations come close to 1 and −1.
func newFactor(d int, rnd *rand.Rand) factor {
	f := make(factor, d)
	for k := range f {
		f[k] = make([]float64, k+1)
		var square float64
		for l := range f[k] {
			f[k][l] = random.Normal(rnd)
			square += f[k][l] * f[k][l]
		}
		for l := range f[k] {
			f[k][l] /= math.Sqrt(square)
		}
	}
	return f
}

// correlation returns the correlation matrix.
func (f factor) correlation() *mat.SymDense {
	corr := mat.NewSymDense(len(f), nil)
	for k, row := range f {
		corr.SetSym(k, k, 1)
		for l := range k {
			var dot float64
			for m, x := range f[l] {
				dot += x * row[m]
			}
			corr.SetSym(k, l, dot)
		}
	}
	return corr
}
