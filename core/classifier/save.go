package classifier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"closedform/core/checkpoint"
)

type state struct {
	History
	Decision *Decision       `json:"decision,omitempty"`
	Note     json.RawMessage `json:"note,omitempty"`
}

// Save writes the classifier in the format of core/checkpoint. A loaded classifier continues to the bit, and
// equal classifiers make equal files. Learn and Predict wait while Save computes the bytes, but not while it
// writes them: two to four tenths of a second for the default, see BenchmarkSave.
//
// The file has more than weights: an output layer keeps up to 2,000 inputs or their features, a mixture up to
// fifty inputs of each class, and the history the range of each input. Protect the file like the data.
func (c *Classifier) Save(w io.Writer) error {
	data, err := c.bytes()
	if err != nil {
		return err
	}
	if _, err = w.Write(data); err != nil {
		return fmt.Errorf("classifier: %w", err)
	}
	return nil
}

func (c *Classifier) bytes() ([]byte, error) {
	if err := c.lock(); err != nil {
		return nil, err
	}
	defer c.mu.Unlock()
	d := c.Decision
	for _, x := range d.numbers() {
		*x = min(*x, math.MaxFloat64) // JSON has no infinity
	}
	note, err := json.Marshal(state{c.History, &d, c.Note})
	if err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	var file bytes.Buffer
	err = checkpoint.Save(&file, c.model, string(note))
	return file.Bytes(), err
}

func (d *Decision) numbers() [3]*float64 {
	return [...]*float64{&d.Probability, &d.Confidence, &d.Familiarity}
}

// Load reads what Save wrote, or any other model of core/checkpoint, without a history. The note of such a
// model becomes Note if it is JSON.
func Load(r io.Reader) (*Classifier, error) {
	m, note, err := checkpoint.Load(r)
	if err != nil {
		return nil, err
	}
	var s state
	if err := json.Unmarshal([]byte(note), &s); s.Decision == nil {
		s = state{Decision: &Decision{Familiarity: DefaultFamiliarity}}
		if json.Valid([]byte(note)) {
			s.Note = json.RawMessage(note)
		}
	} else if err != nil {
		return nil, fmt.Errorf("classifier: the history: %w", err)
	}
	if err := s.History.validate(m); err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	for _, x := range s.Decision.numbers() {
		if *x == math.MaxFloat64 {
			*x = math.Inf(1)
		}
	}
	c := From(m, &s.History)
	c.Decision, c.Note = *s.Decision, s.Note
	return c, nil
}
