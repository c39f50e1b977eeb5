package kalman

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// decoupled is a covariance that is kept for each neuron by itself, as blocks. With q the
// variance yᵀPy of the pre-activation of a neuron and δ the derivative by it, the vectors
//
//	f_ka = √q_a δ_ka
//
// have the products f_k·f_l = h_k P h_lᵀ. So a step is one of the filter over the
// pre-activations, independent, with the deviations √q: it makes q into q·square, and moves
// the pre-activation by √q·move. A neuron follows by its linear regression Py/q on it.
type decoupled struct {
	blocks
	sd    []float64   // √q
	white [][]float64 // f
	steps reflections

	// Of one step, with m reflections: the products f_l·f_k of the vectors that
	// make them, and of the last vector, for l < k at k(k−1)/2 + l; and how much
	// of each a pre-activation takes.
	products []float64
	take     []float64
}

// blocks are the covariances P of the weights of every neuron a.
type blocks interface {
	// spread returns q = yᵀPy.
	spread(j *jacobian, a int) float64

	// update adds gain·Py to the mean of the neuron, and takes (1−square) Pyyᵀ P/q from
	// P, after spread.
	update(mean []float64, j *jacobian, a int, q, gain, square float64)
}

func newDecoupled(b blocks, neurons, classes int) *decoupled {
	m := classes - 1
	return &decoupled{
		blocks: b, sd: make([]float64, neurons), white: vectors(classes, neurons), steps: newReflections(m),
		products: make([]float64, (m+1)*m/2), take: make([]float64, m),
	}
}

// whiten sets the vectors of the rows of the jacobian.
func (r *decoupled) whiten(j *jacobian) {
	for a := range j.neurons {
		r.sd[a] = math.Sqrt(r.spread(j, a))
	}
	for k, f := range r.white {
		floats.MulTo(f, r.sd, j.delta[k])
	}
}

func (r *decoupled) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	for k, f := range r.white {
		dst[k] = kernel.Dot(f, f)
	}
}

// step follows row a of the product T of the reflections, which starts as the
// unit vector e_a and becomes
//
//	u_k = u_{k−1} − c_k f_k,   c_k = β_k a_k,   a_k = u_{k−1}·f_k = f_ka − Σ_{l<k} c_l f_l·f_k
//	|u_k|² = |u_{k−1}|² − a_k²/(1+s_k),
//
// without forming it: square is |u|², and move is u·b for the last vector b.
func (r *decoupled) step(mean []float64, j *jacobian) bool {
	r.whiten(j)
	if !r.steps.set(r.white) {
		return false
	}
	m := len(r.steps.beta)
	for k, f := range r.white {
		for l := range k {
			r.products[k*(k-1)/2+l] = kernel.Dot(r.white[l], f)
		}
	}
	for n, at := range j.neurons {
		square := 1.0
		rest := r.products
		for k, beta := range r.steps.beta {
			a := r.white[k][n]
			for l, c := range r.take[:k] {
				a -= c * rest[l]
			}
			rest = rest[k:]
			r.take[k] = beta * a
			// Never below what the inequality of Cauchy and Schwarz leaves,
			// but for rounding.
			square = max(square-a*a/r.steps.shrink[k], square/r.steps.shrink[k])
		}
		move := r.white[m][n]
		for l, c := range r.take {
			move -= c * rest[l]
		}
		if sd := r.sd[n]; sd > 0 {
			r.update(mean[at.from:at.to], j, n, sd*sd, move/sd, square)
		}
	}
	return true
}

// perNeuron is a full covariance for each neuron.
type perNeuron struct {
	roots []*root
	y     [][]float64 // a vector
	white [][]float64 // Sᵀy of all neurons
}

func newPerNeuron(neurons []neuron, variance []float64) *perNeuron {
	b := &perNeuron{y: make([][]float64, 1)}
	for _, at := range neurons {
		b.roots = append(b.roots, newRoot(variance[at.from:at.to]))
		b.white = append(b.white, make([]float64, at.to-at.from))
	}
	return b
}

func (b *perNeuron) spread(j *jacobian, a int) float64 {
	f := b.white[a]
	b.y[0] = j.input[j.neurons[a].layer]
	b.roots[a].whiten(b.white[a:a+1], b.y)
	return kernel.Dot(f, f)
}

// update multiplies the root by the I − βffᵀ that leaves a share of square of q = f·f.
func (b *perNeuron) update(mean []float64, _ *jacobian, a int, q, gain, square float64) {
	f, beta := b.white[a], (1-math.Sqrt(square))/q
	for i := range mean {
		s := b.roots[a].row(i)
		cov := kernel.Dot(s, f)
		mean[i] += gain * cov
		kernel.AddScaled(s, -beta*cov, f)
	}
}
