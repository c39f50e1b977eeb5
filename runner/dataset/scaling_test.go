package dataset

import (
	"fmt"
	"math"
	"slices"
	"testing"

	check "closedform/internal/checktest"
)

// inputsOf returns examples with those inputs, all of one class of two.
func inputsOf(x ...[]float64) *Examples {
	return NewExamples(Set{X: x, Class: make([]int, len(x))}, 2)
}

// scale returns the inputs of to, scaled by a scaler that is fitted to fit.
func scale(t *testing.T, kind Scaling, fit, to *Examples) [][]float64 {
	t.Helper()
	s := check.Must(fit.Scaler(kind))
	return all(s.Apply(to)).X
}

func TestScalers(t *testing.T) {
	train := inputsOf([]float64{1, 5, 0}, []float64{3, 5, 0}, []float64{5, 5, -6}, []float64{7, 5, -6})
	test := inputsOf([]float64{4, 6, 0}, []float64{9, 5, -3})
	sd := math.Sqrt(5.) // mean 4, of which ±1 and ±3 are the deviations
	for kind, want := range map[Scaling][][]float64{
		Standard: {{0, 0, 1}, {5 / sd, 0, 0}}, // the second is constant, whatever the test part has
		Unit:     {{4. / 7, 6. / 7, 0}, {9. / 7, 5. / 7, -3. / 7}},
		Centred:  {{0, 1. / 7, 3. / 7}, {5. / 7, 0, 0}},
		None:     {{4, 6, 0}, {9, 5, -3}},
	} {
		for i, x := range scale(t, kind, train, test) {
			check.NearAll(t, string(kind), x, want[i], 1e-15)
		}
	}
	check.Equal(t, "the examples that were scaled have changed to", all(test).X[1][0], 9)
	// Of one example, and of constants, whose mean is rounded if summed.
	for _, c := range []struct {
		kind Scaling
		fit  []float64
		rows int
		want []float64
	}{
		{Standard, []float64{4, 2, 0}, 1, []float64{0, 0, 0}},
		{Standard, []float64{0.1, 1e9 / 3, -1e-300}, 999, []float64{0, 0, 0}},
		{Unit, []float64{0, -2, 1}, 1, []float64{2, -4, 0.5}},
		{Unit, []float64{0, 0, 0}, 3, []float64{0, 0, 0}},
	} {
		fit := inputsOf(slices.Repeat([][]float64{c.fit}, c.rows)...)
		check.NearAll(t, fmt.Sprint(c), scale(t, c.kind, fit, inputsOf([]float64{4, -8, 1}))[0], c.want, 1e-15)
	}
	// Of bytes zeros stay zeros, and 255 becomes 1.
	e := Images("im", []byte{0, 51, 102, 204, 0, 0}, 1, 3, []byte{1, 2})
	check.Equal(t, "images", scale(t, Unit, e, e), [][]float64{{0, 0.2, 0.4}, {0.8, 0, 0}})
	check.Equal(t, "255, 0, 51 become", scale(t, Unit, e, inputsOf([]float64{255, 0, 51}))[0],
		[]float64{1, 0, 0.2})
}

// Mean and deviation keep their digits, however large the mean, and however small or large the deviation.
func TestMomentsAreExact(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{
		{1e9 - 1, 1e9 + 1}, {1e15, 1e15 + 1}, {-1e-200, 1e-200}, {-1e300, 1e300}, {1 - 0x1p-53, 1},
	} {
		mean, sd := moments(slices.Repeat([]float64{c.low, c.high}, 2500))
		// The error that a float64 can have, and that of a sum of deviations.
		half := c.high/2 - c.low/2
		check.Near(t, fmt.Sprint(c, ": mean"), mean, c.low/2+c.high/2, 2.3e-16*math.Abs(c.high)+1e-14*half)
		check.Near(t, fmt.Sprint(c, ": deviation"), sd, half, 1e-13*half)
	}
}

func TestScalerErrors(t *testing.T) {
	for _, c := range []struct {
		kind Scaling
		e    *Examples
		want string
	}{
		{Standard, inputsOf([]float64{1, -1e-310}, []float64{1, 1e-310}), `"standard" overflows: input 2`},
		{Standard, inputsOf([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}), `"standard" overflows`},
		{Unit, inputsOf([]float64{5e-324}), `scaling "unit" overflows: input 1 has the shift 0 and the factor`},
	} {
		s, err := c.e.Scaler(c.kind)
		check.Refuses(t, string(c.kind), err, c.want)
		check.True(t, s == nil, "%v beside an error", s)
	}
}
