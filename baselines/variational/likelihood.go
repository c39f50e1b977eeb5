package variational

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/mlp"
	"closedform/core/softmax"
)

// likelihood is log p(class | logits), a concave function of the logits that does
// not change when all of them move by the same number.
type likelihood interface {
	// score sets grad to the derivatives by the logits and returns the value; both
	// are NaN or infinite where the logits overflow.
	score(grad, logit []float64, class int) float64

	// curvature returns a number c such that c(I − 11ᵀ/K) is nowhere below the
	// negative Hessian.
	curvature() float64

	// approximation computes the mean of the likelihood for Gaussian logits.
	approximation() softmax.Approximation
}

// newLikelihood returns that of a bound for n classes. The slope λ of the probit
// matches the softmax at the origin, with which a prior variance means the same for
// all bounds.
func newLikelihood(bound Bound, n int) likelihood {
	if bound == Probit {
		return newProbitLikelihood(n, softmax.SlopeLambda(n, 0.5))
	}
	return softmaxLikelihood{}
}

type softmaxLikelihood struct{}

func (softmaxLikelihood) score(grad, logit []float64, class int) float64 {
	copy(grad, logit)
	top, sum := mlp.Exponentials(grad)
	floats.Scale(-1/sum, grad)
	grad[class]++
	return logit[class] - top - math.Log(sum)
}

func (softmaxLikelihood) curvature() float64 { return 0.5 }

func (softmaxLikelihood) approximation() softmax.Approximation { return softmax.Exact{Fast: true} }

// probitLikelihood is the probability that λz_j + ε_j is the largest for the class,
// ε_j ~ N(0, ½).
//
// With u_j = √2λz_j + N(0, 1) the score is √2λ E[u_j − √2λz_j | class], and the
// negative Hessian is 2λ²(I − Cov(u | class)), not above 2λ²I.
type probitLikelihood struct {
	lambda    float64
	posterior *softmax.Posterior
	mean, v   []float64
}

func newProbitLikelihood(n int, lambda float64) *probitLikelihood {
	l := &probitLikelihood{
		lambda:    lambda,
		posterior: softmax.NewPosterior(n),
		mean:      make([]float64, n), v: make([]float64, n),
	}
	for j := range l.v {
		l.v[j] = 0.5
	}
	return l
}

// score takes half of the noise of u for the logit of Probit.Posterior and half for
// the noise of that: of what the class says about u, the logit gets half.
func (l *probitLikelihood) score(grad, logit []float64, class int) float64 {
	slope := math.Sqrt2 * l.lambda
	floats.ScaleTo(l.mean, slope, logit)
	if !mlp.Finite(l.mean...) {
		return math.NaN()
	}
	softmax.Probit{Lambda: 1, Rho: 0.5}.Posterior(l.posterior, l.mean, l.v, class)
	for j, m := range l.posterior.Mean {
		grad[j] = slope * 2 * (m - l.mean[j])
	}
	return l.posterior.LogP
}

func (l *probitLikelihood) curvature() float64 { return 2 * l.lambda * l.lambda }

func (l *probitLikelihood) approximation() softmax.Approximation {
	return softmax.Probit{Lambda: l.lambda, Rho: 0.5}
}
