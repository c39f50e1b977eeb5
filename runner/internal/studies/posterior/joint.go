package posterior

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/internal/kernel"
)

// joint is softmax regression with one Gaussian N(μ, Σ) over the concatenated weights of all neurons:
// assumed-density filtering without independent neurons, as a reference. With logits z ~ N(m, V) and A = Σ
// (I⊗x), an example moves it by the derivatives of log p in m, d = e_c − E_c s and H = E_c[ssᵀ] − diag(E_c s)
// + Cov_c s: μ += A d, Σ += A H Aᵀ.
type joint struct {
	laplace.Prior
	mean []float64
	cov  *mat.Dense
}

const mostJoint = 4 // classes

func newJoint(p laplace.Prior) *joint {
	return &joint{p, slices.Clone(p.Mean), mat.DenseCopyOf(mat.NewDiagDense(len(p.Var), p.Var))}
}

// logits returns the means m and covariances v of the logits, and the columns a of A, one for each logit.
func (g *joint) logits(x []float64) (m []float64, v, a [][]float64) {
	x = withBias(x, g.Bias)
	m = make([]float64, g.Layers[1])
	kernel.Rows(m, g.mean, x)
	for j := range m {
		a, v = append(a, make([]float64, len(g.mean))), append(v, make([]float64, len(m)))
		for i, xi := range x {
			kernel.AddScaled(a[j], xi, g.cov.RawRowView(j*len(x)+i))
		}
		kernel.Rows(v[j], a[j], x)
	}
	return m, v, a
}

func (g *joint) Observe(x []float64, class int) error {
	m, v, a := g.logits(x)
	first, second, err := integrate(m, v, class)
	for j, s := range first {
		d, h := -s, make([]float64, len(g.mean)) // h: row j of HAᵀ
		if j == class {
			d++
		}
		kernel.AddScaled(g.mean, d, a[j])
		kernel.AddScaled(h, -s, a[j])
		for k, t := range first {
			kernel.AddScaled(h, 2*second[j*len(m)+k]-s*t, a[k])
		}
		kernel.AddOuter(g.cov.RawMatrix().Data, a[j], h)
	}
	return err
}

func (g *joint) Predict(p, x []float64) error {
	m, v, _ := g.logits(x)
	first, _, err := integrate(m, v, -1)
	copy(p, first)
	return err
}
