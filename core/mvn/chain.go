package mvn

import (
	"cmp"
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// chain returns an order of the variables in which they are a Markov chain, ρ_ij the product of
// the correlations of neighbours between i and j, if there is one to rounding: the least
// correlated pair are the ends, and correlations with an end fall. abserr bounds what the
// difference contributes to the probability.
func (p *problem) chain() (order []int, abserr float64, ok bool) {
	n, first := p.n, 0
	for l, r := range p.r {
		if math.Abs(r) < math.Abs(p.r[first]) {
			first = l
		}
	}
	end := p.row(first / n)
	for i := range n {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(end[j]), math.Abs(end[i])) })
	for a, i := range order {
		r := 1.0
		for b := a + 1; b < n; b++ {
			r *= p.r[order[b-1]*n+order[b]]
			abserr += plackettBound(p.r[i*n+order[b]], r)
		}
	}
	return order, abserr, abserr < recognised
}

// markov returns P(X ≤ x) for a Markov chain X₁, X₂, … (in the given order) with neighbours'
// correlations r_k, by the forward recursion for the density of X_k = t together with X₁ ≤ x₁, …,
// X_{k−1} ≤ x_{k−1},
//
//	f₁ = φ,  f_{k+1}(t) = ∫_{−∞}^{x_k} f_k(s) φ((t − r_k s)/w_k)/w_k ds,  w_k = √(1−r_k²).
//
// Each f_k, an entire function, is kept at the nodes of a Gauss–Legendre rule on pieces of three
// times the smallest w_k: the error is that of rounding. The cost grows like 1/w²; ok is false
// where a w_k is below 0.1.
func (p *problem) markov(order []int) (value float64, ok bool) {
	r, w, narrowest := make([]float64, p.n), make([]float64, p.n), 1.0
	w[0] = 1 // f₁ is φ, from a certain X₀ = 0
	for k := 1; k < p.n; k++ {
		r[k] = p.r[order[k-1]*p.n+order[k]]
		w[k] = math.Sqrt((1 - r[k]) * (1 + r[k]))
		narrowest = min(narrowest, w[k])
	}
	if narrowest < 0.1 {
		return 0, false
	}
	end, before, density := p.reach(), []float64{0}, []float64{1} // times the weights
	for k, i := range order {
		t, weight := grid(-end, min(p.x[i], end), 3*narrowest)
		for a, t := range t {
			var sum float64
			for b, s := range before {
				sum += density[b] * gauss.PDF((t-r[k]*s)/w[k])
			}
			weight[a] *= sum / w[k]
		}
		before, density = t, weight
	}
	return kernel.Sum(density), true
}

// grid returns increasing nodes and weights of the 16-point Gauss–Legendre rule on equal pieces
// of [a, b], at most as wide as panel.
func grid(a, b, panel float64) (nodes, weights []float64) {
	pieces := math.Ceil((b - a) / panel)
	width := (b - a) / pieces
	for k := range int(pieces) {
		for _, node := range legendre[16] {
			nodes, weights = append(nodes, a+width*(float64(k)+node.x)), append(weights, width*node.w)
		}
	}
	return nodes, weights
}
