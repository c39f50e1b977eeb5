package learner

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Weighing says how the members of a bank are weighted by their predictions of the examples of
// the first pass; empty weights: there is no bank.
type Weighing struct {
	bnn.Weighing

	// First is the number of examples after which the member of the largest weight goes on
	// alone, or at the end of the pass if it has fewer; zero: none does.
	First int `toml:"first,omitzero" json:",omitempty"`
}

// Validate reports what is not allowed.
func (w *Weighing) Validate() error {
	if w.First < 0 || w.First > 0 && w.Weights != bnn.Universal && w.Weights != bnn.Evidence {
		return field.Errorf("first", "%d is not allowed; allowed: 1 or more, with weights = %q or %q", w.First, bnn.Universal, bnn.Evidence)
	}
	if *w == (Weighing{}) {
		return nil
	}
	return w.Weighing.Validate()
}

// Bank is [bnn.Bank] for learners of any kind. A member that breaks down has no weight from then on.
type Bank struct {
	Ensemble
	mixture *bnn.MixtureWeights
	first   int
	names   []string  // of the settings
	q       []float64 // what is predicted before an example
	logP    []float64 // logarithms of the probabilities of a class
	broken  int       // members that broke down
}

// NewBank returns the bank of the members, with names of their settings, for so many classes.
func NewBank(w Weighing, classes int, names []string, members []Learner) (*Bank, error) {
	weights, err := bnn.NewMixtureWeights(w.Weighing, len(members))
	if err != nil {
		return nil, err
	}
	b := &Bank{
		Ensemble: Ensemble{Members: members, weights: weights.Values(), p: make([]float64, classes)},
		q:        make([]float64, classes),
		mixture:  weights, first: w.First, names: names, logP: make([]float64, len(members)),
	}
	b.drop = b.leave
	return b, nil
}

// Observe shows the members the example, and weighs them by how they predicted its class.
func (b *Bank) Observe(x []float64, class int) error {
	if b.mixture.Judges() {
		if _, err := b.Ensemble.predict(b.q, x, false); err == nil {
			b.mixture.Judge(b.q, class)
		}
	}
	for k, m := range b.Members {
		if b.mixture.Dropped(k) {
			continue
		}
		if err := b.observe(k, m, x, class); err != nil && !b.drop(k) {
			return err
		}
	}
	b.mixture.Update(b.logP)
	if b.first > 0 && b.mixture.Seen == b.first && !b.mixture.Fixed {
		b.settle()
	}
	return nil
}

// Predict sets p to the mixture's prediction at x, see [bnn.Bank.Predict].
func (b *Bank) Predict(p, x []float64) error {
	err := b.Ensemble.Predict(p, x)
	b.mixture.Temper(p)
	return err
}

// MutualInformation implements [Mixture].
func (b *Bank) MutualInformation(p, x []float64) (float64, error) {
	information, err := b.Ensemble.MutualInformation(p, x)
	b.mixture.Temper(p)
	return information, err
}

// observe shows member k the example, and sets logP to what it predicted before.
func (b *Bank) observe(k int, m Learner, x []float64, class int) error {
	knows, free := m.(interface{ LogP() float64 }) // a network predicts what it learns in any case
	if !free && !b.mixture.Fixed && b.mixture.Weights != bnn.Equal {
		if err := m.Predict(b.p, x); err != nil {
			return err
		}
		b.logP[k] = kernel.Log(b.p[class])
	}
	err := m.Observe(x, class)
	if free {
		b.logP[k] = knows.LogP()
	}
	return err
}

// leave takes all weight from member k, which broke down, and reports whether there are others.
// The last member stays: each further call returns its error.
func (b *Bank) leave(k int) bool {
	b.broken++
	return b.mixture.Drop(k)
}

// settle fixes the weights, at the end of the first pass at the latest.
func (b *Bank) settle() {
	b.mixture.Fixed = true
	best := floats.MaxIdx(b.mixture.Values())
	for k := range b.Members {
		if b.first > 0 && k != best {
			b.mixture.Drop(k)
		}
	}
}

// bankOf returns the bank that the learner is, or nil.
func bankOf(l Learner) *Bank {
	if t, ok := l.(*Tolerant); ok {
		l = t.Learner
	}
	b, _ := l.(*Bank)
	return b
}

// ModelOf returns the model that a learner of the kind closed-form is, a bank with its weights.
func ModelOf(l *Tolerant) (bnn.Model, error) {
	bank := bankOf(l)
	if bank == nil {
		return l.Learner.(*Network).Ensemble, nil
	}
	members := make([]bnn.Model, len(bank.Members))
	for k, m := range bank.Members {
		members[k] = m.(*Network).Ensemble
	}
	return bnn.RestoreBank(*bank.mixture, members...)
}

// Chosen returns of a bank the name of the member of the largest weight, its weight, and how many
// broke down: "prior_var=1: 0.97, 2 of 8 broke down"; of another learner nothing.
func (t *Tolerant) Chosen() (text string) {
	if b := bankOf(t); b != nil {
		best := floats.MaxIdx(b.mixture.Values())
		text = fmt.Sprintf("%s: %.2g", b.names[best], b.mixture.Values()[best])
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
