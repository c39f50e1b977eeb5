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

// definite returns the map of the probit and its averages. The draws are the same for all its points.
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
	size, points := float64(p.Draws), float64(len(p.Gaps)*len(p.Variances))
	shares, undecided := make([]float64, p.Draws), 0.0 // definite shares, by draw
	for _, v := range p.Variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range p.Gaps {
			var count [3]float64
			for i, z := range draws {
				if p.Given != nil {
					gap, v = math.NaN(), math.NaN()
				} else {
					z.Mean[0] = gap
					copy(z.Variance, slices.Repeat([]float64{v}, p.Classes))
				}
				is := sign(z)
				count[1+is]++
				shares[i] += float64(max(0, is))
			}
			undecided += count[1]
			maps.Add(key, gap, v, count[2]/size, count[1]/size)
		}
	}
	for i := range shares {
		shares[i] /= points
	}
	mean, sd := table.MeanSD(shares)
	if p.Classes == 2 {
		sd = 0 // nothing is random
	}
	summary := table.New("summary", append(slices.Delete(keyColumns(), 1, 3),
		table.Int("draws", "random logits, 1 for two classes, where nothing is random"),
		table.Num("definite", "share of the map where Σ_y is positive definite"),
		table.Num("definite_se", "its standard error over the draws"),
		table.Num("undecided", "share of the map where rounding decides"))...)
	summary.Add(key, p.Draws, mean, table.Finite(sd/math.Sqrt(size)), undecided/size/points)
	return table.Set{maps, summary}, nil
}

// signOfTwo returns the sign of the Σ_y of two classes, which has one number, in closed form: with the gap m
// of the means and the sum V of the variances of the logits,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c),  h(x) = Φ(x)Φ(−x)/φ(x).
//
// The correlation ρ does not occur.
func signOfTwo(lambda, gap, variances float64) int {
	c := lambda / kernel.Hypot(1, lambda*math.Sqrt(variances))
	x := c * gap
	return cmp.Compare(gauss.PDF(x)*(gauss.CDF(x)/gauss.InverseMills(-x)-c), 0)
}
