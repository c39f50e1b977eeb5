package kernel

import "math"

// Log returns log x within one unit of the last place. With x = 2ᵏ(1+f), √½ ≤ 1+f < √2,
// and s = f/(2+f) it is
//
//	log x = k log 2 + log(1+f),   log(1+f) = 2 artanh s = f − f²/2 + s (f²/2 + R(s²)),
//
// where R is the polynomial of FreeBSD's e_log.c, whose error is below 2^−58.
func Log(x float64) float64 {
	if !(0 < x && x < math.Inf(1)) {
		switch {
		case x < 0:
			return math.NaN()
		case x == 0:
			return math.Inf(-1)
		}
		return x
	}
	k := 0
	if x < 0x1p-1022 {
		x *= 0x1p54
		k = -54
	}
	// The exponent of x/√½, so that the rest lies around 1.
	const rootHalf = 0x3fe6a09e667f3bcd
	bits := math.Float64bits(x)
	up := int(int64(bits-rootHalf) >> 52)
	f := math.Float64frombits(bits-uint64(up)<<52) - 1
	n := float64(k + up)
	s := f / (2 + f)
	z := s * s
	w := z * z
	r := z*(6.666666666666735130e-01+
		w*(2.857142874366239149e-01+w*(1.818357216161805012e-01+w*1.479819860511658591e-01))) +
		w*(3.999999999940941908e-01+w*(2.222219843214978396e-01+w*1.531383769920937332e-01))
	half := 0.5 * f * f
	return n*ln2Hi - ((half - (s*(half+r) + n*ln2Lo)) - f)
}

// Hypot returns √(x²+y²) within two units of the last place, without overflow.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if y == 0 || math.IsInf(x, 1) {
		return x
	}
	y /= x
	return x * math.Sqrt(1+y*y)
}

// Entropy returns −Σ q_j log q_j of q = p/sum, in nats. What is not positive counts as zero.
func Entropy(p []float64, sum float64) (entropy float64) {
	for _, x := range p {
		if x > 0 {
			entropy -= x / sum * Log(x/sum)
		}
	}
	return entropy
}
