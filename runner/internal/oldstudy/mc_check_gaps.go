package study

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	store "closedform/runner/internal/oldstore"
)

// gapsTable is the table of what is approximate by construction: the paper's
// Σ_y = diag(p) − ppᵀ − L and Σ_zy = diag(v) L with p and E of the probit (slope-
// matched λ, ρ = ½), against the covariances of the softmax itself and of the
// probit function itself. The relative gap is that to |mc|, where mc is at least
// three standard errors away from zero. Row i, column j of a matrix, from 1.
var gapsTable = store.Table{Name: "gaps", Header: []string{
	"formula", "classes", "rho", "case", "matrix", "of", "i", "j", "value", "mc", "se", "gap", "relative_gap",
}}

// gap returns the fields of a row of gapsTable after the first four.
func (s mcScore) gap() []string {
	gap := s.value - s.mc
	relative := gap / math.Abs(s.mc)
	if !(math.Abs(s.mc) >= 3*s.se) {
		relative = math.NaN()
	}
	return []string{
		s.quantity, s.of, strconv.Itoa(s.i), strconv.Itoa(s.j), store.Float(s.value), store.Float(s.mc), store.Float(s.se),
		store.Float(gap), gapped(relative),
	}
}

// mcCovariance measures how far the paper's approximations of the covariances
// are from what they approximate.
func mcCovariance(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error) {
	p := softmax.Probit{Lambda: in.lambda, Rho: mcCovarianceRho}
	return mcCovarianceProblem(p, in.logits, s.rand("samples")).estimate(ctx, s.Samples)
}

// mcCovarianceRho is the ρ at which the probit function is a distribution: its
// values add up to one.
const mcCovarianceRho = 0.5

// mcCovarianceProblem samples the covariances of the softmax s and of the probit
// function y. A value of y is an integral over noise; the product of two is the
// expectation over independent noises of the product of Y(ε₀) and Y(ε₀'), see
// mcProbitFunction. All is centred at the exact means, so that a mean of
// products is a covariance.
func mcCovarianceProblem(p softmax.Probit, z logits, rnd *rand.Rand) mcProblem {
	n := len(z.mean)
	probit, exact := softmax.NewMoments(n), softmax.NewMoments(n)
	p.Moments(probit, z.mean, z.variance)
	softmax.Exact{}.Moments(exact, z.mean, z.variance)
	var y mat.SymDense
	var zy mat.Dense
	probit.Cov(&y)
	probit.Cross(&zy, z.variance)

	var problem mcProblem
	for _, of := range []string{"softmax", "probit"} {
		for i := range n {
			for j := i; j < n; j++ {
				problem.scores = append(problem.scores, mcScore{quantity: "sigma_y", of: of, i: i + 1, j: j + 1, value: y.At(i, j)})
			}
		}
		for i := range n {
			for j := range n {
				problem.scores = append(problem.scores, mcScore{quantity: "sigma_zy", of: of, i: i + 1, j: j + 1, value: zy.At(i, j)})
			}
		}
	}
	draw, f := newMCLogits(z), newMCProbitFunction(p, n)
	s, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
	problem.sample = func(x []float64) {
		draw.next(rnd)
		f.values(a, nil, draw.z, rnd.NormFloat64())
		f.values(b, nil, draw.z, rnd.NormFloat64())
		mcSoftmaxValue(s, draw.z)
		for j := range n {
			s[j] -= exact.P[j]
			a[j] -= probit.P[j]
			b[j] -= probit.P[j]
		}
		x = mcProducts(x, draw.d, s, s)
		mcProducts(x, draw.d, a, b)
	}
	return problem
}

// mcProducts sets the front of x to the products that make up Σ_y and Σ_zy, for
// two independent estimates a and b of one centred y, and returns the rest of x.
func mcProducts(x, d, a, b []float64) []float64 {
	for i := range a {
		for j := i; j < len(a); j++ {
			x[0] = (a[i]*b[j] + b[i]*a[j]) / 2
			x = x[1:]
		}
	}
	for i := range a {
		for j := range a {
			x[0] = d[i] * (a[j] + b[j]) / 2
			x = x[1:]
		}
	}
	return x
}

// mcSoftmaxValue sets s to the softmax of z.
func mcSoftmaxValue(s, z []float64) {
	top := math.Inf(-1)
	for _, x := range z {
		top = max(top, x)
	}
	var sum float64
	for j, x := range z {
		s[j] = math.Exp(x - top)
		sum += s[j]
	}
	for j := range s {
		s[j] /= sum
	}
}
