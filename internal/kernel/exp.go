package kernel

import (
	"math"
	"math/big"
)

const (
	expSteps = 128 // powers of two per octave in the tables
	ln2Hi    = 6.93147180369123816490e-01
	ln2Lo    = 1.90821492927058770002e-10
	// The last bits of x + roundShift are x < 2⁵¹ rounded to an integer.
	roundShift = 3 << 51
)

// pow2[i] is 2^(i/128) rounded, and pow2Rest[i] the relative error (2^(i/128) − pow2[i])/2^(i/128).
var pow2, pow2Rest = powersOfTwo()

func powersOfTwo() (rounded, rest [expSteps]float64) {
	const precision = 160
	root := big.NewFloat(2).SetPrec(precision)
	for range 7 { // 2⁷ = expSteps
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(precision)
	for i := range rounded {
		rounded[i], _ = power.Float64()
		missing := new(big.Float).Sub(power, big.NewFloat(rounded[i]))
		rest[i], _ = missing.Quo(missing, power).Float64()
		power.Mul(power, root)
	}
	return rounded, rest
}

// Exp returns eˣ within 0.55 units of the last place, 1 where the value is subnormal. With k ≈ 128x/log 2 it
// is 2^(k/128) eʳ, r = x − k (log 2)/128, |r| ≤ (log 2)/256 (Tang, "Table-driven implementation of the
// exponential function", ACM TOMS 1989).
func Exp(x float64) float64 {
	switch {
	case math.Abs(x) < 708:
		return exp(x, 0)
	case x > 709.79:
		return math.Inf(1)
	case x > 0:
		return exp(x, 2) * 4
	case x > -745.14:
		return exp(x, -64) * 0x1p-64
	case x < 0:
		return 0
	}
	return x // NaN
}

func exp(x float64, shift int) float64 {
	shifted := x*(expSteps/math.Ln2) + roundShift
	k, n := math.Float64bits(shifted), shifted-roundShift
	r := (x - n*(ln2Hi/expSteps)) - n*(ln2Lo/expSteps)
	r2 := r * r
	i := k % expSteps
	e := (pow2Rest[i] + r) + r2*((1./2+r*(1./6))+r2*(1./24+r*(1./120)))
	scale := math.Float64frombits(math.Float64bits(pow2[i]) + (k-i)<<(52-7) - uint64(shift)<<52)
	return scale + scale*e
}

// ExpAll sets dst_i to [Exp] of x_i.
func ExpAll(dst, x []float64) {
	dst = dst[:len(x)]
	for i := 0; i < len(x); {
		if vector && len(x)-i >= 4 {
			i += expVector(dst[i:], x[i:])
		}
		for end := min(i+4, len(x)); i < end; i++ {
			dst[i] = Exp(x[i])
		}
	}
}

// Log returns log x within one unit of the last place. With x = 2ᵏ(1+f), √½ ≤ 1+f < √2, and s = f/(2+f) it is
// k log 2 + f − f²/2 + s (f²/2 + R(s²)), as log(1+f) = 2 artanh s, with R the polynomial of FreeBSD's
// e_log.c.
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

// Unless returns x, or 0 if y is negative, without a branch that would often be mispredicted.
func Unless(y, x float64) float64 {
	negative := uint64(int64(math.Float64bits(y)) >> 63)
	return math.Float64frombits(math.Float64bits(x) &^ negative)
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

// Entropy returns −Σ q_j log q_j of q = p/sum, in nats. Numbers that are not positive count as zero.
func Entropy(p []float64, sum float64) (entropy float64) {
	for _, x := range p {
		if x > 0 {
			entropy -= x / sum * Log(x/sum)
		}
	}
	return entropy
}
