package calibrate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/core/softmax"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// criterion is a rule that chooses λ for a given ρ, or both.
type criterion struct {
	word string // as in a manifest where it chooses λ alone
	name string // in a figure
	fit  func(b softmax.Box, rho float64) softmax.Probit
}

// slopeMatching is the criterion that the others are compared with: it looks at
// the origin only.
var slopeMatching = criterion{"slope", "slope matched", func(b softmax.Box, rho float64) softmax.Probit {
	return softmax.Probit{Lambda: softmax.SlopeLambda(b.Classes, rho), Rho: rho}
}}

// fittedLambda are the criteria that choose λ for each ρ of the manifest.
var fittedLambda = []criterion{
	{"lsq", "least squares", softmax.Box.LeastSquares},
	{"minimax", "minimax", softmax.Box.Minimax},
}

// fittedRho are the criteria that choose ρ as well.
var fittedRho = []criterion{
	{"lsq_rho", "least squares, $ρ$ free", func(b softmax.Box, _ float64) softmax.Probit { return b.LeastSquaresRho() }},
	{"minimax_rho", "minimax, $ρ$ free", func(b softmax.Box, _ float64) softmax.Probit { return b.MinimaxRho() }},
}

// spec is all that the tables of a cell, one number of classes, follow from.
type spec struct {
	Classes int
	Rho     []float64
	Box     float64
}

func (e *experiment) Cells() []study.Cell {
	var cells []study.Cell
	for _, n := range slices.Sorted(slices.Values(e.Calibrate.Classes)) {
		s := spec{n, e.Calibrate.Rho, e.Calibrate.Box}
		cells = append(cells, study.Cell{Key: fmt.Sprintf("n=%d", n), Spec: s, Run: s.run})
	}
	return cells
}

// run returns the tables of a cell, or as soon as ctx is cancelled its error: a fit
// can take minutes and looks at no context, so it is left to end on its own, which
// nobody waits for.
func (s spec) run(ctx context.Context) (table.Set, error) {
	done := make(chan table.Set, 1)
	go func() { done <- s.fit(ctx) }()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case tables := <-done:
		return tables, ctx.Err()
	}
}

// fit fits the probit by all criteria. The gain of those that choose ρ is over
// slope matching with the first ρ.
func (s spec) fit(ctx context.Context) table.Set {
	f := &fitting{
		box: softmax.Box{Classes: s.Classes, Half: s.Box},
		lambda: table.New("lambda",
			table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ: "+
				"the slope at the origin, the mean square error (lsq) or the largest (minimax), _rho with ρ"),
			table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
			table.Num("rms", "root mean square error over the box"), table.Num("max", "largest error of a probability"),
		),
		gain: table.New("gain",
			table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ"), table.Num("rho", "correlation ρ"),
			table.Num("rms_ratio", "rms as a part of that of slope matching"), table.Num("max_ratio", "max as a part of that"),
		),
	}
	matched := make([]boxError, len(s.Rho))
	for i, rho := range s.Rho {
		p := slopeMatching.fit(f.box, rho)
		matched[i] = errorOver(f.box, p)
		f.add(slopeMatching, p, matched[i])
		for _, c := range fittedLambda {
			if ctx.Err() == nil {
				f.fit(c, rho, matched[i])
			}
		}
	}
	for _, c := range fittedRho {
		if ctx.Err() == nil {
			f.fit(c, s.Rho[0], matched[0])
		}
	}
	return table.Set{f.lambda, f.gain}
}

// fitting has the tables of one number of classes.
type fitting struct {
	box          softmax.Box
	lambda, gain *table.Table
}

// fit writes down the fit of a criterion, and its errors as parts of those of
// slope matching.
func (f *fitting) fit(c criterion, rho float64, matched boxError) {
	p := c.fit(f.box, rho)
	e := errorOver(f.box, p)
	f.add(c, p, e)
	f.gain.Add(f.box.Classes, c.word, p.Rho, table.Finite(e.rms/matched.rms), table.Finite(e.largest/matched.largest))
}

func (f *fitting) add(c criterion, p softmax.Probit, e boxError) {
	f.lambda.Add(f.box.Classes, c.word, p.Rho, p.Lambda, table.Finite(e.rms), table.Finite(e.largest))
}

// boxError is the error of a probit function over a box: the root of the mean of
// the squared distance, and the largest difference of a probability.
type boxError struct{ rms, largest float64 }

// steepest is the λ above which errors are not worked out. A fitted λ is below 2;
// the slope-matched one grows like 2ⁿ for ρ = 0, and the work with it.
const steepest = 20

func errorOver(b softmax.Box, p softmax.Probit) boxError {
	if p.Lambda > steepest {
		return boxError{math.NaN(), math.NaN()}
	}
	return boxError{b.RMS(p), b.Max(p)}
}
