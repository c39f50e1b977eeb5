package bnn

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// outputStep turns a label into the posterior means m̃ and variances ṽ of the
// logits.
type outputStep struct {
	moments        *softmax.Moments
	mean, variance []float64 // m̃ and ṽ

	cov   *mat.SymDense // Σ_y, n×n
	cross *mat.Dense    // Σ_zy, n×n

	// Of the linear solve over the first k = n−1 classes.
	vectors  blas64.Symmetric // covariance of the innovation, then its eigenvectors
	values   []float64        // eigenvalues, ascending
	work     []float64        // scratch of the eigensolver
	residual []float64        // Vᵀ(y − p)
}

func (s *outputStep) reset(n int) {
	k := n - 1
	s.moments = softmax.NewMoments(n)
	s.mean, s.variance = make([]float64, n), make([]float64, n)
	s.cov, s.cross = mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	s.vectors = blas64.Symmetric{N: k, Stride: k, Data: make([]float64, k*k), Uplo: blas.Upper}
	s.values, s.residual = make([]float64, k), make([]float64, k)
	var size [1]float64
	lapack64.Syev(lapack.EVCompute, s.vectors, s.values, size[:], -1)
	s.work = make([]float64, int(size[0]))
}

// run sets s.mean and s.variance from s.moments and the class, unless the step
// is skipped or fails.
func (s *outputStep) run(cfg *Config, m, v []float64, class int) (Update, error) {
	s.moments.Cross(s.cross, v)
	var update Update
	switch cfg.Output {
	case Joint:
		s.moments.Cov(s.cov)
		update.MinEigenvalue = s.joint(m, v, class, math.Inf(-1))
	case Total:
		s.labelCov()
		update.MinEigenvalue = s.total(m, v, class)
	}
	update.MinVariance = s.minVariance()
	positive := update.MinEigenvalue > 0
	if positive && update.MinVariance >= 0 {
		return update, s.finite()
	}
	switch cfg.OnIndefinite {
	case Fail:
		return update, &IndefiniteError{update}
	case Skip:
		update.Action = Skipped
		return update, nil
	}
	update.Action = Projected
	if !positive {
		s.joint(m, v, class, cfg.EigenvalueFloor)
	}
	for j, vj := range v {
		s.variance[j] = math.Max(s.variance[j], cfg.VarianceFloor*vj)
	}
	return update, s.finite()
}

// joint conditions the logits on the label as if both were jointly Gaussian
// with the covariance of the innovation C = s.cov over the first k = n−1
// classes (paper, Eq. (z)):
//
//	m̃ = m + Σ_zy C⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy C⁻¹ Σ_zyᵀ)
//
// With C = VΛVᵀ, T = Σ_zy V and eigenvalues raised to the floor,
// m̃ = m + TΛ⁻¹Vᵀ(y − p) and ṽ_j = v_j − Σ_l T_jl²/λ_l. It returns the smallest
// eigenvalue before it was raised.
func (s *outputStep) joint(m, v []float64, class int, floor float64) float64 {
	k := len(s.values)
	for i := range k {
		for j := i; j < k; j++ {
			s.vectors.Data[i*k+j] = s.cov.At(i, j)
		}
	}
	if !lapack64.Syev(lapack.EVCompute, s.vectors, s.values, s.work, len(s.work)) {
		return math.NaN()
	}
	smallest := s.values[0]
	for l := range k {
		s.values[l] = math.Max(s.values[l], floor)
		s.residual[l] = 0
		for i := range k {
			r := -s.moments.P[i]
			if i == class {
				r++
			}
			s.residual[l] += s.vectors.Data[i*k+l] * r
		}
	}
	for j := range m {
		s.mean[j], s.variance[j] = m[j], v[j]
		row := s.cross.RawRowView(j)
		for l, lambda := range s.values {
			var t float64
			for i := range k {
				t += row[i] * s.vectors.Data[i*k+l]
			}
			s.mean[j] += t * s.residual[l] / lambda
			s.variance[j] -= t * t / lambda
		}
	}
	return smallest
}

// total is joint with the covariance of the label, S = diag(p) − ppᵀ, in place
// of Σ_y. Then Σ_zy S⁻¹ has a closed form over all n classes, with L as in
// package softmax:
//
//	m̃_j = m_j + v_j L_jc/p_c,   ṽ_j = v_j − Σ_i v_j² L_ji²/p_i
//
// for the observed class c: by Stein's lemma this m̃ is E[z | y = c], and ṽ is
// the expected posterior variance by the law of total covariance. Where Σp ≠ 1
// (probit with ρ ≠ ½) the probabilities of the label are p/Σp. It returns the
// smallest eigenvalue of S over the first n−1 classes.
func (s *outputStep) total(m, v []float64, class int) float64 {
	sum := 1 + s.moments.Excess()
	for j := range m {
		s.mean[j], s.variance[j] = m[j], v[j]
		row := s.cross.RawRowView(j)
		for i, c := range row {
			if c == 0 {
				continue
			}
			gain := c / (s.moments.P[i] / sum)
			s.variance[j] -= c * gain
			if i == class {
				s.mean[j] += gain
			}
		}
	}
	return smallestLabelEigenvalue(s.moments.P)
}

// labelCov sets s.cov to S = diag(p) − ppᵀ of the normalised probabilities.
func (s *outputStep) labelCov() {
	sum := 1 + s.moments.Excess()
	for i, pi := range s.moments.P {
		pi /= sum
		s.cov.SetSym(i, i, pi*(1-pi))
		for j := i + 1; j < len(s.moments.P); j++ {
			s.cov.SetSym(i, j, -pi*s.moments.P[j]/sum)
		}
	}
}

// smallestLabelEigenvalue returns the smallest eigenvalue of diag(p) − ppᵀ over
// all classes but the last, to full relative precision however small it is,
// which a general eigensolver cannot. It is the root below min p of the secular
// equation 1 = Σ_{i<n} p_i²/(p_i−λ), which for Σp = 1 reads
//
//	p_n = λ Σ_{i<n} p_i/(p_i−λ)
//
// with a right side that increases from 0 to ∞.
func smallestLabelEigenvalue(p []float64) float64 {
	k := len(p) - 1
	lo, hi := 0.0, math.Inf(1)
	for _, pi := range p[:k] {
		hi = math.Min(hi, pi)
	}
	if k == 1 {
		return p[0] * p[1]
	}
	for {
		mid := lo + 0.5*(hi-lo)
		if mid <= lo || mid >= hi || hi-lo < 1e-14*hi {
			return mid
		}
		var sum float64
		for _, pi := range p[:k] {
			sum += pi / (pi - mid)
		}
		if mid*sum < p[k] {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// minVariance returns the smallest ṽ_j, NaN if any is.
func (s *outputStep) minVariance() float64 {
	smallest := math.Inf(1)
	for _, v := range s.variance {
		smallest = math.Min(smallest, v)
	}
	return smallest
}

func (s *outputStep) finite() error {
	for j := range s.mean {
		if x := s.mean[j] + s.variance[j]; math.IsNaN(x) || math.IsInf(x, 0) {
			return errors.New("bnn: the update overflows")
		}
	}
	return nil
}
