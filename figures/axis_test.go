package figures

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot"

	check "closedform/internal/checktest"
)

// The ends of an axis hold the values of all charts that share it, with a margin.
func TestAxesFromData(t *testing.T) {
	x, y := Axis{Label: "x"}, Axis{Label: "y", Log: true}
	one, only, empty := Axis{Label: "one", Log: true}, Axis{Label: "only"}, Axis{Label: "empty"}
	given := Axis{Max: 3}
	scale := Axis{Label: "scale", Log: true}.Spanning([]float64{2, 1, 0, -1, math.Inf(1)})
	check.Equal(t, "scale without a margin", scale, Axis{Label: "scale", Log: true, Min: 1, Max: 2})
	ends := sharedAxes([]Chart{
		{X: x, Y: y, Curves: []Curve{
			{
				X: []float64{0, 1}, Y: []float64{1e-2, -1}, Low: []float64{1e-3, -2},
				High: []float64{1, math.NaN()},
			},
			{X: []float64{-50, 50}, Y: []float64{1e-9, 1e9}, Kind: Reference},
		}},
		{X: x, Y: y, Curves: []Curve{{X: []float64{9, 10, math.Inf(1)}, Y: []float64{1, 10, 2}}}},
		{X: empty, Y: one, Curves: []Curve{{X: []float64{math.NaN()}, Y: []float64{5}}}},
		{X: given, Y: only, Curves: []Curve{{X: []float64{2, 4}, Y: []float64{2, 4}}}},
	})
	for _, test := range []struct{ axis, want Axis }{
		{x, Axis{Min: 0, Max: 10}},
		{y, Axis{Min: 1e-3, Max: 10}},
		{one, Axis{Min: 2.5, Max: 10}},
		{empty, Axis{Min: -1, Max: 1}},
		{only, Axis{Min: 2, Max: 4}},
		{given, given},
	} {
		want := test.want
		want.Label, want.Log = test.axis.Label, test.axis.Log
		if test.axis != given {
			want = want.widened()
		}
		got := ends[test.axis]
		check.NearAll(t, want.Label, []float64{got.Min, got.Max}, []float64{want.Min, want.Max}, 1e-12)
	}
}

func labels(ticks []plot.Tick) (out []string) {
	for _, t := range ticks {
		if !t.IsMinor() {
			out = append(out, t.Label)
		}
	}
	return out
}

func powers(exponents ...int) (out []string) {
	for _, k := range exponents {
		out = append(out, power(k))
	}
	return out
}

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis  Axis
		want  []string // the labels
		minor int
	}{
		{Axis{Min: -2, Max: 2}, []string{"−2", "0", "2"}, 2},
		{Axis{Max: 1}, []string{"0.0", "0.5", "1.0"}, 8},
		{Axis{Max: 3e-5}, []string{"0", "1×$10^{−5}$", "2×$10^{−5}$", "3×$10^{−5}$"}, 3},
		{Axis{Log: true, Min: 1e-3, Max: 1}, powers(-3, -2, -1, 0), 24},
		{Axis{Log: true, Min: 0.5, Max: 200}, powers(0, 1, 2), 22},
		{Axis{Log: true, Min: 1e-6, Max: 10}, powers(-6, -4, -2, 0), 4},
		{Axis{Log: true, Min: 1e-40, Max: 1e20}, powers(-33, -22, -11, 0, 11), 0},
		{Axis{Log: true, Min: 0.05, Max: 1.5}, []string{"0.05", "0.1", "0.2", "0.5", "1"}, 10},
		{Axis{Log: true, Min: 2, Max: 50}, []string{"2", "5", "10", "20", "50"}, 8},
		{Axis{Log: true, Min: 2, Max: 3}, []string{"2.0", "2.5", "3.0"}, 8},
	} {
		ticks := test.axis.ticks(5)
		if got := labels(ticks); !slices.Equal(got, test.want) || len(ticks)-len(got) != test.minor {
			t.Errorf("%+v: ticks %q, %d in all, want %q, %d minor", test.axis, got, len(ticks), test.want, test.minor)
		}
	}
}
