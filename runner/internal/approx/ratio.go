package approx

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// ratio is the quotient q = Σa/Σb over independent problems. Where one of the a
// is not a number, neither is q.
type ratio struct {
	count      int
	a, b       float64 // Σa and Σb
	aa, ab, bb float64 // Σa², Σab and Σb²
	noise      float64 // what of Σb may be error
}

func (r *ratio) add(a, b float64) {
	r.count++
	r.a += a
	r.b += b
	r.aa += a * a
	r.ab += a * b
	r.bb += b * b
}

// addMatrix takes note of a = ‖A−B‖² and b = ‖B‖² in the Frobenius norm, where ‖B‖ is
// known to the given error only.
func (r *ratio) addMatrix(got, want mat.Matrix, noise float64) {
	var a, b float64
	n, _ := want.Dims()
	for i := range n {
		for j := range n {
			x, y := got.At(i, j), want.At(i, j)
			a += (x - y) * (x - y)
			b += y * y
		}
	}
	r.add(a, b)
	r.noise += noise * noise
}

// value returns q and its standard error over the problems, by the delta method:
//
//	Var q ≈ Σ(a − qb)² / (N(N−1) b̄²).
//
// Both are NaN where Σb may be nothing but error, and the standard error is for a single problem.
func (r *ratio) value() (q, err float64) {
	if !(r.b > r.noise) {
		return math.NaN(), math.NaN()
	}
	q = r.a / r.b
	n := float64(r.count)
	if r.count < 2 {
		return q, math.NaN()
	}
	residual := max(0, r.aa-2*q*r.ab+q*q*r.bb)
	return q, math.Sqrt(residual*n/(n-1)) / r.b
}

// root returns √q, a relative error in the Frobenius norm over all matrices, and its standard error.
func (r *ratio) root() (x, err float64) {
	q, err := r.value()
	if q == 0 {
		return 0, err
	}
	x = math.Sqrt(q)
	return x, err / (2 * x)
}
