package lambdafit

import (
	"math"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Max returns the largest |e_j| in the box.
//
// The search is over the logits where all classes but j have at most two values between them. Maximising
// over all n logits freely has found nothing larger (TestMaxIsTheLargest).
func (b Box) Max(p softmax.Probit) float64 {
	f := newFinder(b, p)
	return f.largest(f.worst())
}

// contrast is a point of the box up to a constant added to all logits: k classes
// are above class j by x, all others by y.
type contrast struct {
	k    int
	x, y float64
}

// inside tells whether some constant brings the logits into the box.
func (b Box) inside(c contrast) bool {
	return max(c.x, c.y, 0)-min(c.x, c.y, 0) <= 2*b.Half
}

// finder evaluates e_j for one probit. Its nodes t are those of the common noise √ρ ε_0.
type finder struct {
	Box
	p         softmax.Probit
	own       float64 // √(1−ρ)
	t, weight []float64
}

func newFinder(b Box, p softmax.Probit) *finder {
	common, own := math.Sqrt(p.Rho), math.Sqrt(1-p.Rho)
	h := b.step() * min(1, own/common)
	half := int(reach/h) + 1
	f := &finder{b, p, own, make([]float64, 2*half+1), make([]float64, 2*half+1)}
	for i := range f.t {
		x := h * float64(i-half)
		f.t[i], f.weight[i] = common*x, h*gauss.PDF(x)
	}
	return f
}

// logCDF returns the logarithm of the probability at each node that a class above class j by x has the
// smaller utility.
func (f *finder) logCDF(x float64) []float64 {
	out := make([]float64, len(f.t))
	for i, t := range f.t {
		out[i] = gauss.LogCDF((t - f.p.Lambda*x) / f.own)
	}
	return out
}

// difference returns e_j at c, where x and y are logCDF of c.x and c.y.
func (f *finder) difference(c contrast, x, y []float64) float64 {
	k, l := float64(c.k), float64(f.Classes-1-c.k)
	var probit float64
	for i, w := range f.weight {
		probit += w * kernel.Exp(k*x[i]+l*y[i])
	}
	top := max(0, c.x, c.y)
	return kernel.Exp(-top)/(kernel.Exp(-top)+k*kernel.Exp(c.x-top)+l*kernel.Exp(c.y-top)) - probit
}

// largest returns the largest |e_j| of the contrasts.
func (f *finder) largest(contrasts []contrast) float64 {
	var worst float64
	for _, c := range contrasts {
		worst = max(worst, math.Abs(f.difference(c, f.logCDF(c.x), f.logCDF(c.y))))
	}
	return worst
}

// worst returns local maxima of |e_j|, for every k at most one for either sign of x, y and e_j.
func (f *finder) worst() (out []contrast) {
	const (
		spacing = 0.4  // of a grid of logits, on which e_j is smooth
		share   = 0.75 // of the largest that is worth a climb
	)
	grid := int(math.Ceil(2 * f.Half / spacing))
	logits, logCDF := make([]float64, 2*grid+1), make([][]float64, 2*grid+1)
	for i := range logits {
		logits[i] = 2 * f.Half * float64(i-grid) / float64(grid)
		logCDF[i] = f.logCDF(logits[i])
	}
	type peak struct {
		contrast
		e float64
	}
	var peaks []peak
	largest := 0.0
	for k := 0; k <= (f.Classes-1)/2; k += 1 + k/16 {
		var best [8]peak
		for i, x := range logits {
			for j, y := range logits {
				c := contrast{k, x, y}
				if !f.inside(c) || k == 0 && i != j {
					continue
				}
				e := f.difference(c, logCDF[i], logCDF[j])
				octant := 0 // the signs of x, y and e
				for bit, v := range [...]float64{x, y, e} {
					if v < 0 {
						octant |= 1 << bit
					}
				}
				if q := &best[octant]; math.Abs(e) > math.Abs(q.e) {
					*q = peak{c, e}
					largest = max(largest, math.Abs(e))
				}
			}
		}
		peaks = append(peaks, best[:]...)
	}
	for _, q := range peaks {
		if math.Abs(q.e) > share*largest {
			out = append(out, f.climb(q.contrast, math.Copysign(1, q.e)))
		}
	}
	return out
}

// climb returns the contrast near c where sign·e_j is largest.
func (f *finder) climb(c contrast, sign float64) contrast {
	at := func(v []float64) contrast { return contrast{c.k, v[0], v[len(v)-1]} }
	objective := func(v []float64) float64 {
		c := at(v)
		if !f.inside(c) {
			return 1
		}
		return -sign * f.difference(c, f.logCDF(c.x), f.logCDF(c.y))
	}
	start := []float64{c.x, c.y}
	if c.k == 0 {
		start = start[1:]
	}
	return at(simplex(objective, start, 0.1*f.Half))
}
