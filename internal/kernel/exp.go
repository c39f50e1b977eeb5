package kernel

import (
	"math"
	"math/big"
)

const (
	expSteps = 128 // powers of two per octave in the tables
	// log 2 in two parts: the first has 33 bits, for exact products.
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	// Adding it rounds a number below 2⁵¹ to an integer, in the last bits of the sum.
	roundShift = 3 << 51
)

// pow2[i] is 2^(i/128) rounded, and pow2Rest[i] what is missing, relative to it.
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

// Exp returns eˣ within 0.55 units of the last place, 1 where the value is subnormal.
// With k the integer next to 128x/log 2 it is
//
//	eˣ = 2^(k/128) eʳ,   r = x − k (log 2)/128,   |r| ≤ (log 2)/256,
//
// where Taylor's series up to r⁵ leaves a remainder below 6e-19 (Tang, "Table-driven
// implementation of the exponential function", ACM TOMS 1989).
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

// exp returns eˣ/2^shift, which must be a normal number.
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
