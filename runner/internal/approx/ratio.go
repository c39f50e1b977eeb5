package approx

import "math"

// squares are ‖A−B‖² and ‖B‖² in the Frobenius norm.
type squares struct{ error, size float64 }

// add takes note of an entry of A and B.
func (s *squares) add(got, want float64) {
	s.error += (got - want) * (got - want)
	s.size += want * want
}

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

// addMatrix takes note of a matrix, where ‖B‖ is known to the given error only.
func (r *ratio) addMatrix(s squares, noise float64) {
	r.add(s.error, s.size)
	r.noise += noise * noise
}

// value returns q and its standard error over the problems, by the delta method:
//
//	Var q ≈ Σ(a − qb)² / (N(N−1) b̄²).
//
// Both are NaN where Σb may be nothing but error, and the standard error is for
// a single problem.
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

// root returns √q, a relative error in the Frobenius norm over all matrices, and
// its standard error.
func (r *ratio) root() (x, err float64) {
	q, err := r.value()
	if q == 0 {
		return 0, err
	}
	x = math.Sqrt(q)
	return x, err / (2 * x)
}
