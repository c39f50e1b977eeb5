// Package softmax computes the first two moments of the softmax of a Gaussian:
// for logits z_j ~ N(m_j, v_j), independent, and s = softmax(z), the mean
// probabilities p_j = E[s_j], the covariance of s, and the cross-covariance of
// z and s. No closed form exists; an [Approximation] provides one.
//
// Everything follows from two sets of numbers, p and E (Yang and Yang 2023,
// arXiv 2301.13401, Sec. 2):
//
//	p_j  = E[s_j]
//	E_ji = E[∂s_j/∂(z_j−z_i)] = E[s_j s_i]     (j ≠ i)
//
// Each formula stands in the comment of the method that evaluates it:
//
//   - [Moments.Cov], [Moments.Cross]: the covariances Σ_y and Σ_zy from p and E
//   - [Probit.Moments], [ProbitCorr.Moments]: p and E of the probit, Prop. 3.1(2)
//   - [Exact.Moments]: p and E of the softmax itself
//   - [Probit.Posterior], [Exact.Posterior]: mean and variance of the logits given a label
//   - [SlopeLambda], [FitLambda]: the slope λ of the probit
package softmax

import (
	"errors"
	"fmt"
	"math"
	"sync"
)

// Approximation computes the moments of softmax(z) for independent Gaussian logits with the given means
// and variances, which may be zero, into dst. Implementations are safe for concurrent use with different
// dst, and keep no reference to an argument.
type Approximation interface {
	Moments(dst *Moments, mean, variance []float64)
}

// Likelihood is an [Approximation] whose probabilities are those of a label given the logits, so that a
// label has a posterior, whose moments go into dst.
type Likelihood interface {
	Approximation
	Posterior(dst *Posterior, mean, variance []float64, class int)
}

var (
	_ Likelihood    = Probit{}
	_ Likelihood    = Exact{}
	_ Approximation = ProbitCorr{}
)

// Validate returns an error unless a approximates the softmax of that many classes, by its method
// Validate if it has one.
func Validate(a Approximation, classes int) error {
	if a == nil {
		return errors.New("softmax: nil is no approximation; allowed: a value such as softmax.Probit")
	}
	if v, ok := a.(interface{ Validate(classes int) error }); ok {
		return v.Validate(classes)
	}
	return nil
}

func checkClasses(n int) {
	if n < 2 {
		panic(fmt.Sprintf("softmax: %d classes; need at least 2", n))
	}
}

// CheckLogits panics unless mean and variance have the length n ≥ 2 and are finite, with variance ≥ 0.
func CheckLogits(n int, mean, variance []float64) {
	checkClasses(n)
	if len(mean) != n || len(variance) != n {
		panic(fmt.Sprintf("softmax: %d means and %d variances for %d classes", len(mean), len(variance), n))
	}
	for j, v := range variance {
		if !(v >= 0) || math.IsInf(v, 1) || math.IsNaN(mean[j]) || math.IsInf(mean[j], 0) {
			panic(fmt.Sprintf("softmax: logit %d has mean %g and variance %g; need finite numbers and variance ≥ 0", j, mean[j], v))
		}
	}
}

// workspace is the scratch space of one computation.
type workspace struct {
	probit       probitTable
	exact        exactTable
	probitWinner probitWinner
	gumbelWinner gumbelWinner
}

// workspaces are those not in use.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// fit gives the slices the length n, with any values.
func fit(n int, all ...*[]float64) {
	for _, x := range all {
		if len(*x) != n {
			*x = make([]float64, n)
		}
	}
}
