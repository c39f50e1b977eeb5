package softmax

import "math"

// logConcave is a log-concave function f: eval returns log f, (log f)′ and −(log f)″.
type logConcave interface {
	eval(t float64) (log, gradient, curvature float64)
}

// findMode returns a point within a small fraction of a standard deviation of the mode, with log and
// curvature there, by Newton's method from start. Where log is −∞ the derivative must be infinite, towards
// the mode.
func findMode(f logConcave, start float64) (mode, log, curvature float64) {
	const (
		rounds = 500
		newton = 8    // Newton steps before bisections mix in: Newton is slow where log f is exponential
		close  = 0.03 // distance of the result from the mode, in standard deviations
		probe  = 5    // distance of a second evaluation, in standard deviations
	)
	lo, hi, width := math.Inf(-1), math.Inf(1), 1.0
	t := start
	for round := range rounds {
		var gradient float64
		log, gradient, curvature = f.eval(t)
		next := t + gradient/curvature
		if math.Abs(gradient) <= close*math.Sqrt(curvature) && !math.IsInf(curvature, 1) {
			// If the curvature falls fast the mode may be far: the gradient has the same sign there.
			far := t + math.Copysign(probe/math.Sqrt(curvature), gradient)
			if _, beyond, _ := f.eval(far); gradient*beyond <= 0 {
				return t, log, curvature
			}
			next = far
		}
		if gradient > 0 {
			lo = t
		} else {
			hi = t
		}
		if !(lo < next && next < hi) || round >= newton && round%3 == 0 {
			if next = hi - width; !math.IsInf(lo, -1) {
				next = lo + min(width, 0.5*(hi-lo))
			}
			width *= 2
		}
		if !(lo < next && next < hi) {
			break // lo and hi are neighbouring numbers
		}
		t = next
	}
	return t, log, curvature
}

// cut returns an interval outside of which f is below e^−drop times its largest value, and the scale
// 1/√curvature near the lower end. A tangent lies above a concave function, so one Newton step gives a bound.
func cut(f logConcave, mode, log, curvature, drop float64) (lo, hi, scale float64) {
	const rounds = 2000                   // enough to go through all exponents of float64
	drop = max(drop, 1e-14*math.Abs(log)) // a smaller drop is lost in the rounding of log
	level := log - drop
	width := math.Sqrt(drop / curvature)
	lo = mode - width
	near, far := mode, math.Inf(-1)
	for round := range rounds {
		value, gradient, c := f.eval(lo)
		scale = 1 / math.Sqrt(c)
		tangent := lo - (value-level)/gradient
		next := tangent
		switch {
		case value > log-0.9*drop: // lo is too close to the mode
			near = lo
			if !(far < tangent && tangent < lo) { // f may still fall, as mode is not exact
				next = lo + 0.5*max(far-lo, 2*(lo-mode))
			}
		case value < level-0.5*drop: // lo is too far from the mode
			far = lo
			// Newton's method is slow where log f is an exponential.
			if !(tangent > lo) || round > 5 {
				next = lo + 0.5*(near-lo)
			}
		default:
			lo = tangent
			near = far
		}
		if !(far < next && next < near) {
			break
		}
		lo = next
	}
	width = math.Sqrt(drop / curvature)
	var value, gradient float64
	for range rounds {
		hi = mode + width
		value, gradient, _ = f.eval(hi)
		if value < log-0.1*drop && gradient < 0 {
			break
		}
		width *= 2
	}
	hi -= (value - level) / gradient
	value, gradient, _ = f.eval(hi)
	return lo, hi - (value-level)/gradient, scale
}
