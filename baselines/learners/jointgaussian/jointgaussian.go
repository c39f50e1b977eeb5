// Package jointgaussian is multinomial regression with one Gaussian over the weights of all classes, by
// assumed-density filtering (Opper 1998, Minka 2001): after each example the Gaussian has the exact mean and
// covariance of the weights given the class, so that the projection onto a Gaussian is the only approximation.
//
// With weights w ~ N(μ, Σ) and inputs x, the differences of the logits to that of the observed class c are
// δ ~ N(m, S). With A = Cov(w, δ), and g and H the gradient and the Hessian of log p(c) in m, an example
// moves μ by A g and Σ by A H Aᵀ. The type orthant integrates p, g and H.
package jointgaussian

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Likelihood is the probability of a class given the logits.
type Likelihood string

const (
	// Exact is the softmax itself.
	Exact Likelihood = "exact"

	// Probit is the probit with ρ = ½ and the slope of the softmax, see package softmax.
	Probit Likelihood = "probit"
)

// Words returns the words of all likelihoods.
func (Likelihood) Words() []string { return field.Words(Exact, Probit) }

// Config describes a filter. The zero value of every field is its documented default.
type Config struct {
	Likelihood Likelihood `toml:"likelihood" default:"exact"` // the probability of a class given the logits

	// PriorFactor multiplies the prior variance of a weight, 600/(inputs · inputs with the bias), as in a
	// closed-form network without hidden layers.
	PriorFactor float64 `toml:"prior_factor" default:"1" range:"1e-12 1e12"`
}

// Numbers returns the number of covariances of the weights.
func (Config) Numbers(layers []int) float64 {
	weights := float64(layers[0]+1) * float64(layers[len(layers)-1])
	return weights * weights
}

// Model is a filter with the weights it has learned.
type Model struct {
	bias    bool
	inputs  int
	classes int
	mean    []float64 // μ, class by class, the weight of the bias last
	cov     []float64 // Σ
	orthant *orthant

	// Scratch space of a step.
	x       []float64   // the inputs, and 1 for the bias
	across  [][]float64 // the columns of A
	moved   []float64   // a row of H Aᵀ
	logits  []float64
	rows    []float64 // covariances of the logits with a difference
	m, s    []float64 // mean and covariance of the differences
	g, h    []float64 // gradient and Hessian of log p in m
	newMean []float64
	newCov  []float64
}

const mostClasses = 25 // as many as the lattice has dimensions, and one

// New returns a filter with a bias. Nothing is drawn from the source.
func New(cfg Config, inputs, classes int, _ rand.Source) (*Model, error) {
	if err := field.Resolve(&cfg); err != nil {
		return nil, err
	}
	if inputs < 1 || classes < 2 || classes > mostClasses {
		return nil, fmt.Errorf("jointgaussian: %d inputs and %d classes; need 1 input or more and 2 to %d classes",
			inputs, classes, mostClasses)
	}
	count := (inputs + 1) * classes
	variance := slices.Repeat([]float64{cfg.PriorFactor * 600 / float64(inputs) / float64(inputs+1)}, count)
	return WithPrior(cfg.Likelihood, inputs, classes, make([]float64, count), variance), nil
}

// WithPrior returns a filter with independent prior weights of these means and variances, class by class. With
// one more weight for each class than inputs the last one is the bias. It panics if lengths do not match.
func WithPrior(l Likelihood, inputs, classes int, mean, variance []float64) *Model {
	count, d := len(mean), classes-1
	row := count / classes
	if len(variance) != count || row*classes != count || row != inputs && row != inputs+1 {
		panic(fmt.Sprintf("jointgaussian: %d means and %d variances of weights for %d inputs and %d classes",
			count, len(variance), inputs, classes))
	}
	vector := func(n int) []float64 { return make([]float64, n) }
	m := &Model{
		bias: row > inputs, inputs: inputs, classes: classes, mean: slices.Clone(mean), cov: vector(count * count),
		orthant: newOrthant(l, d), x: vector(row), moved: vector(count), logits: vector(classes),
		rows: vector(classes), m: vector(d), s: vector(d * d), g: vector(d), h: vector(d * d),
	}
	for i, v := range variance {
		m.cov[i*count+i] = v
	}
	for range classes {
		m.across = append(m.across, vector(count))
	}
	m.newMean, m.newCov = slices.Clone(mean), slices.Clone(m.cov)
	return m
}

var errIntegral = errors.New("jointgaussian: the probability of the class underflows or overflows")

// differences sets m and s to the moments of the logits less that of a class, in the order of the other
// classes, and the first columns of across to their covariances with the weights.
func (g *Model) differences(class int) {
	d, count := g.classes-1, len(g.mean)
	kernel.Rows(g.logits, g.mean, g.x)
	for j, a := range g.across {
		clear(a)
		for i, xi := range g.x {
			kernel.AddScaled(a, xi, g.cov[(j*len(g.x)+i)*count:][:count])
		}
	}
	target := g.across[class]
	copy(g.across[class:], g.across[class+1:])
	g.across[d] = target
	for j, a := range g.across[:d] {
		kernel.AddScaled(a, -1, target)
		kernel.Rows(g.rows, a, g.x)
		g.m[j] = g.logits[other(j, class)] - g.logits[class]
		for k := range d {
			g.s[j*d+k] = g.rows[other(k, class)] - g.rows[class]
		}
	}
}

// other returns the class of difference j.
func other(j, class int) int {
	if j < class {
		return j
	}
	return j + 1
}

func (g *Model) input(x []float64) error {
	if err := field.Input(x, g.inputs); err != nil {
		return err
	}
	copy(g.x, x)
	if g.bias {
		g.x[g.inputs] = 1
	}
	return nil
}

// Observe updates the weights by one example of the given class (from 0). An error leaves them unchanged.
func (g *Model) Observe(x []float64, class int) error {
	if err := cmp.Or(field.Class(class, g.classes), g.input(x)); err != nil {
		return err
	}
	g.differences(class)
	if !g.orthant.derivatives(g.g, g.h, g.m, g.s) {
		return errIntegral
	}
	copy(g.newMean, g.mean)
	copy(g.newCov, g.cov)
	d := g.classes - 1
	for j, a := range g.across[:d] {
		kernel.AddScaled(g.newMean, g.g[j], a)
		clear(g.moved)
		for k, b := range g.across[:d] {
			kernel.AddScaled(g.moved, g.h[j*d+k], b)
		}
		kernel.AddOuter(g.newCov, a, g.moved)
	}
	if !kernel.Finite(g.newMean...) || !kernel.Finite(g.newCov...) {
		return errIntegral
	}
	g.mean, g.newMean, g.cov, g.newCov = g.newMean, g.mean, g.newCov, g.cov
	return nil
}

// Predict sets p to the predictive probabilities of the classes at x.
func (g *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, g.classes)
	if err := g.input(x); err != nil {
		return err
	}
	for class := range p {
		g.differences(class)
		p[class] = g.orthant.probability(g.m, g.s)
	}
	sum := kernel.Sum(p)
	if !(sum > 0) || !kernel.Finite(sum) {
		return errIntegral
	}
	floats.Scale(1/sum, p)
	return nil
}
