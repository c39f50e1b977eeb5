// Package calibrate is the study of the λ with which the probit function is closest to the
// softmax over a box of logits. Nothing in it is random.
package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/runner/internal/config"
	"closedform/runner/internal/lambdafit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "calibrate",
	Asks: "Which λ brings the probit nearest to the softmax?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Calibrate: settings{Rho: []float64{0.5}}}
	}),
}

type experiment struct {
	study.Plain
	Calibrate settings `toml:"calibrate"`
}

// settings keep to where a fit takes seconds: its work grows with the square of the box and like
// 1/(1−ρ). The mean square error over a smaller box than 0.1 is lost in rounding.
type settings struct {
	Classes config.Ints `toml:"classes" allowed:"each 2 to 1,000"` // numbers of classes
	Rho     []float64   `toml:"rho" allowed:"each 0 to 0.9"`       // correlations ρ
	Box     float64     `toml:"box" allowed:"0.1 to 4"`            // the logits are in [−box, box]
}

// spec is all that the tables of a cell, one number of classes, follow from.
type spec struct {
	Classes int
	Rho     []float64
	Box     float64
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, n := range slices.Sorted(slices.Values(e.Calibrate.Classes)) {
		s := spec{n, e.Calibrate.Rho, e.Calibrate.Box}
		cells = append(cells, study.Cell{Key: fmt.Sprintf("n=%d", n), Spec: s, Run: s.run})
	}
	return cells
}

// run fits the probit by all criteria: first slope matching, which looks at the origin only and which the
// others are compared with.
func (s spec) run(ctx context.Context) (table.Set, error) {
	box := lambdafit.Box{Classes: s.Classes, Half: s.Box}
	lambda := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ: "+
			"the slope at the origin, the mean square error (lsq) or the largest (minimax)"),
		table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
		table.Num("rms", "root mean square error over the box"), table.Num("max", "largest error of a probability"))
	gain := table.New("gain",
		table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ"), table.Num("rho", "correlation ρ"),
		table.Num("rms_ratio", "rms divided by the rms of slope matching"), table.Num("max_ratio", "max divided by the max of slope matching"))
	for _, rho := range s.Rho {
		var matchedRMS, matchedMax float64 // of slope matching
		for i, word := range lambdafit.Words {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p := box.Fit(word, rho)
			rms, largest := math.NaN(), math.NaN()
			if p.Lambda <= steepest {
				rms, largest = box.RMS(p), box.Max(p)
			}
			lambda.Add(s.Classes, word, rho, p.Lambda, table.Finite(rms), table.Finite(largest))
			if i == 0 {
				matchedRMS, matchedMax = rms, largest
				continue
			}
			gain.Add(s.Classes, word, rho, table.Finite(rms/matchedRMS), table.Finite(largest/matchedMax))
		}
	}
	return table.Set{lambda, gain}, nil
}

// steepest is the λ above which errors are not worked out. A fitted λ is below 2;
// the slope-matched one grows like 2ⁿ for ρ = 0, and the work with it.
const steepest = 20
