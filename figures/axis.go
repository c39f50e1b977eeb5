package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Axis is a scaled axis of a panel.
type Axis struct {
	Label string
	Log   bool
	Scope string // axes of charts with different scopes are not the same
	// Min and Max are the ends. If both are zero they come from the data of all charts with the same axis.
	Min, Max float64

	rows string // names in place of ticks, each with a line end, see Rows
}

// Rows returns an axis with names in place of ticks, the first at 0 and the next at −1.
func Rows(names []string) Axis {
	return Axis{Min: 0.3 - float64(len(names)), Max: 0.7, rows: strings.Join(names, "\n") + "\n"}
}

// tiled returns an axis with the values of a short grid in place of ticks, at equal distances, and a function
// from values to their places on it, linear between values of the grid. For a long grid it returns the axis itself.
func (a Axis) tiled(grid []float64) (out Axis, places func(values []float64) []float64) {
	if len(grid) > tiles {
		return a, slices.Clone[[]float64]
	}
	var names []string
	for _, v := range slices.Backward(grid) {
		names = append(names, decimal(strconv.FormatFloat(v, 'g', 4, 64)))
	}
	n := len(grid)
	out = Axis{Label: a.Label, Min: 0.5 - float64(n), Max: 0.5, rows: Rows(names).rows}
	return out, func(values []float64) (places []float64) {
		for _, v := range values {
			i := min(max(sort.SearchFloat64s(grid, v), 1), n-1)
			places = append(places, float64(i-n)+(v-grid[i-1])/(grid[i]-grid[i-1]))
		}
		return places
	}
}

// coordinate returns the coordinate of v: on a logarithmic axis its logarithm, −∞ for all v ≤ 0.
func (a Axis) coordinate(v float64) float64 {
	if a.Log {
		return math.Log10(max(v, 0))
	}
	return v
}

func (a Axis) ends() (lo, hi float64) { return a.coordinate(a.Min), a.coordinate(a.Max) }

// near returns the coordinate of v, at most 10,000 lengths of the axis beyond its ends: canvases cannot draw
// a line to infinity.
func (a Axis) near(v float64) float64 {
	lo, hi := a.ends()
	return min(max(a.coordinate(v), lo-1e4*(hi-lo)), hi+1e4*(hi-lo))
}

// shows reports whether the axis has a coordinate for v, perhaps beyond its ends.
func (a Axis) shows(v float64) bool { return !math.IsNaN(v) && !math.IsInf(a.coordinate(v), 0) }

// side returns −1, 0 or 1 for a value below, on or above the axis, and the nearest coordinate on the axis.
func (a Axis) side(v float64) (side int, inside float64) {
	lo, hi := a.ends()
	inside = min(max(a.near(v), lo), hi)
	return cmp.Compare(a.near(v), inside), inside
}

// check panics unless the ends are finite and increase, and are positive on a logarithmic axis.
func (a Axis) check() {
	if !(a.Min < a.Max) || math.IsInf(a.Max-a.Min, 0) || a.Log && a.Min <= 0 {
		panic(fmt.Sprintf("figures: axis %q from %g to %g", a.Label, a.Min, a.Max))
	}
}

// spanning returns the axis with ends: its own, or those of the values that it shows, with a relative margin.
func (a Axis) spanning(values []float64, margin float64) Axis {
	if a.Min != 0 || a.Max != 0 {
		return a
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !a.shows(v) })
	if a.Min, a.Max = 1, 1; len(values) > 0 {
		a.Min, a.Max = slices.Min(values), slices.Max(values)
	}
	if a.Min == a.Max {
		half := cmp.Or(math.Abs(a.Min)/2, 1)
		a.Min, a.Max = a.Min-half, a.Max+half
	}
	lo, hi := a.ends()
	by := margin * (hi - lo)
	if a.Log {
		a.Min, a.Max = a.Min*math.Pow(10, -by), a.Max*math.Pow(10, by)
	} else {
		a.Min, a.Max = a.Min-by, a.Max+by
	}
	return a
}

// slack is a relative tolerance for ends that are ticks except for rounding.
const slack = 1e-9

// ticks returns labelled and minor ticks. A logarithmic axis has about n labels. A linear axis, or less than
// half a decade, has two to six, at multiples of 1, 2 or 5 times a power of ten.
func (a Axis) ticks(n int) (out []plot.Tick) {
	for name := range strings.Lines(a.rows) {
		out = append(out, plot.Tick{Value: float64(-len(out)), Label: strings.TrimSuffix(name, "\n")})
	}
	switch lo, hi := a.ends(); {
	case a.rows != "":
		return out
	case a.Log && (hi-lo >= 1-slack || hi-lo >= math.Log10(5) && n > 2):
		return logTicks(lo, hi, n)
	}
	step := (1 - slack) * (a.Max - a.Min) / 5
	ten := math.Pow10(int(math.Floor(math.Log10(step))))
	minor, stride := 2*ten, 5
	switch {
	case step <= 2*ten:
		minor, stride = ten/2, 4
	case step <= 5*ten:
		minor = ten
	}
	for k := int(math.Ceil(a.Min/minor - slack)); float64(k) <= a.Max/minor+slack; k++ {
		v := float64(k) * minor
		out = append(out, plot.Tick{Value: a.coordinate(v)})
		if k%stride == 0 {
			out[len(out)-1].Label = decimal(strconv.FormatFloat(v, 'g', 12, 64))
		}
	}
	return out
}

// logTicks returns ticks between logarithms, about n labelled: powers of ten or, if few, 1, 2, 5 times them.
func logTicks(lo, hi float64, n int) (out []plot.Tick) {
	first, last := int(math.Ceil(lo-slack)), int(math.Floor(hi+slack))
	stride := (last - first + n + 1) / (n + 1) // number of decades between labels
	for k := first - 1; k <= last; k++ {
		for d := 1.; d < 10; d++ {
			t := plot.Tick{Value: float64(k) + math.Log10(d)}
			switch {
			case last-first >= 2 && d == 1 && k%stride == 0:
				t.Label = power(k)
			case last-first < 2 && (d == 1 || n > 2 && (d == 2 || d == 5)):
				t.Label = strconv.FormatFloat(d*math.Pow10(k), 'f', max(0, -k), 64)
			case stride > 1 && d > 1 || stride > 5: // without labels the ticks would run into each other
				continue
			}
			if t.Value >= lo-slack && t.Value <= hi+slack {
				out = append(out, t)
			}
		}
	}
	return out
}

func decimal(s string) string {
	digits, exponent, large := strings.Cut(s, "e")
	if k, err := strconv.Atoi(exponent); large && err == nil {
		digits += "×" + power(k)
	}
	return strings.ReplaceAll(digits, "-", "−")
}

func power(k int) string { return strings.ReplaceAll(fmt.Sprintf("$10^{%d}$", k), "-", "−") }
