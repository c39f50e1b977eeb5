package softmax

import (
	"math"

	"closedform/internal/kernel"
)

// Posterior sets dst to the moments of independent logits z_j ~ N(m_j, v_j) given the class under the softmax
// likelihood: u_c = z_c + ε_c is the largest of all u_j, ε_j ~ Gumbel(0, 1). With F_i, f_i the distribution
// function and density of u_i, L_i = log F_i for i ≠ c, and L_c = log f_c, E[z_i | t] = m_i − v_i L_i′ and
// Var[z_i | t] = v_i (1 + v_i L_i″) given u_c = t, which posteriorTable.integrate averages over t. Each Var_i
// is positive where v_i is, and at most v_i. The relative error is below 1e-9, that of the mean relative to
// √Var_i, for variances up to 1e12, with or without Fast. Posterior panics as [Exact.Moments] does, and for a
// class out of range.
func (e Exact) Posterior(dst *Posterior, mean, variance []float64, class int) {
	dst.check(mean, variance, class)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.gumbelWinner.posterior(dst, mean, variance, class, winnerRule, tiltedRule)
}

// tabulate implements winnerDensity, with k_i = √v_i, h_i = k_i L_i′ and within_i = 1 + v_i L_i″.
func (w *gumbelWinner) tabulate(node, _, log []float64) {
	q := len(node)
	for i, k := range w.k {
		h, within := w.h[i*q:(i+1)*q], w.within[i*q:(i+1)*q]
		for b, t := range node {
			l, r, second, tabulated := w.logit(i, t)
			log[b] += l
			switch {
			case tabulated:
				h[b], within[b] = k*r, 1+k*k*second
			case k > 0:
				h[b], within[b] = -w.tilted.shift/k, w.tilted.variance/k/k
			default:
				h[b], within[b] = 0, 0
			}
		}
	}
}

// logit returns L_i with its two derivatives, and whether they come from the table of log F; if not, its
// moments are those of w.tilted. With b_i = m_i − t, z_i = t + x where x has a density proportional to N(x;
// b_i, v_i) exp(−e^x), with integral F_i(t), for i ≠ c, and to N(x; b_c, v_c) exp(x − e^x), with integral
// f_c(t), for c. N(x; b_c, v_c) e^x is exp(b_c + v_c/2) N(x; b_c + v_c, v_c).
func (w *gumbelWinner) logit(i int, t float64) (log, ratio, second float64, tabulated bool) {
	b, v, tilt, constant := w.mean[i]-w.mean[w.class]-t, w.variance[i], 0.0, 0.0
	if i == w.class {
		tilt, constant = 1, b+0.5*v
	}
	x := -b - tilt*v
	series := &w.series[i]
	if x*series.perScale > gumbelEdges[0] {
		log, ratio = series.logCDF(x)
		second = series.second(x)
		if log > minLog && 1+v*second > minWithin {
			return log + constant, ratio - tilt, second, true
		}
	}
	d := &w.tilted
	d.integrate(b, v, tilt, w.inner)
	return d.log, d.gradient, -d.curvature, false
}

// Far in the left tail and where 1 + vL″ cancels, the table has too few digits.
const (
	minLog    = -12
	minWithin = 0.05
)

// gumbelWinner is p_c W as a function of t − m_c, as only differences matter.
type gumbelWinner struct {
	posteriorTable
	class          int
	mean, variance []float64 // arguments of the current call
	inner          posteriorRule
	tilted         tiltedNormal
	series         []gumbelSeries
}

func (w *gumbelWinner) posterior(
	dst *Posterior, mean, variance []float64, class int, rule, inner posteriorRule,
) {
	w.forClasses(len(mean))
	w.class, w.mean, w.variance, w.inner = class, mean, variance, inner
	if len(w.series) != len(mean) {
		w.series = make([]gumbelSeries, len(mean))
	}
	for i, v := range variance {
		w.k[i] = math.Sqrt(v)
		w.series[i].set(w.k[i], math.Inf(-1), math.Inf(1))
	}
	w.integrate(dst, w, rule, mean, variance)
	w.mean, w.variance = nil, nil
}

func (w *gumbelWinner) eval(t float64) (log, gradient, curvature float64) {
	for i := range w.mean {
		l, r, second, _ := w.logit(i, t)
		log += l
		gradient += r
		curvature -= second
	}
	return log, gradient, curvature
}

// The rules of the integral over t, of each one inside it, and of the [gumbelTable] keep the relative error
// below 1e-9 (TestPosteriorRuleIsFineEnough).
var (
	winnerRule = posteriorRule{drop: 30, step: 0.5, spread: 17}
	tiltedRule = posteriorRule{drop: 32, step: 0.5, spread: 17}
	tableRule  = posteriorRule{drop: 36, step: 0.5, spread: 17}
)

// tiltedNormal is the density of x proportional to N(x; b, v) exp(kx − e^x).
type tiltedNormal struct {
	log       float64 // logarithm of the integral
	shift     float64 // E x − b
	variance  float64 // Var x
	gradient  float64 // −∂log/∂b = (b − E x)/v = E e^x − k
	curvature float64 // −∂²log/∂b²

	// eval is of the density at x = mode − y, divided by the density at the mode.
	v, mode, atMode float64 // atMode = e^mode
}

// integrate computes all moments for k = tilt, 0 or 1. By Stein's lemma E x − b = v (k − E e^x): the left
// side does not cancel where e^x dominates, the right side where N does.
func (d *tiltedNormal) integrate(b, v, tilt float64, rule posteriorRule) {
	if e := kernel.Exp(b); v*max(1, e) < 1e-17 {
		// The normal density is a spike: omitted terms are of order ve^b.
		d.log, d.gradient, d.curvature = tilt*b-e, e-tilt, e
		d.shift, d.variance = -v*d.gradient, v
		return
	}
	mode := tiltedMode(b, v, tilt)
	d.v, d.mode, d.atMode = v, mode, kernel.Exp(mode)
	fall := v * (tilt - d.atMode) // mode − b
	steep := v*d.atMode > 1       // e^x curves log more than the normal density does
	if steep {
		fall = mode - b
	}
	d.log = tilt*mode - d.atMode - 0.5*(fall/v)*fall
	switch {
	case !(d.log >= -math.MaxFloat64) || math.IsInf(1/v, 1):
		d.log, d.gradient, d.curvature = math.Inf(-1), math.Inf(1), math.Inf(1)
		d.shift, d.variance = 0, 0
		return
	case d.log < -1e15: // the density is as good as normal around the mode
		d.variance = 1 / (1/v + d.atMode)
		d.shift, d.gradient = fall, -fall/v
		d.curvature = d.variance * d.atMode / v
		return
	}
	_, _, curvature := d.eval(0)
	lo, hi, scale := cut(d, 0, 0, curvature, rule.drop)
	if !(hi-lo <= math.MaxFloat64) || !(scale > 0) {
		d.log, d.gradient, d.curvature = math.NaN(), math.NaN(), math.NaN()
		return
	}
	total, y, growth := d.averages(sinhMesh(lo, hi, rule.spread*scale, rule.step/rule.spread))
	d.log += kernel.Log(total) - 0.5*kernel.Log(2*math.Pi*v)
	d.variance = y.variance
	if steep {
		d.shift = fall - y.mean
		d.gradient = -d.shift / v
		d.curvature = math.Max(0, 1-d.variance/v) / v
	} else {
		mean := d.atMode + growth.mean // E e^x
		d.gradient = mean - tilt
		d.shift = -v * d.gradient
		d.curvature = math.Max(0, mean-growth.variance)
	}
}

type average struct{ mean, variance float64 }

// averages returns the integral of the density over the nodes, and the moments of y and of its growth.
func (d *tiltedNormal) averages(nodes mesh) (total float64, y, growth average) {
	var sum, squares, exp, expSquares float64
	for nodes.left > 0 {
		y, dy := nodes.next()
		growth := d.growth(y)
		weight := dy * kernel.Exp(-0.5*y*y/d.v-growth-d.atMode*y)
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
	return total, average{sum, squares/total - sum*sum}, average{exp, expSquares/total - exp*exp}
}

func (d *tiltedNormal) eval(y float64) (log, gradient, curvature float64) {
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

// tiltedMode returns the root of x = b + v (k − e^x), by Newton's method from a bound above.
func tiltedMode(b, v, tilt float64) float64 {
	b += v * tilt
	x := math.Min(b, math.Max(0, kernel.Log(b/v)))
	if !(b > 0) {
		x = b
	}
	for range 100 {
		e := kernel.Exp(x)
		step := (b - x - v*e) / (1 + v*e)
		x += step
		if math.Abs(step) <= 1e-15*math.Abs(x) {
			break
		}
	}
	return x
}
