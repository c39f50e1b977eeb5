package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mathext"

	"closedform/core/gauss"
)

// generator is the generating vector of an embedded lattice rule: for 2^m points,
// m ≤ 20, coordinate j of point k is the fractional part of k·generator_j/2^m. It
// was constructed component by component (Cools, Kuo and Nuyens 2006), the last 18
// bits each the best of 1200 random candidates for the worst of m = 8 … 18, by the
// error in the Korobov space of smoothness 1 with product weights 0.7/(1+j); then
// the first two bits as the best of four for m = 19 and 20.
var generator = [...]uint32{
	1, 617615, 798247, 503509, 939425, 24527, 916799, 766911, 612245, 671467, 160759, 471229,
	861705, 467623, 1043835, 446555, 600357, 530475, 722389, 231845, 768029, 992527, 55329, 142041,
	350279, 156217, 670357, 772233, 304229, 426905, 378467, 85163, 572235, 157209, 555255, 86609,
	1000695, 220483, 245835, 591205, 183631, 996765, 577297, 610151, 556597, 325231, 660495, 301141,
	721199, 402519, 962403, 52045, 676931, 259097, 324213, 574289, 466515, 816683, 581421, 92835,
	177395, 562989, 941253, 874421, 565237, 726913, 685289, 49699, 735073, 996733, 889689, 166831,
	590415, 213601, 1043979, 330523, 484265, 483903, 760091, 788781, 498721, 171681, 445945, 361021,
	1009115, 738403, 625173, 234169, 31955, 724305, 779451, 490211, 493787, 841485, 1001221, 636713,
	418943, 719853, 194907, 5089,
}

const (
	shifts   = 12 // shifted copies of the lattice, from which the error is estimated
	minLevel = 10 // 2^10 points at least
	maxLevel = 20
)

// effort is when the doubling of the points ends: when the bound of the error is
// below fine; from work on when it is below coarse; at the latest before it takes
// more than most. Work is counted in values of variables, some 20 ns each.
type effort struct{ fine, work, coarse, most float64 }

// usual is the effort of [CDF].
var usual = effort{fine: 1e-7, work: 1e7, coarse: 1e-6, most: 1.2e8}

// lanes are the values of one variable at the same point of all shifted copies.
type lanes [shifts]float64

// lattice returns P(X ≤ x) by separation of variables (Genz 1992): with u uniform
// in the unit cube, y_k = μ_k + Φ⁻¹(u_k Φ(b_k(y) − μ_k)), P is the mean of the
// weight exp ψ(y; μ) (see [tilt]). The mean is taken over a lattice, made periodic
// by periodic, and over shifts of it, whose scatter gives the error.
func (p *problem) lattice(limits effort) (value, abserr float64) {
	const safety = 6 // standard errors
	if p.n > len(generator) {
		panic(fmt.Sprintf("mvn: %d dependent variables without a structure that helps; need at most %d", p.n, len(generator)))
	}
	s := p.sequence()
	w := newWalk(s)
	if w.psi < underflow {
		return 0, s.abserr
	}
	var sum lanes
	scatter, fall := 0.0, 4.0
	if w.sine {
		fall = 32
	}
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
		// A few shifts may agree by chance: the scatter falls no more than it can.
		scatter = max(scatter/fall, math.Sqrt(square/(shifts*(shifts-1))))
		size := math.Exp(w.psi)
		value = min(1, size*mean)
		abserr = s.abserr + safety*size*scatter + 1e-14
		work := float64(2 * points * shifts * len(s.own)) // after the next doubling
		if abserr < limits.fine || abserr < limits.coarse && work > limits.work || work > limits.most || level == maxLevel {
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
// dv with which the integral over v is one over u of a periodic function: in few
// dimensions v = u − sin(2πu)/2π (Sidi 1993), for which the lattice rule converges
// fast, but whose weights multiply up; in more v = |2u − 1| (Hickernell 2002).
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
