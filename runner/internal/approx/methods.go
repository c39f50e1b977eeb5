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
var methods = map[Method]softmax.Approximation{
	"exact":                    softmax.Exact{},
	"exact-fast":               softmax.Exact{Fast: true},
	"delta":                    meanfield.Delta,
	"taylor":                   meanfield.Taylor,
	"mackay":                   meanfield.MacKay,
	"lu-0":                     meanfield.PairwiseMean,
	"lu-1":                     meanfield.Pairwise,
	"daunizeau":                meanfield.Daunizeau,
	"unscented":                meanfield.Unscented,
	"laplace-bridge":           meanfield.LaplaceBridge,
	"laplace-bridge-corrected": meanfield.LaplaceBridgeCorrected,
	"lognormal-normalised":     meanfield.LogNormal,
	"normalised-probit":        meanfield.NormalizedProbit,
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
		return a
	}
	const rho = 0.5
	lambda := learner.Lambda{Word: strings.TrimPrefix(string(m), probit)}
	return softmax.Probit{Lambda: lambda.Value(n, rho), Rho: rho}
}
