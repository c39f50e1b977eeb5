package meanfield

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/softmax"
)

// NormalizedProbit replaces the softmax by normalised normal distribution
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
// It gives no Σ_zy. The authors' floors of 1e-10 in the fraction are left out: a
// class of zero variance makes α_0 infinite, and Σ_y = 0.
//
// It is a model of its own, to be trained as such: with v = 0 it is not the
// softmax, and it depends on the origin of the logits. For logits made for the
// softmax, λ = √(π/2) gives it the slope of the softmax where all logits are
// zero, ∂p_j/∂z_i = −1/n², for every n. Lambda = 0 stands for λ = 1, the paper's.
type NormalizedProbit struct {
	Lambda float64

	noCross
}

// Moments implements [softmax.Approximation]. It also panics unless λ is positive
// and finite, as does Cov.
func (n NormalizedProbit) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	n.dirichlet(mean, variance).moments(dst)
}

// Cov implements [Covariances].
func (n NormalizedProbit) Cov(dst *mat.SymDense, mean, variance []float64) {
	checkLogits(dst.SymmetricDim(), mean, variance)
	n.dirichlet(mean, variance).cov(dst)
}

func (n NormalizedProbit) dirichlet(mean, variance []float64) dirichlet {
	lambda := n.Lambda
	if lambda == 0 {
		lambda = 1
	}
	if !(lambda > 0) || math.IsInf(lambda, 1) {
		panic(fmt.Sprintf("meanfield: normalised probit with λ = %g; need 0 < λ < ∞", n.Lambda))
	}
	logA, t := make([]float64, len(mean)), make([]float64, len(mean))
	for j, v := range variance {
		t[j] = mean[j] / math.Hypot(1/lambda, math.Sqrt(v))
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
	d.concentration = math.Exp(sum/float64(len(mean)) + logTotal - logS)
	return d
}
