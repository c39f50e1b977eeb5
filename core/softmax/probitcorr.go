package softmax

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/mvn"
	"closedform/internal/kernel"
)

// ProbitCorr approximates the softmax by the multivariate probit function of the paper with any correlations
// (Yang and Yang 2023, Sec. 2), s_j(z) ≈ Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0), with a correlation matrix Corr
// = Σ_0 of order n−1, the same for each class, whose rows are the classes τ ≠ j in order. Lambda must be
// positive and finite. In general the p_j do not add up to one, see [Moments.Excess], and E is not symmetric.
// Corr is kept by reference; concurrent use is safe while nothing writes to it.
type ProbitCorr struct {
	Lambda float64
	Corr   *mat.SymDense
}

// Validate returns an error if λ is out of range or Corr is not a correlation matrix of order classes − 1.
func (p ProbitCorr) Validate(classes int) error {
	if !(p.Lambda > 0) || math.IsInf(p.Lambda, 1) {
		return fmt.Errorf("softmax: probit with λ = %g; need 0 < λ < ∞", p.Lambda)
	}
	if p.Corr == nil || p.Corr.IsEmpty() {
		return fmt.Errorf("softmax: probit without correlations; need those of n−1 variables for n classes")
	}
	if k, d := p.Corr.SymmetricDim(), classes-1; k != d {
		return fmt.Errorf("softmax: probit with %d×%[1]d correlations for %d classes; need %d×%[3]d",
			k, classes, d)
	}
	if _, err := mvn.NewCDF(p.Corr); err != nil {
		return fmt.Errorf("softmax: probit: %w", err)
	}
	return nil
}

// Moments implements [Approximation] by Prop. 3.1(2): with s_τ = √(1 + λ²v_j + λ²v_τ), x_τ = λ(m_j − m_τ)/s_τ
// and Σ'_ττ' = (ρ_ττ' + λ²v_j)/(s_τ s_τ'), p_j = Φ_{n−1}(x_τ, τ ≠ j; 0, Σ') and E_ji = (λ/s_i) ∂Φ_{n−1}/∂x_i
// at the same point. Accuracy and cost are those of package mvn: some 1e-13 in less than 1 ms for n ≤ 4 and
// 0.1 s for n = 5; beyond, some 1e-6 or 1e-5 in up to 0.2 s for each of n² probabilities. Moments panics if
// lengths do not match, a mean is not finite, a variance is negative, or λ or Corr is out of range.
func (p ProbitCorr) Moments(dst *Moments, mean, variance []float64) {
	dst.check(mean, variance)
	if err := p.Validate(len(mean)); err != nil {
		panic(err.Error())
	}
	d := len(mean) - 1
	x, perScale, gradient := make([]float64, d), make([]float64, d), make([]float64, d)
	corr := mat.NewSymDense(d, nil)
	for j := range mean {
		p.point(x, perScale, corr, j, mean, variance)
		cdf, err := mvn.NewCDF(corr)
		if err != nil {
			panic("softmax: " + err.Error()) // only rounding could have made Σ' indefinite
		}
		dst.P[j], _ = cdf.Prob(x)
		row := dst.row(j)
		if row == nil {
			continue
		}
		cdf.Gradient(gradient, x)
		row[j] = 0
		for k, g := range gradient {
			row[other(j, k)] = g * perScale[k]
		}
	}
}

// point sets x, perScale = λ/s and corr = Σ' of class j, in units of 1/λ to avoid overflow.
func (p ProbitCorr) point(x, perScale []float64, corr *mat.SymDense, j int, mean, variance []float64) {
	noise, sd := min(1/p.Lambda, math.MaxFloat64), math.Sqrt(variance[j])
	for k := range x {
		i := other(j, k)
		s := kernel.Hypot(kernel.Hypot(noise, sd), math.Sqrt(variance[i]))
		x[k], perScale[k] = (mean[j]-mean[i])/s, 1/s
	}
	for k, a := range perScale {
		corr.SetSym(k, k, 1)
		for l, b := range perScale[:k] {
			r := p.Corr.At(k, l)*(noise*a)*(noise*b) + (sd*a)*(sd*b)
			corr.SetSym(k, l, max(-1, min(1, r)))
		}
	}
}

func other(j, k int) int {
	if k < j {
		return k
	}
	return k + 1
}
