package bnn

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/internal/kernel"
)

// WeightRule is how the members of a [Bank] are weighted. The weights are the mean of those of
// mixtures, each weighted by u ← u^φ p: p is the probability that the mixture gave the class
// of an example before its members learned it, and φ the forgetting of [Weighing].
type WeightRule string

const (
	// Universal is the rule whose mixtures have weights that are multiples of 1/4. Over n examples it
	// predicts within log(number of mixtures)/n nats as well as the best of them, each member
	// being one (Cover, "Universal portfolios", Mathematical Finance 1991, on a grid).
	Universal WeightRule = "universal"

	// Evidence is the rule whose mixtures are the members. With φ = 1 the weights are the posterior
	// probabilities of the members. They concentrate on one member, even where a mixture predicts
	// better (Minka, "Bayesian model averaging is not model combination", 2002).
	Evidence WeightRule = "evidence"

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

	// Temperature has a bank learn how sure to be: its probabilities p become the mean of the
	// p^τ/Σp^τ with τ = 0.7, 0.85, 1, 1.2, 1.5 and 2, weighted as the rule Evidence weighs members
	// (temperature scaling: Guo et al., "On calibration of modern neural networks", 2017). A mean
	// of distributions is less sure than is right where each of them is calibrated (Ranjan and
	// Gneiting, "Combining probability forecasts", 2010).
	Temperature bool `toml:"temperature,omitzero" json:"temperature,omitempty"`
}

// Validate reports what is not allowed.
func (w Weighing) Validate() error {
	if err := field.OneOf("weights", w.Weights, Universal, Evidence, Equal); err != nil {
		return err
	}
	if !(0 <= w.Forgetting && w.Forgetting <= 1) || w.Weights == Equal && w.Forgetting != 0 {
		return field.Errorf("forgetting", "%g is not allowed; allowed: above 0 to 1, with weights = %q or %q", w.Forgetting, Universal, Evidence)
	}
	if w.Temperature && w.Weights == Equal {
		return field.Errorf("temperature", "true is not allowed; allowed: with weights = %q or %q", Universal, Evidence)
	}
	return nil
}

// MostMembers is the largest number of members that are weighted.
const MostMembers = 64

// MixtureWeights are weights of the members of a [Bank], or of other predictors, by the predictions
// that they made. The exported fields are the whole state. They are not safe for concurrent use.
type MixtureWeights struct {
	Weighing
	Members int       `json:"members"`
	Seen    int       `json:"seen"`  // examples that were judged
	Fixed   bool      `json:"fixed"` // Update leaves the weights as they are
	Log     []float64 `json:"-"`     // logarithms of the weights u of the mixtures, the members first, but for a common term

	LogPowers []float64 `json:"powers,omitempty"` // of the weights of the powers τ, the largest 0; nil without a Temperature

	weights  []float64
	powers   [len(powers)]float64 // weights of the powers τ
	mixtures [][4]int             // each is the mean of four members
	p        []float64            // probabilities of the class but for a factor
}

// mixtures returns the members that mixtures consist of.
func (w WeightRule) mixtures(members int) (all [][4]int) {
	for i := range members {
		all = append(all, [4]int{i, i, i, i})
	}
	if w != Universal {
		return all
	}
	for i := range members {
		for j := i; j < members; j++ {
			for k := j; k < members; k++ {
				for l := max(k, i+1); l < members; l++ {
					all = append(all, [4]int{i, j, k, l})
				}
			}
		}
	}
	return all
}

// restored returns weights in the same state, which it copies, if that is valid. Without a Log and
// LogPowers they are equal. An error names the field of the weighing.
func (w MixtureWeights) restored() (*MixtureWeights, error) {
	if err := w.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	if w.Members < 1 || w.Members > MostMembers {
		return nil, fmt.Errorf("bnn: weights of %d members; need 1 to %d", w.Members, MostMembers)
	}
	w.mixtures = w.Weights.mixtures(w.Members)
	if w.Log == nil {
		w.Log = make([]float64, len(w.mixtures))
	}
	if w.Temperature && w.LogPowers == nil {
		w.LogPowers = make([]float64, len(powers))
	}
	// −∞ are those of members that earlier versions left out.
	if len(w.Log) != len(w.mixtures) || w.Seen < 0 || floats.HasNaN(w.Log) || math.IsInf(slices.Max(w.Log), 0) {
		return nil, fmt.Errorf("bnn: logarithms of weights Log = %v after Seen = %d examples; need %d numbers, one above −∞, for %d members",
			w.Log, w.Seen, len(w.mixtures), w.Members)
	}
	if w.Temperature && len(w.LogPowers) != len(powers) || !w.Temperature && w.LogPowers != nil || notFinite(w.LogPowers) >= 0 {
		return nil, fmt.Errorf("bnn: logarithms of weights LogPowers = %v; need %d finite numbers with a temperature, none without", w.LogPowers, len(powers))
	}
	w.LogPowers = slices.Clone(w.LogPowers)
	w.Log, w.weights, w.p = slices.Clone(w.Log), make([]float64, w.Members), make([]float64, w.Members)
	w.normalise()
	return &w, nil
}

// Values returns the weights, which sum to 1. The slice belongs to w, whose methods change it.
func (w *MixtureWeights) Values() []float64 { return w.weights }

// Update changes the weights by logP, the logarithms of the probabilities p_k that the members
// gave the class of one example. It sets those below the smallest positive number, and
// NaN, to the logarithm of that number.
func (w *MixtureWeights) Update(logP []float64) {
	if w.Fixed || w.Weights == Equal {
		return
	}
	w.Seen++
	least := kernel.Log(math.SmallestNonzeroFloat64)
	for k, x := range logP {
		if !(x >= least) {
			logP[k] = least
		}
	}
	top := slices.Max(logP)
	for k, x := range logP {
		w.p[k] = kernel.Exp(x - top)
	}
	for i, m := range w.mixtures {
		step := logP[m[0]]
		if m[0] != m[3] {
			step = max(least, top+kernel.Log((w.p[m[0]]+w.p[m[1]]+w.p[m[2]]+w.p[m[3]])/4))
		}
		if w.Forgetting > 0 {
			w.Log[i] *= w.Forgetting
		}
		w.Log[i] += step
	}
	w.normalise()
}

// normalise computes the weights, and shifts the logarithms so that the largest is 0.
func (w *MixtureWeights) normalise() {
	top := slices.Max(w.Log)
	clear(w.weights)
	for i, m := range w.mixtures {
		w.Log[i] -= top
		u := kernel.Exp(w.Log[i])
		for _, k := range m {
			w.weights[k] += u
		}
	}
	floats.Scale(1/kernel.Sum(w.weights), w.weights)
	if w.Temperature {
		floats.AddConst(-slices.Max(w.LogPowers), w.LogPowers)
		for i, x := range w.LogPowers {
			w.powers[i] = kernel.Exp(x)
		}
		floats.Scale(1/kernel.Sum(w.powers[:]), w.powers[:])
	}
}

// powers are the τ of a Temperature.
var powers = [...]float64{0.7, 0.85, 1, 1.2, 1.5, 2}

// Judges reports whether the next example is one by which the powers of a Temperature are
// weighed: one of the first thousand, or every eighth.
func (w *MixtureWeights) Judges() bool {
	return w.Temperature && !w.Fixed && (w.Seen < 1000 || w.Seen%8 == 0)
}

// Judge weighs the powers of a Temperature by what the mixture predicted of an example before its
// members learned it: p without the temperature, which Judge overwrites. It is to be called before
// Update. A NaN in p, or p = 0, changes no weight but by the Forgetting.
func (w *MixtureWeights) Judge(p []float64, class int) {
	least := kernel.Log(math.SmallestNonzeroFloat64)
	_, totals := powerTotals(p)
	for i, tau := range powers {
		if w.Forgetting > 0 {
			w.LogPowers[i] *= w.Forgetting
		}
		step := tau*p[class] - kernel.Log(totals[i])
		if !(step >= least) {
			step = least
		}
		w.LogPowers[i] += step
	}
}

// Temper changes the probabilities p of the mixture by the Temperature, if there is one. Their sum
// stays.
func (w *MixtureWeights) Temper(p []float64) {
	if !w.Temperature || floats.HasNaN(p) {
		return
	}
	sum, totals := powerTotals(p)
	for j, x := range p {
		p[j] = 0
		for i, tau := range powers {
			p[j] += sum * w.powers[i] / totals[i] * kernel.Exp(tau*x)
		}
	}
}

// powerTotals replaces p by log p/max p, and returns its sum of before and Σ (p/max p)^τ of each power.
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
