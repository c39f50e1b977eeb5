package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// LogNormal matches log-normal moments, as in TAGI: the layer ClosedFormSoftmax
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
//	Cov(z_i, y_i) = p_i (v_i − c_i)
//
// It gives nothing between classes. The library's floor and caps are left out. Σp ≠ 1,
// and p grows beyond one and to +Inf where v is large. Normalise divides p by its sum
// before the second moments are taken, as a later version of the method does.
type LogNormal struct {
	Normalise bool
}

// Moments implements [softmax.Approximation]; E is NaN.
func (l LogNormal) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	for i, x := range l.match(mean, variance).logP {
		dst.P[i] = math.Exp(x)
	}
	setGaps(dst.E)
}

// Cov implements [Covariances]; dst is NaN off the diagonal.
func (l LogNormal) Cov(dst *mat.SymDense, mean, variance []float64) {
	noCov{}.Cov(dst, mean, variance)
	m := l.match(mean, variance)
	for i, x := range m.logP {
		dst.SetSym(i, i, expTimesExpm1(2*x, m.logVar[i]))
	}
}

// Cross implements [Covariances]; dst is NaN off the diagonal.
func (l LogNormal) Cross(dst *mat.Dense, mean, variance []float64) {
	noCross{}.Cross(dst, mean, variance)
	m := l.match(mean, variance)
	for i, x := range m.logP {
		var cov float64
		if own := m.own[i]; own != 0 {
			cov = math.Exp(x) * own
		}
		dst.Set(i, i, cov)
	}
}

// logMoments are the moments of the log-normal probabilities.
type logMoments struct {
	logP   []float64
	logVar []float64 // l_i
	own    []float64 // Cov(z_i, log y_i) = v_i − c_i
}

// match works with logarithms throughout, since all but l_i and v_i − c_i may
// overflow. It writes log p_i = ω_i + s² − c_i with ω_i = log(μ_i/M), which is
// the formula without differences of large variances.
func (l LogNormal) match(mean, variance []float64) logMoments {
	n := len(mean)
	logP, logVar, own := make([]float64, n), make([]float64, n), make([]float64, n)
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
	if l.Normalise {
		floats.AddConst(-floats.Max(logP), logP) // first, for the digits of what is left
		floats.AddConst(-logSum(logP, -1), logP)
	}
	return logMoments{logP, logVar, own}
}

// expTimesExpm1 returns eˣ(eʸ − 1) for finite x, where a factor alone may
// overflow.
func expTimesExpm1(x, y float64) float64 {
	if y >= 0 {
		return math.Exp(x + logExpm1(y))
	}
	return math.Exp(x) * math.Expm1(y) // a rounding error
}
