package linalg

import (
	"math"

	"closedform/internal/kernel"
)

// Triangle is a symmetric n×n matrix: the n(n+1)/2 numbers of its lower triangle, by rows.
type Triangle []float64

// NewTriangle returns the n×n matrix 0.
func NewTriangle(n int) Triangle { return make(Triangle, n*(n+1)/2) }

// Dim returns n.
func (t Triangle) Dim() int { return int(math.Sqrt(float64(2 * len(t)))) }

// Row returns the first i+1 numbers of row i, not a copy.
func (t Triangle) Row(i int) []float64 { return t[i*(i+1)/2:][:i+1] }

// Trace returns the sum of the diagonal.
func (t Triangle) Trace() (sum float64) {
	for i := range t.Dim() {
		sum += t.Row(i)[i]
	}
	return sum
}

// AddDiagonal adds a to each number of the diagonal.
func (t Triangle) AddDiagonal(a float64) {
	for i := range t.Dim() {
		t.Row(i)[i] += a
	}
}

// AddOuter adds sign·xxᵀ for each row x of n numbers, column by column, such that columns stay in the fastest
// cache.
func (t Triangle) AddOuter(sign float64, x []float64) {
	const columns = 128
	n := t.Dim()
	for from := 0; from < n; from += columns {
		for i := from; i < n; i++ {
			row, x := t.Row(i)[from:min(i+1, from+columns)], x
			for ; len(x) >= 4*n; x = x[4*n:] {
				a, b, c, e := x[:n], x[n:], x[2*n:], x[3*n:]
				factors := [4]float64{sign * a[i], sign * b[i], sign * c[i], sign * e[i]}
				kernel.AddScaled4(row, &factors, a[from:], b[from:], c[from:], e[from:])
			}
			for ; len(x) > 0; x = x[n:] {
				kernel.AddScaled(row, sign*x[i], x[from:])
			}
		}
	}
}

// Times sets dst to the product of the matrix and x.
func (t Triangle) Times(dst, x []float64) {
	n := len(dst)
	clear(dst)
	for i := range n {
		row, first := t.Row(i), i&^3
		dst[i] = kernel.Dot(row, x)
		if first+4 > n {
			first = 0
		}
		kernel.AddScaled(dst[first:i], x[i], row[first:])
		if first > 0 && i%4 == 3 {
			factors := [4]float64(x[first:])
			kernel.AddScaled4(dst[:first], &factors, t.Row(first), t.Row(first+1), t.Row(first+2), row)
		}
	}
}

// Cholesky returns the factor of the matrix, nil unless it is positive definite.
func (t Triangle) Cholesky() *Cholesky {
	n := t.Dim()
	lower := make([]float64, n*n)
	for i := range n {
		copy(lower[i*n:], t.Row(i))
	}
	c := new(Cholesky)
	if !c.FactorizeLower(lower, n) {
		return nil
	}
	return c
}

// Inverse sets dst to A⁻¹ = L⁻ᵀL⁻¹.
func (c *Cholesky) Inverse(dst Triangle) {
	n := c.n
	rows := make([]float64, n*n) // rows of L⁻ᵀ
	for i := range n {
		rows[i*n+i] = 1
	}
	c.Solve(rows)
	for i := range n {
		row := dst.Row(i)
		for j := range row {
			row[j] = kernel.Dot(rows[i*n+i:(i+1)*n], rows[j*n+i:])
		}
	}
}
