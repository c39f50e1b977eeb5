package mccheck

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/approx"
)

// activationUnit checks the moments of the piece-wise linear unit, Prop. 3.1(1).
func activationUnit(ctx context.Context, in inputs, samples int, rnd *rand.Rand) ([]score, error) {
	f, m, sd := in.unit, in.Mean[0], math.Sqrt(in.Variance[0])
	mean, variance, cross := f.Moments(m, in.Variance[0])
	scores := []score{{quantity: "mean", value: mean}, {quantity: "variance", value: variance}, {quantity: "cross", value: cross}}
	return estimate(ctx, scores, samples, func(x []float64) {
		d := sd * random.Normal(rnd)
		// Not f.Eval, which is part of what is checked.
		y := max(f.Alpha*(m+d), f.Beta*(m+d))
		x[0], x[1], x[2] = y, (y-mean)*(y-mean), d*(y-mean)
	})
}

// probabilities returns the moments and a score for each p.
func probabilities(a softmax.Approximation, z approx.Logits) (*softmax.Moments, []score) {
	moments := softmax.NewMoments(len(z.Mean))
	a.Moments(moments, z.Mean, z.Variance)
	var scores []score
	for j, value := range moments.P {
		scores = append(scores, score{quantity: "p", j: j + 1, value: value, most: 1})
	}
	return moments, scores
}

// probit checks the moments of the probit with equal correlations, Prop. 3.1(2). It samples the probit
// function given the common part ε₀ ~ N(0, 1) of its noise,
//
//	Y_j = Π_{τ≠j} Φ(a_jτ),   a_jτ = (√ρ ε₀ + λ(z_j−z_τ))/√(1−ρ),
//
// and its derivatives; over ε₀ and z their means are p_j and E_ji. That shares nothing with the integrals
// that are checked but Φ and φ.
func probit(ctx context.Context, in inputs, samples int, rnd *rand.Rand) ([]score, error) {
	p, n := softmax.Probit{Lambda: in.lambda, Rho: in.rho}, len(in.Mean)
	moments, scores := probabilities(p, in.Logits)
	steepest := p.Lambda / math.Sqrt(2*math.Pi*(1-p.Rho)) // a slope times φ(0), other factors 1
	for j := range n {
		for i := range n {
			if i != j {
				scores = append(scores, score{quantity: "E", i: i + 1, j: j + 1, value: moments.E.At(j, i), most: steepest})
			}
		}
	}
	own := math.Sqrt(1 - p.Rho)
	slope, common := p.Lambda/own, math.Sqrt(p.Rho)/own
	draw, pdf, cdf := sampler(in.Logits, rnd), make([]float64, n), make([]float64, n)
	return estimate(ctx, scores, samples, func(x []float64) {
		z, _ := draw()
		shift := common * random.Normal(rnd)
		y, slopes := x[:n], x[n:]
		for j, zj := range z {
			y[j] = 1
			for i, zi := range z {
				pdf[i], cdf[i] = gauss.PDFCDF(shift + slope*(zj-zi))
				if i == j {
					cdf[i] = 1
				}
				y[j] *= cdf[i]
			}
			for i := range z {
				if i == j {
					continue
				}
				before, after := slope, 1.0
				for _, f := range cdf[:i] {
					before *= f
				}
				for _, f := range slices.Backward(cdf[i+1:]) {
					after *= f
				}
				slopes[0] = before * pdf[i] * after
				slopes = slopes[1:]
			}
		}
	})
}

// probitCorr checks the moments of the probit with any correlations, Prop. 3.1(2). It
// samples the indicators
//
//	y_j = 1{ε_τ ≤ λ(z_j−z_τ) for all τ ≠ j},   ε ~ N(0, Σ_0),
//
// where the n−1 entries of ε go to the classes other than j in their order, and Cov(z_i, y_j), which is
// −v_i E_ji for i ≠ j and v_j Σ_i E_ji for i = j by Stein's lemma.
func probitCorr(ctx context.Context, in inputs, samples int, rnd *rand.Rand) ([]score, error) {
	n := len(in.Mean)
	moments, scores := probabilities(softmax.ProbitCorr{Lambda: in.lambda, Corr: in.factor.correlation()}, in.Logits)
	for j := range n {
		for i, v := range in.Variance {
			value := -v * moments.E.At(j, i)
			if i == j {
				value = v * kernel.Sum(moments.E.RawRowView(j))
			}
			scores = append(scores, score{quantity: "cross", i: i + 1, j: j + 1, value: value})
		}
	}
	draw, white, noise := sampler(in.Logits, rnd), make([]float64, n-1), make([]float64, n-1)
	return estimate(ctx, scores, samples, func(x []float64) {
		z, d := draw()
		for k, row := range in.factor {
			white[k] = random.Normal(rnd)
			noise[k] = 0
			for l, a := range row {
				noise[k] += a * white[l]
			}
		}
		y, cross := x[:n], x[n:]
		for j, zj := range z {
			y[j] = 1
			for i, e := range noise {
				if i >= j {
					i++
				}
				if e > in.lambda*(zj-z[i]) {
					y[j] = 0
				}
			}
			for i, di := range d {
				cross[j*n+i] = di * (y[j] - moments.P[j])
			}
		}
	})
}

// exact checks the exact moments of the softmax, by [montecarlo.Estimate]: averages over parts of nearly
// one size, none of them a single sample.
func exact(ctx context.Context, in inputs, samples int, rnd *rand.Rand) ([]score, error) {
	n, total := len(in.Mean), float64(samples)
	moments, scores := probabilities(softmax.Exact{}, in.Logits)
	for j := range n {
		for i := range j {
			scores = append(scores, score{quantity: "E", i: i + 1, j: j + 1, value: moments.E.At(j, i), most: 0.25})
		}
	}
	for j, p := range moments.P {
		square := p // E[s_j²], for s_j² = s_j − Σ_i s_j s_i
		for i := range n {
			square -= moments.E.At(j, i)
		}
		// (s_j − p_j)² ≤ 1; that the mean of the samples stands for p_j does not matter.
		scores = append(scores, score{quantity: "variance", j: j + 1, value: square - p*p, most: 1})
	}
	second, fourth := make([]float64, n), make([]float64, n) // central moments of s_j
	e, parts := montecarlo.NewEstimate(n), (samples+block-1)/block
	for k := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		size := samples*(k+1)/parts - samples*k/parts
		part := float64(size) / total
		e.Sample(in.Mean, in.Variance, size, rnd)
		for k := range scores {
			s := &scores[k]
			i, j := s.i-1, s.j-1
			var mean, se float64
			switch s.quantity {
			case "p":
				mean, se = e.P[j], e.PErr[j]
			case "E":
				mean, se = e.E.At(i, j), e.EErr.At(i, j)
			case "variance":
				mean, se = e.Var[j], e.VarErr[j]
				second[j] += part * mean
				fourth[j] += part * (se*se*float64(size) + mean*mean)
			}
			s.mc += part * mean
			s.se += part * part * se * se
		}
	}
	for k := range scores {
		s := &scores[k]
		s.effective = total * second[s.j-1] * second[s.j-1] / fourth[s.j-1]
		if s.quantity == "E" {
			s.effective = total * s.mc * s.mc / (s.mc*s.mc + s.se*total)
		}
		s.samples, s.se = samples, math.Sqrt(s.se)
	}
	return scores, nil
}
