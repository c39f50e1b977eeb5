package approx

import (
	"maps"
	"slices"
	"strings"

	"closedform/baselines/moments/meanfield"
	"closedform/core/softmax"
	"closedform/runner/internal/learner"
)

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
