package softmax

import (
	"math"

	"closedform/internal/kernel"
)

// tiltedNormal is the density of x proportional to N(x; b, v) exp(kx − e^x).
type tiltedNormal struct {
	log       float64 // logarithm of the integral
	shift     float64 // E x − b
	variance  float64 // Var x
	gradient  float64 // −∂log/∂b = (b − E x)/v = E e^x − k
	curvature float64 // −∂²log/∂b²

	// Of the density at x = mode − y, relative to that at the mode.
	v, mode, atMode float64 // atMode = e^mode
}

// integrate computes all moments for k = tilt, 0 or 1. By Stein's lemma E x − b
// = v (k − E e^x): the left side does not cancel where e^x decides, the right side
// not where N does.
func (d *tiltedNormal) integrate(b, v, tilt float64, rule posteriorRule) {
	if e := kernel.Exp(b); v*max(1, e) < 1e-17 {
		// The normal density is a spike: the terms left out are of order ve^b.
		d.log, d.gradient, d.curvature = tilt*b-e, e-tilt, e
		d.shift, d.variance = -v*d.gradient, v
		return
	}
	mode := tiltedMode(b, v, tilt)
	d.v, d.mode, d.atMode = v, mode, kernel.Exp(mode)
	fall := v * (tilt - d.atMode) // mode − b
	steep := v*d.atMode > 1       // e^x bends log more than the normal density does
	if steep {
		fall = mode - b
	}
	d.log = tilt*mode - d.atMode - 0.5*(fall/v)*fall
	switch {
	case !(d.log >= -math.MaxFloat64) || math.IsInf(1/v, 1):
		d.log, d.gradient, d.curvature = math.Inf(-1), math.Inf(1), math.Inf(1)
		d.shift, d.variance = 0, 0
		return
	case d.log < -1e15: // so far out that the mode is all that counts
		d.variance = 1 / (1/v + d.atMode)
		d.shift, d.gradient = fall, -fall/v
		d.curvature = d.variance * d.atMode / v
		return
	}
	_, _, curvature := d.at(0)
	lo, hi, scale := cut(d, 0, 0, curvature, rule.drop)
	if !(hi-lo <= math.MaxFloat64) || !(scale > 0) {
		d.log, d.gradient, d.curvature = math.NaN(), math.NaN(), math.NaN()
		return
	}
	var total, sum, squares, exp, expSquares float64
	for nodes := sinhMesh(lo, hi, rule.spread*scale, rule.step/rule.spread); nodes.left > 0; {
		y, dy := nodes.next()
		growth := d.growth(y)
		weight := dy * kernel.Exp(-0.5*y*y/v-growth-d.atMode*y)
		if weight == 0 {
			continue
		}
		total += weight
		sum += weight * y
		squares += weight * y * y
		exp += weight * growth
		expSquares += weight * growth * growth
	}
	sum /= total
	exp /= total
	d.log += kernel.Log(total) - 0.5*kernel.Log(2*math.Pi*v)
	d.variance = squares/total - sum*sum
	if steep {
		d.shift = fall - sum
		d.gradient = -d.shift / v
		d.curvature = math.Max(0, 1-d.variance/v) / v
	} else {
		mean := d.atMode + exp // E e^x
		d.gradient = mean - tilt
		d.shift = -v * d.gradient
		d.curvature = math.Max(0, mean-(expSquares/total-exp*exp))
	}
}

// at implements logConcave.
func (d *tiltedNormal) at(y float64) (log, gradient, curvature float64) {
	growth := d.growth(y)
	log = -0.5*y*y/d.v - growth - d.atMode*y
	gradient = -y/d.v + growth
	return log, gradient, 1/d.v + d.atMode + growth
}

// growth returns e^(mode−y) − e^mode.
func (d *tiltedNormal) growth(y float64) float64 {
	if y < -1 {
		return kernel.Exp(d.mode-y) - d.atMode // e^mode may underflow
	}
	return d.atMode * math.Expm1(-y)
}

// tiltedMode returns the root of x = b + v (k − e^x), by Newton's method from a bound
// above: the right side less the left is concave and falls.
func tiltedMode(b, v, tilt float64) float64 {
	const rounds = 100
	b += v * tilt
	x := math.Min(b, math.Max(0, kernel.Log(b/v)))
	if !(b > 0) {
		x = b
	}
	for range rounds {
		e := kernel.Exp(x)
		step := (b - x - v*e) / (1 + v*e)
		x += step
		if math.Abs(step) <= 1e-15*math.Abs(x) {
			break
		}
	}
	return x
}
