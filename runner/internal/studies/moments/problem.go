package moments

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/table"
)

type logits struct{ Mean, Variance []float64 }

// problem is a distribution of the logits of n classes: means N(0, Spread²) and variances uniform on
// Variance·[½, 1½]; or the given ones; or those of a map.
type problem struct {
	Classes          int
	Spread, Variance float64
	Draws            int
	Given            *logits   `json:",omitempty"`
	Gaps, Variances  []float64 `json:",omitempty"`
}

func (s *settings) problems() (all []problem) {
	if n := len(s.Mean); n > 0 {
		return []problem{{Classes: n, Draws: 1, Given: &logits{s.Mean, s.Variance}}}
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
		for _, spread := range s.Spread {
			for _, variance := range s.Variance {
				all = append(all, problem{Classes: n, Spread: spread, Variance: variance, Draws: s.Draws})
			}
		}
	}
	return all
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
	z := logits{make([]float64, p.Classes), make([]float64, p.Classes)}
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

var approximations = map[string]softmax.Approximation{
	"exact": softmax.Exact{}, "exact-fast": softmax.Exact{Fast: true},
	"delta": meanfield.Delta, "taylor": meanfield.Taylor, "mackay": meanfield.MacKay,
	"lu-0": meanfield.PairwiseMean, "lu-1": meanfield.Pairwise, "daunizeau": meanfield.Daunizeau,
	"unscented": meanfield.Unscented, "lognormal-normalised": meanfield.LogNormal,
	"laplace-bridge": meanfield.LaplaceBridge, "normalised-probit": meanfield.NormalizedProbit,
}

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

type method struct {
	Name   string
	Lambda slope.Lambda
	Rho    float64
}

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

func (m method) key() string { return fmt.Sprintf("%s lambda=%s rho=%g", m.Name, m.Lambda, m.Rho) }

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

func (s spec) definite(ctx context.Context) (table.Set, error) {
	maps := table.New("maps", append(slices.Delete(keyColumns(), 1, 3),
		table.Num("gap", "distance of the largest mean logit from the next").Rounded(6),
		table.Num("variance", "of every logit").Rounded(6),
		table.Num("definite", "share of the draws for which Σ_y is positive definite").Rounded(6),
		table.Num("undecided", "share of the draws for which rounding decides").Rounded(6))...)
	maps.Packed = true
	p, key, rnd := s.Problem, slices.Delete(s.row(s.Methods[0]), 1, 3), s.logits()
	probit := s.Methods[0].approximation(p.Classes).(softmax.Probit)
	moments := newMoments(p.Classes)
	sign := func(z logits) int { // 1: Σ_y is positive definite; −1: it is not; 0: rounding decides
		if p.Classes == 2 {
			return signOfTwo(probit.Lambda, z.Mean[0]-z.Mean[1], z.Variance[0]+z.Variance[1])
		}
		moments.compute(probit, z)
		return moments.sign(softmax.MomentError)
	}
	draws := make([]logits, p.Draws)
	for i := range draws {
		draws[i] = p.draw(rnd)
	}
	size, share := float64(p.Draws), 0. // definite, summed over the map
	for _, v := range p.Variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range p.Gaps {
			var count [3]float64
			for _, z := range draws {
				z.Mean[0] = gap
				copy(z.Variance, slices.Repeat([]float64{v}, p.Classes))
				count[1+sign(z)]++
			}
			share += count[2] / size
			maps.Add(key, gap, v, count[2]/size, count[1]/size)
		}
	}
	summary := table.New("summary", append(slices.Delete(keyColumns(), 1, 3),
		table.Int("draws", "random logits, 1 for two classes, where nothing is random"),
		table.Num("definite", "share of the map where Σ_y is positive definite"))...)
	summary.Add(key, p.Draws, share/float64(len(p.Gaps)*len(p.Variances)))
	return table.Set{maps, summary}, nil
}

// signOfTwo returns the sign of the Σ_y of two classes, a single number for any ρ. With the gap m of the
// means and the sum V of the variances of the logits,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c),  h(x) = Φ(x)Φ(−x)/φ(x).
func signOfTwo(lambda, gap, variances float64) int {
	c := lambda / kernel.Hypot(1, lambda*math.Sqrt(variances))
	x := c * gap
	return cmp.Compare(gauss.PDF(x)*(gauss.CDF(x)/gauss.InverseMills(-x)-c), 0)
}
