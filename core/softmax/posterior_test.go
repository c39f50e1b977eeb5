package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/check"
)

func TestPosteriorReference(t *testing.T) {
	for k, row := range check.Rows(t, "testdata/adf_probit.csv") {
		n := int(row[0])
		mean, variance, want := row[3:3+n], row[3+n:3+2*n], row[3+2*n:]
		got := NewPosterior(n)
		Probit{row[1], 0.5}.Posterior(got, mean, variance, int(row[2]))
		what := fmt.Sprintf("row %d: ", k)
		check.Near(t, what+"log p", got.LogP, want[0], 1e-9)
		check.NearAll(t, what+"mean", got.Mean, want[1:1+n], 1e-9)
		for j, x := range got.Var {
			if !scalar.EqualWithinRel(x, want[1+n+j], 1e-9) {
				t.Errorf("%svariance of logit %d is %.12g, want %.12g", what, j, x, want[1+n+j])
			}
		}
	}
}

// likelihoods calls f with random likelihoods of both kinds.
func likelihoods(n, count int, f func(l Likelihood, m, v []float64)) {
	cases(n, count, func(p Probit, m, v []float64) {
		p.Rho = 0.5
		f(p, m, v)
		f(Exact{}, m, v)
	})
}

// Averaged over the classes, the posterior moments are the prior ones.
func TestPosteriorIsConsistent(t *testing.T) {
	numbersOnly(t)
	for _, n := range []int{2, 3, 7} {
		got := NewPosterior(n)
		likelihoods(n, 60, func(p Likelihood, m, v []float64) {
			total, mean, square := 0.0, make([]float64, n), make([]float64, n)
			for c := range n {
				p.Posterior(got, m, v, c)
				w := math.Exp(got.LogP)
				total += w
				for j := range n {
					d := got.Mean[j] - m[j]
					mean[j] += w * d
					square[j] += w * (got.Var[j] + d*d)
				}
			}
			if !(math.Abs(total-1) < 1e-10) {
				t.Errorf("%+v m=%v v=%v: Σp = %g", p, m, v, total)
			}
			for j := range n {
				if !(math.Abs(mean[j]) < 1e-9*(1+math.Abs(m[j])+math.Sqrt(v[j]))) || !(math.Abs(square[j]-v[j]) < 1e-9*v[j]+1e-300) {
					t.Errorf("%+v m=%v v=%v: mean of logit %d moves by %g, its variance %g becomes %g", p, m, v, j, mean[j], v[j], square[j])
				}
			}
		})
	}
}

// m̃ = m + v ∂log p_c/∂m, with p and its derivatives from the other integrals.
func TestPosteriorAgreesWithMoments(t *testing.T) {
	const n = 4
	got := NewPosterior(n)
	likelihoods(n, 40, func(p Likelihood, m, v []float64) {
		prior := moments(p, m, v)
		for c, pc := range prior.P {
			if pc < 1e-3 {
				continue
			}
			p.Posterior(got, m, v, c)
			if !scalar.EqualWithinRel(math.Exp(got.LogP), pc, 1e-8) {
				t.Errorf("%+v m=%v v=%v: p_%d = %g, want %g", p, m, v, c, math.Exp(got.LogP), pc)
			}
			for i := range n {
				gradient := -prior.E.At(c, i)
				if i == c {
					gradient = prior.degree(c)
				}
				if want := m[i] + v[i]*gradient/pc; !scalar.EqualWithinAbsOrRel(got.Mean[i], want, 1e-8*(1+v[i]), 1e-8) {
					t.Errorf("%+v m=%v v=%v: mean of logit %d given %d is %g, want %g", p, m, v, i, c, got.Mean[i], want)
				}
			}
		}
	})
}

// Two classes: probit regression in z_1 − z_2, whose posterior is known.
func TestPosteriorOfTwoClasses(t *testing.T) {
	got := NewPosterior(2)
	for _, gap := range []float64{0, 1, -3, 40, -40, -2000} {
		m, v, lambda := []float64{gap, 0}, []float64{2, 0.5}, 0.6
		Probit{lambda, 0.5}.Posterior(got, m, v, 0)
		s := math.Sqrt(1/(lambda*lambda) + v[0] + v[1])
		a := gap / s
		what := fmt.Sprintf("gap %g: ", gap)
		check.Near(t, what+"log p", got.LogP, gauss.LogCDF(a), 1e-11)
		h := gauss.InverseMills(a)
		for j, sign := range []float64{1, -1} {
			check.Near(t, what+"mean", got.Mean[j], m[j]+sign*v[j]*h/s, 1e-11)
			check.Near(t, what+"variance", got.Var[j], v[j]-v[j]*v[j]/(s*s)*(1-gauss.TruncatedVar(a)), 1e-10)
		}
	}
}

// A narrow competitor far below a wide winner cuts W off beyond where it is seen
// to fall.
func TestPosteriorOfWideWinner(t *testing.T) {
	numbersOnly(t)
	got, want := NewPosterior(2), NewPosterior(2)
	const lambda = 0.6
	for _, wide := range []float64{1, 10, 100, 1e4, 1e8} {
		for ratio := 4.0; ratio < 9; ratio += 0.1 {
			s := math.Sqrt(1/(lambda*lambda) + wide)
			m, v := []float64{ratio * s, 0}, []float64{wide, 0}
			Probit{lambda, 0.5}.Posterior(got, m, v, 0)
			h := gauss.InverseMills(ratio)
			shift, variance := wide*h/s, wide-wide*wide/(s*s)*(1-gauss.TruncatedVar(ratio))
			if !(math.Abs(got.LogP-gauss.LogCDF(ratio)) < 1e-11) || !(math.Abs(got.Mean[0]-m[0]-shift) < 1e-9*s) || !scalar.EqualWithinRel(got.Var[0], variance, 1e-9) {
				t.Errorf("v=%g, m=%g s: log p %.6g, shift %.12g, variance %.12g; want %.6g, %.12g, %.12g", wide, ratio, got.LogP, got.Mean[0]-m[0], got.Var[0], gauss.LogCDF(ratio), shift, variance)
			}
			Exact{}.Posterior(got, m, v, 0)
			fine := posteriorRule{drop: 45, step: 0.3, spread: 30}
			new(posteriorTable).exact(want, m, v, 0, fine, fine)
			if !(math.Abs(got.LogP-want.LogP) < 1e-10) || !(math.Abs(got.Mean[0]-want.Mean[0]) < 1e-9*s) || !scalar.EqualWithinRel(got.Var[0], want.Var[0], 2e-9) {
				t.Errorf("softmax, v=%g, m=%g s: log p %.6g, N(%.12g, %.12g); want %.6g, N(%.12g, %.12g)", wide, ratio, got.LogP, got.Mean[0], got.Var[0], want.LogP, want.Mean[0], want.Var[0])
			}
		}
	}
}

// Half of the step, twice the distance, changes nothing.
func TestPosteriorRuleIsFineEnough(t *testing.T) {
	numbersOnly(t)
	finer := func(r posteriorRule) posteriorRule {
		return posteriorRule{drop: 1.2 * r.drop, step: 0.5 * r.step, spread: 2 * r.spread}
	}
	for _, rule := range []struct {
		name      string
		tolerance float64
		refine    func(dst *Posterior, p Probit, m, v []float64)
		plain     func(dst *Posterior, p Probit, m, v []float64)
	}{
		{
			"probit", 1e-10,
			func(dst *Posterior, p Probit, m, v []float64) {
				new(posteriorTable).normal(dst, p.Lambda, m, v, 0, finer(probitRule))
			},
			func(dst *Posterior, p Probit, m, v []float64) { p.Posterior(dst, m, v, 0) },
		},
		{
			"softmax", 1e-9,
			func(dst *Posterior, _ Probit, m, v []float64) {
				new(posteriorTable).exact(dst, m, v, 0, finer(winnerRule), finer(tiltedRule))
			},
			func(dst *Posterior, _ Probit, m, v []float64) { Exact{}.Posterior(dst, m, v, 0) },
		},
	} {
		for n, count := range map[int]int{2: 60, 3: 60, 10: 30, 40: 6} {
			got, want := NewPosterior(n), NewPosterior(n)
			cases(n, count, func(p Probit, m, v []float64) {
				p.Rho = 0.5
				rule.plain(got, p, m, v)
				rule.refine(want, p, m, v)
				if want.LogP < -1e4 {
					return // the digits of log p no longer tell those of W
				}
				if !scalar.EqualWithinAbsOrRel(got.LogP, want.LogP, rule.tolerance, rule.tolerance) {
					t.Errorf("%s, %+v m=%v v=%v: log p = %.15g, finer %.15g", rule.name, p, m, v, got.LogP, want.LogP)
				}
				for j, x := range want.Var {
					if !scalar.EqualWithinAbs(got.Mean[j], want.Mean[j], rule.tolerance*math.Sqrt(x)) || !scalar.EqualWithinRel(got.Var[j], x, rule.tolerance) {
						t.Errorf("%s, %+v m=%v v=%v, logit %d: N(%.15g, %.15g), finer N(%.15g, %.15g)", rule.name, p, m, v, j, got.Mean[j], got.Var[j], want.Mean[j], x)
					}
				}
			})
		}
	}
}

func TestPosteriorExtremes(t *testing.T) {
	numbersOnly(t)
	means := []float64{0, 1e-300, 1, -1, 40, 1e4, -1e4, 1e8}
	variances := []float64{0, math.SmallestNonzeroFloat64, 1e-300, 1e-20, 1, 1e4, 1e12, 1e100}
	rnd := rand.New(rand.NewPCG(6, 1))
	for _, n := range []int{2, 3, 10} {
		got := NewPosterior(n)
		m, v := make([]float64, n), make([]float64, n)
		for range 300 {
			for j := range n {
				m[j], v[j] = means[rnd.IntN(len(means))], variances[rnd.IntN(len(variances))]
			}
			c := rnd.IntN(n)
			for _, l := range []Likelihood{Probit{0.5, 0.5}, Exact{}} {
				if (l == Exact{}) && floats.Max(v) > 1e12 {
					continue
				}
				l.Posterior(got, m, v, c)
				if !(got.LogP <= 1e-10) || math.IsInf(got.LogP, 0) {
					t.Fatalf("%T, m=%v v=%v: log p_%d = %g", l, m, v, c, got.LogP)
				}
				for j, x := range got.Var {
					if !(x >= 0 && x <= v[j]*(1+1e-10)) || v[j] > 1e-300 && x == 0 || math.IsNaN(got.Mean[j]) || math.IsInf(got.Mean[j], 0) {
						t.Fatalf("%T, m=%v v=%v, class %d: logit %d has mean %g and variance %g", l, m, v, c, j, got.Mean[j], x)
					}
				}
			}
		}
	}
}

// What the table says of one logit is what the integral round the mode says.
func TestPosteriorTable(t *testing.T) {
	fine := posteriorRule{drop: 45, step: 0.3, spread: 30}
	var series gumbelSeries
	var direct tiltedNormal
	for _, s := range []float64{0.003, 0.05, 0.1, 0.17, 0.25, 0.4, 0.5, 0.77, 1, 1.2, 1.9, 3.5, 4, 7, 17, 1e3} {
		series.set(s, math.Inf(-1), math.Inf(1))
		var log, mean, variance float64
		for xi := -8.5; xi < 33; xi += 0.0371 {
			x := xi * math.Hypot(1, s)
			l, ratio := series.logCDF(x)
			within := 1 + s*s*series.bend(x)
			if l < leastLog || within < leastWithin {
				continue
			}
			direct.integrate(-x, s*s, 0, fine)
			log = max(log, math.Abs(l-direct.log))
			mean = max(mean, math.Abs(s*ratio+direct.shift/s))
			variance = max(variance, math.Abs(s*s/direct.variance*within-1))
		}
		if !(log < 1e-12 && mean < 1e-11 && variance < 1e-9) {
			t.Errorf("s = %g: log F is off by %.1e, the mean by %.1e standard deviations, the variance by %.1e", s, log, mean, variance)
		}
	}
}

// Free fits the variances of all differences under the covariance of the logits given the
// class, which is C_ij = v_j ∂E[z_i|c]/∂m_j, here by finite differences of the means.
func TestPosteriorFree(t *testing.T) {
	rnd := rand.New(random.Source("free"))
	for _, n := range []int{2, 3, 4, 10} {
		got, up, down := NewPosterior(n), NewPosterior(n), NewPosterior(n)
		for k := range 20 {
			m, v, c := make([]float64, n), make([]float64, n), rnd.IntN(n)
			for j := range n {
				m[j], v[j] = 2*rnd.NormFloat64(), 4*rnd.Float64()
			}
			l := []Likelihood{Exact{}, Probit{0.3 + rnd.Float64(), 0.5}}[k%2]
			l.Posterior(got, m, v, c)
			cov := mat.NewDense(n, n, nil)
			for j, at := range m {
				const h = 1e-4
				m[j] = at + h
				l.Posterior(up, m, v, c)
				m[j] = at - h
				l.Posterior(down, m, v, c)
				m[j] = at
				for i := range n {
					cov.Set(i, j, v[j]*(up.Mean[i]-down.Mean[i])/(2*h))
				}
			}
			// R_i = Σ_j Var(z_i − z_j), Free = (R_i − ΣR/(2(n−1)))/(n−2).
			want, sum := make([]float64, n), 0.0
			for i := range n {
				for j := range n {
					want[i] += cov.At(i, i) + cov.At(j, j) - cov.At(i, j) - cov.At(j, i)
				}
				sum += want[i]
			}
			for i := range want {
				if n == 2 {
					want[i] = cov.At(i, i) - cov.At(0, 1)
				} else {
					want[i] = (want[i] - sum/float64(2*(n-1))) / float64(n-2)
				}
			}
			check.NearAll(t, fmt.Sprintf("%+v, n = %d", l, n), got.Free, want, 2e-6)
		}
	}
}

// An example that says nothing changes nothing, and a sum of differences is never negative.
func TestPosteriorFreeProbit(t *testing.T) {
	for n := 2; n <= 30; n += 7 {
		m, v, got := make([]float64, n), make([]float64, n), NewPosterior(n)
		for j := range v {
			m[j], v[j] = float64(j%5)-2, 0.1+float64(j%3)
		}
		m[0] = 1000
		Probit{0.6, 0.5}.Posterior(got, m, v, 0)
		check.NearAll(t, "a certain class", got.Free, v, 1e-9)
	}
}
