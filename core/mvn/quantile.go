package mvn

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// quantiles has Taylor's polynomials of −Φ⁻¹(q) in pieces of a sixteenth of an octave
// from q = 1/2 down to 2⁻⁶⁴, in units of a piece about its middle: with φ the density
// at x = −Φ⁻¹, the n-th derivative is (−1/φ)ⁿ P_n(x), P_1 = 1, P_n+1 = P_n' + n·x·P_n.
var quantiles = func() (pieces [64*16 + 1][8]float64) {
	x := 0.0
	for k := range pieces {
		lo := math.Float64frombits(uint64(halfBits-k) << 48)
		hi := math.Float64frombits(uint64(halfBits-k+1) << 48)
		q := 0.5 * (lo + hi)
		for range 5 {
			x += (gauss.CDF(-x) - q) / gauss.PDF(x)
		}
		s, x2 := (lo-hi)/gauss.PDF(x), x*x
		s2 := s * s
		s4 := s2 * s2
		pieces[k] = [...]float64{
			x, s, s2 / 2 * x, s * s2 / 6 * (1 + 2*x2), s4 / 24 * x * (7 + 6*x2),
			s * s4 / 120 * (7 + x2*(46+24*x2)), s2 * s4 / 720 * x * (127 + x2*(326+120*x2)),
			s * s2 * s4 / 5040 * (127 + x2*(1740+x2*(2556+720*x2))),
		}
	}
	return pieces
}()

const halfBits = 0x3fe0 // of the number 0.5, the first 16

// quantile returns Φ⁻¹(p) to 1e-13, finite for p = 0 and 1.
func quantile(p float64) float64 {
	var y [1]float64
	shares(y[:], []float64{p}, []float64{1})
	return y[0]
}

// shares sets y_i to Φ⁻¹(v_i m_i), finite for any v_i and m_i in [0, 1].
func shares(y, v, m []float64) {
	for i, v := range v {
		p := min(v*m[i], 1-epsilon/2)
		q := min(p, 1-p)
		bits := math.Float64bits(q)
		k := halfBits - bits>>48
		if k >= uint64(len(quantiles)) {
			y[i] = math.Copysign(farQuantile(max(q, 1e-300)), p-0.5)
			continue
		}
		c := &quantiles[k]
		t := math.Float64frombits(bits<<4&(1<<52-1)|0x3ff<<52) - 1.5
		t2 := t * t
		x := (c[0] + c[1]*t) + t2*((c[2]+c[3]*t)+t2*((c[4]+c[5]*t)+t2*(c[6]+c[7]*t)))
		y[i] = math.Float64frombits(math.Float64bits(x) ^ math.Float64bits(p-0.5)&(1<<63))
	}
}

// farQuantile returns Φ⁻¹(q) for a small q by Newton's method for log Φ, which is concave.
func farQuantile(q float64) float64 {
	log := kernel.Log(q)
	x := -math.Sqrt(-2 * log)
	for range 5 {
		x -= (gauss.LogCDF(x) - log) / gauss.InverseMills(x)
	}
	return x
}
