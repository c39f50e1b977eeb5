package linear

import (
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
	m, v := make([]float64, 2), make([]float64, 2)
	w.AddInput(m, v, 0, 3, 0)
	w.AddInput(m, v, 1, 1, 0.5)
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
