package bnn

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

type outputStep struct {
	mean, variance []float64          // m̃ and ṽ
	posterior      *softmax.Posterior // for the assumed-density rules; mean and variance are slices of it

	// For Joint and Total:
	moments    *softmax.Moments
	cov        *mat.SymDense // Σ_y, n×n
	cross      *mat.Dense    // Σ_zy, n×n
	innovation *linalg.Eigen // covariance of the innovation over the first n−1 classes
	residual   []float64     // Vᵀ(y − p)
	gains      []float64     // v_j ∂_jp_i of one class i, for all j
	sums       []float64     // Σ_{l≠j} of the covariances of logits j and l
}

func newOutputStep(cfg *Config) outputStep {
	n := cfg.classes()
	if cfg.Output.assumedDensity() {
		p := softmax.NewPosterior(n)
		s := outputStep{posterior: p, mean: p.Mean, variance: p.Free}
		if cfg.Output.marginal() {
			s.variance = p.Var
		}
		return s
	}
	numbers := func() []float64 { return make([]float64, n) }
	return outputStep{
		mean: numbers(), variance: numbers(), gains: numbers(), sums: numbers(), residual: numbers(),
		moments: softmax.NewMoments(n), cov: mat.NewSymDense(n, nil), cross: mat.NewDense(n, n, nil),
		innovation: linalg.NewEigen(n - 1),
	}
}

var (
	errOverflow = errors.New("bnn: the update overflows")
	errUnsound  = errors.New("bnn: the softmax approximation gives moments that are negative or not finite")
)

// improbable is the class probability below which Total has no correct digits.
const improbable = 1e-10

func (s *outputStep) run(cfg *Config, m, v []float64, class int) (Update, error) {
	if cfg.Output.assumedDensity() {
		return s.adf(cfg, m, v, class)
	}
	cfg.Softmax.Moments(s.moments, m, v)
	if !sound(s.moments.P) || !sound(s.moments.E.RawMatrix().Data) {
		return Update{}, errUnsound
	}
	s.moments.Cross(s.cross, v)
	update := Update{
		MinEigenvalue: math.NaN(), LogP: kernel.Log(s.moments.P[class]) - math.Log1p(s.moments.Excess()),
	}
	if cfg.Output == Joint {
		s.moments.Cov(s.cov)
		update.MinEigenvalue = s.joint(m, v, class, math.Inf(-1))
		update.Indefinite = !(update.MinEigenvalue > s.rounding())
	} else {
		s.total(m, v, class)
		update.Indefinite = !(s.moments.P[class] >= improbable)
	}
	update.MinVariance = floats.Min(s.variance)
	if !update.Indefinite && update.MinVariance >= 0 {
		if cfg.Output == Total {
			softmax.FreeVariances(s.variance, s.variance, s.sums)
			update.MinVariance = floats.Min(s.variance)
			update.Floored, update.Capped = s.limit(v)
		}
		return update, s.finite()
	}
	switch cfg.Paper.OnIndefinite {
	case Fail:
		update.Action = Refused
		return update, &IndefiniteError{update}
	case Skip:
		update.Action = Skipped
		return update, nil
	}
	update.Action = Projected
	if cfg.Output == Total {
		s.labelCov()
	}
	s.joint(m, v, class, cfg.Paper.EigenvalueFloor)
	for j, vj := range v {
		if floor := cfg.Paper.VarianceFloor * vj; s.variance[j] < floor {
			s.variance[j] = floor
			update.Floored++
		}
	}
	return update, s.finite()
}

func (s *outputStep) adf(cfg *Config, m, v []float64, class int) (Update, error) {
	cfg.Softmax.(softmax.Likelihood).Posterior(s.posterior, m, v, class)
	update := Update{MinEigenvalue: math.NaN(), MinVariance: floats.Min(s.variance), LogP: s.posterior.LogP}
	if !cfg.Output.marginal() {
		update.Floored, update.Capped = s.limit(v)
	}
	if math.IsNaN(update.LogP) || math.IsInf(update.LogP, 0) {
		return update, errOverflow
	}
	return update, s.finite()
}

func sound(moments []float64) bool { return kernel.Finite(moments...) && floats.Min(moments) >= 0 }

func (s *outputStep) finite() error {
	if !kernel.Finite(s.mean...) || !kernel.Finite(s.variance...) {
		return errOverflow
	}
	return nil
}

// rounding bounds the rounding error of Σ_y, a difference of terms as large as p(1−p). Smaller eigenvalues
// may be negative.
func (s *outputStep) rounding() float64 {
	var largest float64
	for _, p := range s.moments.P {
		largest = math.Max(largest, p*(1-p))
	}
	return float64(8*len(s.moments.P)) * 0x1p-52 * largest
}

// joint conditions the logits on the label as if both were jointly Gaussian, with the covariance C = s.cov of
// the innovation over the first n−1 classes (paper, Eq. (z)):
//
//	m̃ = m + Σ_zy C⁻¹ (y − p),   ṽ = diag(diag(v) − Σ_zy C⁻¹ Σ_zyᵀ)
//
// With C = VΛVᵀ, T = Σ_zy V and eigenvalues raised to the floor, m̃ = m + TΛ⁻¹Vᵀ(y − p) and ṽ_j = v_j − Σ_l
// T_jl²/λ_l. It returns the smallest eigenvalue before the floor.
func (s *outputStep) joint(m, v []float64, class int, floor float64) float64 {
	vectors, values := s.innovation.Vectors, s.innovation.Values
	k := len(values)
	for i := range k {
		for j := i; j < k; j++ {
			vectors[i*k+j] = s.cov.At(i, j)
		}
	}
	if !s.innovation.Factorize() {
		return math.NaN()
	}
	smallest := values[0]
	for l := range k {
		values[l] = math.Max(values[l], floor)
		s.residual[l] = 0
		for i := range k {
			r := -s.moments.P[i]
			if i == class {
				r++
			}
			s.residual[l] += vectors[i*k+l] * r
		}
	}
	for j := range m {
		s.mean[j], s.variance[j] = m[j], v[j]
		row := s.cross.RawRowView(j)
		for l, lambda := range values {
			var t float64
			for i := range k {
				t += row[i] * vectors[i*k+l]
			}
			s.mean[j] += t * s.residual[l] / lambda
			s.variance[j] -= t * t / lambda
		}
	}
	return smallest
}

// total is joint with S = diag(p) − ppᵀ in place of Σ_y. For the observed class c, over all n classes its
// solve is m̃_j = m_j + v_j ∂_jp_c/p_c, C_jl = δ_jl v_j − v_j v_l Σ_i ∂_jp_i ∂_lp_i/p_i, where ∂_jp_i =
// ∂p_i/∂m_j is −E_ij for j ≠ i and Σ_k E_ik for j = i. By Stein's lemma m̃ is E[z | y = c], and by the law of
// total covariance C is the expected posterior covariance; ṽ are its softmax.FreeVariances. With ρ ≠ ½, E is
// not symmetric, and C_jj may be negative. Classes whose probability underflows are skipped.
func (s *outputStep) total(m, v []float64, class int) {
	copy(s.mean, m)
	copy(s.variance, v)
	clear(s.sums)
	for i, p := range s.moments.P {
		if p == 0 {
			continue
		}
		row := s.moments.E.RawRowView(i)
		for j, vj := range v {
			s.gains[j] = -vj * row[j]
		}
		s.gains[i] = v[i] * kernel.Sum(row)
		sum := kernel.Sum(s.gains)
		for j, g := range s.gains {
			s.variance[j] -= g / p * g
			s.sums[j] -= g / p * (sum - g)
		}
		if i == class {
			kernel.AddScaled(s.mean, 1/p, s.gains)
		}
	}
}

// limit moves the ṽ, the least-squares fit x_j to the variances of all differences, to the best fit within
// the bounds minRatio·v_j and maxRatio·v_j, and counts those at each bound. ṽ_j is x_j + τ within its bounds,
// where Newton's method finds the τ with Σ_j ṽ_j + (n−2)τ = Σ_j x_j; it is 0 if all x_j are within bounds.
func (s *outputStep) limit(v []float64) (floored, capped int) {
	var tau, high float64
	for j, x := range s.variance {
		high += math.Abs(x) + maxRatio*v[j]
	}
	low := -high
	for range 100 {
		excess, free := 0.0, float64(len(v)-2)
		for j, x := range s.variance {
			if bounded := within(x+tau, v[j]); bounded == x+tau {
				free++
			} else {
				excess += x - bounded
			}
		}
		next := excess / free
		if next == tau || excess == 0 && free == 0 {
			break
		}
		if next > tau {
			low = tau
		} else {
			high = tau
		}
		if !(low < next && next < high) {
			next = low + (high-low)/2
		}
		tau = next
	}
	for j, x := range s.variance {
		s.variance[j] = within(x+tau, v[j])
		switch {
		case v[j] == 0:
		case x+tau < s.variance[j]:
			floored++
		case x+tau > s.variance[j]:
			capped++
		}
	}
	return floored, capped
}

func within(x, v float64) float64 { return math.Min(math.Max(x, minRatio*v), maxRatio*v) }

// labelCov sets s.cov to S = diag(p) − ppᵀ of p normalised; S_ii = Σ_{j≠i} p_i p_j does not cancel.
func (s *outputStep) labelCov() {
	sum := 1 + s.moments.Excess()
	for i, pi := range s.moments.P {
		var degree float64
		for j, pj := range s.moments.P {
			if j != i {
				degree += pi / sum * (pj / sum)
				s.cov.SetSym(i, j, -pi/sum*(pj/sum))
			}
		}
		s.cov.SetSym(i, i, degree)
	}
}
