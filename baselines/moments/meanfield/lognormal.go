package meanfield

import (
	"math"

	"closedform/baselines/learners/mlp"
)

// logNormal matches log-normal moments, as in TAGI: the layer ClosedFormSoftmax of cuTAGI
// (github.com/lhnguyen102/cuTAGI, src/activation_cuda.cu; Remax in the same library does it for
// rectified instead of exponential logits). The exponentials e^{z_i} are log-normal. Their sum S and the ratio
// y_i = e^{z_i}/S are taken for log-normal, too:
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
// and p is divided by its sum before the second moments are taken, as a later version of the method
// does. It gives nothing between classes. The library's floor and caps are left out.
func logNormal(mean, variance []float64) moments {
	share, p, c := make([]float64, len(mean)), make([]float64, len(mean)), make([]float64, len(mean))
	for i, v := range variance {
		share[i] = mean[i] + 0.5*v
		p[i] = share[i]
	}
	mlp.Normalise(share) // μ_i/M
	var total float64
	for i, v := range variance {
		total += share[i] * share[i] * math.Expm1(v)
		c[i] = math.Log1p(share[i] * math.Expm1(v))
		p[i] -= c[i] // log p_i but for a constant
	}
	total = math.Log1p(total) // s²
	mlp.Normalise(p)
	return moments{
		p,
		diagonal(func(i int) float64 { return p[i] * p[i] * math.Expm1(variance[i]+total-2*c[i]) }),
		diagonal(func(i int) float64 { return p[i] * (variance[i] - c[i]) }),
	}
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
