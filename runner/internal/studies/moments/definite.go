package moments

import (
	"cmp"
	"context"
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// definite maps where the Σ_y of a probit is positive definite, over gaps and variances, for the same logits.
func (s spec) definite(ctx context.Context) (table.Tables, error) {
	maps := table.New("maps", append(withoutSpread(keyColumns()),
		table.Num("gap", "distance of the largest mean logit from the next").Rounded(6),
		table.Num("variance", "variance of every logit").Rounded(6),
		table.Num("definite", "share of the draws for which Σ_y is positive definite").Rounded(6),
		table.Num("undecided", "share of the draws for which rounding decides").Rounded(6))...)
	maps.Packed = true
	p, key, rnd := s.Problem, withoutSpread(s.row(s.Methods[0])), s.logits()
	probit, moments := s.Methods[0].formula(p.Classes).(softmax.Probit), newMoments(p.Classes)
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
	size, share := float64(p.Draws), 0. // share: sum over the map of the shares of definite draws
	for _, v := range p.Variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range p.Gaps {
			var count [3]float64 // numbers of draws with the signs −1, 0 and 1
			for _, z := range draws {
				z.Mean[0] = gap
				copy(z.Variance, slices.Repeat([]float64{v}, p.Classes))
				count[1+sign(z)]++
			}
			share += count[2] / size
			maps.Add(key, gap, v, count[2]/size, count[1]/size)
		}
	}
	summary := table.New("summary", append(withoutSpread(keyColumns()),
		table.Int("draws", "random logits, 1 for two classes, where nothing is random"),
		table.Num("definite", "share of the map where Σ_y is positive definite"))...)
	summary.Add(key, p.Draws, share/float64(len(p.Gaps)*len(p.Variances)))
	return table.Tables{maps, summary}, nil
}

// withoutSpread drops the spread and the variance of random logits from a key.
func withoutSpread[T any](key []T) []T { return slices.Delete(key, 1, 3) }

// signOfTwo returns the sign of the Σ_y of two classes, a single number for any ρ. With the gap m of the
// means and the sum V of the variances of the logits,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c),  h(x) = Φ(x)Φ(−x)/φ(x).
func signOfTwo(lambda, gap, variances float64) int {
	c := lambda / kernel.Hypot(1, lambda*math.Sqrt(variances))
	x := c * gap
	return cmp.Compare(gauss.PDF(x)*(gauss.CDF(x)/gauss.InverseMills(-x)-c), 0)
}
