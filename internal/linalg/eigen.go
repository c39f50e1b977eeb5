package linalg

import (
	"math"

	"closedform/internal/kernel"
)

// Eigen factorises symmetric n×n matrices, A = VΛVᵀ, one after another without
// allocating, by Jacobi's rotations (Golub and Van Loan 2013, Sec. 8.5).
type Eigen struct {
	Vectors []float64 // n×n: V, and before that A, of which the upper triangle is read
	Values  []float64 // Λ, ascending

	a, rows []float64 // n×n: what becomes Λ, and Vᵀ
}

// NewEigen returns space for n×n matrices.
func NewEigen(n int) *Eigen {
	return &Eigen{make([]float64, n*n), make([]float64, n), make([]float64, n*n), make([]float64, n*n)}
}

// Factorize overwrites the matrix in Vectors. It reports whether the eigenvalues
// have converged, which those of finite numbers do.
func (e *Eigen) Factorize() bool {
	const most = 60 // sweeps; six to ten are usual
	n := len(e.Values)
	clear(e.rows)
	for i := range n {
		e.rows[i*n+i] = 1
		for j := i; j < n; j++ {
			e.a[i*n+j], e.a[j*n+i] = e.Vectors[i*n+j], e.Vectors[i*n+j]
		}
	}
	for sweep := 0; e.sweep(); sweep++ {
		if sweep == most {
			return false
		}
	}
	for i := range n { // the least of those that are left
		least := -1
		for j := range n {
			if least < 0 || e.a[j*(n+1)] < e.a[least*(n+1)] {
				least = j
			}
		}
		e.Values[i], e.a[least*(n+1)] = e.a[least*(n+1)], math.Inf(1)
		for k, x := range e.rows[least*n : (least+1)*n] {
			e.Vectors[k*n+i] = x
		}
	}
	return true
}

// sweep rotates each pair of variables so that their covariance is zero. It reports whether
// one was not negligible.
func (e *Eigen) sweep() (rotated bool) {
	n := len(e.Values)
	for p := range n {
		for q := p + 1; q < n; q++ {
			x, y := e.a[p*n:(p+1)*n], e.a[q*n:(q+1)*n]
			a, b, c := x[p], x[q], y[q]
			if math.Abs(b) <= 0x1p-54*(math.Abs(a)+math.Abs(c)) {
				continue
			}
			rotated = true
			half := c/b/2 - a/b/2
			tan := math.Copysign(1, half) / (math.Abs(half) + kernel.Hypot(half, 1))
			cos := 1 / math.Sqrt(1+tan*tan)
			sin := cos * tan
			rotate(x, y, cos, sin)
			rotate(e.rows[p*n:(p+1)*n], e.rows[q*n:(q+1)*n], cos, sin)
			for k := range n {
				e.a[k*n+p], e.a[k*n+q] = x[k], y[k]
			}
			x[p], x[q], y[p], y[q] = a-tan*b, 0, 0, c+tan*b
		}
	}
	return rotated
}

// rotate replaces x by cos x − sin y, and y by sin x + cos y.
func rotate(x, y []float64, cos, sin float64) {
	for k, a := range x {
		x[k], y[k] = cos*a-sin*y[k], sin*a+cos*y[k]
	}
}
