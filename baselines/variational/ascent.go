package variational

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"closedform/baselines/mlp"
	"closedform/core/kernel"
)

// ascent climbs to the means of the weights. The textbook step maximises the bound
// over the places where it touches the likelihood, which gives them as the logits
// at the means, and then over the means,
//
//	μ ← μ + v (I + c v Σ_k x_k x_kᵀ)⁻¹ ∇,   ∇ = Σ_k score_k x_kᵀ − μ/v,
//
// with c = curvature. (On the common part of all classes the bound has
// the curvature 1/v alone, but there ∇ and μ stay zero.) Where the labels are
// certain the bound is loose, and thousands of such steps are needed. So the first
// maximisation is done for good, which leaves the log posterior density of the
// means; and in the variables t of
//
//	μ = √v U⁻¹ t,   UᵀU = I + c v Σ_k x_k x_kᵀ,
//
// where the textbook step is one of length 1 up the gradient, the climb is that of
// L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for large scale
// optimization", Mathematical Programming 1989), whose line search lets no step
// fall.
type ascent struct {
	v    float64 // of the prior
	data *mlp.Examples
	unit *scatter

	weights *mat.Dense // class × input, at the point t
	grad    *mat.Dense // derivatives of the log density by t
	value   float64    // log density
	t       []float64

	logit, score []float64 // of one example
}

func newAscent(v float64, n int, data *mlp.Examples, unit *scatter) *ascent {
	in := data.Inputs()
	a := &ascent{
		v: v, data: data, unit: unit,
		weights: mat.NewDense(n, in, nil), grad: mat.NewDense(n, in, nil), t: make([]float64, n*in),
		logit: make([]float64, n), score: make([]float64, n),
	}
	a.evaluate()
	return a
}

// run climbs from zero to the maximum.
func (a *ascent) run() error {
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(t []float64) float64 {
			a.moveTo(t)
			return -a.value
		},
		Grad: func(grad, t []float64) {
			a.moveTo(t)
			floats.ScaleTo(grad, -1, a.grad.RawMatrix().Data)
		},
	}, make([]float64, len(a.t)), &optimize.Settings{
		GradientThreshold: tolerance,
		MajorIterations:   maxSteps + 1, // the start counts
		Converger:         optimize.NeverTerminate{},
	}, &optimize.LBFGS{})
	if result == nil {
		return fmt.Errorf("variational: ascent: %w", err)
	}
	// A line search that fails, as it does at the limit of rounding, leaves the
	// best point.
	a.moveTo(result.X)
	return nil
}

// curvature is a number c such that c(I − 11ᵀ/K) is nowhere below the negative Hessian
// of log softmax (Böhning 1992).
const curvature = 0.5

// score sets grad to the derivatives of log softmax_class by the logits and returns
// its value; both are NaN or infinite where the logits overflow.
func score(grad, logit []float64, class int) float64 {
	copy(grad, logit)
	top, sum := mlp.Exponentials(grad)
	floats.Scale(-1/sum, grad)
	grad[class]++
	return logit[class] - top - kernel.Log(sum)
}

// moveTo evaluates the log density at t unless that is where it was evaluated last.
func (a *ascent) moveTo(t []float64) {
	if !floats.Equal(a.t, t) {
		copy(a.t, t)
		a.evaluate()
	}
}

// evaluate sets weights, value and grad from t.
func (a *ascent) evaluate() {
	sd := math.Sqrt(a.v)
	w, grad := a.weights.RawMatrix().Data, a.grad.RawMatrix().Data
	floats.ScaleTo(w, sd, a.t)
	for j := range a.score {
		a.unit.solve(blas.NoTrans, a.weights.RawRowView(j))
	}
	a.value = -kernel.Dot(w, w) / (2 * a.v)
	floats.ScaleTo(grad, -1/a.v, w)
	for k, c := range a.data.Class {
		x := a.data.Input(k)
		for j := range a.logit {
			a.logit[j] = kernel.Dot(a.weights.RawRowView(j), x)
		}
		a.value += score(a.score, a.logit, c)
		for j, s := range a.score {
			floats.AddScaled(a.grad.RawRowView(j), s, x)
		}
	}
	for j := range a.score {
		a.unit.solve(blas.Trans, a.grad.RawRowView(j))
	}
	floats.Scale(sd, grad)
}

// scatter is the matrix I + a v Σ_k x_k x_kᵀ, which is S⁻¹ in units of the prior.
type scatter struct {
	chol mat.Cholesky
}

func (s *scatter) set(data *mlp.Examples, v, a float64) error {
	n := data.Inputs()
	sum := mat.NewSymDense(n, nil)
	for k := range data.Len() {
		sum.SymRankOne(sum, a*v, mat.NewVecDense(n, data.Input(k)))
	}
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+1)
	}
	if !s.chol.Factorize(sum) || !(s.chol.Cond() < mat.ConditionTolerance) {
		return fmt.Errorf("variational: prior variance %g: the covariance of the weights is singular in double precision", v)
	}
	return nil
}

// solve replaces y by U⁻¹y, or by U⁻ᵀy, where UᵀU is the matrix.
func (s *scatter) solve(trans blas.Transpose, y []float64) {
	u := s.chol.RawU().(interface{ RawTriangular() blas64.Triangular }).RawTriangular()
	blas64.Trsv(trans, u, blas64.Vector{N: len(y), Inc: 1, Data: y})
}
