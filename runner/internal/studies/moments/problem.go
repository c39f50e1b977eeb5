package moments

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/table"
)

// logits are Gaussian, with a Covariance or, without it, independent.
type logits struct {
	Mean, Variance []float64
	Covariance     [][]float64 `json:",omitempty"`
}

// problem is a distribution of the logits of n classes: means N(0, Spread²) and variances uniform on
// Variance·[½, 1½]; or given means and variances; or those of a map over Gaps and Variances.
type problem struct {
	Classes          int
	Spread, Variance float64
	Draws            int
	Given            *logits   `json:",omitempty"`
	Gaps, Variances  []float64 `json:",omitempty"`
}

func (s *settings) problems() (problems []problem) {
	if n := len(s.Mean); n > 0 {
		z := logits{s.Mean, s.Variance, s.Covariance}
		for i, row := range s.Covariance {
			z.Variance = append(z.Variance, row[i])
		}
		return []problem{{Classes: n, Draws: 1, Given: &z}}
	}
	for _, n := range s.Classes {
		if len(s.Gap) > 0 {
			p := problem{Classes: n, Spread: 1, Draws: s.Draws, Variances: make([]float64, s.Grid)}
			if p.Gaps = floats.Span(make([]float64, s.Grid), s.Gap[0], s.Gap[1]); n == 2 {
				p.Draws = 1
			}
			low, high := s.Variance[0], s.Variance[1]
			for i := range p.Variances {
				p.Variances[i] = low * kernel.Exp(float64(i)*(kernel.Log(high/low)/float64(s.Grid-1)))
			}
			p.Variances[s.Grid-1] = high // exactly high, without the rounding of the logarithm
			problems = append(problems, p)
		}
		for _, spread := range s.Spread {
			for _, variance := range s.Variance {
				problems = append(problems, problem{Classes: n, Spread: spread, Variance: variance, Draws: s.Draws})
			}
		}
	}
	return problems
}

func (p problem) key() string {
	if p.Gaps != nil {
		return fmt.Sprintf("n=%d", p.Classes)
	}
	return fmt.Sprintf("n=%d spread=%s variance=%s", p.Classes, table.Format(p.Spread), table.Format(p.Variance))
}

// draw draws logits. On a map the first mean is the gap; the others are standard normal, shifted to a maximum
// of 0. So the last class, which the paper leaves out, never has the largest logit.
func (p problem) draw(rnd *rand.Rand) logits {
	if p.Given != nil {
		return *p.Given
	}
	z := logits{Mean: make([]float64, p.Classes), Variance: make([]float64, p.Classes)}
	for j := range z.Mean {
		z.Mean[j] = p.Spread * random.Normal(rnd)
		if p.Gaps == nil {
			z.Variance[j] = p.Variance * (1 + 0.5*(2*rnd.Float64()-1))
		}
	}
	if p.Gaps != nil {
		floats.AddConst(-floats.Max(z.Mean[1:]), z.Mean[1:])
	}
	return z
}

// formulas are the formulas without parameters. The closed forms claim no accuracy, and are for exact only.
var formulas = map[string]any{
	"exact": softmax.Exact{}, "exact-fast": softmax.Exact{Fast: true},
	"delta": meanfield.Delta, "taylor": meanfield.Taylor, "mackay": meanfield.MacKay,
	"lu-0": meanfield.PairwiseMean, "lu-1": meanfield.Pairwise, "daunizeau": meanfield.Daunizeau,
	"unscented": meanfield.Unscented, "lognormal-normalised": meanfield.LogNormal,
	"laplace-bridge": meanfield.LaplaceBridge, "normalised-probit": meanfield.NormalizedProbit,
}

func methodsFor(against string) []string {
	switch against {
	case "definite":
		return []string{"probit"}
	case "montecarlo":
		return []string{"probit", "probit-corr", "activation", "exact", "exact-fast"}
	}
	return append([]string{"probit", "probit-corr"}, slices.Sorted(maps.Keys(formulas))...)
}

type method struct {
	Name   string
	Lambda slope.Lambda
	Rho    float64
}

func (s *settings) methods() (methods []method) {
	for _, name := range s.Methods {
		if !strings.HasPrefix(name, "probit") {
			methods = append(methods, method{Name: name})
			continue
		}
		for _, rho := range s.Rho {
			for _, lambda := range s.Lambda {
				methods = append(methods, method{name, lambda, rho})
			}
		}
	}
	return methods
}

func (m method) key() string { return fmt.Sprintf("%s lambda=%s rho=%g", m.Name, m.Lambda, m.Rho) }

// formula returns the method for n classes.
func (m method) formula(n int) any {
	switch m.Name {
	case "probit":
		return softmax.Probit{Lambda: m.Lambda.Value(n, m.Rho), Rho: m.Rho}
	case "probit-corr":
		return m.corr(n)
	}
	return formulas[m.Name]
}

// corr returns the probit for n classes in its form for any covariance of the logits.
func (m method) corr(n int) softmax.ProbitCorr {
	return softmax.ProbitCorr{Lambda: m.Lambda.Value(n, m.Rho), Corr: m.correlations(n - 1)}
}

// correlations returns the correlations Σ_0 of order d: all are ρ for a probit, (−ρ)^|k−l| for a probit-corr.
func (m method) correlations(d int) *mat.SymDense {
	corr := mat.NewSymDense(d, nil)
	for k := range d {
		for l := range k + 1 {
			rho := math.Pow(-m.Rho, float64(k-l))
			if m.Name == "probit" && k != l {
				rho = m.Rho
			}
			corr.SetSym(k, l, rho)
		}
	}
	return corr
}
