package variational

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
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

	weights      *mat.Dense // class × input, at the point evaluated last
	logit, score []float64  // of one example
}

func newAscent(v float64, n int, data *mlp.Examples, unit *scatter) *ascent {
	return &ascent{
		v: v, data: data, unit: unit,
		weights: mat.NewDense(n, data.Inputs(), nil), logit: make([]float64, n), score: make([]float64, n),
	}
}

// run climbs from zero to the maximum.
func (a *ascent) run() {
	n, in := a.weights.Dims()
	t, grad := make([]float64, n*in), make([]float64, n*in)
	laplace.Search{GradientTol: tolerance, MaxIter: maxSteps}.LBFGS(a.loss, t)
	a.loss(grad, t)
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

// loss returns the negative log density at t, sets grad to its gradient, and the weights.
func (a *ascent) loss(grad, t []float64) float64 {
	sd := math.Sqrt(a.v)
	w := a.weights.RawMatrix().Data
	floats.ScaleTo(w, sd, t)
	for j := range a.score {
		a.unit.chol.SolveT(a.weights.RawRowView(j))
	}
	loss := kernel.Dot(w, w) / (2 * a.v)
	floats.ScaleTo(grad, 1/a.v, w)
	in := a.data.Inputs()
	for k, c := range a.data.Class {
		x := a.data.Input(k)
		for j := range a.logit {
			a.logit[j] = kernel.Dot(a.weights.RawRowView(j), x)
		}
		loss -= score(a.score, a.logit, c)
		for j, s := range a.score {
			kernel.AddScaled(grad[j*in:(j+1)*in], -s, x)
		}
	}
	for j := range a.score {
		a.unit.chol.Solve(grad[j*in : (j+1)*in])
	}
	floats.Scale(sd, grad)
	return loss
}

// scatter is the matrix I + a v Σ_k x_k x_kᵀ, which is S⁻¹ in units of the prior.
type scatter struct {
	chol linalg.Cholesky
}

// mostSpread is the ratio of eigenvalues of matrices that are as good as singular.
const mostSpread = 1e16

func (s *scatter) set(data *mlp.Examples, v, a float64) error {
	n := data.Inputs()
	sum := mat.NewSymDense(n, nil)
	for k := range data.Len() {
		sum.SymRankOne(sum, a*v, mat.NewVecDense(n, data.Input(k)))
	}
	for i := range n {
		sum.SetSym(i, i, sum.At(i, i)+1)
	}
	positive, least := s.chol.Factorize(sum), math.Inf(1)
	for i := range n {
		least = min(least, s.chol.Row(i)[i])
	}
	// No eigenvalue is above the trace, or all above the square of a pivot.
	if !positive || !(mat.Trace(sum) < mostSpread*least*least) {
		return fmt.Errorf("variational: prior variance %g: the covariance of the weights is singular in double precision", v)
	}
	return nil
}
