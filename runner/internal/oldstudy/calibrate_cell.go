package study

import (
	"context"
	"math"
	"strconv"

	"closedform/core/softmax"
	store "closedform/runner/internal/oldstore"
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

// fittedLambda lists the criteria that choose λ for each ρ of the manifest.
var fittedLambda = []criterion{
	{"lsq", "least squares", softmax.Box.LeastSquares},
	{"minimax", "minimax", softmax.Box.Minimax},
}

// fittedRho lists the criteria that choose ρ as well.
var fittedRho = []criterion{
	{"lsq_rho", "least squares, $ρ$ free", func(b softmax.Box, _ float64) softmax.Probit { return b.LeastSquaresRho() }},
	{"minimax_rho", "minimax, $ρ$ free", func(b softmax.Box, _ float64) softmax.Probit { return b.MinimaxRho() }},
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

// calibrateCell has the tables of one number of classes.
type calibrateCell struct {
	box          softmax.Box
	lambda, gain store.Table
}

// runCalibrate returns the tables of a cell, or as soon as ctx is cancelled its
// error: a fit can take minutes and looks at no context, so it is left to end on
// its own, which nobody waits for.
func runCalibrate(ctx context.Context, spec calibrateSpec) ([]store.Table, error) {
	var tables []store.Table
	done := make(chan error, 1)
	go func() {
		var err error
		tables, err = spec.fit(ctx)
		done <- err
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-done:
		return tables, err
	}
}

// fit fits the probit by all criteria. The gain of those that choose ρ
// is over slope matching with the first ρ.
func (spec calibrateSpec) fit(ctx context.Context) ([]store.Table, error) {
	c := &calibrateCell{
		box:    softmax.Box{Classes: spec.Classes, Half: spec.Box},
		lambda: store.Table{Name: "lambda", Header: []string{"classes", "criterion", "rho", "lambda", "rms", "max"}},
		gain:   store.Table{Name: "gain", Header: []string{"classes", "criterion", "rho", "rms_ratio", "max_ratio"}},
	}
	matched := make([]boxError, len(spec.Rho))
	for i, rho := range spec.Rho {
		p := slopeMatching.fit(c.box, rho)
		matched[i] = errorOver(c.box, p)
		c.write(slopeMatching, p, matched[i])
		for _, rule := range fittedLambda {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.fit(rule, rho, matched[i])
		}
	}
	for _, rule := range fittedRho {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.fit(rule, spec.Rho[0], matched[0])
	}
	return []store.Table{c.lambda, c.gain}, nil
}

// fit writes down the fit of a criterion, and its errors as parts of those of
// slope matching.
func (c *calibrateCell) fit(rule criterion, rho float64, matched boxError) {
	p := rule.fit(c.box, rho)
	e := errorOver(c.box, p)
	c.write(rule, p, e)
	c.gain.Rows = append(c.gain.Rows, []string{
		strconv.Itoa(c.box.Classes), rule.word, store.Float(p.Rho),
		gapped(e.rms / matched.rms), gapped(e.largest / matched.largest),
	})
}

func (c *calibrateCell) write(rule criterion, p softmax.Probit, e boxError) {
	c.lambda.Rows = append(c.lambda.Rows, []string{
		strconv.Itoa(c.box.Classes), rule.word, store.Float(p.Rho), store.Float(p.Lambda),
		gapped(e.rms), gapped(e.largest),
	})
}
