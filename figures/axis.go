package figures

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// Axis is a scaled axis of a panel.
type Axis struct {
	Label string
	Log   bool
	// Min and Max are the ends. If both are zero they come from the data of all
	// charts of the column (for X) or the row (for Y) that have an axis with the
	// same label and kind, so that these charts can be compared.
	Min, Max float64
}

// at returns the coordinate of a value, its logarithm if the axis is logarithmic:
// to gonum/plot all axes are linear.
func (a Axis) at(v float64) float64 {
	if a.Log {
		return math.Log10(v)
	}
	return v
}

// value returns the value at a coordinate.
func (a Axis) value(at float64) float64 {
	if a.Log {
		return math.Pow(10, at)
	}
	return at
}

// near returns the coordinate of a value, moved to where lengths are still exact if it
// is far outside the axis. On a logarithmic axis all v ≤ 0 are far below.
func (a Axis) near(v float64) float64 {
	lo, hi := a.at(a.Min), a.at(a.Max)
	if a.Log {
		v = max(v, 0)
	}
	return min(max(a.at(v), lo-1e4*(hi-lo)), hi+1e4*(hi-lo))
}

// shows reports whether the axis has a coordinate for v, perhaps beyond its ends.
func (a Axis) shows(v float64) bool {
	v = a.at(v)
	return !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (a Axis) holds(v float64) bool { return v >= a.Min && v <= a.Max }

// check panics unless the ends are finite and increase, and are positive on a logarithmic axis.
func (a Axis) check() {
	require(a.Min < a.Max && !math.IsInf(a.Max-a.Min, 0) && (!a.Log || a.Min > 0),
		"axis %q from %g to %g", a.Label, a.Min, a.Max)
}

// withEnds returns the axis with ends about those values of curves that it can show or,
// where there are none, of references, and a margin.
func (a Axis) withEnds(curves []Curve, values func(Curve) []float64) Axis {
	var all []float64
	for _, references := range []bool{false, true} {
		for _, c := range curves {
			if (c.Kind == Reference) == references {
				all = append(all, values(c)...)
			}
		}
		if slices.ContainsFunc(all, a.shows) {
			break
		}
	}
	a = a.spanning(all, 0.04)
	a.check()
	return a
}

// Spanning returns the axis with its ends or, where it has none, with those of the values
// that it can show, apart if these are one number.
func (a Axis) Spanning(values []float64) Axis { return a.spanning(values, 0) }

// spanning leaves a margin at each end, a part of the axis.
func (a Axis) spanning(values []float64, margin float64) Axis {
	if a.Min != 0 || a.Max != 0 {
		return a
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if a.shows(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi { // no value
		lo, hi = a.value(0), a.value(0)
	}
	switch half := cmp.Or(math.Abs(lo)/2, 1); {
	case lo == hi && a.Log:
		lo, hi = lo/2, 2*lo
	case lo == hi:
		lo, hi = lo-half, lo+half
	}
	if margin > 0 {
		low, high := a.at(lo), a.at(hi)
		lo, hi = a.value(low-margin*(high-low)), a.value(high+margin*(high-low))
	}
	a.Min, a.Max = lo, hi
	return a
}

// tickCount is the number of ticks with labels that an axis has room for.
const tickCount = 5

// ticks returns about n labelled ticks, and minor ones between them. On a logarithmic
// axis of less than a decade they stand at round numbers as on a linear axis.
func (a Axis) ticks(n int) []plot.Tick {
	if a.Log && a.at(a.Max)-a.at(a.Min) >= 1-slack {
		return logTicks(a.Min, a.Max, n)
	}
	out := linearTicks(a.Min, a.Max, n)
	for i, t := range out {
		out[i].Value = a.at(t.Value)
	}
	return out
}

// fitting returns as many ticks as have room for their labels along a length.
func (a Axis) fitting(length vg.Length) []plot.Tick {
	const apart = vg.Length(4)
	sty := letters(textSize, 0, 0)
	for n := tickCount; ; n-- {
		ticks := a.ticks(n)
		fits, end := true, vg.Length(math.Inf(-1))
		for _, t := range ticks {
			x := length * vg.Length((t.Value-a.at(a.Min))/(a.at(a.Max)-a.at(a.Min)))
			if half := sty.Width(t.Label) / 2; !t.IsMinor() {
				fits = fits && x-half >= end+apart
				end = x + half
			}
		}
		if fits || n == 1 {
			return ticks
		}
	}
}

// slack is for ends that are ticks but for rounding.
const slack = 1e-9

// linearTicks returns the multiples of a round step (1, 2 or 5 times a power of ten)
// in [lo, hi], about n of them, with minor ticks that halve or quarter the step.
func linearTicks(lo, hi float64, n int) (out []plot.Tick) {
	least := (hi - lo) / float64(n)
	exp := int(math.Floor(math.Log10(least)))
	digits := []float64{1, 2, 5, 10}
	i := slices.IndexFunc(digits, func(d float64) bool { return d*math.Pow10(exp) >= least*(1-slack) })
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

// logTicks returns the ticks of a logarithmic axis from lo to hi, about n of
// them with labels. Where there are three powers of ten or more, these are labelled, else
// 1, 2 and 5 times powers of ten.
func logTicks(lo, hi float64, n int) (out []plot.Tick) {
	first, last := int(math.Ceil(math.Log10(lo)-slack)), int(math.Floor(math.Log10(hi)+slack))
	stride := (last - first + n + 1) / (n + 1) // decades between labels
	powers := last-first >= 2
	for k := first - 1; k <= last; k++ {
		for d := 1.; d < 10; d++ {
			v := d * math.Pow10(k)
			t := plot.Tick{Value: math.Log10(v)}
			switch {
			case powers && d == 1 && k%stride == 0:
				t.Label = "10" + superscript(k)
			case !powers && (d == 1 || n > 2 && (d == 2 || d == 5)):
				t.Label = decimal(v, k, k)
			case stride > 1 && d > 1 || stride > 5: // They would run into one.
				continue
			}
			if v >= lo*(1-slack) && v <= hi*(1+slack) {
				out = append(out, t)
			}
		}
	}
	return out
}

// decimal writes a number with a true minus sign, given the decimal places of the first
// digit of the largest such number, and of the last digit: if the first is far from 1,
// as a multiple of it.
func decimal(v float64, first, last int) string {
	power := ""
	if first < -4 || first > 5 {
		power = "×10" + superscript(first)
	} else {
		first = 0
	}
	s := strconv.FormatFloat(v/math.Pow10(first), 'f', max(0, first-last), 64)
	if strings.Trim(s, "-0.") == "" {
		return "0"
	}
	return strings.ReplaceAll(s, "-", "−") + power
}

// superscript writes an exponent.
func superscript(n int) string {
	return strings.Map(func(r rune) rune {
		return superscripts[slices.Index(superLetters, r)]
	}, strings.ReplaceAll(strconv.Itoa(n), "-", "−"))
}
