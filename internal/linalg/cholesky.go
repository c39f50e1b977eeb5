// Package linalg has factorisations with a fixed order of summation, which give the same bits
// on every processor, and that allocate nothing when they are repeated.
package linalg

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// Cholesky is the factor L of symmetric positive definite matrices A = LLᵀ.
type Cholesky struct {
	n int
	l []float64 // n×n, the lower triangle
}

// block is how many rows work on one row while it is in the cache.
const block = 16

// Factorize copies and factorises a matrix. It reports whether that is positive definite
// in double precision.
func (c *Cholesky) Factorize(a mat.Symmetric) bool {
	n := a.SymmetricDim()
	if n != c.n {
		c.l = make([]float64, n*n)
	}
	for i := range n {
		for j := range i + 1 {
			c.l[i*n+j] = a.At(i, j)
		}
	}
	return c.FactorizeLower(c.l, n)
}

// FactorizeLower is Factorize for the lower triangle of an n×n matrix, which it replaces by the
// factor, and refers to.
func (c *Cholesky) FactorizeLower(a []float64, n int) bool {
	c.n, c.l = n, a
	for start := 0; start < n; start += block {
		end := min(n, start+block)
		for j := range end {
			column := a[j*n : j*n+j]
			for i := max(start, j); i < end; i++ {
				row := a[i*n : i*n+j+1]
				row[j] -= kernel.Dot(row[:j], column)
				switch {
				case i > j:
					row[j] /= a[j*n+j]
				case !(row[j] > 0 && row[j] < math.Inf(1)):
					return false
				default:
					row[j] = math.Sqrt(row[j])
				}
			}
		}
	}
	return true
}

// Row returns the first i+1 entries of row i of L, not a copy; the others are zero.
func (c *Cholesky) Row(i int) []float64 { return c.l[i*c.n : i*c.n+i+1] }

// LogDet returns log det A.
func (c *Cholesky) LogDet() (sum float64) {
	for i := range c.n {
		sum += 2 * kernel.Log(c.Row(i)[i])
	}
	return sum
}

// Solve replaces y by L⁻¹y.
func (c *Cholesky) Solve(y []float64) {
	for i := range c.n {
		row := c.Row(i)
		y[i] = (y[i] - kernel.Dot(row[:i], y[:i])) / row[i]
	}
}

// SolveT replaces y by L⁻ᵀy.
func (c *Cholesky) SolveT(y []float64) {
	for i := c.n - 1; i >= 0; i-- {
		row := c.Row(i)
		y[i] /= row[i]
		kernel.AddScaled(y[:i], -y[i], row[:i])
	}
}
