// Package calibrate is the study of the λ, and the λ and ρ, with which the probit
// function is closest to the softmax over a box of logits. Nothing in it is random.
package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/core/softmax"
	"closedform/runner/internal/config"
	"closedform/runner/internal/lambdafit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "calibrate",
	Asks: "Which λ, or λ and ρ, bring the probit nearest to the softmax?",
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
	Rho     []float64   `toml:"rho" allowed:"each 0 to 0.9"`       // correlations ρ for which λ alone is fitted
	Box     float64     `toml:"box" allowed:"0.1 to 4"`            // the logits are in [−box, box]
}

// criterion is a rule that chooses λ for a given ρ, or both.
type criterion struct {
	word    string // in the tables
	name    string // in a figure
	freeRho bool   // whether it chooses ρ as well
	fit     func(b lambdafit.Box, rho float64) softmax.Probit
}

// criteria begin with slope matching, which looks at the origin only and which the
// others are compared with.
var criteria = []criterion{
	{"slope", "slope matched", false, func(b lambdafit.Box, rho float64) softmax.Probit {
		return softmax.Probit{Lambda: softmax.SlopeLambda(b.Classes, rho), Rho: rho}
	}},
	{"lsq", "least squares", false, lambdafit.Box.LeastSquares},
	{"minimax", "minimax", false, lambdafit.Box.Minimax},
	{"lsq_rho", "least squares, $ρ$ free", true, func(b lambdafit.Box, _ float64) softmax.Probit { return b.LeastSquaresRho() }},
	{"minimax_rho", "minimax, $ρ$ free", true, func(b lambdafit.Box, _ float64) softmax.Probit { return b.MinimaxRho() }},
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
		cells = append(cells, study.Cell{Key: fmt.Sprintf("n=%d", n), Stratum: "classes", Spec: s, Run: s.run})
	}
	return cells
}

// run fits the probit by all criteria. The gain of those that choose ρ is over
// slope matching with the first ρ.
func (s spec) run(ctx context.Context) (table.Set, error) {
	box := lambdafit.Box{Classes: s.Classes, Half: s.Box}
	lambda := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ: "+
			"the slope at the origin, the mean square error (lsq) or the largest (minimax), _rho with ρ"),
		table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
		table.Num("rms", "root mean square error over the box"), table.Num("max", "largest error of a probability"))
	gain := table.New("gain",
		table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ"), table.Num("rho", "correlation ρ"),
		table.Num("rms_ratio", "rms as a part of that of slope matching"), table.Num("max_ratio", "max as a part of that"))
	type errors struct{ rms, largest float64 }
	matched := map[float64]errors{} // of slope matching, by ρ
	for i, rho := range append(slices.Clone(s.Rho), s.Rho[0]) {
		for _, c := range criteria {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if c.freeRho != (i == len(s.Rho)) {
				continue
			}
			p := c.fit(box, rho)
			e := errors{math.NaN(), math.NaN()}
			if p.Lambda <= steepest {
				e = errors{box.RMS(p), box.Max(p)}
			}
			lambda.Add(s.Classes, c.word, p.Rho, p.Lambda, table.Finite(e.rms), table.Finite(e.largest))
			if c.word == "slope" {
				matched[rho] = e
			} else {
				gain.Add(s.Classes, c.word, p.Rho, table.Finite(e.rms/matched[rho].rms), table.Finite(e.largest/matched[rho].largest))
			}
		}
	}
	return table.Set{lambda, gain}, nil
}

// steepest is the λ above which errors are not worked out. A fitted λ is below 2;
// the slope-matched one grows like 2ⁿ for ρ = 0, and the work with it.
const steepest = 20
