package mvn

import (
	"cmp"
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// loadings returns a with ρ_ij = a_i a_j (i ≠ j), |a_i| ≤ 1, the loadings on one common factor. abserr bounds
// the change of P if the correlations differ.
func (p *problem) loadings() (a []float64, abserr float64) {
	n, j, k := p.n, 0, 0 // X_j and X_k are the most correlated with X₀
	for l, r := range p.row(0) {
		switch r = math.Abs(r); {
		case l > 0 && (j == 0 || r > math.Abs(p.r[j])):
			j, k = l, j
		case l > 0 && (k == 0 || r > math.Abs(p.r[k])):
			k = l
		}
	}
	square := p.r[j] * p.r[k] / p.r[j*n+k] // a₀², the square of the loading of X₀
	if !(square > 0 && square < 1+1e-12) {
		return nil, math.Inf(1)
	}
	a = append(a, math.Sqrt(min(1, square)))
	for _, r := range p.row(0)[1:] {
		a = append(a, max(-1, min(1, r/a[0])))
	}
	for k := range n {
		for l := range k {
			abserr += plackettBound(p.r[k*n+l], a[k]*a[l])
		}
	}
	return a, abserr
}

// oneFactor returns P(X ≤ x) = ∫ φ(t) Π_k Φ((x_k − a_k t)/s_k) dt for X_k = a_k T + s_k Z_k, s_k = √(1−a_k²),
// with independent standard normal T and Z_k.
func (p *problem) oneFactor(a []float64) float64 {
	var limit, load []float64
	for k, x := range p.x {
		if s := math.Sqrt((1 - a[k]) * (1 + a[k])); s > 0 {
			limit, load = append(limit, x/s), append(load, a[k]/s)
		}
	}
	return p.overFactor(a, 1, 1e-15, func(t float64) float64 {
		y := gauss.PDF(t)
		for k, x := range limit {
			y *= gauss.CDF(x - load[k]*t)
		}
		return y
	})
}

// bivariate returns P(X₁ ≤ x₁, X₂ ≤ x₂) = ∫ φ(t) P(X₂ ≤ x₂ | X₁ = t) dt.
func (p *problem) bivariate() float64 {
	x, r := p.x[1], p.r[1]
	sd := math.Sqrt(math.FMA(-r, r, 1))
	return p.overFactor(p.row(0), 3, floor, func(t float64) float64 {
		return gauss.PDF(t) * gauss.CDF(math.FMA(-r, t, x)/sd)
	})
}

// conditional returns ∫ φ(t) P(X ≤ x | X_i = t) dt, where X_i has the smallest correlations.
func (p *problem) conditional() (value, abserr float64) {
	first, smallest := 0, math.Inf(1)
	for i := range p.n {
		if sum := kernel.Dot(p.row(i), p.row(i)); sum < smallest {
			first, smallest = i, sum
		}
	}
	value = p.overFactor(p.row(first), 3, floor, func(t float64) float64 {
		q, possible := p.given(first, t)
		if !possible {
			return 0
		}
		v, e := q.cdf()
		abserr = max(abserr, e)
		return gauss.PDF(t) * v
	})
	return value, abserr + floor
}

// overFactor integrates over t the density of T = t and X ≤ x, for correlations a_k of X_k with T. A variable
// with |a_k| = 1 bounds t. Pieces are at most width wide, and cut at narrow transitions.
func (p *problem) overFactor(a []float64, width, tol float64, density func(t float64) float64) (sum float64) {
	lo, hi := -p.reach(), p.reach()
	var cuts []float64
	for k, x := range p.x {
		switch a, s := a[k], math.Sqrt((1-a[k])*(1+a[k])); {
		case s > 0:
			if centre, width := x/a, s/math.Abs(a); width < 0.25 {
				cuts = append(cuts, centre-9*width, centre-3*width, centre, centre+3*width, centre+9*width)
			}
		case a > 0:
			hi = min(hi, x)
		default:
			lo = max(lo, -x)
		}
	}
	for t := lo; t < hi; t += width {
		cuts = append(cuts, t)
	}
	cuts = append(cuts, hi)
	slices.Sort(cuts)
	for _, cut := range cuts {
		if lo < cut && cut <= hi {
			sum += integrate(density, lo, cut, tol)
			lo = cut
		}
	}
	return min(1, sum)
}

// reach bounds the relevant values of a variable or common factor: given the limits, its mode is at most as
// large as the most negative limit, and Φ(−8.8) = 7e-19.
func (p *problem) reach() float64 { return 8.8 - min(0, slices.Min(p.x)) }

// chain returns an order in which the variables may be a Markov chain, ρ_ij the product of the correlations
// of neighbours between i and j. Its ends are the least correlated pair. abserr bounds the change of P.
func (p *problem) chain() (order []int, abserr float64) {
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
	falling := func(i, j int) int { return cmp.Compare(math.Abs(end[j]), math.Abs(end[i])) }
	slices.SortStableFunc(order, falling)
	for a, i := range order {
		r := 1.0
		for b := a + 1; b < n; b++ {
			r *= p.r[order[b-1]*n+order[b]]
			abserr += plackettBound(p.r[i*n+order[b]], r)
		}
	}
	return order, abserr
}

// markov returns P(X ≤ x) for a Markov chain with neighbours' correlations r_k, by the forward recursion for
// the density of X_k = t together with X₁ ≤ x₁, …, X_{k−1} ≤ x_{k−1}: f₁ = φ, f_{k+1}(t) = ∫_{−∞}^{x_k}
// f_k(s) φ((t − r_k s)/w_k)/w_k ds, w_k = √(1−r_k²), at Gauss–Kronrod nodes on pieces of three times the
// smallest w_k, to rounding error. The cost grows like 1/w²; ok is false where a w_k is below 0.1.
func (p *problem) markov(order []int) (value float64, ok bool) {
	r, w, narrowest := make([]float64, p.n), make([]float64, p.n), 1.0
	w[0] = 1 // as if X₁ followed a constant X₀ = 0: f₁ = φ
	for k := 1; k < p.n; k++ {
		r[k] = p.r[order[k-1]*p.n+order[k]]
		w[k] = math.Sqrt((1 - r[k]) * (1 + r[k]))
		narrowest = min(narrowest, w[k])
	}
	if narrowest < 0.1 {
		return 0, false
	}
	end, before, density := p.reach(), []float64{0}, []float64{1} // density: f_k at before, times the weights
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

// grid returns Gauss–Kronrod nodes and weights on pieces of [a, b] at most as wide as panel.
func grid(a, b, panel float64) (nodes, weights []float64) {
	pieces := math.Ceil((b - a) / panel)
	half := 0.5 * (b - a) / pieces
	for k := range int(pieces) {
		mid := a + half*float64(2*k+1)
		nodes, weights = append(nodes, mid), append(weights, half*centre)
		for _, node := range kronrod21 {
			nodes = append(nodes, mid-half*node.x, mid+half*node.x)
			weights = append(weights, half*node.kronrod, half*node.kronrod)
		}
	}
	return nodes, weights
}
