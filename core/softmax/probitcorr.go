package softmax

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/mvn"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// ProbitCorr approximates the softmax by the multivariate probit function of the paper with any correlations
// (Yang and Yang 2023, Sec. 2), s_j(z) ≈ Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0), with a correlation matrix Corr
// = Σ_0 of order n−1, the same for each class, whose rows are the classes τ ≠ j in order. Σ_0 may be singular.
// Lambda must be positive and finite. In general the p_j do not add up to one, see [Moments.Excess], and E is
// not symmetric. It is exact and quick up to five classes, see [ProbitCorr.Moments]; where all correlations are
// equal and the logits independent, [Probit] is for any number. Corr is kept by reference; concurrent use is
// safe while nothing writes to it.
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

// Moments implements [Approximation]. Accuracy and cost are those of package mvn: some 1e-13 in less than 1 ms
// for n ≤ 4 and 0.1 s for n = 5; beyond, some 1e-6 or 1e-5 in up to 0.2 s for each of n² probabilities. Moments
// panics if lengths do not match, a mean is not finite, a variance is negative, or λ or Corr is out of range.
func (p ProbitCorr) Moments(dst *Moments, mean, variance []float64) {
	dst.check(mean, variance)
	if err := p.moments(dst, mean, mat.NewDiagDense(len(variance), slices.Clone(variance))); err != nil {
		panic(err.Error())
	}
}

// MomentsCov is Moments for correlated logits z ~ N(mean, cov). Their Σ_y is [Moments.Cov], too; Σ_zy is cov L.
// It returns an error unless cov is positive definite and the other values are as Moments needs them.
func (p ProbitCorr) MomentsCov(dst *Moments, mean []float64, cov mat.Symmetric) error {
	n := len(dst.P)
	if len(mean) != n || cov.SymmetricDim() != n {
		return fmt.Errorf("softmax: %d means and a covariance of order %d for %d classes",
			len(mean), cov.SymmetricDim(), n)
	}
	var factor linalg.Cholesky
	if sum := kernel.Sum(mean); !factor.Factorize(cov) || math.IsNaN(sum-sum) {
		return errors.New("softmax: need finite means and a positive definite covariance of the logits")
	}
	return p.moments(dst, mean, cov)
}

// moments computes Prop. 3.1(2) for logits with the covariance V: with d_τ = z_j − z_τ, s_τ² = 1 + λ² Var d_τ,
// x_τ = λ E d_τ/s_τ and Σ'_ττ' = (ρ_ττ' + λ² Cov(d_τ, d_τ'))/(s_τ s_τ'), p_j = Φ_{n−1}(x_τ, τ ≠ j; 0, Σ') and
// E_ji = (λ/s_i) ∂Φ_{n−1}/∂x_i at the same point. Of independent logits Cov(d_τ, d_τ') is v_j for τ ≠ τ'.
func (p ProbitCorr) moments(dst *Moments, mean []float64, cov mat.Symmetric) error {
	if err := p.Validate(len(mean)); err != nil {
		return err
	}
	d := len(mean) - 1
	x, perScale, gradient := make([]float64, d), make([]float64, d), make([]float64, d)
	corr := mat.NewSymDense(d, nil)
	for j := range mean {
		p.point(x, perScale, corr, j, mean, cov)
		cdf, err := mvn.NewCDF(corr)
		if err != nil {
			return fmt.Errorf("softmax: %w", err) // only rounding could have made Σ' indefinite
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
	return nil
}

// point sets x, perScale = λ/s and corr = Σ' of class j. Lengths are in units of 1/λ and variances in units of
// 4/λ², to avoid overflow.
func (p ProbitCorr) point(x, perScale []float64, corr *mat.SymDense, j int, mean []float64, cov mat.Symmetric) {
	noise := min(1/p.Lambda, math.MaxFloat64)
	quarter := func(a, b int) float64 { return cov.At(a, b) / 4 }
	common := func(k, l int) float64 { // Cov(d_k, d_l)/4
		k, l = other(j, k), other(j, l)
		return (quarter(j, j) - quarter(j, k)) + (quarter(k, l) - quarter(j, l))
	}
	for k := range x {
		s := kernel.Hypot(noise, 2*math.Sqrt(max(0, common(k, k))))
		x[k], perScale[k] = (mean[j]-mean[other(j, k)])/s, 1/s
	}
	for k, a := range perScale {
		corr.SetSym(k, k, 1)
		for l, b := range perScale[:k] {
			r := float64(p.Corr.At(k, l)*(noise*a)*(noise*b)) + float64((2*a)*common(k, l)*(2*b))
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
