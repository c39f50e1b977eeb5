package linear

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Two inputs and a certain third that is zero, to two neurons, by hand.
func TestDiagonal(t *testing.T) {
	w := NewDiagonal(3, 2)
	mean := mat.NewDense(2, 3, []float64{1, -2, 5, 0.5, 4, 5})
	w.SetMean(mean)
	copy(w.Variance, []float64{0.25, 1, 2, 0.5, 9, 9})
	if got := w.MeanMatrix(); !mat.Equal(got, mean) {
		t.Errorf("means %v", mat.Formatted(got))
	}
	if got, want := w.VarianceMatrix(), mat.NewDense(2, 3, []float64{0.25, 2, 9, 1, 0.5, 9}); !mat.Equal(got, want) {
		t.Errorf("variances %v", mat.Formatted(got))
	}
	m, v := []float64{7, 7}, []float64{7, 7}
	w.Forward(m, v, []float64{3, 1, 0}, []float64{0, 0.5})
	// 3·1 − 2 and 3·0.5 + 4; 9σ² + 1.5σ² + 0.5μ².
	if !floats.Equal(m, []float64{1, 5.5}) || !floats.Equal(v, []float64{2.25 + 3 + 2, 9 + 0.75 + 8}) {
		t.Errorf("m = %v, v = %v", m, v)
	}
	first, second := make([]float64, 2), make([]float64, 2) // not for the last input
	w.Backward(first, second, []float64{2, -1}, []float64{-1, -4})
	if !floats.Equal(first, []float64{1.5, -8}) || !floats.Equal(second, []float64{-2, -68}) {
		t.Errorf("Σμd = %v, Σμ²e = %v", first, second)
	}
}

// The factors are orthogonal and multiply to the matrix, and the eigenvalues are gonum's,
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

func BenchmarkEigen(b *testing.B) {
	for _, n := range []int{2, 9, 25, 100} {
		rnd := rand.New(rand.NewPCG(1, 2))
		a := make([]float64, n*n)
		for i := range a {
			a[i] = rnd.NormFloat64()
		}
		e := NewEigen(n)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				copy(e.Vectors, a)
				e.Factorize()
			}
		})
	}
}
