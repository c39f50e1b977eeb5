// Package kalman is the extended Kalman filter over all weights of a multi-layer perceptron with softmax
// output (Singhal and Wu, "Training multilayer perceptrons with the extended Kalman algorithm", NIPS 1988),
// learning one example after another. The default prior is for standardised inputs. With hidden layers and
// too wide a prior, steps of the mean may grow without bound until Observe returns errors.
//
// The weights are w ~ N(μ, P). At μ let z be the logits, p = softmax(z), J = ∂z/∂w, and S = diag(p) − ppᵀ,
// which is ∂p/∂z and also the covariance of a one-hot label y. The filter approximates y by SJ(w − μ) + p
// with noise of covariance S = AAᵀ, with a factor A of n−1 columns. With H = AᵀJ, P̃ = P − PHᵀ(I + HPHᵀ)⁻¹HP
// and μ̃ = μ + P̃Jᵀ(y − p). This is P̃⁻¹ = P⁻¹ + JᵀSJ, the online natural gradient (Ollivier, "Online natural
// gradient as a Kalman filter", Electronic Journal of Statistics 2018). A square root or the inverse of P is
// stored; P itself if all covariances are kept and there is process noise.
package kalman

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Covariance says which covariances of the weights are kept.
type Covariance string

const (
	// Full keeps the covariances of all W weights: with n classes a step costs about 6nW² operations.
	Full Covariance = "full"

	// Diagonal keeps the variances of a Full step only, as Puskorius and Feldkamp (IJCNN 1991, fully decoupled).
	Diagonal Covariance = "diagonal"

	// LowRank keeps a diagonal and Rank columns of the inverse, "LO-FI" of Chang et al. (CoLLAs 2023). A step
	// costs about (3 Rank + 14) Rank W operations.
	LowRank Covariance = "low-rank"

	// Bong keeps variances only, as the Bayesian online natural gradient of Jones, Chang and Murphy (NeurIPS
	// 2024) for a linearised network.
	Bong Covariance = "bong"
)

// Words returns the words of all covariances.
func (Covariance) Words() []string { return field.Words(Full, Diagonal, LowRank, Bong) }

// Config describes a filter. The zero value of every field is its documented default.
type Config struct {
	Covariance Covariance `toml:"covariance" default:"full"`    // which covariances of the weights are kept
	Rank       int        `toml:"rank,omitempty" range:"1 200"` // rank of "low-rank"; default 10

	// PriorVar is the prior variance of a weight, divided by the inputs of its layer with the bias.
	PriorVar float64 `toml:"prior_var" default:"1" range:"1e-12 1e12"`

	// PriorMeanVar is the variance of random prior means of hidden layers, divided by inputs (He et al. 2015).
	PriorMeanVar float64 `toml:"prior_mean_var" default:"2" range:"1e-12 1e12"`

	// ProcessNoise is the share of the gap to the prior covariance that one example closes, for streams with
	// concept drift; default none.
	ProcessNoise float64 `toml:"process_noise,omitempty" range:"1e-9 1"`
}

// Numbers returns how many numbers the covariance of a network has.
func (c Config) Numbers(layers []int) float64 {
	weights := float64(mlp.New(layers, true).Weights())
	switch c.Covariance {
	case Full:
		return weights * weights
	case LowRank:
		return weights * float64(1+c.Rank)
	}
	return weights
}

// Validate fills in the rank, and returns an error if a rank is given but not used.
func (c *Config) Validate() error {
	if c.Covariance == LowRank {
		c.Rank = cmp.Or(c.Rank, 10)
		return nil
	}
	return field.Refuse(c.Rank != 0, "rank", c.Rank, `with covariance = "low-rank"`)
}

// Model is a filter with the weights it has learned.
type Model struct {
	network *mlp.Network
	mean    []float64
	belief  belief

	pass  *mlp.Pass
	label [][]float64 // rows of Aᵀ, see factorLabel
	rows  *jacobian   // derivatives of n functions of the logits

	moments  *softmax.Moments
	variance []float64 // variances of the logits
}

type belief interface {
	// variances sets dst_k to h_k P h_kᵀ for the rows h of the jacobian.
	variances(dst []float64, j *jacobian)

	// step takes the last row of the jacobian as the derivatives of y − p, the others as those of Aᵀ. It reports
	// whether the numbers are small enough for the step; if not, nothing has changed.
	step(mean []float64, j *jacobian) bool
}

// New returns a filter for layers as [mlp.Start] has them. Prior means of hidden layers are drawn from src.
func New(cfg Config, layers []int, src rand.Source) (*Model, error) {
	network, rnd, err := mlp.Start(layers, &cfg, src)
	if err != nil {
		return nil, err
	}
	n, count := network.Outputs(), network.Weights()
	m := &Model{
		network: network, mean: make([]float64, count), pass: network.NewPass(),
		label: vectors(n-1, n), rows: newJacobian(network, n),
		moments: softmax.NewMoments(n), variance: make([]float64, n),
	}
	for _, w := range network.Layers[:len(network.Layers)-1] {
		sd := math.Sqrt(cfg.PriorMeanVar / float64(w.In))
		for i := range w.In * w.Out {
			m.mean[w.Offset+i] = sd * random.Normal(rnd)
		}
	}
	prior := network.PriorVar(cfg.PriorVar)
	noise, neurons := newNoise(cfg.ProcessNoise, prior), len(m.rows.neurons)
	switch {
	case cfg.Covariance == Full && cfg.ProcessNoise > 0:
		m.belief = newWalking(prior, cfg.ProcessNoise, n)
	case cfg.Covariance == Full:
		m.belief = newFull(prior, n)
	case cfg.Covariance == LowRank:
		m.belief = newLowRank(noise, cfg.Rank, n)
	case cfg.Covariance == Diagonal:
		m.belief = newDiagonal(noise, neurons, n)
	default:
		m.belief = bong{newDiagonal(noise, neurons, n)}
	}
	return m, nil
}

func vectors(count, length int) [][]float64 {
	return slices.Collect(slices.Chunk(make([]float64, count*length), length))
}

var errOverflow = errors.New("kalman: the covariance of the logits overflows")

// Observe updates the weights by one example of the given class (from 0). An error leaves them unchanged.
func (m *Model) Observe(x []float64, class int) error {
	n := m.network.Outputs()
	if err := cmp.Or(field.Class(class, n), m.network.Logits(m.pass, m.mean, x)); err != nil {
		return err
	}
	p := m.pass.Logit
	mlp.Normalise(p)
	factorLabel(m.label, p)
	for k, a := range m.label {
		copy(m.pass.Score, a)
		m.rows.set(k, m.network, m.pass, m.mean)
	}
	for j, pj := range p {
		m.pass.Score[j] = -pj
	}
	m.pass.Score[class]++
	m.rows.set(n-1, m.network, m.pass, m.mean)
	if !m.belief.step(m.mean, m.rows) {
		return errOverflow
	}
	return nil
}

// Predict sets p to the predictive probabilities of the classes at x: the mean of the softmax of Gaussian
// logits, by quadrature. The logits have means z(μ) and the covariance JPJᵀ of the linearised network, and
// are approximated as independent, with variances n/(n−1) Var(z_j − z̄), z̄ = Σ_i z_i/n.
func (m *Model) Predict(p, x []float64) error {
	n := m.network.Outputs()
	mlp.CheckProbabilities(p, n)
	if err := m.network.Logits(m.pass, m.mean, x); err != nil {
		return err
	}
	share := 1 / float64(n)
	for j := range n {
		for i := range m.pass.Score {
			m.pass.Score[i] = -share
		}
		m.pass.Score[j] = 1 - share
		m.rows.set(j, m.network, m.pass, m.mean)
	}
	m.belief.variances(m.variance, m.rows)
	for j := range m.variance {
		m.variance[j] /= 1 - share
		if !kernel.Finite(m.variance[j]) {
			return errOverflow
		}
	}
	softmax.Exact{Fast: true}.Moments(m.moments, m.pass.Logit, m.variance)
	sum := kernel.Sum(m.moments.P)
	if !(sum > 0 && kernel.Finite(sum)) {
		return errors.New("kalman: the probabilities add up to nothing")
	}
	floats.ScaleTo(p, 1/sum, m.moments.P)
	return nil
}
