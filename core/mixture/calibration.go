package mixture

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// powers are the exponents τ of a calibration.
var powers = [...]float64{0.7, 0.85, 1, 1.2, 1.5, 2}

// calibration calibrates probabilities p, since a mean of calibrated distributions is underconfident (Ranjan
// and Gneiting, "Combining probability forecasts", 2010). p becomes the mean of p^τ/Σp^τ over the powers,
// each weighted by the probability that it gave to the classes (temperature scaling: Guo et al., "On
// calibration of modern neural networks", 2017).
type calibration struct {
	logWeight [len(powers)]float64 // log weights of the powers, the largest 0
	weight    [len(powers)]float64 // weights of the powers, 1 in total
}

// add updates the log weights by the uncalibrated prediction p of a weighted example. It overwrites p.
func (c *calibration) add(p []float64, class int, weight float64) {
	for i, step := range steps(p, class) {
		c.logWeight[i] += float64(weight * step)
	}
}

// follow multiplies the weights by the probabilities of the class, and distributes the fixed share.
func (c *calibration) follow(p []float64, class int, share float64) {
	log := steps(p, class)
	top := slices.Max(log[:])
	for i, step := range log {
		c.weight[i] *= kernel.Exp(step - top)
	}
	distribute(c.weight[:], share)
}

// steps returns the log probability of the class for each power. It overwrites p.
func steps(p []float64, class int) (log [len(powers)]float64) {
	_, totals := powerTotals(p)
	for i, tau := range powers {
		log[i] = atLeast(float64(tau*p[class])-kernel.Log(totals[i]), smallest)
	}
	return log
}

func (c *calibration) normalise() { normalise(c.weight[:], c.logWeight[:]) }

// calibrate calibrates the probabilities p, unless they are NaN, and keeps their sum.
func (c *calibration) calibrate(p []float64) {
	if floats.HasNaN(p) {
		return
	}
	sum, totals := powerTotals(p)
	for j, x := range p {
		p[j] = 0
		for i, tau := range powers {
			p[j] += sum * c.weight[i] / totals[i] * kernel.Exp(tau*x)
		}
	}
}

// powerTotals replaces p by log p/max p, and returns the old sum and Σ (p/max p)^τ for each power.
func powerTotals(p []float64) (sum float64, totals [len(powers)]float64) {
	sum = kernel.Sum(p)
	top := kernel.Log(slices.Max(p))
	for j, x := range p {
		p[j] = kernel.Log(x) - top
		for i, tau := range powers {
			totals[i] += kernel.Exp(tau * p[j])
		}
	}
	return sum, totals
}
