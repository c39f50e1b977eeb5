package mvn

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"closedform/core/gauss"
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
// correlations r_k, by the forward recursion for the density of X_{k+1} = t together with X₁ ≤
// x₁, …, X_k ≤ x_k,
//
//	f₁ = φ,  f_{k+1}(t) = ∫_{−∞}^{x_k} f_k(s) φ((t − r_k s)/w_k)/w_k ds,  w_k = √(1−r_k²).
//
// Each f_k, an entire function, is kept at the nodes of a Gauss–Legendre rule on pieces of
// three times the smallest scale of the integrand: the error is that of rounding. The cost
// grows like 1/w: if it exceeds the budget, ok is false.
func (p *problem) markov(order []int) (value float64, ok bool) {
	const budget = 3e7 // evaluations of φ
	n, end := p.n, p.reach()
	r, w := make([]float64, n), make([]float64, n)
	panel := make([]float64, n) // width of a piece
	cost, before := 0.0, 1.0
	for k := range n - 1 {
		r[k] = p.r[order[k]*n+order[k+1]]
		w[k] = math.Sqrt((1 - r[k]) * (1 + r[k]))
		panel[k], before = 3*min(before, w[k]), w[k]
		cost += 2 * end / panel[k] * 16 * 110 // some 110 nodes are within reach of a transition
	}
	if !(cost < budget) {
		return 0, false
	}
	var nodes, density []float64 // of X_k, times the weights
	for k := range n - 1 {
		t, weight := grid(-end, min(p.x[order[k]], end), panel[k])
		for i, ti := range t {
			if k == 0 {
				weight[i] *= gauss.PDF(ti)
			} else {
				weight[i] *= transition(nodes, density, ti, r[k-1], w[k-1])
			}
		}
		nodes, density = t, weight
	}
	for i, s := range nodes {
		value += density[i] * gauss.CDF((p.x[order[n-1]]-r[n-2]*s)/w[n-2])
	}
	return value, true
}

// reach bounds the size of the values of a variable or a common factor that matter: given the
// limits, its mode is at most as large as the most negative limit, and it varies less than
// without them. Φ(−8.8) = 7e-19.
func (p *problem) reach() float64 { return 8.8 - min(0, slices.Min(p.x)) }

// transition returns Σ_i density_i φ((t − r s_i)/w)/w over the nodes s_i for which φ is above
// 1e-22.
func transition(nodes, density []float64, t, r, w float64) float64 {
	a, b := (t-10*w)/r, (t+10*w)/r
	first, last := sort.SearchFloat64s(nodes, min(a, b)), sort.SearchFloat64s(nodes, max(a, b))
	var sum float64
	for i, s := range nodes[first:last] {
		sum += density[first+i] * gauss.PDF((t-r*s)/w)
	}
	return sum / w
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
