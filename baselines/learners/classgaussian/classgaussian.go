// Package classgaussian is a linear discriminant classifier: the inputs of each class are Gaussian, with one
// covariance about the class means (Fisher 1936). It learns online, and has a density of the inputs.
package classgaussian

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// Config describes a model.
type Config struct {
	// Shrinkage is a in (1−a)S + a·(tr S/d)·I, used for the covariance S (Ledoit and Wolf 2004).
	Shrinkage float64 `toml:"shrinkage" default:"0.001" range:"1e-9 1"`
}

// Numbers returns the number of entries of the covariance of layers[0] inputs.
func (Config) Numbers(layers []int) float64 { return float64(layers[0]) * float64(layers[0]) }

// Model is the moments of the examples.
type Model struct {
	shrinkage float64
	count     []float64
	mean      [][]float64
	scatter   *mat.SymDense // Σ (x − μ_c)(x − μ_c)ᵀ over the examples

	fitted bool            // whether root and white include all examples
	root   linalg.Cholesky // L of the covariance LLᵀ
	white  [][]float64     // L⁻¹μ_c
	z, log []float64
}

// New returns a model without examples: Σ = I about zero. Nothing is drawn from the source.
func New(cfg Config, inputs, classes int, _ rand.Source) (*Model, error) {
	if err := field.Resolve(&cfg); err != nil {
		return nil, err
	}
	if inputs < 1 || classes < 1 {
		return nil, fmt.Errorf("classgaussian: %d inputs and %d classes; need 1 or more", inputs, classes)
	}
	vector := func() []float64 { return make([]float64, inputs) }
	m := &Model{
		shrinkage: cfg.Shrinkage, count: make([]float64, classes), scatter: mat.NewSymDense(inputs, nil),
		z: vector(), log: make([]float64, classes),
	}
	for range classes {
		m.mean, m.white = append(m.mean, vector()), append(m.white, vector())
	}
	return m, nil
}

// Observe adds an example to the moments (Welford 1962).
func (m *Model) Observe(x []float64, class int) error {
	if err := cmp.Or(field.Input(x, len(m.z)), field.Class(class, len(m.count))); err != nil {
		return err
	}
	mean, d := m.mean[class], m.z
	m.count[class]++
	n := m.count[class]
	for i, xi := range x {
		d[i] = xi - mean[i]
		mean[i] += d[i] / n
	}
	blas64.Syr((n-1)/n, blas64.Vector{N: len(d), Inc: 1, Data: d}, m.scatter.RawSymmetric())
	m.fitted = false
	return nil
}

func (m *Model) fit() error {
	if m.fitted {
		return nil
	}
	d, count, shrinkage := len(m.z), max(1, kernel.Sum(m.count)), m.shrinkage
	cov := mat.NewSymDense(d, nil)
	level := mat.Trace(m.scatter) / count / float64(d)
	if level == 0 {
		level, shrinkage = 1, 1 // no input varies
	}
	cov.ScaleSym((1-shrinkage)/count, m.scatter)
	for i := range d {
		cov.SetSym(i, i, cov.At(i, i)+shrinkage*level)
	}
	if !m.root.Factorize(cov) {
		return errors.New("a covariance overflows")
	}
	for c, white := range m.white {
		copy(white, m.mean[c])
		m.root.Solve(white)
	}
	m.fitted = true
	return nil
}

// Distances sets dst to the squared Mahalanobis distances (x−μ_c)ᵀΣ⁻¹(x−μ_c) from the classes.
func (m *Model) Distances(dst, x []float64) error {
	if err := field.Input(x, len(m.z)); err != nil {
		return err
	}
	if err := m.fit(); err != nil {
		return err
	}
	copy(m.z, x)
	m.root.Solve(m.z)
	for c := range dst {
		dst[c] = 0
		for i, w := range m.white[c] {
			dst[c] += (m.z[i] - w) * (m.z[i] - w)
		}
		if !kernel.Finite(dst[c]) {
			return fmt.Errorf("classgaussian: the distance from class %d overflows", c)
		}
	}
	return nil
}

// joint sets log to log w_c N(x; μ_c, Σ), w_c = (N_c + 1)/(N + classes), less the largest, which it returns.
func (m *Model) joint(x []float64) (top float64, err error) {
	if err := m.Distances(m.log, x); err != nil {
		return 0, err
	}
	total := kernel.Sum(m.count) + float64(len(m.count))
	logDet, constant := m.root.LogDet(), float64(len(m.z))*kernel.Log(2*math.Pi)
	for c, d := range m.log {
		m.log[c] = kernel.Log((m.count[c]+1)/total) - 0.5*(d+logDet+constant)
	}
	top = slices.Max(m.log)
	floats.AddConst(-top, m.log)
	return top, nil
}

// Predict sets p to the probabilities of the classes at x.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, len(m.count))
	if _, err := m.joint(x); err != nil {
		return err
	}
	kernel.ExpAll(p, m.log)
	floats.Scale(1/kernel.Sum(p), p)
	return nil
}

// LogDensity returns the logarithm of the density of the inputs at x, Σ_c w_c N(x; μ_c, Σ).
func (m *Model) LogDensity(x []float64) (float64, error) {
	top, err := m.joint(x)
	if err != nil {
		return 0, err
	}
	kernel.ExpAll(m.log, m.log)
	return top + kernel.Log(kernel.Sum(m.log)), nil
}
