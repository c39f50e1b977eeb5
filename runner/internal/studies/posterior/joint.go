package posterior

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
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

const mostJoint = 4 // largest number of classes

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

var errVary = errors.New("posterior: the logits vary too much for the integral over their differences")

// integrate returns E s and E[ssᵀ] for s = softmax(z), z ~ N(m, V), given the class unless negative, to six
// digits or more, by trapezoidal rules along the principal axes of the differences of the logits to one of
// them. It returns an error if that takes more than 2²⁰ nodes, or all weights underflow.
func integrate(m []float64, v [][]float64, class int) (first, second []float64, err error) {
	c := max(class, 0)
	axes, sd, err := principalAxes(v, c)
	if err != nil {
		return nil, nil, err
	}
	// The logits less that of class c, and the log density, at the nodes along more and more axes.
	z, log := make([][]float64, len(m)), []float64{0}
	for i := range z {
		z[i] = []float64{m[i] - m[c]}
	}
	for l, axis := range axes {
		xi, err := nodesAlong(axis, sd[l], class >= 0, len(log))
		if err != nil {
			return nil, nil, err
		}
		log = outerSum(log, xi, func(x float64) float64 { return -x * x / 2 })
		for i, zi := range z {
			z[i] = outerSum(zi, xi, func(x float64) float64 { return axis[i] * x })
		}
	}
	return average(z, log, class >= 0)
}

// principalAxes returns the axes of the covariance of all z_i − z_c, each as long as its standard deviation.
func principalAxes(v [][]float64, c int) (axes [][]float64, sd []float64, err error) {
	n := len(v)
	other := func(a int) int { return (c + 1 + a) % n }
	eigen := linalg.NewEigen(n - 1)
	for a := range n - 1 {
		for b := range n - 1 {
			i, j := other(a), other(b)
			eigen.Vectors[a*(n-1)+b] = v[i][j] - v[i][c] - v[c][j] + v[c][c]
		}
	}
	if !eigen.Factorize() {
		return nil, nil, errVary
	}
	for l, x := range eigen.Values {
		axis := make([]float64, n)
		sd = append(sd, math.Sqrt(max(0, x)))
		for a := range n - 1 {
			axis[other(a)] = eigen.Vectors[a*(n-1)+l] * sd[l]
		}
		axes = append(axes, axis)
	}
	return axes, sd, nil
}

// nodesAlong returns the nodes along an axis; others is the number of nodes along the previous axes.
func nodesAlong(axis []float64, sd float64, given bool, others int) ([]float64, error) {
	const reach = 6.5 // standard deviations, beyond which there is 1e-10 of a normal distribution
	// The poles of the softmax have imaginary parts of at least π/(√2 sd).
	low, high, step := 0., 0., 1/max(1, sd)
	if given {
		// The density falls at least as fast as the normal one around its mode, which is between minus these two
		// ends: there ξ_l = −Σ_i s_i axis_il.
		low, high, step = floats.Min(axis), floats.Max(axis), 0.8/max(1, sd)
	}
	width := 2*reach + high - low
	count := math.Ceil(width / step)
	if !(count*float64(others) <= 1<<20) {
		return nil, errVary
	}
	xi := make([]float64, int(count))
	for b := range xi {
		xi[b] = -reach - high + (float64(b)+0.5)*(width/count)
	}
	return xi, nil
}

// outerSum returns x_i + f(y_k) for all i and k.
func outerSum(x, y []float64, f func(y float64) float64) []float64 {
	sums := make([]float64, 0, len(x)*len(y))
	for _, y := range y {
		fy := f(y)
		for _, x := range x {
			sums = append(sums, x+fy)
		}
	}
	return sums
}

// average returns E s and E[ssᵀ] at logits z, logit × node, with a log density that it overwrites. If a class
// is given, z are the differences to its logit, and its probability weighs the nodes.
func average(z [][]float64, log []float64, given bool) (first, second []float64, err error) {
	n, top, sum := len(z), make([]float64, len(log)), make([]float64, len(log))
	mlp.ExponentialRows(z, top, sum)
	for b := range log {
		if given {
			log[b] -= top[b] + kernel.Log(sum[b])
		}
	}
	kernel.ExpAll(log, log)
	total := kernel.Sum(log)
	if !(total > 0) {
		return nil, nil, errVary
	}
	s, weighted := make([]float64, n), make([]float64, n)
	first, second = make([]float64, n), make([]float64, n*n)
	for b, w := range log {
		for i := range s {
			s[i] = z[i][b] / sum[b]
			weighted[i] = w * s[i]
			first[i] += weighted[i]
		}
		kernel.AddOuter(second, weighted, s)
	}
	for i := range first {
		first[i] /= total
	}
	floats.Scale(1/total, second)
	return first, second, nil
}
