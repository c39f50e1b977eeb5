package moments

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// definite returns the map and its averages.
func (s spec) definite(ctx context.Context) (table.Set, error) {
	key := slices.Delete(s.row(s.Methods[0]), 1, 3)
	maps := table.New("maps", append(slices.Delete(keyColumns(), 1, 3),
		table.Num("gap", "distance of the largest mean logit from the next").Rounded(6),
		table.Num("variance", "of every logit").Rounded(6),
		table.Num("definite", "share of the draws for which Σ_y is positive definite").Rounded(6),
		table.Num("undecided", "share of the draws for which rounding decides").Rounded(6))...)
	maps.Packed = true
	gaps, variances, signs := s.Problem.Gaps, s.Problem.Variances, s.signs()
	if s.Problem.Given != nil {
		gaps, variances = table.Gaps(1), table.Gaps(1)
	}
	draws, points := float64(len(signs)), float64(len(gaps)*len(variances))
	shares, undecided := make([]float64, len(signs)), 0.0 // definite shares, by draw
	for _, v := range variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, gap := range gaps {
			var count [3]float64
			for i, sign := range signs {
				is := sign(gap, v)
				count[1+is]++
				shares[i] += float64(max(0, is))
			}
			undecided += count[1]
			maps.Add(key, gap, v, count[2]/draws, count[1]/draws)
		}
	}
	for i := range shares {
		shares[i] /= points
	}
	mean, sd := table.MeanSD(shares)
	if s.closed() {
		sd = 0
	}
	summary := table.New("summary", append(slices.Delete(keyColumns(), 1, 3),
		table.Int("draws", "random logits, 1 where nothing is drawn"),
		table.Num("definite", "share of the map where Σ_y is positive definite"),
		table.Num("definite_se", "its standard error over the draws"),
		table.Num("undecided", "share of the map where rounding decides"))...)
	summary.Add(key, len(signs), mean, table.Finite(sd/math.Sqrt(draws)), undecided/draws/points)
	return table.Set{maps, summary}, nil
}

// closed reports whether the map is in closed form: that of two classes.
func (s spec) closed() bool { return s.Problem.Given == nil && s.Problem.Classes == 2 }

// signs returns for each draw whether Σ_y of the probit is positive definite at a point of the map: 1 if it
// is, −1 if it is not, and 0 if rounding decides. Logits other than the largest are standard normal, shifted
// so that their largest is 0; the largest is the gap. The last class, which the paper leaves out, is not that
// with the largest logit. The draws are the same for all points, and for all λ and ρ.
func (s spec) signs() (all []func(gap, variance float64) int) {
	n := s.Problem.Classes
	p := s.Methods[0].approximation(n).(softmax.Probit)
	if s.closed() {
		return append(all, twoClasses(p.Lambda).sign)
	}
	moments, cov, reduced := softmax.NewMoments(n), mat.NewSymDense(n, nil), reduced{}
	sign := func(mean, variance []float64) int {
		p.Moments(moments, mean, variance)
		moments.Cov(cov)
		return reduced.sign(cov, softmax.MomentError)
	}
	if z := s.Problem.Given; z != nil {
		return append(all, func(_, _ float64) int { return sign(z.Mean, z.Variance) })
	}
	rnd, variances := s.logits(), make([]float64, n)
	for range s.Problem.Draws {
		mean := make([]float64, n)
		for j := range mean {
			mean[j] = random.Normal(rnd)
		}
		floats.AddConst(-floats.Max(mean[1:]), mean[1:])
		all = append(all, func(gap, variance float64) int {
			mean[0] = gap
			for j := range variances {
				variances[j] = variance
			}
			return sign(mean, variances)
		})
	}
	return all
}

// twoClasses is the λ of the probit of two classes whose logits have the variance v. Σ_y has one number,
// in closed form: with V = 2v and the gap m of the means,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c),  h(x) = Φ(x)Φ(−x)/φ(x).
//
// The correlation ρ does not occur.
type twoClasses float64

// sign returns the sign of Var y.
func (lambda twoClasses) sign(gap, v float64) int {
	c := float64(lambda) / kernel.Hypot(1, float64(lambda)*math.Sqrt(2*v))
	x := c * gap
	return cmp.Compare(gauss.PDF(x)*(gauss.CDF(x)/gauss.InverseMills(-x)-c), 0)
}

// boundary returns the gap from which on Var y is not positive, as h falls from √(2π)/4 at 0, and is below
// 1/x. It is 0 if Var y is not positive at any gap.
func (lambda twoClasses) boundary(v float64) float64 {
	low, high := 0.0, 2*v+1/float64(lambda*lambda) // 1/c²
	for range 100 {
		if gap := (low + high) / 2; lambda.sign(gap, v) > 0 {
			low = gap
		} else {
			high = gap
		}
	}
	return low
}
