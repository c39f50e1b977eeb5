package meanfield

import (
	"math"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// pairwise is the mean-field approximation of Lu, Ie and Sha (2020, "Mean-field
// approximation to Gaussian-softmax integral with application to uncertainty
// estimation", arXiv 2006.07584). It writes the softmax with pairwise sigmoids
// σ, replaces each by its mean, and that by MacKay's binary formula:
//
//	s_k = 1 / (2 − n + Σ_{i≠k} 1/σ(z_k − z_i))
//	p_k = 1 / (1 + Σ_{i≠k} exp(−(m_k − m_i)/T_ki)),   T_ki = √(1 + π/8 · c_ki)
//
//	Order 0   c_ki = v_k               z_i at its mean: p_k = softmax_k(m/T_k)
//	Order 1   c_ki = v_k + v_i         if both; order 2 is the same for independent logits
//
// For n = 2 order 1 is MacKay's binary formula. Σp ≠ 1 beyond n = 2 (at order 0 even there).
func pairwise(both bool) func(mean, variance []float64) moments {
	return func(mean, variance []float64) moments {
		return moments{p: pairwiseMean(mean, variance, probitSlope, both)}
	}
}

// pairwiseMean returns the p_k of [pairwise] with a in place of π/8.
func pairwiseMean(mean, variance []float64, a float64, both bool) []float64 {
	p := make([]float64, len(mean))
	for k, m := range mean {
		for i, other := range mean {
			c := variance[k]
			if both {
				c += variance[i]
			}
			p[k] += kernel.Exp((other - m) / math.Sqrt(1+a*c)) // 1 for i = k
		}
		p[k] = 1 / p[k]
	}
	return p
}

// probitSlope is λ² = π/8: Φ(λx) has the slope of the logistic function at zero.
const probitSlope = math.Pi / 8

// macKay is the multi-class probit approximation: each logit is shrunk as in the binary case,
//
//	p = softmax(m_j / √(1 + πv_j/8))
//
// (MacKay 1992, "The evidence framework applied to classification networks", for two classes; Gibbs
// 1997, thesis, for more). It depends on the origin of the logits unless all variances are equal.
func macKay(mean, variance []float64) moments {
	p := make([]float64, len(mean))
	for j, v := range variance {
		p[j] = mean[j] / math.Sqrt(1+probitSlope*v)
	}
	mlp.Normalise(p)
	return moments{p: p}
}

const daunizeauSlope = 0.368 // a, fitted to sampled means

// daunizeau is the semi-analytical approximation of Daunizeau (2017, "Semi-analytical
// approximations to statistical moments of sigmoid and softmax mappings of normal variables", arXiv
// 1703.00091). For the sigmoid σ of x ~ N(μ, Σ), with t = √(1 + aΣ) and a = 0.368 fitted,
//
//	E σ(x)   ≈ σ(μ/t)
//	Var σ(x) ≈ σ(μ/t) (1 − σ(μ/t)) (1 − 1/t)
//
// and for the softmax, with the same reduction to pairs as pairwise of order 2,
//
//	p_k = 1 / (2 − n + Σ_{i≠k} 1/E σ(z_k − z_i)).
//
// Beyond n = 2 it gives the mean only, with Σp ≠ 1.
func daunizeau(mean, variance []float64) moments {
	p := pairwiseMean(mean, variance, daunizeauSlope, true)
	if len(mean) > 2 {
		return moments{p: p}
	}
	t := math.Sqrt(1 + daunizeauSlope*(variance[0]+variance[1]))
	return moments{p: p, cov: func(i, j int) float64 { return (2*delta(i, j) - 1) * p[0] * p[1] * (1 - 1/t) }}
}
