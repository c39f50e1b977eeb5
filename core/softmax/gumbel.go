package softmax

import (
	"math"

	"closedform/core/gauss"
)

// normalGumbel is the distribution of z + g for independent z ~ N(0, s²) and
// g ~ Gumbel(0, 1). It has no closed form but two smooth integrals,
//
//	F(x) = ∫ φ(u) exp(−e^{su−x}) du = ∫ γ(g) Φ((x−g)/s) dg,   γ(g) = e^{−g} exp(−e^{−g}).
//
// The first serves s < 1, the second s ≥ 1: the trapezoidal rule converges
// exponentially, to 1e-14 for F and its density, and relative to F in the left tail.
type normalGumbel struct {
	s            float64
	weight, node []float64 // node: e^{su} of the first integral, g of the second
	buffer       []float64 // for the nodes of the first
}

// The quantiles at which a Gumbel distribution is cut: its distribution
// function is 4e-19 at gumbelLow, one less it is 1e-14 at gumbelHigh.
const (
	gumbelLow  = -3.75
	gumbelHigh = 32
)

// set makes d the distribution with scale s ≥ 0.
func (d *normalGumbel) set(s float64) {
	d.s = s
	if s >= 1 {
		d.weight, d.node = gumbelWeight, gumbelNode
		return
	}
	const (
		cut  = 8.6 // Φ(−8.6) = 4e-18
		most = 63  // nodes, at s = 1
	)
	// The half-width of the strip where exp(−e^{su−x}) is bounded is π/2s.
	h := min(0.5, 0.28/s)
	k := int(math.Ceil(cut / h))
	m := 2*k + 1
	if d.buffer == nil {
		d.buffer = make([]float64, 2*most)
	}
	d.weight, d.node = d.buffer[:m], d.buffer[m:2*m]
	for i := range m {
		u := h * float64(i-k)
		d.weight[i], d.node[i] = h*gauss.PDF(u), math.Exp(s*u)
	}
}

// logCDF returns log F(x) and the ratio f(x)/F(x).
func (d *normalGumbel) logCDF(x float64) (log, ratio float64) {
	var cdf, pdf float64
	switch {
	case d.s == 0:
		e := math.Exp(-x)
		return -e, e
	case d.s < 1:
		e := math.Exp(-x)
		for i, q := range d.node {
			y := e * q
			c := d.weight[i] * math.Exp(-y)
			cdf += c
			pdf += y * c
		}
	default:
		r := 1 / d.s
		for i, g := range d.node {
			p, c := gauss.PDFCDF((x - g) * r)
			cdf += d.weight[i] * c
			pdf += d.weight[i] * p
		}
		pdf *= r
	}
	return math.Log(cdf), pdf / cdf
}

// gumbelNode and gumbelWeight are the rule for the second integral. The right
// tail of γ is exponential, so its nodes may move apart.
var gumbelNode, gumbelWeight = gumbelRule()

func gumbelRule() (node, weight []float64) {
	const spread, step = 4, 0.2
	var sum float64
	for nodes := sinhMesh(gumbelLow, gumbelHigh+2, spread, step/spread); nodes.more(); {
		g, dg := nodes.next()
		w := dg * math.Exp(-g-math.Exp(-g))
		node, weight = append(node, g), append(weight, w)
		sum += w
	}
	for i := range weight {
		weight[i] /= sum
	}
	return node, weight
}
