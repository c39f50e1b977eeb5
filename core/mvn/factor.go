package mvn

import (
	"math"
	"slices"

	"closedform/core/gauss"
)

// loadings returns a with ρ_ij = a_i a_j (i ≠ j) and |a_i| ≤ 1, the loadings of the variables
// on one common factor, if there are such to rounding. abserr bounds what the difference
// contributes to the probability.
func (p *problem) loadings() (a []float64, abserr float64, ok bool) {
	n, j, k := p.n, 0, 0 // X_j and X_k are the most correlated with X₀
	for l, r := range p.row(0) {
		switch r = math.Abs(r); {
		case l > 0 && (j == 0 || r > math.Abs(p.r[j])):
			j, k = l, j
		case l > 0 && (k == 0 || r > math.Abs(p.r[k])):
			k = l
		}
	}
	square := p.r[j] * p.r[k] / p.r[j*n+k] // a₀²
	if !(square > 0 && square < 1+1e-12) {
		return nil, 0, false
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
	return a, abserr, abserr < recognised
}

// oneFactor returns P(X ≤ x) for X_k = a_k T + s_k Z_k, s_k = √(1−a_k²), with independent
// standard normal T and Z_k,
//
//	P = ∫ φ(t) Π_k Φ((x_k − a_k t)/s_k) dt.
//
// A variable with s_k = 0 bounds t instead. The integral is adaptive on pieces at most 1 wide.
// It is cut at narrow transitions, which the adaptive rule would miss between its nodes.
func (p *problem) oneFactor(a []float64) float64 {
	lo, hi := -p.reach(), p.reach()
	var cuts, limit, load []float64
	for k, x := range p.x {
		a, s := a[k], math.Sqrt((1-a[k])*(1+a[k]))
		switch {
		case s > 0:
			limit, load = append(limit, x/s), append(load, a/s)
			if centre, width := x/a, s/math.Abs(a); width < 0.25 {
				cuts = append(cuts, centre-9*width, centre-3*width, centre, centre+3*width, centre+9*width)
			}
		case a > 0:
			hi = min(hi, x)
		default:
			lo = max(lo, -x)
		}
	}
	density := func(t float64) float64 {
		y := gauss.PDF(t)
		for k, x := range limit {
			y *= gauss.CDF(x - load[k]*t)
		}
		return y
	}
	for t := lo; t < hi; t++ {
		cuts = append(cuts, t)
	}
	cuts = append(cuts, hi)
	slices.Sort(cuts)
	var sum float64
	for _, cut := range cuts {
		if lo < cut && cut <= hi {
			sum += integrate(density, lo, cut, 1e-15)
			lo = cut
		}
	}
	return sum
}

// reach bounds the size of the values of a variable or a common factor that matter: given the
// limits, its mode is at most as large as the most negative limit, and it varies less than
// without them. Φ(−8.8) = 7e-19.
func (p *problem) reach() float64 { return 8.8 - min(0, slices.Min(p.x)) }
