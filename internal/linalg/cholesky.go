// Package linalg has factorisations with the same bits on every processor, see package kernel. Small ones
// allocate nothing when repeated; large ones use all processors.
package linalg

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// Cholesky is the factor L of symmetric positive definite matrices A = LLᵀ.
type Cholesky struct {
	n int
	l []float64 // the lower triangle of L, n×n
}

// strip is how many rows of L are read together while they are in the cache.
const strip = 32

// Factorize copies and factorises a matrix, and reports whether it is positive definite.
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

// FactorizeLower is Factorize for the lower triangle of an n×n matrix a, which the factor replaces.
func (c *Cholesky) FactorizeLower(a []float64, n int) bool {
	a = a[:n*n]
	c.n, c.l = n, a
	for start := 0; start < n; start += strip {
		end := min(n, start+strip)
		for i := start; i < end; i++ {
			c.solve(a[i*n:(i+1)*n], start, i)
			row := c.Row(i)
			d := row[i] - kernel.Dot(row[:i], row[:i])
			if !(d > 0 && d < math.Inf(1)) {
				return false
			}
			row[i] = math.Sqrt(d)
		}
		// L⁻¹ of a column of A above the diagonal is a row of L.
		if rest := a[end*n:]; (n-end)*end < 1<<14 {
			c.solve(rest, start, end)
		} else {
			Blocks(n-end, func(first, last int) { c.solve(rest[first*n:last*n], start, end) })
		}
	}
	return true
}

// solve replaces the numbers from start to end of each row y by those of L⁻¹y, in four rows at once.
func (c *Cholesky) solve(y []float64, start, end int) {
	n := c.n
	for ; len(y) >= 4*n; y = y[4*n:] {
		var sums [4]float64
		for i := start; i < end; i++ {
			row := c.Row(i)
			kernel.Dot4(&sums, y[:4*n], row[:i])
			for k, sum := range sums {
				y[k*n+i] = (y[k*n+i] - sum) / row[i]
			}
		}
	}
	for ; len(y) > 0; y = y[n:] {
		for i := start; i < end; i++ {
			row := c.Row(i)
			y[i] = (y[i] - kernel.Dot(row[:i], y[:i])) / row[i]
		}
	}
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

// Solve replaces y by L⁻¹y, or each row of n numbers of a longer y. Leading zeros of all rows cost nothing.
func (c *Cholesky) Solve(y []float64) {
	first := c.n
	for row := range slices.Chunk(y, c.n) {
		if i := slices.IndexFunc(row[:first], func(y float64) bool { return y != 0 }); i >= 0 {
			first = i
		}
	}
	for start := first &^ (strip - 1); start < c.n; start += strip {
		c.solve(y, start, min(c.n, start+strip))
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

// Parallel calls do for 0 to n−1, on all processors, and returns when all calls have returned.
func Parallel(n int, do func(i int)) {
	var busy sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
			do(i - 1)
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		busy.Go(work)
	}
	work()
	busy.Wait()
}

// Blocks is [Parallel] for blocks of up to 32 of the numbers from 0 to n−1: first ≤ i < last.
func Blocks(n int, do func(first, last int)) {
	const block = 32
	if n <= block {
		do(0, n)
		return
	}
	Parallel((n+block-1)/block, func(k int) { do(k*block, min(n, (k+1)*block)) })
}
