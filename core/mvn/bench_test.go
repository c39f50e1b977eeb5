package mvn_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/mvn"
)

// general returns limits and correlations without structure.
func general(d int) ([]float64, *mat.SymDense) {
	rnd := rand.New(rand.NewPCG(1, 2))
	a := mat.NewDense(d, d+2, nil)
	for i := range d {
		for j := range d + 2 {
			a.Set(i, j, rnd.NormFloat64())
		}
		row := a.RowView(i).(*mat.VecDense)
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
	corr := mat.NewSymDense(d, nil)
	corr.SymOuterK(1, a)
	x := make([]float64, d)
	for i := range x {
		corr.SetSym(i, i, 1)
		x[i] = 1 + rnd.NormFloat64()
	}
	return x, corr
}

func BenchmarkCDF(b *testing.B) {
	for _, d := range []int{2, 3, 4, 5, 10, 30, 100} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			x, corr := general(d)
			b.ReportAllocs()
			for b.Loop() {
				mvn.CDF(x, corr)
			}
		})
	}
}

func BenchmarkBivariate(b *testing.B) {
	for _, r := range []float64{0.2, 0.5, 0.85, 0.94, -0.94, 0.99, -0.99} {
		b.Run(fmt.Sprintf("r=%g", r), func(b *testing.B) {
			x, corr := []float64{0.3, -0.7}, mat.NewSymDense(2, []float64{1, r, r, 1})
			for b.Loop() {
				mvn.CDF(x, corr)
			}
		})
	}
}

func BenchmarkStructures(b *testing.B) {
	for _, d := range []int{5, 10, 30} {
		factor, chain := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
		x := make([]float64, d)
		for i := range d {
			power := 1.0
			for j := i; j < d; j++ {
				chain.SetSym(i, j, power)
				factor.SetSym(i, j, 0.5)
				power *= 0.7
			}
			factor.SetSym(i, i, 1)
			x[i] = 1
		}
		for _, c := range []struct {
			name string
			corr *mat.SymDense
		}{{"factor", factor}, {"chain", chain}} {
			b.Run(fmt.Sprintf("%s/d=%d", c.name, d), func(b *testing.B) {
				for b.Loop() {
					mvn.CDF(x, c.corr)
				}
			})
		}
	}
}

func BenchmarkGradient(b *testing.B) {
	for _, d := range []int{2, 3, 4, 5} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			x, corr := general(d)
			dst := make([]float64, d)
			b.ReportAllocs()
			for b.Loop() {
				mvn.Gradient(dst, x, corr)
			}
		})
	}
}
