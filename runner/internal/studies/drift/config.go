// Package drift is the study of streams whose distribution turns: every example is
// predicted, and then learned, by methods that forget and by methods that do not.
package drift

import (
	"cmp"
	"context"
	"math"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "drift",
	Asks: "How well do methods follow a distribution that changes along the stream?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Stream: stream{Block: 50, Every: 50}, Learners: learner.Learners{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	Stream stream `toml:"stream"`
	study.Swept
	Drifts []drift `toml:"drift" allowed:"at least one table headed [[drift]]"`
	learner.Learners
}

type stream struct {
	Examples int `toml:"examples" allowed:"1 to 1,000,000"` // of a stream, and of that by which candidates are judged
	Block    int `toml:"block"`                             // examples whose scores are averaged, a divisor of Examples
	Every    int `toml:"every" allowed:"1 to 1,000,000"`    // methods that learn all examples at once are fitted after so many
	Budget   int `toml:"budget" allowed:"1 to 100"`         // the most candidates of a method
}

// drift is a distribution of examples in the plane, and by how much it has turned
// about the origin along the stream.
type drift struct {
	Name string `toml:"name" allowed:"a text"`
	data.Generator
	Turns float64 `toml:"turns"`                          // per 1000 examples, counter-clockwise, evenly along the stream
	Jumps []int   `toml:"jumps,omitempty"`                // numbers of examples after which it turns at once
	Jump  float64 `toml:"jump" allowed:"-1,000 to 1,000"` // turns of each of Jumps
}

// SetDefaults implements [config.Defaulter].
func (d *drift) SetDefaults() { d.Jump = 0.25 }

func (d *drift) Validate() error {
	err := d.Generator.Validate()
	d.Generator = d.WithDefaults()
	return cmp.Or(err, field.Within("turns", d.Turns, -1000, 1000))
}

// angle returns by how much the distribution has turned when k examples have been
// seen, in radians.
func (d *drift) angle(k int) float64 {
	turns := d.Turns * float64(k) / 1000
	for _, after := range d.Jumps {
		if k >= after {
			turns += d.Jump
		}
	}
	return 2 * math.Pi * turns
}

func (e *experiment) Validate() error {
	s := e.Stream
	if err := cmp.Or(field.Within("stream.block", s.Block, 1, s.Examples), learner.Check(e.Methods, s.Budget, true)); err != nil {
		return err
	}
	if s.Examples%s.Block != 0 {
		return field.Errorf("stream.block", "%d is not allowed; allowed: a divisor of stream.examples = %d", s.Block, s.Examples)
	}
	for _, d := range e.Drifts {
		if err := learner.Increasing("drift."+d.Name+".jumps", d.Jumps, s.Examples-1); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Prepare(context.Context) error {
	for _, d := range e.Drifts {
		if err := learner.Fit(e.Manifest, e.Methods, data.Inputs, d.Task().Classes); err != nil {
			return err
		}
	}
	return nil
}

// Notes implements [study.Noted].
func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

var _ study.Noted = (*experiment)(nil)
