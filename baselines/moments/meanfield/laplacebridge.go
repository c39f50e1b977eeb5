package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// laplaceBridge maps the Gaussian of the logits to a Dirichlet distribution (MacKay 1998, "Choice
// of basis for Laplace approximation"; Hobbhahn, Kristiadi and Hennig 2022, "Fast predictive
// uncertainty for classification with Bayesian deep networks", arXiv 2003.01227). It inverts the
// Laplace approximation of a Dirichlet in the softmax basis, where logits add up to zero: given
// their means μ and variances Σ_kk there,
//
//	α_k = (1 − 2/n + e^{μ_k}/n² Σ_l e^{−μ_l}) / Σ_kk
//	p   = α/α_0,   Σ_y = (diag(p) − ppᵀ)/(α_0 + 1),   α_0 = Σ α_k
//
// μ and Σ come from conditioning on Σ_k z_k = 0, with S = Σ v_k:
//
//	μ_k = m_k − v_k/S · Σ_l m_l,   Σ_kk = v_k (1 − v_k/S).
//
// correct is the authors' remedy for large variances ("bridge_norm" in laplace-torch):
// before the map, μ is divided by √c and Σ_kk by c = (Σ_k Σ_kk/n)/√(n/2), so that the
// average variance is √(n/2).
//
// Σp = 1. Unless all variances are equal, p depends on the origin of the logits. Variances
// must be positive.
func laplaceBridge(correct bool) func(mean, variance []float64) moments {
	return func(mean, variance []float64) moments {
		n := float64(len(mean))
		mu, constrained := make([]float64, len(mean)), make([]float64, len(mean))
		sum, total := kernel.Sum(mean), kernel.Sum(variance)
		for k, v := range variance {
			mu[k], constrained[k] = mean[k]-v/total*sum, v*(1-v/total)
		}
		if correct {
			c := kernel.Sum(constrained) / n / math.Sqrt(n/2)
			floats.Scale(1/math.Sqrt(c), mu)
			floats.Scale(1/c, constrained)
		}
		return dirichlet(bridge(mu, constrained))
	}
}

// bridge returns p and α_0 of α(μ, Σ).
func bridge(mu, variance []float64) (p []float64, concentration float64) {
	n, sum := float64(len(mu)), 0.0
	for _, m := range mu {
		sum += kernel.Exp(-m)
	}
	for k, m := range mu {
		p = append(p, (1-2/n+kernel.Exp(m)*sum/n/n)/variance[k])
	}
	concentration = kernel.Sum(p)
	floats.Scale(1/concentration, p)
	return p, concentration
}

// dirichlet returns the moments of the Dirichlet distribution of concentrations α_k = α_0 p_k:
//
//	E y_k  = p_k
//	Cov(y) = (diag(p) − p pᵀ)/(α_0 + 1)
func dirichlet(p []float64, concentration float64) moments {
	return moments{p: p, cov: func(i, j int) float64 { return p[i] * (delta(i, j) - p[j]) / (concentration + 1) }}
}
