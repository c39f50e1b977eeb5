package figures

import "math"

// logTicks returns the ticks of a logarithmic axis from lo to hi, about n of
// them with labels. Over two decades or more these are powers of ten, over one
// or more they are 1, 2 and 5 times powers of ten, over less round numbers as
// on a linear axis.
func logTicks(lo, hi float64, n int) []tick {
	const slack = 1e-9 // for ends that are ticks but for rounding
	decades := math.Log10(hi) - math.Log10(lo)
	if decades < 1-slack {
		return ticks(lo, hi, n)
	}
	first, last := int(math.Ceil(math.Log10(lo)-slack)), int(math.Floor(math.Log10(hi)+slack))
	stride := stride(last-first+1, n+1)
	var out []tick
	for k := first - 1; k <= last; k++ {
		for d := 1.; d < 10; d++ {
			v := d * math.Pow10(k)
			if v < lo*(1-slack) || v > hi*(1+slack) {
				continue
			}
			t := tick{at: v}
			switch {
			case decades < 2-slack && (d == 1 || n > 2 && (d == 2 || d == 5)):
				t.label = multiple(d, k)
			case decades >= 2-slack && d == 1 && k%stride == 0:
				t.label = "10" + superscript(k)
			case d > 1 && stride > 1 || stride > 5:
				continue // they would run into one
			default:
				t.minor = true
			}
			out = append(out, t)
		}
	}
	return out
}

// stride returns the least round number of decades between labels, so that
// count decades have at most limit labels.
func stride(count, limit int) int {
	for _, s := range []int{1, 2, 3, 5, 10, 20, 50} {
		if count <= s*limit {
			return s
		}
	}
	return 100
}

// multiple writes d·10ᵏ, with decimals if it is neither small nor large.
func multiple(d float64, k int) string {
	if k < -3 || k > 3 {
		return decimal(d*math.Pow10(k), 0, k)
	}
	return decimal(d*math.Pow10(k), max(0, -k), 0)
}
