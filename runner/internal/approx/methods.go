package approx

import (
	"maps"
	"slices"

	"closedform/baselines/meanfield"
	"closedform/core/field"
	"closedform/core/softmax"
	"closedform/runner/internal/learner"
)

// methods makes, for n classes, each approximation of the moments of the softmax
// that a manifest may name.
var methods = map[string]func(n int) softmax.Approximation{
	"probit-slope":   probitBy("slope"),
	"probit-lsq":     probitBy("lsq"),
	"probit-minimax": probitBy("minimax"),
	"exact":          always(softmax.Exact{}),
	"exact-fast":     always(softmax.Exact{Fast: true}),

	"delta":                    always(meanfield.Delta),
	"taylor":                   always(meanfield.Taylor),
	"mackay":                   always(meanfield.MacKay),
	"lu-0":                     always(meanfield.PairwiseMean),
	"lu-1":                     always(meanfield.Pairwise),
	"lu-2":                     always(meanfield.Pairwise),
	"daunizeau":                always(meanfield.Daunizeau),
	"unscented":                always(meanfield.Unscented),
	"laplace-bridge":           always(meanfield.LaplaceBridge),
	"laplace-bridge-corrected": always(meanfield.LaplaceBridgeCorrected),
	"lognormal":                always(meanfield.LogNormal),
	"lognormal-normalised":     always(meanfield.LogNormalNormalised),
	"normalised-probit":        always(meanfield.NormalizedProbit),
}

func always(a softmax.Approximation) func(int) softmax.Approximation {
	return func(int) softmax.Approximation { return a }
}

// probitBy returns the probit with ρ = ½ and the λ that the word stands for.
func probitBy(word string) func(n int) softmax.Approximation {
	const rho = 0.5
	return func(n int) softmax.Approximation {
		return softmax.Probit{Lambda: learner.Lambda{Word: word}.Value(n, rho), Rho: rho}
	}
}

// Method is the name of an approximation.
type Method string

// Methods returns all names, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// UnmarshalText reads a name.
func (m *Method) UnmarshalText(text []byte) error {
	names, i := Methods(), 0
	err := field.Unmarshal(&i, text, names)
	*m = Method(names[i])
	return err
}

// Of returns the approximation for n classes. It panics if there is none of the
// name.
func (m Method) Of(n int) softmax.Approximation { return methods[string(m)](n) }
