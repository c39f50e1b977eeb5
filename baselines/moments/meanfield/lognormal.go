package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// logNormal matches log-normal moments, as in TAGI: the layer ClosedFormSoftmax
// of cuTAGI (github.com/lhnguyen102/cuTAGI, src/activation_cuda.cu; Remax in the
// same library does it for rectified instead of exponential logits). The
// exponentials are log-normal, their sum S is treated as if it were, and so is
// the ratio y_i = e^{z_i}/S:
//
//	μ_i = e^{m_i + v_i/2},  V_i = μ_i² (e^{v_i} − 1),  M = Σ μ_i
//	s²  = Var log S        = log(1 + Σ V_i/M²)
//	c_i = Cov(z_i, log S)  = log(1 + V_i/(μ_i M))
//	log y_i ~ N(m_i − log M + s²/2, l_i),  l_i = v_i + s² − 2c_i
//
//	p_i         = e^{m_i − log M + s²/2 + l_i/2}
//	Var y_i     = p_i² (e^{l_i} − 1)
//	Cov(z_i, y_i) = p_i (v_i − c_i),
//
// and p is divided by its sum before the second moments are taken, as a later version of
// the method does. It gives nothing between classes. The library's floor and caps are
// left out.
//
// It works with logarithms throughout, since all but l_i and v_i − c_i may overflow. It
// writes log p_i = ω_i + s² − c_i with ω_i = log(μ_i/M), which is the formula without
// differences of large variances.
func logNormal(mean, variance []float64) moments {
	n := len(mean)
	logP, p := make([]float64, n), make([]float64, n)
	logVar, own := make([]float64, n), make([]float64, n) // l_i and Cov(z_i, log y_i) = v_i − c_i
	omega, ratio := make([]float64, n), make([]float64, n)
	for i, m := range mean {
		omega[i] = m + 0.5*variance[i]
	}
	floats.AddConst(-logSum(omega, -1), omega)
	for i, v := range variance {
		ratio[i] = 2*omega[i] + logExpm1(v) // log V_i/M²
	}
	total := softplus(logSum(ratio, -1)) // s²
	for i, v := range variance {
		c := softplus(ratio[i] - omega[i])
		logP[i] = omega[i] + (total - c)
		own[i] = v - c
		logVar[i] = own[i] + (total - c)
	}
	floats.AddConst(-floats.Max(logP), logP) // first, for the digits of what is left
	floats.AddConst(-logSum(logP, -1), logP)
	for i, x := range logP {
		p[i] = kernel.Exp(x)
	}
	return moments{p, diagonal(func(i int) float64 {
		return expTimesExpm1(2*logP[i], logVar[i])
	}), diagonal(func(i int) float64 { return p[i] * own[i] })}
}

// diagonal returns the entries of a matrix of which the diagonal is given.
func diagonal(entry func(i int) float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		if i != j {
			return math.NaN()
		}
		return entry(i)
	}
}

// expTimesExpm1 returns eˣ(eʸ − 1) for finite x, where a factor alone may
// overflow.
func expTimesExpm1(x, y float64) float64 {
	if y >= 0 {
		return kernel.Exp(x + logExpm1(y))
	}
	return kernel.Exp(x) * math.Expm1(y) // a rounding error
}
