package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// laplaceBridge maps the Gaussian of the logits to a Dirichlet distribution
// (MacKay 1998, "Choice of basis for Laplace approximation"; Hobbhahn, Kristiadi
// and Hennig 2022, "Fast predictive uncertainty for classification with Bayesian
// deep networks", arXiv 2003.01227). It inverts the Laplace approximation of a
// Dirichlet in the softmax basis, where logits add up to zero: given their means
// μ and variances Σ_kk there,
//
//	α_k = (1 − 2/n + e^{μ_k}/n² Σ_l e^{−μ_l}) / Σ_kk
//	p   = α/α_0,   Σ_y = (diag(p) − ppᵀ)/(α_0 + 1),   α_0 = Σ α_k
//
// μ and Σ come from conditioning on Σ_k z_k = 0, with S = Σ v_k:
//
//	μ_k = m_k − v_k/S · Σ_l m_l,   Σ_kk = v_k (1 − v_k/S).
//
// correct is the authors' remedy for large variances ("bridge_norm" in laplace-torch):
// before the map, μ is divided by √c and Σ_kk by c = (Σ_k Σ_kk/n)/√(n/2), not below
// 1e-300, so that the average variance is √(n/2).
//
// Σp = 1. Unless all variances are equal, p depends on the origin of the logits. Where
// variances vanish the limit is not softmax(m), except for n = 2 and for equal
// logits: classes with Σ_kk = 0 share the mass in the ratio of their numerators, and
// Σ_y = 0. With it, certain logits give the largest one all the mass.
func laplaceBridge(correct bool) func(mean, variance []float64) moments {
	return func(mean, variance []float64) moments {
		mu, logVar := sumZero(mean, variance)
		if correct {
			n := float64(len(mu))
			logC := max(logSum(logVar, -1)-kernel.Log(n)-0.5*kernel.Log(n/2), -300*math.Ln10)
			floats.Scale(kernel.Exp(-0.5*logC), mu)
			floats.AddConst(-logC, logVar)
		}
		return bridge(mu, logVar).moments()
	}
}

// sumZero returns the means and the logarithms of the variances of the logits
// given that they add up to zero.
func sumZero(mean, variance []float64) (mu, logVar []float64) {
	n := len(mean)
	mu, logVar = make([]float64, n), make([]float64, n)
	largest := floats.Max(variance)
	if largest == 0 { // the limit of equal variances
		average := kernel.Sum(mean) / float64(n)
		for k, m := range mean {
			mu[k], logVar[k] = m-average, math.Inf(-1)
		}
		return mu, logVar
	}
	var scale float64 // S in units of the largest variance: S may overflow
	for _, v := range variance {
		scale += v / largest
	}
	sum := kernel.Sum(mean)
	for k, v := range variance {
		share := v / largest / scale
		var rest float64 // 1 − v_k/S without cancellation
		for i, u := range variance {
			if i != k {
				rest += u / largest / scale
			}
		}
		mu[k] = mean[k] - share*sum
		logVar[k] = kernel.Log(v) + kernel.Log(rest)
	}
	return mu, logVar
}

// bridge returns the Dirichlet distribution of α(μ, Σ).
func bridge(mu, logVar []float64) dirichlet {
	n := float64(len(mu))
	negative := floats.ScaleTo(make([]float64, len(mu)), -1, mu)
	common := logSum(negative, -1) - 2*kernel.Log(n)
	logAlpha := make([]float64, len(mu))
	certain := math.IsInf(floats.Min(logVar), -1)
	for k, m := range mu {
		logAlpha[k] = logSum([]float64{kernel.Log(1 - 2/n), m + common}, -1)
		switch {
		case !certain:
			logAlpha[k] -= logVar[k]
		case !math.IsInf(logVar[k], -1):
			logAlpha[k] = math.Inf(-1)
		}
	}
	d := newDirichlet(logAlpha)
	if certain {
		d.concentration = math.Inf(1)
	}
	return d
}
