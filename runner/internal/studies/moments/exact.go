package moments

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/baselines/moments/montecarlo"
	"closedform/core/softmax"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// slope is all that the λ of words follow from. Nothing in them is random.
type slope struct {
	Classes int
	Rho     float64
}

// slopes returns what the table lambda has where probits are held against the exact integrals on a grid.
func (s *settings) slopes() (all []slope) {
	if s.Against == "exact" && slices.Contains(s.Methods, "probit") {
		for _, n := range s.Classes {
			for _, rho := range s.Rho {
				all = append(all, slope{n, rho})
			}
		}
	}
	return all
}

// run returns the λ of each criterion, and its errors over a box of logits.
func (s slope) run(ctx context.Context) (table.Set, error) {
	t := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Num("rho", "correlation ρ"),
		table.Text("criterion", "what chooses λ, as a word in manifests: "+
			"the slope at the origin, the mean square error (lsq) or the largest (minimax)"),
		table.Num("lambda", "slope λ of the probit"),
		table.Num("rms", "root mean square error of p, for logits uniform on [−3, 3] without variance"),
		table.Num("max", "largest error of a probability there"),
		table.Num("rms_ratio", "rms divided by the rms of slope matching"))
	var matched float64
	for _, word := range softmax.Criteria {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lambda := probit.Lambda{Word: word}.Value(s.Classes, s.Rho)
		rms, largest := softmax.Probit{Lambda: lambda, Rho: s.Rho}.BoxErrors(s.Classes)
		if word == "slope" {
			matched = rms
		}
		t.Add(s.Classes, s.Rho, word, lambda, rms, largest, rms/matched)
	}
	return table.Set{t}, nil
}

// allMoments are p, E, Σ_y and Σ_zy. Entries that a method does not give are NaN.
type allMoments struct {
	*softmax.Moments
	cov     *mat.SymDense
	cross   *mat.Dense
	largest float64 // variance of a logit, which bounds the error of Σ_zy in that of E
}

// newMoments returns room for the moments of n classes.
func newMoments(n int) *allMoments {
	return &allMoments{softmax.NewMoments(n), mat.NewSymDense(n, nil), mat.NewDense(n, n, nil), 0}
}

// compute fills m by a.
func (m *allMoments) compute(a softmax.Approximation, z logits) {
	a.Moments(m.Moments, z.Mean, z.Variance)
	m.largest = floats.Max(z.Variance)
	if own, ok := a.(*meanfield.Method); ok {
		own.Covariances(m.cov, m.cross, z.Mean, z.Variance)
		return
	}
	m.Cov(m.cov)
	m.Cross(m.cross, z.Variance)
}

// exact compares all methods with the exact moments of the same logits, which are computed once. Monte Carlo
// is a method with random numbers of its own.
func (s spec) exact(ctx context.Context) (table.Set, error) {
	n, draws := s.Problem.Classes, s.Problem.Draws
	var all []*momentErrors
	for _, m := range s.Methods {
		all = append(all, &momentErrors{of: m.approximation(n), draws: draws, key: s.row(m)})
	}
	for _, samples := range s.Samples {
		a := montecarlo.Softmax{Samples: samples, Source: s.Stream(s.Problem.key(), "montecarlo", samples)}
		key := s.row(method{Name: fmt.Sprintf("monte-carlo-%d", samples)})
		all = append(all, &momentErrors{of: a, draws: s.Problem.Sampled, key: key})
	}
	rnd, want, got := s.logits(), newMoments(n), newMoments(n)
	for k := range draws {
		z := s.Problem.draw(rnd)
		want.compute(softmax.Exact{}, z)
		for _, e := range all {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if k < e.draws {
				got.compute(e.of, z)
				e.add(got, want)
			}
		}
	}
	t := table.New("errors", append(keyColumns(), errorColumns()...)...)
	for _, e := range all {
		t.Add(e.key, e.row())
	}
	return table.Set{t}, nil
}
