// Package softmax computes the first two moments of the softmax of a Gaussian: for independent logits z_j ~
// N(m_j, v_j) and s = softmax(z), the means and covariances of s, and the cross-covariance of z and s. They
// follow from p_j = E[s_j] and E_ji = E[∂s_j/∂(z_j−z_i)] = E[s_j s_i] for j ≠ i (Yang and Yang 2023, arXiv
// 2301.13401, Sec. 2), which an [Approximation] computes:
//
//   - [Moments.Cov], [Moments.Cross]: the covariances Σ_y and Σ_zy from p and E
//   - [Probit.Moments], [ProbitCorr.Moments]: p and E of the probit, Prop. 3.1(2)
//   - [Exact.Moments]: p and E of the softmax itself
//   - [Probit.Posterior], [Exact.Posterior]: mean and variance of the logits given a label
//   - [SlopeLambda]: the slope λ of the probit
package softmax

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Approximation sets dst to the moments of softmax(z) for independent Gaussian logits, whose variances may be
// zero. Implementations are safe for concurrent use with different dst, and keep no reference to arguments.
type Approximation interface {
	Moments(dst *Moments, mean, variance []float64)
}

// Likelihood is an [Approximation] with the posterior of the logits given a label.
type Likelihood interface {
	Approximation
	Posterior(dst *Posterior, mean, variance []float64, class int)
}

var (
	_ Likelihood    = Probit{}
	_ Likelihood    = Exact{}
	_ Approximation = ProbitCorr{}
)

// Validate returns an error if a is nil, or if a has a method Validate that rejects the classes.
func Validate(a Approximation, classes int) error {
	if a == nil {
		return errors.New("softmax: nil is no approximation; allowed: a value such as softmax.Probit")
	}
	if v, ok := a.(interface{ Validate(classes int) error }); ok {
		return v.Validate(classes)
	}
	return nil
}

func checkClasses(n int) {
	if n < 2 {
		panic(fmt.Sprintf("softmax: %d classes; need at least 2", n))
	}
}

// CheckLogits panics unless mean and variance have the length n ≥ 2 and are finite, with variance ≥ 0.
func CheckLogits(n int, mean, variance []float64) {
	checkClasses(n)
	if len(mean) != n || len(variance) != n {
		panic(fmt.Sprintf("softmax: %d means and %d variances for %d classes", len(mean), len(variance), n))
	}
	for j, v := range variance {
		if !(v >= 0) || math.IsInf(v, 1) || math.IsNaN(mean[j]) || math.IsInf(mean[j], 0) {
			panic(fmt.Sprintf("softmax: logit %d has mean %g and variance %g; need finite numbers and variance ≥ 0",
				j, mean[j], v))
		}
	}
}

// workspace has the tables of one call of each method.
type workspace struct {
	probit       probitTable
	exact        exactTable
	probitWinner probitWinner
	gumbelWinner gumbelWinner
}

var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// fit gives each slice the length n; a slice of another length is replaced by zeros.
func fit(n int, slices ...*[]float64) {
	for _, x := range slices {
		if len(*x) != n {
			*x = make([]float64, n)
		}
	}
}

// MomentError bounds the absolute error of the moments of [Probit] and of [Exact].
const MomentError = 1e-11

// Moments are the moments of softmax(z) for n classes. Computing into it again allocates nothing, and leaves
// out E if it is nil. It keeps no reference to arguments; concurrent reading is safe. With the graph Laplacian
// L = diag(E·1) − E, the label probabilities have covariance Σ_y = diag(p) − p pᵀ − L, and Σ_zy = diag(v) L with
// the logits.
type Moments struct {
	P []float64  // p_j, length n
	E *mat.Dense // E.At(j, i) = E[∂s_j/∂(z_j−z_i)], n×n, zero diagonal
}

// NewMoments returns zero moments for n classes. It panics if n < 2.
func NewMoments(n int) *Moments {
	checkClasses(n)
	return &Moments{P: make([]float64, n), E: mat.NewDense(n, n, nil)}
}

// Zero sets all moments to zero.
func (m *Moments) Zero() {
	clear(m.P)
	if m.E != nil {
		m.E.Zero()
	}
}

// AddScaled adds weight times the moments of a component of a mixture.
func (m *Moments) AddScaled(weight float64, part *Moments) {
	floats.AddScaled(m.P, weight, part.P)
	if m.E != nil {
		floats.AddScaled(m.E.RawMatrix().Data, weight, part.E.RawMatrix().Data)
	}
}

// row returns row j of E, nil without E.
func (m *Moments) row(j int) []float64 {
	if m.E == nil {
		return nil
	}
	return m.E.RawRowView(j)
}

// pair returns the symmetrised E_ij, as the probit with ρ ≠ ½ has an asymmetric E.
func (m *Moments) pair(i, j int) float64 { return 0.5 * (m.E.At(i, j) + m.E.At(j, i)) }

// degree returns L_ii = Σ_j E_ij of the symmetrised E.
func (m *Moments) degree(i int) float64 {
	var sum float64
	for j := range m.P {
		if j != i {
			sum += m.pair(i, j)
		}
	}
	return sum
}

// Cov sets dst, n×n or empty, to the covariance of the probabilities, Σ_y = diag(p) − p pᵀ − L (paper Sec.
// 2). The covariance of the probit may be indefinite: for large λ it even has negative variances.
func (m *Moments) Cov(dst *mat.SymDense) {
	n := len(m.P)
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	} else if dst.SymmetricDim() != n {
		panic(fmt.Sprintf("softmax: Cov into a %d×%[1]d matrix; need %d×%[2]d", dst.SymmetricDim(), n))
	}
	for i, pi := range m.P {
		dst.SetSym(i, i, pi*(1-pi)-m.degree(i))
		for j := i + 1; j < n; j++ {
			dst.SetSym(i, j, m.pair(i, j)-pi*m.P[j])
		}
	}
}

// Cross sets dst to the cross-covariance of logits (rows) and probabilities (columns), Σ_zy = diag(v) L (n×n,
// paper Sec. 2), where variance is v. An empty dst is resized; otherwise Cross panics if dst is not n×n.
func (m *Moments) Cross(dst *mat.Dense, variance []float64) {
	n := len(m.P)
	if len(variance) != n {
		panic(fmt.Sprintf("softmax: %d variances for %d classes", len(variance), n))
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, n)
	} else if r, c := dst.Dims(); r != n || c != n {
		panic(fmt.Sprintf("softmax: Cross into a %d×%d matrix; need %d×%[3]d", r, c, n))
	}
	for i, v := range variance {
		for j := range m.P {
			if j == i {
				dst.Set(i, i, v*m.degree(i))
			} else {
				dst.Set(i, j, -v*m.pair(i, j))
			}
		}
	}
}

// Excess returns Σp − 1, zero for the exact moments and for the probit with ρ = ½.
func (m *Moments) Excess() float64 {
	sum := -1.0
	for _, p := range m.P {
		sum += p
	}
	return sum
}

func (m *Moments) check(mean, variance []float64) {
	n := len(m.P)
	if m.E != nil {
		if r, c := m.E.Dims(); r != n || c != n {
			panic(fmt.Sprintf("softmax: E is %d×%d for %d classes", r, c, n))
		}
	}
	CheckLogits(n, mean, variance)
}
