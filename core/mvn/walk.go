package mvn

import (
	"math"
	"math/rand/v2"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// points of the lattice are taken at a time.
const points = 4

// lanes are the values of one variable at some points of all shifted copies.
type lanes [points * shifts]float64

// walk draws the variables of a sequence one after the other.
type walk struct {
	*sequence
	*proposal
	y     []lanes
	shift []lanes
	sine  bool // the transformation that makes the integrand periodic
	// of the variable that is drawn: the share of its mass below its value, its bounds,
	// and the mass between them
	v, mean, lower, upper, mass lanes
	weight, exponent            lanes
	unused                      lanes
}

func newWalk(s *sequence) *walk {
	n := len(s.own)
	w := &walk{sequence: s, proposal: s.proposal(), y: make([]lanes, n), shift: make([]lanes, n), sine: n <= 7}
	rnd := rand.New(rand.NewPCG(2301, 13401))
	for j := range w.shift {
		for i := range w.shift[j] {
			if i < shifts {
				w.shift[j][i] = rnd.Float64()
			} else {
				w.shift[j][i] = w.shift[j][i-shifts]
			}
		}
	}
	return w
}

// weights returns exp(ψ(y) − ψ at the typical point) at points k, k + stride, … of
// 2^level in all shifted copies.
func (w *walk) weights(k, stride uint32, level int) []float64 {
	w.weight, w.exponent = fill(1), fill(w.offset)
	last := len(w.own) - 1 // drawn by no coordinate, only integrated
	for j := range w.own {
		sd, scale, y := w.sd[j], w.scale[j], &w.y[j]
		if j < last {
			for p := range points {
				// The coordinate before the shift.
				u := (k + uint32(p)*stride) * generator[j] & (1<<level - 1)
				w.periodic(j, p, float64(u)/float64(uint32(1)<<level))
			}
		}
		w.own[j].lanes(&w.upper, w.y)
		if w.extra != nil && len(w.extra[j]) > 0 {
			w.bounded(j)
		} else {
			w.proposal.mean[j].lanes(&w.mean, w.y)
			inv := 1 / sd
			for i, m := range w.mean {
				w.upper[i] = (w.upper[i] - m) * inv
			}
			kernel.PDFCDF(w.unused[:], w.mass[:], w.upper[:])
			if j < last {
				shares(y[:], w.v[:], w.mass[:])
				for i, z := range y {
					v := w.mean[i] + sd*z
					w.exponent[i] += 0.5 * (z - v) * (z + v)
					y[i] = v
				}
			}
		}
		for i, mass := range w.mass {
			w.weight[i] *= mass * scale
		}
	}
	kernel.ExpAll(w.exponent[:], w.exponent[:])
	for i, e := range w.exponent {
		w.weight[i] *= e
	}
	return w.weight[:]
}

// bounded draws variable j with its extra bounds; then it is drawn as it is.
func (w *walk) bounded(j int) {
	w.lower = fill(math.Inf(-1))
	for e := range w.extra[j] {
		extra := &w.extra[j][e]
		extra.lanes(&w.mass, w.y)
		for i, b := range w.mass {
			if extra.below {
				w.lower[i] = max(w.lower[i], b)
			} else {
				w.upper[i] = min(w.upper[i], b)
			}
		}
	}
	for i, b := range w.upper {
		w.mass[i], w.y[j][i] = between(w.lower[i], b, w.v[i])
	}
}

func fill(v float64) (all lanes) {
	for i := range all {
		all[i] = v
	}
	return all
}

// lanes sets v to the bound given the values before, in all lanes.
func (b *bound) lanes(v *lanes, y []lanes) {
	*v = fill(b.limit)
	c := b.coef
	for ; len(c) >= 4; c, y = c[4:], y[4:] {
		kernel.AddScaled4(v[:], &[4]float64{-c[0], -c[1], -c[2], -c[3]}, y[0][:], y[1][:], y[2][:], y[3][:])
	}
	for j, c := range c {
		kernel.AddScaled(v[:], -c, y[j][:])
	}
}

// periodic maps u plus the shifts, modulo 1, to the share v of the mass and multiplies
// the weight by the factor dv with which the integral over v is one over u of a
// periodic function: in few dimensions v = u − sin(2πu)/2π (Sidi 1993), for which the
// lattice rule converges fast, but whose weights multiply up; in more v = |2u − 1|
// (Hickernell 2002).
func (w *walk) periodic(j, point int, u float64) {
	lo, hi := point*shifts, (point+1)*shifts
	v, shift := w.v[lo:hi], w.shift[j][lo:hi]
	for i, s := range shift {
		v[i] = math.Abs(2*math.Abs(u+s-1) - 1)
	}
	if !w.sine {
		return
	}
	for i, s := range shift {
		sin, cos := math.Sincos(2 * math.Pi * (u + s))
		v[i] = u + s - math.Floor(u+s) - sin/(2*math.Pi)
		w.weight[lo+i] *= 1 - cos
	}
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
