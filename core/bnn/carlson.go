package bnn

import (
	"math"

	"closedform/internal/kernel"
)

// carlson is a step of Carlson's square-root filter (1973; Bierman 1977, Ch. V.4): the lower
// triangular Cholesky factor M of I − loss hhᵀ, with loss = 1 − left, for a unit vector h.
// With τ_j = left + loss Σ_{k≥j} h_k²
//
//	M_jj = keep_j = √(τ_{j+1}/τ_j),   M_ij = h_i mix_j = −loss h_i h_j/√(τ_jτ_{j+1}).
//
// All have a length that is a multiple of four.
type carlson struct{ h, keep, mix []float64 }

func newCarlson(n int) carlson {
	return carlson{make([]float64, n), make([]float64, n), make([]float64, n)}
}

// set sets keep and mix for h.
func (m *carlson) set(left float64) {
	loss := 1 - left
	tau := left
	root, inverse := math.Sqrt(tau), 0.0
	if tau > 0 {
		inverse = 1 / root
	}
	for j := len(m.h) - 1; j >= 0; j-- {
		h := m.h[j]
		m.keep[j], m.mix[j] = 1, 0
		if h == 0 {
			continue
		}
		tau += loss * (h * h)
		next := math.Sqrt(tau)
		if next == 0 {
			continue
		}
		m.keep[j] = root / next
		m.mix[j] = -loss * h * inverse / next // 0 where nothing is left of all above
		root, inverse = next, 1/next
	}
}

// columns replaces columns j to j+3 of a lower triangular L, from row j on, by those of LM,
// when sum is what the columns after them have: it becomes Σ_{k≥j} h_k L_ik.
func (m *carlson) columns(l, sum []float64, j int) {
	kernel.Carlson4(l, sum, (*[4]float64)(m.h[j:]), (*[4]float64)(m.keep[j:]), (*[4]float64)(m.mix[j:]))
}
