package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/table"
)

// Tuning says that the values of the keys in Tune are chosen for each training part:
// the Candidates, a value each in the order of Tune, are tried, and that with the least
// log loss on a part for validation is taken. With Weights there is nothing to choose:
// all learn, as a [Bank].
type Tuning struct {
	Tune       []string    `toml:"tune,omitzero" json:",omitempty"`
	Candidates [][]float64 `toml:"candidates,omitzero" json:",omitempty"`
	Weighing
}

// tuned reports whether a candidate is chosen by a part for validation.
func (t *Tuning) tuned() bool { return len(t.Candidates) > 0 && t.Weights == "" }

// check reports what is not allowed in a method of this kind.
func (t *Tuning) check(k kind) error {
	switch most := 64; {
	case (len(t.Tune) == 0) != (len(t.Candidates) == 0):
		return field.Errorf("tune", "allowed: tune = [key, …] and candidates = [[value of each], …] together")
	case t.Weights == "": // what else it requires is in its Validate
	case !k.online:
		return field.Errorf("weights", "%q is not allowed; allowed: for a method that sees one example after another", t.Weights)
	case len(t.Candidates) == 0 || len(t.Candidates) > most:
		return field.Errorf("weights", "%d candidates; allowed: tune, and 1 to %d candidates", len(t.Candidates), most)
	case slices.Contains(t.Tune, "passes"):
		return field.Errorf("tune", "allowed: what is not passes, as all candidates learn side by side")
	}
	return t.Validate()
}

// bank returns the learner in which all candidates learn, random as members of an ensemble.
func (m *Method) bank(layers []int, src rand.Source) (Learner, error) {
	var names []string
	members, err := Members(len(m.Candidates), src, func(src rand.Source) (Learner, error) {
		candidate := m.Candidates[len(names)]
		names = append(names, m.describe(candidate))
		with, err := m.with(candidate)
		if err != nil {
			return nil, err
		}
		if n, ours := with.Config.(*network); ours {
			n.Members = max(1, n.Members) // not a bank of banks
		}
		return kinds[m.Kind].learner(with.Config, layers, src)
	})
	if err != nil {
		return nil, err
	}
	return NewBank(m.Weighing, layers[len(layers)-1], names, members)
}

// with returns the method with the values of a candidate.
func (m *Method) with(candidate []float64) (Method, error) {
	out := *m
	if len(candidate) != len(m.Tune) {
		return out, fmt.Errorf("%d values; allowed: one for each of %s", len(candidate), strings.Join(m.Tune, ", "))
	}
	copied := reflect.New(reflect.TypeOf(m.Config).Elem())
	copied.Elem().Set(reflect.ValueOf(m.Config).Elem())
	out.Config = copied.Interface()
	for i, key := range m.Tune {
		if err := config.Set(key, candidate[i], &out, out.Config); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Choice is what became of the candidates of a method.
type Choice struct {
	Text    string  // the chosen one, as "prior_var=10 sigma_v=0.1"; empty if there was none to choose
	LogLoss float64 // its log loss on the validation part; NaN if there was none to choose
}

// Choose returns the method with the candidate of the least loss, the first of
// equals.
func (m *Method) Choose(loss func(Method) (float64, error)) (Method, Choice, error) {
	if !m.tuned() {
		return *m, Choice{LogLoss: math.NaN()}, nil
	}
	best, choice := *m, Choice{LogLoss: math.Inf(1)}
	for k, candidate := range m.Candidates {
		with, err := m.with(candidate)
		if err != nil {
			return with, choice, err
		}
		x, err := loss(with)
		if err != nil {
			return with, choice, err
		}
		if k == 0 || x < choice.LogLoss {
			best, choice.Text = with, m.describe(candidate)
		}
		if x < choice.LogLoss {
			choice.LogLoss = x
		}
	}
	return best, choice, nil
}

// describe returns a candidate as "prior_var=10 sigma_v=0.1".
func (m *Method) describe(candidate []float64) string {
	var words []string
	for i, key := range m.Tune {
		words = append(words, key+"="+table.Format(candidate[i]))
	}
	return strings.Join(words, " ")
}

// Chosen returns the method with the candidate that Choose has described.
func (m *Method) Chosen(text string) (Method, error) {
	if !m.tuned() {
		return *m, nil
	}
	for _, candidate := range m.Candidates {
		if m.describe(candidate) == text {
			return m.with(candidate)
		}
	}
	return *m, fmt.Errorf("%s has no candidate %q", m.Name, text)
}
