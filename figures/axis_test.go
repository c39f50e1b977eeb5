package figures

import (
	"fmt"
	"math"
	"testing"

	check "closedform/internal/checktest"
)

// The ends of an axis hold the values of all charts that share it, with a margin.
func TestAxesFromData(t *testing.T) {
	x, y := Axis{Label: "x"}, Axis{Label: "y", Log: true}
	one, empty, given := Axis{Label: "one", Log: true}, Axis{Label: "empty"}, Axis{Max: 3}
	scale := Axis{Log: true}.spanning([]float64{2, 1, 0, -1, math.Inf(1)}, 0)
	check.Equal(t, "scale without a margin", scale, Axis{Log: true, Min: 1, Max: 2})
	nan, inf := math.NaN(), math.Inf(1)
	ends := sharedAxes([]Chart{
		{X: x, Y: y, Curves: []Curve{
			{X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2}, High: []float64{1, nan}},
			{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Kind: Reference},
		}},
		{X: x, Y: y, Curves: []Curve{
			{X: []float64{9, 10, inf}, Y: []float64{1, 10, 2}, Low: []float64{1, 1, 1e-9}, High: []float64{2, 2, 1e9}},
		}},
		{X: empty, Y: one, Curves: []Curve{{X: []float64{nan}, Y: []float64{5}}}},
		{X: given, Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}}}},
	})
	for axis, want := range map[Axis][]float64{
		x: {-0.4, 10.4}, y: {-3.16, 1.16}, one: {0.378855, 0.894146}, empty: {0.46, 1.54}, {}: {1.92, 4.08},
		given: {0, 3},
	} {
		low, high := ends[axis].ends()
		check.NearAll(t, axis.Label, []float64{low, high}, want, 1e-6)
	}
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis  Axis
		want  []string // the labels
		minor int
	}{
		{Axis{Min: -2, Max: 2}, []string{"−2", "−1", "0", "1", "2"}, 16},
		{Axis{Max: 1}, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}, 15},
		{Axis{Max: 3e-5}, []string{"0", "1×$10^{−5}$", "2×$10^{−5}$", "3×$10^{−5}$"}, 12},
		{Axis{Log: true, Min: 1e-3, Max: 1}, []string{power(-3), power(-2), power(-1), power(0)}, 24},
		{Axis{Log: true, Min: 0.5, Max: 200}, []string{power(0), power(1), power(2)}, 22},
		{Axis{Log: true, Min: 1e-6, Max: 10}, []string{power(-6), power(-4), power(-2), power(0)}, 4},
		{Axis{Log: true, Min: 1e-40, Max: 1e20}, []string{
			power(-33), power(-22), power(-11), power(0), power(11),
		}, 0},
		{Axis{Log: true, Min: 0.05, Max: 1.5}, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{Axis{Log: true, Min: 2, Max: 50}, []string{"2", "5", "10", "20", "50"}, 8},
		{Axis{Log: true, Min: 2, Max: 3}, []string{"2", "2.2", "2.4", "2.6", "2.8", "3"}, 15},
	} {
		var got []string
		ticks := test.axis.ticks(5)
		for _, tick := range ticks {
			if !tick.IsMinor() {
				got = append(got, tick.Label)
			}
		}
		check.Equal(t, fmt.Sprintf("%+v", test.axis), got, test.want)
		check.Equal(t, "minor ticks", len(ticks)-len(got), test.minor)
	}
}
