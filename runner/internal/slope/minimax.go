package slope

import (
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// contrast is a point of the box: k classes are above class j by x, all others by y. Maximising |e_j| over
// all n logits has found nothing larger (TestLargestInBox).
type contrast struct {
	k    int
	x, y float64
}

func (c contrast) near(o contrast) bool { return c.k == o.k && kernel.Hypot(c.x-o.x, c.y-o.y) < 0.01 }

// extremes finds the contrasts with the largest probit error. Its nodes t are of the common noise √ρ ε_0.
type extremes struct {
	n         int
	sd        float64 // √(1−ρ)
	t, weight []float64
	log       map[float64][]float64 // cache: log Φ((t − λx)/sd) at all t, by λx, for one search
}

func newExtremes(n int, rho float64) *extremes {
	s := &extremes{n: n, sd: math.Sqrt(1 - rho), log: map[float64][]float64{}}
	h := step(n) * min(1, s.sd/math.Sqrt(rho))
	for i, last := 0, int(reach/h)+1; i <= 2*last; i++ {
		x := h * float64(i-last)
		s.t, s.weight = append(s.t, math.Sqrt(rho)*x), append(s.weight, h*gauss.PDF(x))
	}
	return s
}

// logCDF caches its results, as a search looks at the same x with many y and k.
func (s *extremes) logCDF(shift float64) []float64 {
	if s.log[shift] == nil {
		log := make([]float64, len(s.t))
		for i, t := range s.t {
			log[i] = gauss.LogCDF((t - shift) / s.sd)
		}
		s.log[shift] = log
	}
	return s.log[shift]
}

// errorAt returns e_j at a contrast, and 0 outside of the box.
func (s *extremes) errorAt(lambda float64, c contrast) float64 {
	top := max(0, c.x, c.y)
	if top-min(0, c.x, c.y) > 2*half {
		return 0
	}
	k, l := float64(c.k), float64(s.n-1-c.k)
	x, y, p, probit := s.logCDF(lambda*c.x), s.logCDF(lambda*c.y), make([]float64, len(s.t)), 0.
	for i := range p {
		p[i] = k*x[i] + l*y[i]
	}
	kernel.ExpAll(p, p)
	for i, w := range s.weight {
		probit += w * p[i]
	}
	return kernel.Exp(-top)/(kernel.Exp(-top)+k*kernel.Exp(c.x-top)+l*kernel.Exp(c.y-top)) - probit
}

func (s *extremes) largest(lambda float64, contrasts []contrast) (worst float64) {
	for _, c := range contrasts {
		worst = max(worst, math.Abs(s.errorAt(lambda, c)))
	}
	return worst
}

// minimax minimises the largest error by exchange, from log λ: fit λ to contrasts, add the worst, repeat.
func (s *extremes) minimax(log float64) float64 {
	set := s.search(kernel.Exp(log))
	for range 20 {
		log = minimum(func(log float64) float64 { return s.largest(kernel.Exp(log), set) }, log)
		worst := s.search(kernel.Exp(log))
		if s.largest(kernel.Exp(log), worst) <= s.largest(kernel.Exp(log), set)*(1+1e-9) {
			break
		}
		set = append(set, worst...)
	}
	return kernel.Exp(log)
}

// search climbs from a coarse grid, and returns the local maxima of |e_j| that are nearly the largest.
func (s *extremes) search(lambda float64) (out []contrast) {
	const share = 0.9 // share of the largest error from which a maximum is returned
	clear(s.log)
	for k := 0; k <= (s.n-1)/2; k += 1 + k/16 {
		for x := -5.0; x <= 5; x += 2.5 {
			for y := -5.0; y <= 5; y += 2.5 {
				c := s.climb(lambda, contrast{k, x, y})
				if !slices.ContainsFunc(out, c.near) {
					out = append(out, c)
				}
			}
		}
	}
	enough := share * s.largest(lambda, out)
	return slices.DeleteFunc(out, func(c contrast) bool { return math.Abs(s.errorAt(lambda, c)) < enough })
}

func (s *extremes) climb(lambda float64, c contrast) contrast {
	best := math.Abs(s.errorAt(lambda, c))
	for step := 1.0; step > 1e-6; {
		from := c
		for _, d := range [][2]float64{{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}, {-1, -1}} {
			next := contrast{c.k, c.x + step*d[0], c.y + step*d[1]}
			if e := math.Abs(s.errorAt(lambda, next)); e > best {
				c, best = next, e
			}
		}
		if c == from {
			step /= 2
		}
	}
	return c
}
