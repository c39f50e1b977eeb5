package softmax

import (
	"closedform/core/gauss"
	"closedform/internal/kernel"
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
	weight, node []float64               // node: e^{su} of the first integral, g of the second
	buffer, f, p [2 * mostGumbel]float64 // for the nodes of the first; integrands
}

// mostGumbel is the number of nodes of the first integral at s = 1.
const mostGumbel = 231

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
	// The half-width of the strip where exp(−e^{su−x}) is bounded is π/2s. Where x is far in
	// the left tail, φ(u) exp(−e^{su−x}) is centred to the left of 0 and narrower than φ.
	const below, above = 20, 8.6 // Φ(−8.6) = 4e-18
	h := min(0.25, 0.125/s)
	m := int((below+above)/h) + 2
	d.weight, d.node = d.buffer[:m], d.buffer[m:2*m]
	for i := range m {
		u := h*float64(i) - below
		d.weight[i], d.node[i] = h*gauss.PDF(u), kernel.Exp(s*u)
	}
}

// logCDF returns log F(x) and the ratio f(x)/F(x).
func (d *normalGumbel) logCDF(x float64) (log, ratio float64) {
	var cdf, pdf float64
	f, p := d.f[:len(d.node)], d.p[:len(d.node)]
	switch {
	case d.s == 0:
		e := kernel.Exp(-x)
		return -e, e
	case d.s < 1:
		e := kernel.Exp(-x)
		for i, q := range d.node {
			f[i] = -e * q
		}
		kernel.ExpAll(f, f)
		cdf = kernel.Dot(d.weight, f)
		for i, q := range d.node {
			f[i] *= e * q
		}
		pdf = kernel.Dot(d.weight, f)
	default:
		r := 1 / d.s
		for i, g := range d.node {
			f[i] = (x - g) * r
		}
		kernel.PDFCDF(p, f, f)
		cdf, pdf = kernel.Dot(d.weight, f), kernel.Dot(d.weight, p)*r
	}
	return kernel.Log(cdf), pdf / cdf
}

// gumbelNode and gumbelWeight are the rule for the second integral. The right
// tail of γ is exponential, so its nodes may move apart.
var gumbelNode, gumbelWeight = gumbelRule()

func gumbelRule() (node, weight []float64) {
	const spread, step = 4, 0.2
	var sum float64
	for nodes := sinhMesh(gumbelLow, gumbelHigh+2, spread, step/spread); nodes.more(); {
		g, dg := nodes.next()
		w := dg * kernel.Exp(-g-kernel.Exp(-g))
		node, weight = append(node, g), append(weight, w)
		sum += w
	}
	for i := range weight {
		weight[i] /= sum
	}
	return node, weight
}
