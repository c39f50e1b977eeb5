package kernel

import "math"

// Underflow is an x such that φ and 1 − Φ round to 0 beyond it.
const Underflow = 38.6

const (
	densitySteps = 64 // powers of two per octave in densityTable
	densityShift = 64 // the table is scaled by 2^−densityShift, so that Density has no subnormal powers
)

// densityTable[i] = 2^(−i/64) / √(2π) / 2^densityShift.
var densityTable = func() (table [densitySteps]float64) {
	const invSqrt2Pi = 0.398942280401432677939946059934381868
	for i := range table {
		power := 1.0
		if i > 0 {
			power = 0.5 * pow2[(densitySteps-i)*(expSteps/densitySteps)]
		}
		table[i] = power * (invSqrt2Pi / (1 << densityShift))
	}
	return table
}()

// Density returns φ(x), the density of the standard normal distribution, for |x| ≤ [Underflow]. exp(−x²/2) is
// 2^(−k/64) exp(r) with r = (k/64) log 2 − x²/2, |r| ≤ (log 2)/128, to which the rounding error of x² is
// added (Cody 1969). Taylor's series of exp(r) up to r⁵ leaves a remainder below 4e-17.
func Density(x float64) float64 {
	sq := x * x
	low := math.FMA(x, x, -sq)
	k := int(sq*(math.Log2E*densitySteps/2) + 0.5)
	r := (float64(k)*(ln2Hi/densitySteps) - sq/2) + (float64(k)*(ln2Lo/densitySteps) - low/2)
	r2 := r * r
	e := (1 + r) + r2*((1./2+r*(1./6))+r2*(1./24+r*(1./120)))
	pow := math.Float64frombits(uint64(1023+densityShift-k/densitySteps) << 52)
	return e * (pow * densityTable[k%densitySteps])
}

// Densities sets dst_i to the [Density] of x_i, clipped to ±[Underflow].
func Densities(dst, x []float64) {
	first := 0
	if vector {
		densitiesVector(dst[:len(x)], x)
		first = len(x) &^ 3
	}
	for i := first; i < len(x); i++ {
		dst[i] = Density(min(math.Abs(x[i]), Underflow))
	}
}

// Tail returns p and q > 0 with p/q = J₂(t)/J₁(t) for 0 ≤ t ≤ 1e9, where J_k(t) = ∫_t^∞ (z−t)^k φ(z) dz /
// φ(t) are the repeated integrals of the normal tail; J₀ is the Mills ratio. As J₁ + t J₀ = 1 and J₂ + t J₁ =
// J₀, J₀ = n/d, J₁ = q/d, J₂ = p/d with n = p + t q and d = q + t n. The rational function has the smallest
// maximal relative error on [0, ∞], 5.7e-17 (Remez algorithm).
func Tail(t float64) (p, q float64) {
	t2 := t * t
	t4 := t2 * t2
	t8 := t4 * t4
	p = (1.2533141373155003 + 1.5870173278303032*t) +
		t2*(1.0270989187970512+0.43747391252779455*t) +
		t4*((0.13425428078972282+0.030829592810065993*t)+
			t2*(0.0053524119675372045+0.0006943619901037899*t)) +
		t8*((6.471029033271475e-05+3.949600874715785e-06*t)+
			t2*1.2226441390289522e-07)
	q = (1 + 1.6087116078926582*t) +
		t2*(1.2996213513387376+0.6862286081877013*t) +
		t4*((0.26102848039280613+0.07477409806283349*t)+
			t2*(0.016432641801664892+0.0027725378325577322*t)) +
		t8*((0.0003531053963658239+3.253854178720382e-05*t)+
			t2*(1.9748004373579056e-06+6.11322069514476e-08*t))
	return p, q
}

// parts returns t = |x|, at most [Underflow], φ(t), and the p, q, n and d of [Tail].
func parts(x float64) (t, density, p, q, n, d float64) {
	t = min(math.Abs(x), Underflow)
	p, q = Tail(t)
	n = p + t*q
	return t, Density(t), p, q, n, q + t*n
}

// Truncated sets mills_i to φ(x_i)/Φ(x_i) = −E[Z | Z ≤ x_i] of a standard normal Z, variance_i to Var[Z | Z ≤
// x_i], and cdf_i to Φ(x_i), with x_i clipped to ±[Underflow]. With the integrals of [Tail] at t = −x > 0 the
// first two are 1/J₀ and J₂/J₀ − (J₁/J₀)².
func Truncated(mills, variance, cdf, x []float64) {
	first := 0
	if vector {
		truncatedVector(mills[:len(x)], variance[:len(x)], cdf[:len(x)], x)
		first = len(x) &^ 3
	}
	for i := first; i < len(x); i++ {
		x := x[i]
		t, density, p, q, n, d := parts(x)
		ratio := 1 / (n * d)
		c := density * ((n * n) * ratio)
		if x > 0 {
			c = 1 - c
			h := density / c
			mills[i], variance[i], cdf[i] = h, 1-h*(t+h), c
			continue
		}
		perN := d * ratio
		qn := q * perN
		mills[i], variance[i], cdf[i] = d*perN, p*perN-qn*qn, c
	}
}

// Rectified sets prob, gap and variance to moments of max(Z+a, 0), where Z is standard normal:
//
//	prob     = P(Z+a > 0) = Cov(Z, max(Z+a, 0)) = Φ(a)
//	gap      = E max(Z+a, 0) − max(a, 0) = φ(a) − |a| Φ(−|a|)
//	variance = Var max(Z+a, 0) = (1+a²) Φ(a) + a φ(a) − (a Φ(a) + φ(a))²
//
// For a = −t ≤ 0, gap = φ J₁ and variance = φ J₁ (J₂/J₁ − φ J₁) with the J_k of [Tail]. For a > 0 they follow
// from max(Z+a, 0) = Z + a + max(−Z−a, 0), whose last term has covariance −Φ(−a) with Z.
func Rectified(prob, gap, variance, a []float64) {
	first := 0
	if vector {
		rectifiedVector(prob[:len(a)], gap[:len(a)], variance[:len(a)], a)
		first = len(a) &^ 3
	}
	for i, a := range a[first:] {
		i += first
		_, density, p, q, n, d := parts(a)
		prob[i], gap[i] = density*(n/d), density*(q/d)
		variance[i] = gap[i] * (p/q - gap[i])
		if a > 0 {
			variance[i] += 1 - 2*prob[i]
			prob[i] = 1 - prob[i]
		}
	}
}
