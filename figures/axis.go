package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// Axis is a scaled axis of a panel.
type Axis struct {
	Label string
	Log   bool
	// Min and Max are the ends. If both are zero they come from the data of all charts with the same axis.
	Min, Max float64

	rows string // names of rows in place of ticks, a line each, the first at 0 and the next at −1
}

// coordinate returns that of a value, its logarithm if the axis is logarithmic.
func (a Axis) coordinate(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// ends are the coordinates of Min and Max.
func (a Axis) ends() (lo, hi float64) { return a.coordinate(a.Min), a.coordinate(a.Max) }

// near returns the coordinate of a value, limited to where lengths are exact. On a logarithmic axis all
// v ≤ 0 are far below.
func (a Axis) near(v float64) float64 {
	lo, hi := a.ends()
	if a.Log {
		v = max(v, 0)
	}
	return min(max(a.coordinate(v), lo-1e4*(hi-lo)), hi+1e4*(hi-lo))
}

// shows reports whether the axis has a coordinate for v, perhaps beyond its ends.
func (a Axis) shows(v float64) bool {
	v = a.coordinate(v)
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

// holds reports whether v lies between the ends of the axis.
func (a Axis) holds(v float64) bool {
	lo, hi := a.ends()
	v = a.coordinate(v)
	return lo <= v && v <= hi
}

// check returns an error unless the ends are finite and increase, and are positive on a logarithmic axis.
func (a Axis) check() error {
	if a.Min < a.Max && !math.IsInf(a.Max-a.Min, 0) && (!a.Log || a.Min > 0) {
		return nil
	}
	return fmt.Errorf("axis %q from %g to %g", a.Label, a.Min, a.Max)
}

// Spanning returns the axis with its ends or, where it has none, those of the values that it can show.
func (a Axis) Spanning(values []float64) Axis {
	if a.Min != 0 || a.Max != 0 {
		return a
	}
	values = slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return !a.shows(v) })
	switch {
	case len(values) > 0:
		a.Min, a.Max = slices.Min(values), slices.Max(values)
	case a.Log:
		a.Min, a.Max = 1, 1
	}
	switch half := cmp.Or(math.Abs(a.Min)/2, 1); {
	case a.Min == a.Max && a.Log:
		a.Min, a.Max = a.Min/2, 2*a.Max
	case a.Min == a.Max:
		a.Min, a.Max = a.Min-half, a.Max+half
	}
	return a
}

// widened returns the axis with a margin at each end.
func (a Axis) widened() Axis {
	lo, hi := a.ends()
	by := 0.04 * (hi - lo)
	if a.Min, a.Max = lo-by, hi+by; a.Log {
		a.Min, a.Max = math.Pow(10, lo-by), math.Pow(10, hi+by)
	}
	return a
}

// slack is for ends that are ticks but for rounding.
const slack = 1e-9

// ticks returns about n labelled ticks, and minor ones between them. On a logarithmic axis of less than a
// decade they stand at round numbers.
func (a Axis) ticks(n int) (out []plot.Tick) {
	lo, hi := a.ends()
	switch {
	case a.rows != "":
		for k, name := range strings.Split(a.rows, "\n") {
			out = append(out, plot.Tick{Value: float64(-k), Label: name})
		}
	case a.Log && hi-lo >= 1-slack:
		return logTicks(lo, hi, n)
	default:
		out = linearTicks(a.Min, a.Max, n)
		for i, t := range out {
			out[i].Value = a.coordinate(t.Value)
		}
	}
	return out
}

// linearTicks returns about n multiples of a round step (1, 2 or 5 times a power of ten) in [lo, hi], with
// minor ticks that divide the step by four or five.
func linearTicks(lo, hi float64, n int) (out []plot.Tick) {
	smallest := (hi - lo) / float64(n)
	exp := int(math.Floor(math.Log10(smallest)))
	digits := []float64{1, 2, 5, 10}
	i := slices.IndexFunc(digits, func(d float64) bool { return d*math.Pow10(exp) >= smallest*(1-slack) })
	step, parts := digits[i]*math.Pow10(exp), []float64{5, 4, 5, 5}[i]
	first := int(math.Floor(math.Log10(max(math.Abs(lo), math.Abs(hi)))))
	for k := math.Ceil(lo/step*parts - slack); k <= math.Floor(hi/step*parts+slack); k++ {
		t := plot.Tick{Value: k / parts * step}
		if math.Mod(k, parts) == 0 {
			t.Label = decimal(t.Value, first, exp+i/3)
		}
		out = append(out, t)
	}
	return out
}

// logTicks returns the ticks between two logarithms, about n of them with labels: powers of ten or, with
// less than three of them, 1, 2 and 5 times powers of ten.
func logTicks(lo, hi float64, n int) (out []plot.Tick) {
	first, last := int(math.Ceil(lo-slack)), int(math.Floor(hi+slack))
	stride := (last - first + n + 1) / (n + 1) // decades between labels
	for k := first - 1; k <= last; k++ {
		for d := 1.; d < 10; d++ {
			t := plot.Tick{Value: float64(k) + math.Log10(d)}
			switch {
			case last-first >= 2 && d == 1 && k%stride == 0:
				t.Label = power(k)
			case last-first < 2 && (d == 1 || n > 2 && (d == 2 || d == 5)):
				t.Label = decimal(d*math.Pow10(k), k, k)
			case stride > 1 && d > 1 || stride > 5: // They would run into one.
				continue
			}
			if t.Value >= lo-slack && t.Value <= hi+slack {
				out = append(out, t)
			}
		}
	}
	return out
}

// decimal writes a number with the decimal places of the first digit of the largest number, and of the last
// digit: if the first is far from 1, as a multiple of it.
func decimal(v float64, first, last int) string {
	times := "×" + power(first)
	if first >= -4 && first <= 5 {
		first, times = 0, ""
	}
	s := strconv.FormatFloat(v/math.Pow10(first), 'f', max(0, first-last), 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return strings.ReplaceAll(s, "-", "−") + times
}

func power(k int) string { return strings.ReplaceAll(fmt.Sprintf("$10^{%d}$", k), "-", "−") }
