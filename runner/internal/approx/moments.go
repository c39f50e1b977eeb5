// Package approx measures the errors of approximations of the moments of the softmax: it draws random
// logits, compares the moments of an approximation with the exact ones, gathers relative errors with
// their standard errors, and knows the approximations that a manifest may name.
package approx

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/learner"
)

// Logits are the independent Gaussian logits of one problem.
type Logits struct{ Mean, Variance []float64 }

// Problems is a distribution of logits: means N(0, Spread²), variances uniform on
// Variance·[1−Unequal, 1+Unequal].
type Problems struct {
	Classes                   int
	Spread, Variance, Unequal float64
}

// Draw draws the logits of a problem.
func (p Problems) Draw(rnd *rand.Rand) Logits {
	z := Logits{make([]float64, p.Classes), make([]float64, p.Classes)}
	for j := range p.Classes {
		z.Mean[j] = p.Spread * random.Normal(rnd)
		z.Variance[j] = p.Variance * (1 + p.Unequal*(2*rnd.Float64()-1))
	}
	return z
}

// Moments are p, E, Σ_y and Σ_zy. Entries that a method does not give are NaN.
type Moments struct {
	*softmax.Moments
	cov     *mat.SymDense
	cross   *mat.Dense
	largest float64 // variance of a logit, which bounds the error of Σ_zy in that of E
}

// NewMoments returns room for the moments of n classes.
func NewMoments(n int) *Moments {
	return &Moments{Moments: softmax.NewMoments(n), cov: mat.NewSymDense(n, nil), cross: mat.NewDense(n, n, nil)}
}

// Compute fills m by a.
func (m *Moments) Compute(a softmax.Approximation, z Logits) {
	a.Moments(m.Moments, z.Mean, z.Variance)
	m.largest = floats.Max(z.Variance)
	if own, ok := a.(*meanfield.Method); ok {
		own.Covariances(m.cov, m.cross, z.Mean, z.Variance)
		return
	}
	m.Cov(m.cov)
	m.Cross(m.cross, z.Variance)
}

// methods are the approximations of the moments of the softmax that a manifest may
// name, but for the probits, whose λ follows from the number of classes.
var methods = map[Method]struct {
	softmax.Approximation
	label string // in figures
}{
	"exact":                    {softmax.Exact{}, "exact"},
	"exact-fast":               {softmax.Exact{Fast: true}, "exact, by quadrature"},
	"delta":                    {meanfield.Delta, "delta method"},
	"taylor":                   {meanfield.Taylor, "Taylor"},
	"mackay":                   {meanfield.MacKay, "MacKay"},
	"lu-0":                     {meanfield.PairwiseMean, "Lu, mean"},
	"lu-1":                     {meanfield.Pairwise, "Lu"},
	"daunizeau":                {meanfield.Daunizeau, "Daunizeau"},
	"unscented":                {meanfield.Unscented, "unscented"},
	"laplace-bridge":           {meanfield.LaplaceBridge, "Laplace bridge"},
	"laplace-bridge-corrected": {meanfield.LaplaceBridgeCorrected, "Laplace bridge, corrected"},
	"lognormal-normalised":     {meanfield.LogNormal, "normalised log-normals"},
	"normalised-probit":        {meanfield.NormalizedProbit, "normalised probits"},
}

// probit begins the names of the probits with ρ = ½, which end with the word for λ.
const probit = "probit-"

// Method is the name of an approximation.
type Method string

// Methods returns all names, sorted.
func Methods() []Method {
	names := slices.Collect(maps.Keys(methods))
	for _, word := range learner.LambdaWords {
		names = append(names, probit+Method(word))
	}
	slices.Sort(names)
	return names
}

// Of returns the approximation for n classes. It panics if there is none of the name.
func (m Method) Of(n int) softmax.Approximation {
	if a, ok := methods[m]; ok {
		return a.Approximation
	}
	const rho = 0.5
	lambda := learner.Lambda{Word: strings.TrimPrefix(string(m), probit)}
	return softmax.Probit{Lambda: lambda.Value(n, rho), Rho: rho}
}

// Label returns what figures call the approximation.
func (m Method) Label() string {
	if a, ok := methods[m]; ok {
		return a.label
	}
	return "probit, " + map[string]string{"slope": "slope", "lsq": "least squares", "minimax": "minimax"}[strings.TrimPrefix(string(m), probit)]
}
