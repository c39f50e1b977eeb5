package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/internal/kernel"
)

// WeightRule is how the members of a [Bank] are weighted. With p_k the probability that
// member k gave the class of an example before it learned the example, p̄ = Σ_k w_k p_k, and
// the forgetting φ of [Weighing], the weights are up to a factor as follows.
type WeightRule string

const (
	// Evidence is w_k ← w_k^φ p_k, with φ = 1 the posterior probabilities of the members. It
	// concentrates on one member, even where a mixture predicts better (Minka, "Bayesian
	// model averaging is not model combination", 2002).
	Evidence WeightRule = "evidence"

	// Stacked is w_k ← w_k^φ (1 − η + η p_k/p̄), η = √(log K / 2Kt) at example t of K members.
	// It converges to the best mixture (Soft-Bayes: Orseau, Lattimore, Legg, "Soft-Bayes:
	// prod for mixtures of experts with log-loss", ALT 2017).
	Stacked WeightRule = "stacked"

	// Equal is w_k = 1/K.
	Equal WeightRule = "equal"
)

// Weighing is the rule of the weights, and how fast it forgets.
type Weighing struct {
	Weights WeightRule `toml:"weights,omitempty" json:"weights,omitempty"`

	// Forgetting is φ, above 0 to 1: a prediction n examples ago counts φⁿ times (Raftery,
	// Kárný, Ettler, "Online prediction under model uncertainty via dynamic model averaging",
	// Technometrics 2010). Zero stands for 1.
	Forgetting float64 `toml:"forgetting,omitzero" json:"forgetting,omitempty"`
}

// Validate reports what is not allowed.
func (w Weighing) Validate() error {
	if err := field.OneOf("weights", w.Weights, Evidence, Stacked, Equal); err != nil {
		return err
	}
	if !(0 <= w.Forgetting && w.Forgetting <= 1) || w.Weights == Equal && w.Forgetting != 0 {
		return field.Errorf("forgetting", "%g is not allowed; allowed: above 0 to 1, with weights = %q or %q", w.Forgetting, Evidence, Stacked)
	}
	return nil
}

// MixtureWeights are weights of the members of a [Bank], or of other predictors, by the
// predictions that they made. The exported fields are the whole state. They are not safe for
// concurrent use.
type MixtureWeights struct {
	Weighing
	Seen  int       `json:"seen"`  // examples that were judged
	Fixed bool      `json:"fixed"` // Update leaves the weights as they are
	Log   []float64 `json:"-"`     // logarithms of the weights but for a common term; −∞ of a member that was dropped

	// Failed is the error of the last member of a Bank, if all have broken down.
	Failed string `json:"failed,omitempty"`

	weights []float64
}

// NewMixtureWeights returns equal weights of so many members. It returns an error that names
// the field if the weighing is not valid, or if there are no members.
func NewMixtureWeights(w Weighing, members int) (*MixtureWeights, error) {
	return (MixtureWeights{Weighing: w, Log: make([]float64, members)}).restored()
}

// restored returns weights in the same state, which it copies, if that is valid.
func (w MixtureWeights) restored() (*MixtureWeights, error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", field.InGo(w, err))
	}
	bad := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 1) }
	if len(w.Log) == 0 || w.Seen < 0 || slices.ContainsFunc(w.Log, bad) || math.IsInf(slices.Max(w.Log), -1) {
		return nil, fmt.Errorf("bnn: logarithms of weights Log = %v after Seen = %d examples; need numbers, one above −∞", w.Log, w.Seen)
	}
	w.Log, w.weights = slices.Clone(w.Log), make([]float64, len(w.Log))
	w.normalise()
	return &w, nil
}

// Values returns the weights, which sum to 1. The slice belongs to w, whose methods change it.
func (w *MixtureWeights) Values() []float64 { return w.weights }

// Dropped reports whether member k was dropped.
func (w *MixtureWeights) Dropped(k int) bool { return math.IsInf(w.Log[k], -1) }

// Update changes the weights by logP, the logarithms of the probabilities p_k that the members
// gave the class of one example. It sets those below the smallest positive number, and
// NaN, to the logarithm of that number, and ignores those of dropped members.
func (w *MixtureWeights) Update(logP []float64) {
	if w.Fixed || w.Weights == Equal {
		return
	}
	w.Seen++
	least := kernel.Log(math.SmallestNonzeroFloat64)
	mean, k := 0.0, float64(len(w.Log))
	for i, share := range w.weights {
		if !(logP[i] >= least) {
			logP[i] = least
		}
		if share > 0 {
			mean += share * kernel.Exp(logP[i])
		}
	}
	rate := math.Sqrt(kernel.Log(k) / (2 * k * float64(w.Seen)))
	for i, step := range logP {
		if w.Dropped(i) {
			continue
		}
		if w.Weights == Stacked {
			step = kernel.Log(1 - rate + rate*kernel.Exp(step)/max(mean, math.SmallestNonzeroFloat64))
		}
		if w.Forgetting > 0 {
			w.Log[i] *= w.Forgetting
		}
		w.Log[i] += step
	}
	w.normalise()
}

// normalise computes the weights, and shifts their logarithms so that the largest is 0.
func (w *MixtureWeights) normalise() {
	top := slices.Max(w.Log)
	for k := range w.Log {
		w.Log[k] -= top
		w.weights[k] = kernel.Exp(w.Log[k])
	}
	floats.Scale(1/kernel.Sum(w.weights), w.weights)
}

// Drop sets the weight of member k to zero for good, and reports whether others remain. The
// weight of the last member stays.
func (w *MixtureWeights) Drop(k int) bool {
	was := w.Log[k]
	w.Log[k] = math.Inf(-1)
	if math.IsInf(slices.Max(w.Log), -1) {
		w.Log[k] = was
		return false
	}
	w.normalise()
	return true
}
