package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"closedform/core/gauss"
)

// generator is the generating vector of an embedded lattice rule: for 2^m points,
// m ≤ 18, coordinate j of point k is the fractional part of k·generator_j/2^m. It
// was constructed component by component (Cools, Kuo and Nuyens 2006), each the
// best of 1200 random candidates for the worst of m = 8 … 18, by the error in the
// Korobov space of smoothness 1 with product weights 0.7/(1+j), relative to the
// best candidate for that m.
var generator = [...]uint32{
	1, 93327, 11815, 241365, 152993, 24527, 130367, 242623, 87957, 147179,
	160759, 209085, 75273, 205479, 257403, 184411, 76069, 6187, 198101, 231845,
	243741, 206095, 55329, 142041, 88135, 156217, 146069, 247945, 42085,
	164761, 116323, 85163, 47947, 157209, 30967, 86609, 214263, 220483, 245835,
	66917, 183631, 210333, 53009, 85863, 32309, 63087, 136207, 38997, 196911,
	140375, 175971, 52045, 152643, 259097, 62069, 50001, 204371, 30251, 57133,
	92835, 177395, 38701, 154821, 87989, 40949, 202625, 161001, 49699, 210785,
	210301, 103257, 166831, 66127, 213601, 257547, 68379, 222121, 221759,
	235803, 2349, 236577, 171681, 183801, 98877, 222683, 214115, 100885,
	234169, 31955, 200017, 255163, 228067, 231643, 55053, 214789, 112425,
	156799, 195565, 194907, 5089,
}

const (
	shifts   = 12 // shifted copies of the lattice, from which the error is estimated
	minLevel = 10 // 2^10 points at least
	maxLevel = 18
)

// lanes are the values of one variable at the same point of all shifted copies.
type lanes [shifts]float64

// lattice returns P(X ≤ x) by separation of variables (Genz 1992): with u uniform
// in the unit cube, y_k = μ_k + Φ⁻¹(u_k Φ(b_k(y) − μ_k)), P is the mean of the
// weight exp ψ(y; μ) (see [tilt]). The mean is taken over a lattice, made periodic
// by periodic, and over shifts of it, whose scatter gives the error. The points
// double until it is small enough or the work too much.
func (p *problem) lattice() (value, abserr float64) {
	const (
		target = 1e-7
		safety = 6   // standard errors
		work   = 1e7 // values of variables
	)
	if p.n > len(generator) {
		panic(fmt.Sprintf("mvn: %d dependent variables without a structure that helps; need at most %d", p.n, len(generator)))
	}
	s := p.sequence()
	w := newWalk(s)
	if w.psi < underflow {
		return 0, s.abserr
	}
	var sum lanes
	for level := minLevel; ; level++ {
		points := 1 << level
		// The points that are not in the lattice of the level before.
		first, stride := 0, 1
		if level > minLevel {
			first, stride = 1, 2
		}
		for k := first; k < points; k += stride {
			v := w.weight(uint32(k), level)
			for i := range sum {
				sum[i] += v[i]
			}
		}
		var mean, square float64
		for _, v := range sum {
			mean += v / (shifts * float64(points))
		}
		for _, v := range sum {
			d := v/float64(points) - mean
			square += d * d
		}
		size := math.Exp(w.psi)
		value = min(1, size*mean)
		abserr = s.abserr + safety*size*math.Sqrt(square/(shifts*(shifts-1))) + 1e-14
		if abserr < target || level == maxLevel || float64(2*points*shifts*len(s.own)) > work {
			return value, abserr
		}
	}
}

// walk draws the variables of a sequence one after the other.
type walk struct {
	*sequence
	*tilt
	y     []lanes
	shift []lanes
	sine  bool // the transformation that makes the integrand periodic
}

func newWalk(s *sequence) *walk {
	n := len(s.own)
	w := &walk{sequence: s, tilt: s.tilt(), y: make([]lanes, n), shift: make([]lanes, n), sine: n <= 7}
	rnd := rand.New(rand.NewPCG(2301, 13401))
	for j := range w.shift {
		for i := range w.shift[j] {
			w.shift[j][i] = rnd.Float64()
		}
	}
	return w
}

// weight returns exp(ψ(y; μ) − ψ at the saddle point) at point k of 2^level in all
// shifted copies.
func (w *walk) weight(k uint32, level int) (weight lanes) {
	var exponent lanes
	for i := range weight {
		weight[i] = 1
	}
	unit := 1 / float64(uint32(1)<<level)
	last := len(w.own) - 1 // drawn by no coordinate, only integrated
	for j := range w.own {
		upper := w.own[j].lanes(w.y)
		var extra []bound
		if w.extra != nil {
			extra = w.extra[j]
		}
		// The coordinate before the shift.
		u := float64((k*generator[j])&(1<<level-1)) * unit
		mu, centre, scale := w.mean[j], w.centre[j], w.scale[j]
		if len(extra) == 0 {
			for i, b := range upper {
				mass := gauss.CDF(b - mu)
				weight[i] *= mass * scale
				if j < last {
					v, dv := w.periodic(u + w.shift[j][i])
					y := mu + quantile(v*mass)
					weight[i] *= dv
					exponent[i] -= mu * (y - centre)
					w.y[j][i] = y
				}
			}
			continue
		}
		lower := fill(math.Inf(-1))
		for e := range extra {
			limit := extra[e].lanes(w.y)
			for i, b := range limit {
				if extra[e].below {
					lower[i] = max(lower[i], b)
				} else {
					upper[i] = min(upper[i], b)
				}
			}
		}
		for i := range upper {
			v, dv := w.periodic(u + w.shift[j][i])
			if j == last {
				dv = 1
			}
			mass, y := between(lower[i], upper[i], v)
			weight[i] *= mass * scale * dv
			w.y[j][i] = y
		}
	}
	for i, e := range exponent {
		if e != 0 {
			weight[i] *= math.Exp(e)
		}
	}
	return weight
}

func fill(v float64) (all lanes) {
	for i := range all {
		all[i] = v
	}
	return all
}

// lanes returns the bound given the values before, in all lanes.
func (b *bound) lanes(y []lanes) lanes {
	v := fill(b.limit)
	for j, c := range b.coef {
		yj := &y[j]
		for i := range v {
			v[i] -= c * yj[i]
		}
	}
	return v
}

// periodic maps u in [0, 2), taken modulo 1, to v in [0, 1] and returns the weight
// dv with which the integral over v is one over u of a periodic function. In few
// dimensions it is v = u − sin(2πu)/2π (Sidi 1993), which makes the derivatives
// vanish at the ends and the lattice rule converge fast. Its weights 1 − cos 2πu
// multiply up with the dimension; in more it is v = |2u − 1| (Hickernell 2002), of
// weight 1.
func (w *walk) periodic(u float64) (v, dv float64) {
	if u >= 1 {
		u--
	}
	if !w.sine {
		return math.Abs(2*u - 1), 1
	}
	sin, cos := math.Sincos(2 * math.Pi * u)
	return u - sin/(2*math.Pi), 1 - cos
}

// quantile returns Φ⁻¹(p), finite for p = 0 and 1.
func quantile(p float64) float64 {
	return mathext.NormalQuantile(min(max(p, 1e-300), 1-epsilon/2))
}

// between returns the probability of [a, b] and the value below which the share u
// of it lies. It is 0 if a ≥ b.
func between(a, b, u float64) (mass, y float64) {
	switch {
	case !(a < b):
		return 0, 0
	case a > 0: // in the lower tail, where Φ keeps its digits
		mass, y = between(-b, -a, 1-u)
		return mass, -y
	}
	low := gauss.CDF(a)
	mass = gauss.CDF(b) - low
	return mass, quantile(low + u*mass)
}
