package study

import (
	"sync"

	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

// lambdaValue returns λ for n classes with correlation rho: the number of l, or
// what its word stands for.
func lambdaValue(l manifest.Lambda, n int, rho float64) float64 {
	switch l.Word {
	case "":
		return l.Number
	case "slope":
		return softmax.SlopeLambda(n, rho)
	case "lsq":
		return fitted(fit{l.Word, n, rho}, softmax.LeastSquaresLambda)
	case "minimax":
		return fitted(fit{l.Word, n, rho}, softmax.MinimaxLambda)
	}
	panic("study: no λ for the word " + l.Word)
}

// fit names a λ that is fitted, which takes far longer than to use it.
type fit struct {
	word string
	n    int
	rho  float64
}

// fits has the λ of every fit that was asked for, as a func() float64 that
// waits for it. A fit is a pure function of its name, so that cells which share
// it stay independent of each other.
var fits sync.Map

// fitted returns the λ of f, which is computed on the first call only.
func fitted(f fit, compute func(n int, rho float64) float64) float64 {
	once, _ := fits.LoadOrStore(f, sync.OnceValue(func() float64 { return compute(f.n, f.rho) }))
	return once.(func() float64)()
}
