// Package montecarlo estimates the moments of the softmax of a Gaussian by sampling, with standard errors:
// the independent check of every approximation.
package montecarlo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Softmax implements [softmax.Approximation] by plain Monte Carlo with samples from Source. It is not safe
// for concurrent use, as every call advances the source.
type Softmax struct {
	Samples int
	Source  rand.Source
}

// Moments implements [softmax.Approximation].
func (s Softmax) Moments(dst *softmax.Moments, mean, variance []float64) {
	e := NewEstimate(len(dst.P))
	e.Moments = dst
	e.Sample(mean, variance, s.Samples, s.Source)
}

// Estimate holds averages over independent samples s of softmax(z) for n classes, and their standard errors,
// which are too small where few samples contribute. Reusing an estimate allocates nothing.
type Estimate struct {
	*softmax.Moments           // means of s_j and of s_i s_j
	PErr             []float64 // standard errors of P, length n
	Var, VarErr      []float64 // variances of s_j and their standard errors, length n

	sd, white, centre, s []float64
	powers               [][4]float64 // sums of d, …, d⁴ for d = s_j − c_j, c the softmax of the means
	products             []float64    // Σ s_i s_j, pairs i < j
}

// NewEstimate returns an empty estimate for n classes. It panics if n < 2.
func NewEstimate(n int) *Estimate {
	vector := func() []float64 { return make([]float64, n) }
	return &Estimate{
		Moments: softmax.NewMoments(n), PErr: vector(), Var: vector(), VarErr: vector(),
		sd: vector(), white: vector(), centre: vector(), s: vector(),
		powers: make([][4]float64, n), products: make([]float64, n*(n-1)/2),
	}
}

// Sample replaces the estimate by one from fresh samples of independent z_j ~ N(mean_j, variance_j). It
// panics as [softmax.CheckLogits], if samples < 2, or if src is nil.
func (e *Estimate) Sample(mean, variance []float64, samples int, src rand.Source) {
	softmax.CheckLogits(len(e.P), mean, variance)
	for j, v := range variance {
		e.sd[j] = math.Sqrt(v)
	}
	e.sample(mean, nil, samples, src)
}

// SampleCov is Sample for correlated logits z ~ N(mean, L Lᵀ).
func (e *Estimate) SampleCov(mean []float64, l *linalg.Cholesky, samples int, src rand.Source) {
	e.sample(mean, l, samples, src)
}

// sample is SampleCov, or without l it samples independent logits with the deviations e.sd.
func (e *Estimate) sample(mean []float64, l *linalg.Cholesky, samples int, src rand.Source) {
	if samples < 2 || src == nil {
		panic(fmt.Sprintf("montecarlo: %d samples from source %v; need at least 2 and a source", samples, src))
	}
	clear(e.powers)
	clear(e.products)
	copy(e.centre, mean)
	mlp.Normalise(e.centre)

	rnd := rand.New(src)
	for range samples {
		for j := range e.white {
			e.white[j] = random.Normal(rnd)
		}
		for j, m := range mean {
			if l == nil {
				e.s[j] = m + float64(e.sd[j]*e.white[j])
			} else {
				e.s[j] = m + kernel.Dot(l.Row(j), e.white[:j+1])
			}
		}
		mlp.Normalise(e.s)
		e.add()
	}
	e.finish(float64(samples))
}

func (e *Estimate) add() {
	pair := e.products
	for i, s := range e.s {
		d := s - e.centre[i]
		d2, w := d*d, &e.powers[i]
		w[0] += d
		w[1] += d2
		w[2] += d2 * d
		w[3] += d2 * d2
		kernel.AddScaled(pair[:i], s, e.s)
		pair = pair[i:]
	}
}

func (e *Estimate) finish(n float64) {
	pair := e.products
	for i, w := range e.powers {
		// Moments about the sample mean, from those about the centre.
		a, b, c, d := w[0]/n, w[1]/n, w[2]/n, w[3]/n
		m2 := max(0, b-a*a)
		m4 := max(0, d-4*a*c+6*a*a*b-3*a*a*a*a)
		e.P[i] = e.centre[i] + a
		e.Var[i] = m2 * n / (n - 1)
		e.PErr[i] = math.Sqrt(e.Var[i] / n)
		e.VarErr[i] = math.Sqrt(max(0, m4-m2*m2*(n-3)/(n-1)) / n)
		for j := range i {
			q := pair[j] / n
			e.E.Set(i, j, q)
			e.E.Set(j, i, q)
		}
		pair = pair[i:]
	}
}
