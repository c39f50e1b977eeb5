package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// precision of the reference values, in bits
const precision = 200

// bigExp returns eˣ by Taylor's series of x/2⁴⁰.
func bigExp(x float64) *big.Float {
	r := new(big.Float).SetPrec(2*precision).SetMantExp(big.NewFloat(x), -40)
	sum, term := big.NewFloat(1).SetPrec(2*precision), big.NewFloat(1).SetPrec(2*precision)
	for i := 1; i < 20; i++ {
		term.Mul(term, r)
		term.Quo(term, big.NewFloat(float64(i)))
		sum.Add(sum, term)
	}
	for range 40 {
		sum.Mul(sum, sum)
	}
	return sum
}

// ulps returns the error of y in units of the last place of the reference.
func ulps(y float64, want *big.Float) float64 {
	near, _ := want.Float64()
	ulp := math.Nextafter(math.Abs(near), math.Inf(1)) - math.Abs(near)
	difference, _ := new(big.Float).SetPrec(precision).Sub(want, big.NewFloat(y)).Float64()
	return math.Abs(difference) / ulp
}

func TestExp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	check := func(x, most float64) {
		got := ulps(Exp(x), bigExp(x))
		if !(got <= most) {
			t.Fatalf("Exp(%v) = %v is wrong by %.3f units of the last place", x, Exp(x), got)
		}
	}
	for range 5000 {
		check(math.Ldexp(rnd.Float64()-0.5, -rnd.IntN(60)), 0.55)
		check(1416*(rnd.Float64()-0.5), 0.55)
		check(708+rnd.Float64()*1.78, 0.55)
		check(-708-rnd.Float64()*37, 1)
	}
	for x, want := range map[float64]float64{
		0: 1, 709.782712893384: 0x1.fffffffffff2ap1023, 709.7827128933841: math.Inf(1),
		1e300: math.Inf(1), math.Inf(1): math.Inf(1),
		-745.1332191019411: 0x1p-1074, -745.1332191019412: 0, -1e300: 0, math.Inf(-1): 0,
	} {
		if got := Exp(x); got != want {
			t.Errorf("Exp(%v) = %x, want %x", x, got, want)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp(NaN) is a number")
	}
}

// With y = Log x, log x = y + log(x e^−y), whose second term is x e^−y − 1 but for its square.
func TestLog(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		for _, x := range []float64{
			math.Ldexp(1+rnd.Float64(), rnd.IntN(2046)-1023), 0.5 + rnd.Float64(),
			1 + math.Ldexp(rnd.Float64()-0.5, -rnd.IntN(50)), 0x1p-1074 * float64(1+rnd.IntN(1e6)),
		} {
			y := Log(x)
			rest := new(big.Float).SetPrec(2*precision).Mul(bigExp(-y), big.NewFloat(x))
			rest.Sub(rest, big.NewFloat(1))
			got := ulps(y, rest.Add(rest, big.NewFloat(y)))
			if x == 1 {
				got = math.Abs(y)
			}
			if !(got <= 1) {
				t.Fatalf("Log(%v) = %v is wrong by %.3f units of the last place", x, y, got)
			}
		}
	}
	if Log(0) != math.Inf(-1) || Log(math.Inf(1)) != math.Inf(1) ||
		!math.IsNaN(Log(-1)) || !math.IsNaN(Log(math.NaN())) {
		t.Error("Log of 0, ∞, −1 or NaN")
	}
}

func TestHypot(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range [][3]float64{{3, 4, 5}, {-4, 3, 5}, {0, 0, 0}, {3e300, 4e300, 5e300}, {0, -inf, inf}} {
		if got := Hypot(c[0], c[1]); math.Abs(got-c[2]) > 1e-15*got {
			t.Errorf("Hypot(%v, %v) = %v", c[0], c[1], got)
		}
	}
}

// numbers draws n numbers, in a quarter of the calls with extreme ones among them.
func numbers(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	special := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 38.6, -38.5, 708, -745.2, -720, 800, 1e-310,
	}
	wild := rnd.IntN(4) == 0
	for i := range x {
		x[i] = rnd.NormFloat64() * math.Ldexp(1, rnd.IntN(8))
		if wild && rnd.IntN(4) == 0 {
			x[i] = special[rnd.IntN(len(special))]
		}
	}
	return x
}

// outcome returns the results of all loops for random numbers.
func outcome(rnd *rand.Rand, n int) [][]float64 {
	x := func() []float64 { return numbers(rnd, n) }
	a, b, c, d, e := x(), x(), x(), x(), x()
	s, u, w := rnd.NormFloat64(), rnd.Float64(), rnd.Float64()
	first, second := Backward(a, b, c)
	added4 := x()
	AddScaled4(added4, &[4]float64{s, u, w, -s}, a, b, c, d)
	m, v, noisyM, noisyV := x(), x(), x(), x()
	Forward(m, v, s, u, 0, a, b)
	Forward(noisyM, noisyV, s, u, w, a, b)
	mean, variance := x(), x()
	Update(mean, variance, d, e, s, u, w*float64(rnd.IntN(2)))
	four, pairs, rows, sum := make([]float64, 4), make([]float64, 4), numbers(rnd, 4*n), x()
	Dot4((*[4]float64)(four), rows, a)
	Dot4((*[4]float64)(pairs), rows, b[:n/2])
	AddRows(sum, []float64{s, 0, u, w}, rows)
	tall, shared := numbers(rnd, 4*(n&^3)), x()[:n&^3]
	Carlson4(tall, shared, &[4]float64{s, u, w, -s}, &[4]float64{w, u, 1, s}, &[4]float64{-u, 0, s, w})
	keep, mix, root := x()[:n&^3], x()[:n&^3], make([]float64, n&^3+1)
	root[n&^3] = 1e-9 + w
	Carlson(keep, mix, root, e[:n&^3], w)
	var products [8]float64
	q := n / 16 * 4
	Products(&products, a[:2*q], b[:4*q])
	mills, truncated, below, power := x(), x(), x(), x()
	Truncated(mills, truncated, below, c)
	ExpAll(power, c)
	density, prob, gap, spread, g := x(), x(), x(), x(), x()[:n&^3]
	Densities(density, c)
	Rectified(prob, gap, spread, c)
	noise := Image(g, numbers(rnd, len(g)*(n+4)), a, b)
	reflected, others := numbers(rnd, n&^3), numbers(rnd, 4*n)
	if n > 3 {
		Reflect(reflected, others, rnd.IntN(n&^3), n)
	}
	return [][]float64{
		products[:], keep, mix, root, tall, shared, four, pairs, sum,
		{Dot(a, b), first, second},
		added4, m, v, noisyM, noisyV, mean, variance,
		mills, truncated, below, power, density, prob, gap, spread, g,
		reflected, others,
		{noise},
	}
}

// A reflection keeps xxᵀ + Σ wwᵀ and the sign of entry k of x, and makes those of the w zero. It also does so
// where x is zero there, and changes nothing where the w are.
func TestReflect(t *testing.T) {
	const n, stride = 8, 11
	rnd := rand.New(rand.NewPCG(1, 2))
	for k := range n {
		for _, size := range []float64{1, 1e-100, 1e100} {
			x, w := make([]float64, n), make([]float64, 4*stride)
			for _, v := range [][]float64{x, w} {
				for i := range v {
					v[i] = size * rnd.NormFloat64()
				}
			}
			if size > 1 {
				x[k] = 0
			}
			sums := func() (s [n][n]float64) {
				for i := range n {
					for j := range n {
						s[i][j] = x[i] * x[j]
						for v := 0; v < len(w); v += stride {
							s[i][j] += w[v+i] * w[v+j]
						}
					}
				}
				return s
			}
			want, negative := sums(), math.Signbit(x[k])
			Reflect(x, w, k, stride)
			got := sums()
			for i := range n {
				for j := range n {
					if !(math.Abs(got[i][j]-want[i][j]) <= 1e-13*size*size) {
						t.Errorf("size %g, entry %d: %g, want %g", size, k, got[i][j], want[i][j])
					}
				}
			}
			zero := w[k] == 0 && w[stride+k] == 0 && w[2*stride+k] == 0 && w[3*stride+k] == 0
			if !zero || math.Signbit(x[k]) != negative {
				t.Errorf("size %g: entries %d are %g and %g", size, k, x[k], w[k:])
			}
			before := sums()
			if Reflect(x, w, k, stride); sums() != before {
				t.Errorf("size %g: a second reflection of entry %d changes something", size, k)
			}
		}
	}
	x, w := make([]float64, 4), []float64{1e-155, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if Reflect(x, w, 0, 4); x[0] != 0 {
		t.Errorf("tiny noise makes %g", x)
	}
}

// The assembly gives the bits of the Go code.
func FuzzVector(f *testing.F) {
	if !vector {
		f.Skip("no assembly here")
	}
	for n := range 40 {
		f.Add(uint64(n), byte(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, n byte) {
		got := outcome(rand.New(rand.NewPCG(seed, 1)), int(n))
		vector = false
		want := outcome(rand.New(rand.NewPCG(seed, 1)), int(n))
		vector = true
		for k := range want {
			for i, x := range want[k] {
				if y := got[k][i]; math.Float64bits(y) != math.Float64bits(x) && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Fatalf("n = %d, loop %d, number %d: %x, want %x", n, k, i, y, x)
				}
			}
		}
	})
}
