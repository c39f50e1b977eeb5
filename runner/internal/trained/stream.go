package trained

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
)

// Counts are those of rows that were predicted before they were learned.
type Counts struct {
	Rows    int     `json:"rows"`    // that were read
	Unknown int     `json:"unknown"` // that were answered Unknown
	Learned int     `json:"learned"` // whose class was known
	Wrong   int     `json:"wrong"`   // of these the ones whose most probable class was another
	Loss    float64 `json:"loss"`    // −Σ log p of their classes, in nats

	Added int `json:"added,omitempty"` // classes that a Stream added, the last ones
}

// Error returns the share of wrong ones, NaN of none.
func (c *Counts) Error() float64 { return float64(c.Wrong) / float64(c.Learned) }

// LogLoss returns the mean loss, NaN of none.
func (c *Counts) LogLoss() float64 { return c.Loss / float64(c.Learned) }

// Stream has a network predict rows before it learns them, one after another. It is not safe for concurrent
// use.
type Stream struct {
	*Network
	Decision

	inputs     dataset.Scaler
	x          []float64
	prediction bnn.Prediction
}

// NewStream returns a stream of rows of a table, or an error if the table does not have the columns of the
// network.
func NewStream(n *Network, d Decision, t dataset.Table) (*Stream, error) {
	t.Cells, t.Line = nil, nil
	inputs, err := n.scaler(&t)
	if err == nil {
		_, _, err = inputs.Rows(&t)
	}
	return &Stream{Network: n, Decision: d, inputs: inputs}, err
}

// Predict returns the class of a row, which may be Unknown, and the largest probability. unseen are words
// that no input stands for, see [dataset.Scaler.Rows].
func (s *Stream) Predict(row *dataset.Table) (class string, probability float64, unseen []string, err error) {
	s.x, s.Scaler, s.Bare = nil, s.inputs, false // the file names the columns from now on
	x, unseen, err := s.inputs.Rows(row)
	if err != nil {
		return "", 0, nil, err
	}
	if err := s.Model.Predict(&s.prediction, x[0]); err != nil {
		return "", 0, nil, fmt.Errorf("%s:%d: %w", row.File, row.Line[0], err)
	}
	s.x = x[0]
	familiarity := 1.0
	if s.Familiarity > 0 { // with an output layer it takes long
		familiarity = s.familiarity(s.x, s.prediction.Class())
	}
	class = s.decide(&s.prediction, familiarity, s.Decision)
	if class == Unknown {
		s.Counts.Unknown++
	}
	return class, s.prediction.P[s.prediction.Class()], unseen, nil
}

// Learn shows the network the row that was predicted last, and its class, and counts the prediction. If the
// network has no such class, Learn adds one: the prediction was wrong, and its loss is that of the network
// with the class, before it learns the row. Learn returns an error, and nothing is learned, if there is no
// such row, or if the class is Unknown or one too many. After an error of the network, such as an overflow, a
// class that was added stays.
func (s *Stream) Learn(class string) error {
	if s.x == nil {
		return fmt.Errorf("class %q: no row was predicted", class)
	}
	p, number := &s.prediction, slices.Index(s.Classes, class)
	wrong, probability := p.Class() != number, p.P[p.Class()]
	if number < 0 {
		number = len(s.Classes)
		if err := s.add(class); err != nil {
			return err
		}
	}
	if _, err := s.Observe(s.x, number); err != nil {
		return err
	}
	if s.Record != nil {
		s.Record.Add(probability, wrong)
	}
	if s.Familiar != nil {
		if err := s.Familiar.Observe(s.x); err != nil {
			return err
		}
	}
	s.x = nil
	s.Counts.Learned++
	s.Counts.Loss -= kernel.Log(max(p.P[number]/p.Sum(), math.SmallestNonzeroFloat64))
	if wrong {
		s.Counts.Wrong++
	}
	return nil
}

// add adds a class, and predicts the row again.
func (s *Stream) add(class string) error {
	if class == Unknown || !utf8.ValidString(class) {
		return fmt.Errorf("class %q cannot be added; allowed: any text in UTF-8 but %s", class, Unknown)
	}
	if err := s.AddClass(); err != nil {
		return fmt.Errorf("class %q cannot be added: %w", class, err)
	}
	s.Classes = append(s.Classes, class)
	s.Counts.Added++
	return s.Model.Predict(&s.prediction, s.x)
}
