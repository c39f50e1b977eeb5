package linalg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
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

func TestCholeskyRefuses(t *testing.T) {
	var c Cholesky
	for _, a := range [][]float64{{1, 2, 2, 1}, {1, 1, 1, 1}, {-1, 0, 0, 1}, {math.NaN(), 0, 0, 1}, {1, math.NaN(), math.NaN(), 1}, {1, 0, 0, math.Inf(1)}} {
		if c.Factorize(mat.NewSymDense(2, a)) {
			t.Errorf("%v has a factor", a)
		}
	}
}
