package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

// positive returns a random positive definite matrix.
func positive(n int) *mat.SymDense {
	rnd := rand.New(rand.NewPCG(1, uint64(n)))
	root := mat.NewDense(n, n+1, random.Normals(rnd, n*(n+1)))
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1, root)
	return a
}

// The factor, and the solutions of several rows, at once or not, are those of the definition to the bit. The
// matrix may be at the beginning of a longer slice, which keeps the rest.
func TestCholesky(t *testing.T) {
	var c, long Cholesky
	for _, n := range []int{1, 4, 7, 16, 33, 70, 301} {
		a := positive(n)
		var want mat.Cholesky
		check.True(t, c.Factorize(a) && want.Factorize(a), "n = %d: not positive definite", n)
		check.Near(t, "log det A", c.LogDet(), want.LogDet(), 1e-11)
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
		c.SolveT(z[:n])
		var product mat.VecDense
		product.MulVec(a, mat.NewVecDense(n, z[:n]))
		check.NearAll(t, "A A⁻¹y", product.RawVector().Data, y[:n], 1e-6)

		rest := []float64{3, 1, 4}
		lower := append(slices.Clone(a.RawSymmetric().Data), rest...)
		for i := range n {
			for j := range i {
				lower[i*n+j] = a.At(i, j)
			}
		}
		check.True(t, long.FactorizeLower(lower, n), "n = %d: not positive definite", n)
		check.Near(t, "log determinant", long.LogDet(), c.LogDet(), 0)
		check.Equal(t, "rest", lower[n*n:], rest)
	}
}

func TestCholeskyRefuses(t *testing.T) {
	var c Cholesky
	nan := math.NaN()
	for _, a := range [][]float64{
		{1, 2, 2, 1}, {1, 1, 1, 1}, {-1, 0, 0, 1}, {nan, 0, 0, 1}, {1, nan, nan, 1}, {1, 0, 0, math.Inf(1)},
	} {
		check.True(t, !c.Factorize(mat.NewSymDense(2, a)), "%v has a factor", a)
	}
}

// Products and the inverse of a packed matrix XᵀX + I are those of the definition.
func TestTriangle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 4, 7, 33, 150} {
		x := mat.NewDense(2*n+1, n, random.Normals(rnd, (2*n+1)*n))
		a, want := NewTriangle(n), mat.NewSymDense(n, nil)
		want.SymOuterK(1, x.T())
		want.AddSym(want, mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)))
		a.AddOuter(1, x.RawMatrix().Data)
		a.AddDiagonal(1)
		check.Near(t, "trace", a.Trace(), mat.Trace(want), 1e-9)
		y, got, back := x.RawRowView(0), make([]float64, n), make([]float64, n)
		var product mat.VecDense
		product.MulVec(want, mat.NewVecDense(n, y))
		a.Times(got, y)
		check.NearAll(t, "Ay", got, product.RawVector().Data, 1e-9)
		a.Cholesky().Inverse(a)
		a.Times(back, got)
		check.NearAll(t, "A⁻¹Ay", back, y, 1e-9)
		a.AddDiagonal(-2)
		check.True(t, a.Cholesky() == nil, "n = %d: an indefinite matrix has a factor", n)
	}
}

// TestEigen has random matrices, of low rank, diagonal, with equal eigenvalues, and of extreme sizes.
func TestEigen(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 30; n++ {
		for kind := range 5 {
			a := mat.NewSymDense(n, nil)
			scale := 1.0
			for r := range []int{n, 2, 0, 0, n}[kind] {
				a.SymRankOne(a, float64(1-2*(r%2)), mat.NewVecDense(n, random.Normals(rnd, n)))
			}
			switch kind {
			case 2:
				for i := range n {
					a.SetSym(i, i, float64(i%3)-1)
				}
			case 4:
				scale = math.Ldexp(1, 300-40*n)
			}
			var want mat.EigenSym
			check.True(t, want.Factorize(a, false), "gonum's eigenvalues do not converge")
			values := want.Values(nil)
			floats.Scale(scale, values)
			a.ScaleSym(scale, a)
			e := NewEigen(n)
			copy(e.Vectors, a.RawSymmetric().Data)
			check.True(t, e.Factorize(), "n = %d, kind %d: no convergence", n, kind)
			tol := 1e-13 * float64(n) * scale
			check.NearAll(t, fmt.Sprintf("n = %d, kind %d: eigenvalues", n, kind), e.Values, values, tol)
			v := mat.NewDense(n, n, e.Vectors)
			var product, identity mat.Dense
			product.Product(v, mat.NewDiagDense(n, e.Values), v.T())
			identity.Mul(v.T(), v)
			one := mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))
			check.NearMatrix(t, fmt.Sprintf("n = %d, kind %d: VΛVᵀ", n, kind), &product, a, tol)
			check.NearMatrix(t, "VᵀV", &identity, one, 1e-13)
		}
	}
	e := NewEigen(3)
	e.Vectors[1] = math.NaN()
	check.True(t, !e.Factorize(), "eigenvalues of a NaN converge")
}

// Of a matrix of subnormal numbers the eigenvectors have all their digits.
func TestEigenOfSubnormalMatrix(t *testing.T) {
	const n, unit = 5, 0x1p-1070
	e, tiny := NewEigen(n), NewEigen(n)
	for i, x := range positive(n).RawSymmetric().Data {
		x = math.Round(8 * x) // exact in both units
		e.Vectors[i], tiny.Vectors[i] = x, x*unit
	}
	check.Equal(t, "converged", []bool{e.Factorize(), tiny.Factorize()}, []bool{true, true})
	check.Equal(t, "eigenvectors", tiny.Vectors, e.Vectors)
}
