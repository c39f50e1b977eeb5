package gauss

import "math"

// underflow is an argument from which on φ(x) and Φ(−x) round to 0.
const underflow = 38.6

const (
	steps = 64 // powers of two per octave in expTable
	// The table is scaled down by 2^shift: the power of two that multiplies it up
	// stays a normal number down to the smallest φ(x).
	shift = 64
	// (log 2)/steps in two parts: the first has 33 bits for exact products.
	ln2Hi = 6.93147180369123816490e-01 / steps
	ln2Lo = 1.90821492927058770002e-10 / steps
)

// expTable[i] = 2^(−i/steps) / √(2π) / 2^shift.
var expTable = func() (table [steps]float64) {
	const invSqrt2Pi = 0.398942280401432677939946059934381868
	for i := range table {
		table[i] = math.Exp2(-float64(i)/steps) * (invSqrt2Pi / (1 << shift))
	}
	return table
}()

// density returns φ(x) for |x| < underflow.
//
// Rounding x²/2 would cost three digits of the exponential at x = 38 (Cody 1969).
// Here the rounding error of the square is added to the reduced argument r of
//
//	exp(−x²/2) = 2^(−k/64) exp(r), r = (k/64) log 2 − x²/2, |r| ≤ (log 2)/128,
//
// where Taylor's series up to r⁵ leaves a remainder below 4e-17.
func density(x float64) float64 {
	sq := x * x
	low := math.FMA(x, x, -sq)
	k := int(sq*(math.Log2E*steps/2) + 0.5)
	r := (float64(k)*ln2Hi - sq/2) + (float64(k)*ln2Lo - low/2)
	r2 := r * r
	e := (1 + r) + r2*((1./2+r*(1./6))+r2*(1./24+r*(1./120)))
	pow := math.Float64frombits(uint64(1023+shift-k/steps) << 52)
	return e * (pow * expTable[k%steps])
}
