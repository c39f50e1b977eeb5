package meanfield

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// normalizedProbit replaces the softmax by normalised normal distribution
// functions, and approximates the distribution of the probabilities by a
// Dirichlet (Mucsányi, Da Costa and Hennig 2025, "Rethinking approximate Gaussian
// inference in classification", arXiv 2502.03366): for q_j = Φ(λz_j) and
// t_j = λm_j/√(1+λ²v_j), T Owen's function,
//
//	A_j = E q_j  = Φ(t_j)
//	B_j = E q_j² = Φ(t_j) − 2T(t_j, 1/√(1+2λ²v_j))
//
//	p_j = A_j / Σ A
//	α_j = p_j α_0,  log(α_0 S/Σ A) = mean_j log((A_j S − B_j)/(B_j − A_j²)),  S = max(1, Σ A)
//	Σ_y = (diag(p) − ppᵀ)/(α_0 + 1).
//
// The authors' floors in the fraction are left out: a class of zero variance makes α_0
// infinite, and Σ_y = 0.
//
// It is a model of its own: with v = 0 it is not the softmax, and it depends on the
// origin of the logits. λ = √(π/2) gives it the slope of the softmax where all logits
// are zero; the paper has λ = 1.
func normalizedProbit(lambda float64) func(mean, variance []float64) moments {
	return func(mean, variance []float64) moments {
		logA, t := make([]float64, len(mean)), make([]float64, len(mean))
		for j, v := range variance {
			t[j] = mean[j] / kernel.Hypot(1/lambda, math.Sqrt(v))
			logA[j] = gauss.LogCDF(t[j])
		}
		logTotal := logSum(logA, -1)
		logS := max(0, logTotal)
		rule := newOwenRule()
		var sum float64
		for j, v := range variance {
			spread, mixed := rule.secondMoments(t[j], lambda*math.Sqrt(v))
			// A S − B = A(S − 1) + (A − B), a sum of positive terms.
			excess := logA[j] + logExpm1(logS)
			sum += logSum([]float64{excess, mixed}, -1) - spread
		}
		d := newDirichlet(logA)
		d.concentration = kernel.Exp(sum/float64(len(mean)) + logTotal - logS)
		return d.moments()
	}
}

// owenRule integrates Owen's function by Gauss and Legendre's rule on [0, 1],
// with a relative error below 1e-13.
type owenRule struct {
	node, weight [32]float64
}

func newOwenRule() *owenRule {
	var r owenRule
	quad.Legendre{}.FixedLocations(r.node[:], r.weight[:], 0, 1)
	return &r
}

// secondMoments returns log Var Φ(x) and log E Φ(x)(1−Φ(x)) for normal x of
// standard deviation sd, given t = E x/√(1+sd²). With Owen's function (1956)
//
//	T(t, a) = 1/(2π) ∫_0^a exp(−t²(1+u²)/2)/(1+u²) du,   a = 1/√(1+2sd²),
//
// they are 2(T(t, 1) − T(t, a)) and 2T(t, a): integrals of a positive function,
// where Φ(t) − 2T − Φ(t)² would cancel. They are −Inf for sd = 0 and sd = ∞.
func (r *owenRule) secondMoments(t, sd float64) (spread, mixed float64) {
	root := kernel.Hypot(1, math.Sqrt2*sd)
	// 1 − a without cancellation.
	rest := math.Sqrt2 * sd / root * (math.Sqrt2 * sd / (1 + root))
	return r.logIntegral(t, 1/root, rest), r.logIntegral(t, 0, 1/root)
}

// logIntegral returns the logarithm of 2(T(t, a+length) − T(t, a)), where
// a + length ≤ 1.
func (r *owenRule) logIntegral(t, a, length float64) float64 {
	t = math.Abs(t)
	if t > 5 {
		// Beyond here the integrand has fallen by e⁻⁴⁰.
		reach := math.Sqrt(80) / t
		length = min(length, reach*reach/(kernel.Hypot(a, reach)+a))
	}
	var sum float64
	for i, node := range r.node {
		x := length * node
		u := a + x
		sum += r.weight[i] * kernel.Exp(-t*t*x*(a+0.5*x)) / (1 + u*u)
	}
	return kernel.Log(sum*length/math.Pi) - 0.5*t*t*(1+a*a)
}
