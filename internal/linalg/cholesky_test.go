package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// positive returns a random positive definite matrix.
func positive(n int) *mat.SymDense {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	root := mat.NewDense(n, n+1, nil)
	root.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, root)
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1, root)
	return a
}

func TestCholesky(t *testing.T) {
	var c Cholesky
	for _, n := range []int{1, 2, 3, 5, 16, 17, 40, 70} {
		a := positive(n)
		var want mat.Cholesky
		var l mat.TriDense
		if !c.Factorize(a) || !want.Factorize(a) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		want.LTo(&l)
		y, z := make([]float64, n), make([]float64, n)
		for i := range n {
			for j, got := range c.Row(i) {
				if !scalar.EqualWithinAbsOrRel(got, l.At(i, j), 1e-11, 1e-11) {
					t.Fatalf("n = %d: L(%d, %d) = %v, want %v", n, i, j, got, l.At(i, j))
				}
			}
			y[i] = float64(i) - 2
		}
		if got := c.LogDet(); !scalar.EqualWithinAbsOrRel(got, want.LogDet(), 1e-11, 1e-11) {
			t.Errorf("n = %d: log det A = %v, want %v", n, got, want.LogDet())
		}
		copy(z, y)
		c.Solve(z)
		c.SolveT(z)
		var product mat.VecDense
		product.MulVec(a, mat.NewVecDense(n, z))
		for i, want := range y {
			if got := product.AtVec(i); !scalar.EqualWithinAbsOrRel(got, want, 1e-8, 1e-8) {
				t.Errorf("n = %d: row %d of A A⁻¹y is %v, want %v", n, i, got, want)
			}
		}
	}
}

// The factor and the solutions of several rows, at once or not, are those of the definition to the bit.
func TestCholeskyBits(t *testing.T) {
	var c Cholesky
	for _, n := range []int{1, 4, 7, 33, 70, 301} {
		a := positive(n)
		c.Factorize(a)
		row := func(i int) []float64 { return c.Row(i)[:i] }
		for i := range n {
			for j, got := range c.Row(i) {
				want := a.At(i, j) - kernel.Dot(row(i)[:j], row(j))
				if want /= c.Row(j)[j]; i == j {
					want = math.Sqrt(a.At(i, i) - kernel.Dot(row(i), row(i)))
				}
				if got != want {
					t.Fatalf("n = %d: L(%d, %d) = %v, want %v", n, i, j, got, want)
				}
			}
		}
		y := make([]float64, 5*n)
		for i := range y {
			y[i] = math.Sin(float64(i))
		}
		z := slices.Clone(y)
		c.Solve(z)
		for k, z := range slices.Collect(slices.Chunk(z, n)) {
			for i, got := range z {
				if want := (y[k*n+i] - kernel.Dot(z[:i], row(i))) / c.Row(i)[i]; got != want {
					t.Fatalf("n = %d: number %d of solution %d is %v, want %v", n, i, k, got, want)
				}
			}
		}
	}
}

func TestCholeskyRefuses(t *testing.T) {
	var c Cholesky
	for _, a := range [][]float64{{1, 2, 2, 1}, {1, 1, 1, 1}, {-1, 0, 0, 1}, {math.NaN(), 0, 0, 1}, {1, math.NaN(), math.NaN(), 1}, {1, 0, 0, math.Inf(1)}} {
		if c.Factorize(mat.NewSymDense(2, a)) {
			t.Errorf("%v has a factor", a)
		}
	}
}
