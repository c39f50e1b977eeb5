package study

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/meanfield"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

// methods makes, for n classes, each approximation of the moments of the softmax
// that a manifest may name.
var methods = map[string]func(n int) softmax.Approximation{
	"probit-slope":   probitBy("slope"),
	"probit-lsq":     probitBy("lsq"),
	"probit-minimax": probitBy("minimax"),
	"exact":          always(softmax.Exact{}),
	"exact-fast":     always(softmax.Exact{Fast: true}),

	"delta":                    always(meanfield.Delta{}),
	"taylor":                   always(meanfield.Taylor{}),
	"mackay":                   always(meanfield.MacKay{}),
	"lu-0":                     always(meanfield.Pairwise{Order: 0}),
	"lu-1":                     always(meanfield.Pairwise{Order: 1}),
	"lu-2":                     always(meanfield.Pairwise{Order: 2}),
	"daunizeau":                always(meanfield.Daunizeau{}),
	"unscented":                always(meanfield.Unscented{}),
	"laplace-bridge":           always(meanfield.LaplaceBridge{}),
	"laplace-bridge-corrected": always(meanfield.LaplaceBridge{Correct: true}),
	"lognormal":                always(meanfield.LogNormal{}),
	"lognormal-normalised":     always(meanfield.LogNormal{Normalise: true}),
	// With the slope of the softmax at the origin: the logits are the softmax's.
	"normalised-probit": always(meanfield.NormalizedProbit{Lambda: math.Sqrt(math.Pi / 2)}),
}

var methodNames = slices.Sorted(maps.Keys(methods))

func always(a softmax.Approximation) func(int) softmax.Approximation {
	return func(int) softmax.Approximation { return a }
}

// probitBy returns the probit with ρ = ½ and the λ that the word stands for.
func probitBy(word string) func(n int) softmax.Approximation {
	const rho = 0.5
	return func(n int) softmax.Approximation {
		return softmax.Probit{Lambda: lambdaValue(manifest.Lambda{Word: word}, n, rho), Rho: rho}
	}
}

// fullMoments are p, Σ_y and Σ_zy. Entries that a method does not give are NaN.
type fullMoments struct {
	*softmax.Moments
	cov     *mat.SymDense
	cross   *mat.Dense
	largest float64 // variance of a logit, which bounds the error of Σ_zy in that of E
}

func newFullMoments(n int) *fullMoments {
	return &fullMoments{Moments: softmax.NewMoments(n), cov: mat.NewSymDense(n, nil), cross: mat.NewDense(n, n, nil)}
}

// compute fills m by a.
func (m *fullMoments) compute(a softmax.Approximation, z logits) {
	a.Moments(m.Moments, z.mean, z.variance)
	m.largest = floats.Max(z.variance)
	if own, ok := a.(meanfield.Covariances); ok {
		own.Cov(m.cov, z.mean, z.variance)
		own.Cross(m.cross, z.mean, z.variance)
		return
	}
	m.Cov(m.cov)
	m.Cross(m.cross, z.variance)
}
