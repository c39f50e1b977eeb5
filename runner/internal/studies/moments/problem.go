package moments

import (
	"cmp"
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
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// logits are independent and Gaussian.
type logits struct{ Mean, Variance []float64 }

// problem is a distribution of the logits of n classes: with means N(0, Spread²), and variances uniform on
// Variance·[1−Unequal, 1+Unequal]; or the given ones; or those of a map.
type problem struct {
	Classes                   int
	Spread, Variance, Unequal float64
	Draws, Sampled            int
	Given                     *logits   `json:",omitempty"`
	Gaps, Variances           []float64 `json:",omitempty"`
}

// problems returns those of the manifest.
func (s *settings) problems() (all []problem) {
	if n := len(s.Mean); n > 0 {
		none := []float64{0} // point of a map
		return []problem{{n, 0, 0, 0, 1, 1, &logits{s.Mean, s.Variance}, none, none}}
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
			p.Variances[s.Grid-1] = high // without the rounding of the logarithm
			all = append(all, p)
		}
		const pairs = 40_000 // the time of Monte Carlo grows with n²
		sampled := min(s.Draws, cmp.Or(s.Sampled, s.Draws), max(2, pairs/(n*n)))
		for _, spread := range s.Spread {
			for _, variance := range s.Variance {
				all = append(all, problem{n, spread, variance, s.Unequal, s.Draws, sampled, nil, nil, nil})
			}
		}
	}
	return all
}

// key names the problem in an experiment, and its random numbers.
func (p problem) key() string {
	if p.Gaps != nil {
		return fmt.Sprintf("n=%d", p.Classes)
	}
	return fmt.Sprintf("n=%d spread=%s variance=%s", p.Classes, table.Format(p.Spread), table.Format(p.Variance))
}

// draw draws logits. On a map the means are standard normal, shifted such that the largest but the first is
// 0; the first is the gap. So the last class, which the paper leaves out, does not have the largest logit.
func (p problem) draw(rnd *rand.Rand) logits {
	if p.Given != nil {
		return *p.Given
	}
	z := logits{make([]float64, p.Classes), make([]float64, p.Classes)}
	for j := range z.Mean {
		z.Mean[j] = p.Spread * random.Normal(rnd)
		if p.Gaps == nil {
			z.Variance[j] = p.Variance * (1 + p.Unequal*(2*rnd.Float64()-1))
		}
	}
	if p.Gaps != nil {
		floats.AddConst(-floats.Max(z.Mean[1:]), z.Mean[1:])
	}
	return z
}

// approximations are the methods that stand for the softmax, but for probits.
var approximations = map[string]softmax.Approximation{
	"exact": softmax.Exact{}, "exact-fast": softmax.Exact{Fast: true},
	"delta": meanfield.Delta, "taylor": meanfield.Taylor, "mackay": meanfield.MacKay,
	"lu-0": meanfield.PairwiseMean, "lu-1": meanfield.Pairwise, "daunizeau": meanfield.Daunizeau,
	"unscented": meanfield.Unscented, "lognormal-normalised": meanfield.LogNormal,
	"laplace-bridge": meanfield.LaplaceBridge, "normalised-probit": meanfield.NormalizedProbit,
}

// methodsFor returns the names of the methods that can be held against something.
func methodsFor(against string) []string {
	names := []string{"probit", "probit-corr", "activation"}
	switch against {
	case "definite":
		return names[:1]
	case "exact":
		names = names[:2]
	}
	return slices.AppendSeq(names, maps.Keys(approximations))
}

// method is a method with its parameters, which only probits have.
type method struct {
	Name   string
	Lambda probit.Lambda
	Rho    float64
}

// methods returns those of the manifest: a probit for each λ and ρ.
func (s *settings) methods() (all []method) {
	for _, name := range s.Methods {
		if !strings.HasPrefix(name, "probit") {
			all = append(all, method{Name: name})
			continue
		}
		for _, rho := range s.Rho {
			for _, lambda := range s.Lambda {
				all = append(all, method{name, lambda, rho})
			}
		}
	}
	return all
}

// key names the method in an experiment, and random numbers.
func (m method) key() string { return fmt.Sprintf("%s lambda=%s rho=%g", m.Name, m.Lambda, m.Rho) }

// approximation returns what the method is for n classes.
func (m method) approximation(n int) softmax.Approximation {
	switch m.Name {
	case "probit":
		return softmax.Probit{Lambda: m.Lambda.Value(n, m.Rho), Rho: m.Rho}
	case "probit-corr":
		return softmax.ProbitCorr{Lambda: m.Lambda.Value(n, m.Rho), Corr: m.correlations(n - 1)}
	}
	return approximations[m.Name]
}

// correlations returns the Σ_0 of a probit: ρ between all, or, of a probit-corr, (−ρ)^|k−l|.
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
