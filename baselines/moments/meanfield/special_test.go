package meanfield

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/check"
)

func TestPanics(t *testing.T) {
	two, inf, nan := []float64{0, 0}, math.Inf(1), math.NaN()
	for name, m := range methods() {
		for _, c := range [][2][]float64{
			{two, {1}}, {{0}, {1}}, {two, {-1, 0}}, {two, {inf, 0}}, {two, {nan, 0}}, {{nan, 0}, two}, {{inf, 0}, two},
		} {
			mean, variance := c[0], c[1]
			label := fmt.Sprintf("%s m=%v v=%v ", name, mean, variance)
			check.AllPanic(t, map[string]func(){
				label + "Moments": func() { m.Moments(softmax.NewMoments(2), mean, variance) },
				label + "Covariances": func() {
					m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 2, nil), mean, variance)
				},
			})
		}
		check.AllPanic(t, map[string]func(){
			name + " three classes": func() { m.Covariances(mat.NewSymDense(3, nil), mat.NewDense(3, 3, nil), two, two) },
			name + " Σ_zy 2×3":      func() { m.Covariances(mat.NewSymDense(2, nil), mat.NewDense(2, 3, nil), two, two) },
		})
	}
}
