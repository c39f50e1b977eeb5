package linalg

import (
	"math"

	"closedform/internal/kernel"
)

// Eigen factorises symmetric n×n matrices, A = VΛVᵀ, without allocating.
type Eigen struct {
	Vectors []float64 // n×n: first A, of which the upper triangle is read, then V
	Values  []float64 // eigenvalues Λ, ascending

	off  []float64 // off-diagonal of the tridiagonal matrix
	p    []float64
	rows []float64 // n×n: Vᵀ
}

// NewEigen returns space for n×n matrices.
func NewEigen(n int) *Eigen {
	return &Eigen{
		Vectors: make([]float64, n*n), Values: make([]float64, n),
		off: make([]float64, n), p: make([]float64, n), rows: make([]float64, n*n),
	}
}

// Factorize overwrites the matrix in Vectors, and reports whether the eigenvalues have converged.
func (e *Eigen) Factorize() bool {
	// Scale the largest number to about 1, so that squares do not underflow.
	n, largest := len(e.Values), 0.0
	for i := range n {
		for _, x := range e.Vectors[i*n+i : (i+1)*n] {
			largest = max(largest, math.Abs(x))
		}
	}
	_, exponent := math.Frexp(largest)
	unit := math.Ldexp(1, min(max(exponent, -1022), 1023))
	for i := range e.Vectors {
		e.Vectors[i] /= unit
	}
	e.tridiagonalize()
	if !e.iterate() {
		return false
	}
	for i := range e.Values {
		e.Values[i] *= unit
	}
	for i := range n {
		smallest := i
		for j := i + 1; j < n; j++ {
			if e.Values[j] < e.Values[smallest] {
				smallest = j
			}
		}
		e.Values[i], e.Values[smallest] = e.Values[smallest], e.Values[i]
		a, b := e.row(i), e.row(smallest)
		for k := range a {
			a[k], b[k] = b[k], a[k]
			e.Vectors[k*n+i] = a[k]
		}
	}
	return true
}

func (e *Eigen) row(i int) []float64 { return e.rows[i*len(e.Values) : (i+1)*len(e.Values)] }

// tridiagonalize finds A = QTQᵀ by Householder reflections (Golub and Van Loan 2013, Sec. 8.3.1); rows is Qᵀ.
func (e *Eigen) tridiagonalize() {
	n := len(e.Values)
	for i := range n {
		for j := range i {
			e.Vectors[i*n+j] = e.Vectors[j*n+i]
		}
	}
	rest := func(i, k int) []float64 { return e.Vectors[i*n+k+1 : (i+1)*n] }
	for k := range n {
		e.Values[k], e.off[k] = e.Vectors[k*n+k], 0
		if k == n-1 {
			break
		}
		v, p := rest(k, k), e.p[:n-1-k]
		if e.off[k] = Reflection(v); v[0] == 0 {
			continue
		}
		// With H = I − vvᵀ, HBH = B − vwᵀ − wvᵀ for w = Bv − v (vᵀBv)/2.
		for i := range p {
			p[i] = kernel.Dot(rest(k+1+i, k), v)
		}
		kernel.AddScaled(p, -0.5*kernel.Dot(p, v), v)
		for i := range p {
			row := rest(k+1+i, k)
			kernel.AddScaled(row, -v[i], p)
			kernel.AddScaled(row, -p[i], v)
		}
	}
	clear(e.rows)
	for i := range n {
		e.rows[i*n+i] = 1
	}
	for k := n - 2; k >= 0; k-- {
		v := rest(k, k)
		for i := k + 1; i < n && v[0] != 0; i++ {
			row := e.row(i)[k+1:]
			kernel.AddScaled(row, -kernel.Dot(row, v), v)
		}
	}
}

// Reflection overwrites x with the v for which (I − vvᵀ)x is a multiple of the first unit vector, and returns
// the multiple; v is 0 where x is one already.
func Reflection(x []float64) float64 {
	first, size := x[0], 0.
	for _, x := range x[1:] {
		size = max(size, math.Abs(x))
	}
	if size == 0 {
		clear(x)
		return first
	}
	size = max(size, math.Abs(first))
	for i := range x {
		x[i] /= size
	}
	norm := math.Copysign(kernel.Norm(x), first)
	x[0] += norm
	scale := math.Sqrt(1 / (norm * x[0])) // |x|² is now 2 norm x₀
	for i := range x {
		x[i] *= scale
	}
	return -norm * size
}

// iterate diagonalises the tridiagonal matrix by the QL method with implicit shifts (Dubrulle, Martin and
// Wilkinson 1968); rows become the eigenvectors.
func (e *Eigen) iterate() bool {
	const most = 60 // largest number of sweeps for one eigenvalue; two or three are usual
	d, off, n := e.Values, e.off, len(e.Values)
	for l := range n {
		for sweep := 0; ; sweep++ {
			m := l
			for m < n-1 && !(math.Abs(off[m]) <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1]))) {
				m++
			}
			if m == l {
				break
			}
			if sweep == most {
				return false
			}
			g := (d[l+1] - d[l]) / (2 * off[l])
			g = d[m] - d[l] + off[l]/(g+math.Copysign(kernel.Hypot(g, 1), g))
			sin, cos, p := 1.0, 1.0, 0.0
			i := m - 1
			for ; i >= l; i-- {
				f, b := sin*off[i], cos*off[i]
				r := kernel.Hypot(f, g)
				off[i+1] = r
				if r == 0 { // the tridiagonal matrix splits in two
					d[i+1] -= p
					break
				}
				sin, cos = f/r, g/r
				g = d[i+1] - p
				r = (d[i]-g)*sin + 2*cos*b
				p = sin * r
				d[i+1] = g + p
				g = cos*r - b
				low, high := e.row(i), e.row(i+1)
				for k, x := range low {
					low[k], high[k] = cos*x-sin*high[k], sin*x+cos*high[k]
				}
			}
			if off[m] = 0; i < l {
				d[l] -= p
				off[l] = g
			}
		}
	}
	return true
}
