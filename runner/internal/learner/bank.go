package learner

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Weighing says how much the members of a bank count in its mean, by what each predicted of
// the examples of the first pass before it learned them: later passes see them again.
type Weighing struct {
	// Weights are, with p_k the probability that member k gave the class of an example and
	// p̄ = Σ_k w_k p_k,
	//
	//	evidence  w_k ← w_k^φ p_k, up to a factor: the posterior of the members if φ = 1
	//	stacked   w_k ← w_k^φ (1 − η + η p_k/p̄), η = √(log K / 2Kt) at example t
	//	equal     1/K
	//
	// Evidence comes to be with one member, were a mixture better (Minka, "Bayesian model
	// averaging is not model combination", 2002); stacked goes to the best mixture
	// (Soft-Bayes: Orseau, Lattimore, Legg, "Soft-Bayes: prod for mixtures of experts
	// with log-loss", ALT 2017).
	Weights string `toml:"weights,omitempty" json:",omitempty"`

	// Forgetting is φ: what was predicted n examples ago counts φⁿ times (Raftery, Kárný,
	// Ettler, "Online prediction under model uncertainty via dynamic model averaging",
	// Technometrics 2010). Zero stands for 1.
	Forgetting float64 `toml:"forgetting,omitzero" json:",omitempty"`

	// First is the number of examples after which the member of the largest weight goes on
	// alone, or at the end of the pass if it has fewer; zero: none does.
	First int `toml:"first,omitzero" json:",omitempty"`
}

// Validate reports what is not allowed.
func (w *Weighing) Validate() error {
	plain := w.Weights == "" || w.Weights == equal
	switch {
	case !slices.Contains([]string{"", evidence, stacked, equal}, w.Weights):
		return field.Errorf("weights", "%q is not allowed; allowed: %s, %s, %s",
			w.Weights, evidence, stacked, equal)
	case !(0 <= w.Forgetting && w.Forgetting <= 1) || plain && w.Forgetting != 0:
		return field.Errorf("forgetting", "%g is not allowed; allowed: above 0 to 1, with weights = %q or %q",
			w.Forgetting, evidence, stacked)
	case w.First < 0 || plain && w.First != 0:
		return field.Errorf("first", "%d is not allowed; allowed: 1 or more, with weights = %q or %q",
			w.First, evidence, stacked)
	}
	return nil
}

// The words for weights.
const (
	evidence = "evidence"
	stacked  = "stacked"
	equal    = "equal"
)

// Bank is an ensemble of learners of several settings, weighted by how well they predict. A
// member that breaks down has no weight from then on.
type Bank struct {
	Ensemble
	weighing Weighing
	names    []string  // of the settings
	log      []float64 // logarithms of the weights, the largest 0; −∞ of a member that is out
	logP     []float64 // those of the probabilities of a class
	seen     int
	settled  bool // the weights stay
	broken   int  // members that broke down
}

// NewBank returns the bank of the members, with names of their settings, for so many classes.
func NewBank(w Weighing, classes int, names []string, members []Learner) *Bank {
	w.Forgetting = cmp.Or(w.Forgetting, 1)
	b := &Bank{
		Ensemble: Ensemble{Members: members, weights: make([]float64, len(members)), p: make([]float64, classes)},
		weighing: w, names: names, log: make([]float64, len(members)), logP: make([]float64, len(members)),
		settled: w.Weights == equal,
	}
	b.drop = b.leave
	b.weigh()
	return b
}

// Observe shows the members the example, and weighs them by how they predicted its class.
func (b *Bank) Observe(x []float64, class int) error {
	for k, m := range b.Members {
		if b.isOut(k) {
			continue
		}
		if err := b.observe(k, m, x, class); err != nil && !b.drop(k) {
			return err
		}
	}
	if !b.settled {
		b.judge()
	}
	return nil
}

// observe shows member k the example, and sets logP to what it predicted before.
func (b *Bank) observe(k int, m Learner, x []float64, class int) error {
	knows, free := m.(interface{ LogP() float64 }) // a network predicts what it learns in any case
	if !b.settled && !free {
		if err := m.Predict(b.p, x); err != nil {
			return err
		}
		b.logP[k] = kernel.Log(b.p[class])
	}
	err := m.Observe(x, class)
	if free {
		b.logP[k] = knows.LogP()
	}
	if least := kernel.Log(math.SmallestNonzeroFloat64); !(b.logP[k] >= least) {
		b.logP[k] = least
	}
	return err
}

// judge changes the weights by logP.
func (b *Bank) judge() {
	b.seen++
	mean, k := 0.0, float64(len(b.log))
	for i, w := range b.weights {
		if w > 0 {
			mean += w * kernel.Exp(b.logP[i])
		}
	}
	rate := math.Sqrt(kernel.Log(k) / (2 * k * float64(b.seen)))
	for i := range b.log {
		if b.isOut(i) {
			continue
		}
		step := b.logP[i]
		if b.weighing.Weights == stacked {
			step = kernel.Log(1 - rate + rate*kernel.Exp(step)/max(mean, math.SmallestNonzeroFloat64))
		}
		b.log[i] = b.weighing.Forgetting*b.log[i] + step
	}
	b.weigh()
	if b.seen == b.weighing.First {
		b.settle()
	}
}

// weigh makes the weights of their logarithms.
func (b *Bank) weigh() {
	top := slices.Max(b.log)
	for k := range b.log {
		b.log[k] -= top
		b.weights[k] = kernel.Exp(b.log[k])
	}
	floats.Scale(1/kernel.Sum(b.weights), b.weights)
}

func (b *Bank) isOut(k int) bool { return math.IsInf(b.log[k], -1) }

// leave takes all weight from member k, which broke down, and reports whether there are others.
// The last member stays: each further call returns its error.
func (b *Bank) leave(k int) bool {
	b.broken++
	was := b.log[k]
	if b.log[k] = math.Inf(-1); math.IsInf(slices.Max(b.log), -1) {
		b.log[k] = was
		return false
	}
	b.weigh()
	return true
}

// settle ends the judging, with the first pass at the latest.
func (b *Bank) settle() {
	b.settled = true
	best := floats.MaxIdx(b.log)
	for k := range b.log {
		if b.weighing.First > 0 && k != best {
			b.log[k] = math.Inf(-1)
		}
	}
	b.weigh()
}

// bankOf returns the bank that the learner is, or nil.
func bankOf(l Learner) *Bank {
	if t, ok := l.(*Tolerant); ok {
		l = t.Learner
	}
	b, _ := l.(*Bank)
	return b
}

// Chosen returns of a bank the name of the member of the largest weight, its weight, and how many
// broke down: "prior_var=1: 0.97, 2 of 8 broke down"; of another learner nothing.
func (t *Tolerant) Chosen() (text string) {
	if b := bankOf(t); b != nil {
		best := floats.MaxIdx(b.log)
		text = fmt.Sprintf("%s: %.2g", b.names[best], b.weights[best])
		if b.broken > 0 {
			text += fmt.Sprintf(", %d of %d broke down", b.broken, len(b.Members))
		}
	}
	return text
}

// Steps returns the sums of the members' steps.
func (b *Bank) Steps() (sum Steps) {
	for _, m := range b.Members {
		if s, ok := m.(Stepper); ok {
			sum.add(s.Steps())
		}
	}
	return sum
}

var _ Stepper = (*Bank)(nil)
