package mvn

import (
	"math"
	"sort"

	"closedform/core/gauss"
)

// chain returns an order of the variables in which they are a Markov chain,
// ρ_ij = Π of the correlations of neighbours between i and j, and a bound of what
// the difference contributes to the probability, if there is such an order: the
// ends are the least correlated pair, and correlations with an end fall.
func (p *problem) chain() (order []int, abserr float64, ok bool) {
	n := p.n
	first, smallest := 0, math.Inf(1)
	for i := range n {
		for j := range i {
			if r := math.Abs(p.r[i*n+j]); r < smallest {
				first, smallest = j, r
			}
		}
	}
	order = make([]int, n)
	for i := range order {
		order[i] = i
	}
	end := p.row(first)
	sort.SliceStable(order, func(i, j int) bool { return math.Abs(end[order[i]]) > math.Abs(end[order[j]]) })
	for a := range order {
		r, gap := 1.0, 0.0 // 1 − |r|
		for b := a + 1; b < n; b++ {
			next := p.r[order[b-1]*n+order[b]]
			r, gap = r*next, gap+(1-gap)*(1-math.Abs(next))
			abserr += productBound(p.r[order[a]*n+order[b]], r, gap)
		}
	}
	return order, abserr, abserr < recognised
}

// markov returns P(X ≤ x) for a Markov chain X₁, X₂, … (in the given order) with
// neighbours' correlations r_k, by the forward recursion for the density of
// X_{k+1} = t together with X₁ ≤ x₁, …, X_k ≤ x_k,
//
//	f₁ = φ,  f_{k+1}(t) = ∫_{−∞}^{x_k} f_k(s) φ((t − r_k s)/w_k)/w_k ds,  w_k = √(1−r_k²).
//
// Each f_k, an entire function, is kept at the nodes of a Gauss–Legendre rule on
// pieces of three times the smallest scale of the integrand: the error is that of
// rounding. The cost grows like 1/w: if it exceeds the budget, ok is false.
func (p *problem) markov(order []int) (value float64, ok bool) {
	const (
		reach  = 8.8 // Φ(−8.8) = 7e-19
		budget = 3e7 // evaluations of φ
	)
	n := p.n
	// Given the limits, a variable's most probable value is at most as large as
	// the most negative limit, and it varies less than without them.
	lowest := 0.0
	for _, x := range p.x {
		lowest = min(lowest, x)
	}
	r, w := make([]float64, n), make([]float64, n)
	cost, before := 0.0, 1.0
	for k := range n - 1 {
		r[k] = p.r[order[k]*n+order[k+1]]
		w[k] = math.Sqrt((1 - r[k]) * (1 + r[k]))
		// Some 110 nodes are within reach of a transition.
		cost += 2 * (reach - lowest) / (3 * min(before, w[k])) * 16 * 110
		before = w[k]
	}
	if !(cost < budget) {
		return 0, false
	}
	var nodes, density []float64 // of X_k, times the weights
	before = 1
	for k := range n - 1 {
		x := p.x[order[k]]
		panel := 3 * min(before, w[k])
		t, weight := grid(lowest-reach, min(x, reach-lowest), panel)
		for i, ti := range t {
			if k == 0 {
				weight[i] *= gauss.PDF(ti)
			} else {
				weight[i] *= transition(nodes, density, ti, r[k-1], w[k-1])
			}
		}
		nodes, density, before = t, weight, w[k]
	}
	last, k := p.x[order[n-1]], n-2
	for i, s := range nodes {
		value += density[i] * gauss.CDF((last-r[k]*s)/w[k])
	}
	return value, true
}

// transition returns Σ_i density_i φ((t − r s_i)/w)/w over the nodes s_i for which
// φ is above 1e-22.
func transition(nodes, density []float64, t, r, w float64) float64 {
	const reach = 10
	lo, hi := (t-reach*w)/r, (t+reach*w)/r
	if r < 0 {
		lo, hi = hi, lo
	}
	first, last := sort.SearchFloat64s(nodes, lo), sort.SearchFloat64s(nodes, hi)
	var sum float64
	for i, s := range nodes[first:last] {
		sum += density[first+i] * gauss.PDF((t-r*s)/w)
	}
	return sum / w
}

// grid returns increasing nodes and weights of the 16-point Gauss–Legendre rule on
// equal pieces of [a, b], at most as wide as panel.
func grid(a, b, panel float64) (nodes, weights []float64) {
	pieces := int(math.Ceil((b - a) / panel))
	const m = 16
	nodes, weights = make([]float64, m*pieces), make([]float64, m*pieces)
	width := (b - a) / float64(pieces)
	for k := range pieces {
		for i, node := range legendre[m] {
			nodes[m*k+i], weights[m*k+i] = a+width*(float64(k)+node.x), width*node.w
		}
	}
	return nodes, weights
}
