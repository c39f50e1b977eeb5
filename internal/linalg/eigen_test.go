package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// for random matrices, of low rank, diagonal, with equal eigenvalues, and of extreme sizes.
func TestEigen(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := 1; n <= 30; n++ {
		for kind := range 5 {
			a := mat.NewSymDense(n, nil)
			scale := 1.0
			for r := range []int{n, 2, 0, 0, n}[kind] {
				u := make([]float64, n)
				for i := range u {
					u[i] = rnd.NormFloat64()
				}
				a.SymRankOne(a, float64(1-2*(r%2)), mat.NewVecDense(n, u))
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
			if !want.Factorize(a, false) {
				t.Fatal("gonum's eigenvalues do not converge")
			}
			values := want.Values(nil)
			floats.Scale(scale, values)
			a.ScaleSym(scale, a)
			e := NewEigen(n)
			copy(e.Vectors, a.RawSymmetric().Data)
			if !e.Factorize() {
				t.Fatalf("n = %d, kind %d: no convergence", n, kind)
			}
			tol := 1e-13 * float64(n) * scale
			if !floats.EqualApprox(e.Values, values, tol) {
				t.Errorf("n = %d, kind %d: eigenvalues %v, want %v", n, kind, e.Values, values)
			}
			v := mat.NewDense(n, n, e.Vectors)
			var product, identity mat.Dense
			product.Product(v, mat.NewDiagDense(n, e.Values), v.T())
			identity.Mul(v.T(), v)
			one := mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))
			if !mat.EqualApprox(&product, a, tol) || !mat.EqualApprox(&identity, one, 1e-13) {
				t.Errorf("n = %d, kind %d: VΛVᵀ = %v", n, kind, mat.Formatted(&product))
			}
		}
	}
	e := NewEigen(3)
	e.Vectors[1] = math.NaN()
	if e.Factorize() {
		t.Error("eigenvalues of a NaN converge")
	}
}
