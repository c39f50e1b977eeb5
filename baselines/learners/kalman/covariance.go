package kalman

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// full is the covariance of all weights, by a square root S, P = SSᵀ, row by row.
type full struct {
	reflections // with the vectors f = Sᵀh for the rows h of the Jacobian
	root        []float64
}

func newFull(variance []float64, classes int) *full {
	n := len(variance)
	r := &full{newReflections(classes, n), make([]float64, n*n)}
	for i, v := range variance {
		r.row(i)[i] = math.Sqrt(v)
	}
	return r
}

func (r *full) row(i int) []float64 {
	n := len(r.white[0])
	return r.root[i*n : (i+1)*n]
}

func (r *full) whiten(j *jacobian) {
	for _, f := range r.white {
		clear(f)
	}
	// One sweep over the root serves all vectors, as the root does not fit into the cache.
	n := len(r.white[0])
	var h [4]float64
	for a, unit := range j.neurons {
		rows := r.root[unit.from*n : unit.to*n]
		for y := j.input[unit.layer]; len(y) > 0; y = y[min(4, len(y)):] {
			y := y[:min(4, len(y))]
			for k, f := range r.white {
				for i, y := range y {
					h[i] = j.delta[k][a] * y
				}
				kernel.AddRows(f, h[:len(y)], rows)
			}
			rows = rows[len(y)*n:]
		}
	}
}

func (r *full) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	r.squares(dst)
}

func (r *full) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.set() {
		return false
	}
	for i := range mean {
		s := r.row(i)
		kernel.Rows(r.dots, r.flat, s)
		mean[i] += r.follow()
		kernel.AddRows(s, r.take, r.flat[:len(r.take)*len(s)])
	}
	return true
}

// reflections update the root S of a covariance (Potter 1963; see Bierman, "Factorization Methods for
// Discrete Sequential Estimation", 1977). For an observation with derivatives h and noise of unit variance
// let f = Sᵀh and s = f·f. Then P − Phhᵀ P/(1+s) = S(I − ffᵀ/(1+s))Sᵀ = S T T Sᵀ with T = I − βffᵀ, β =
// 1/(t(1+t)), t = √(1+s). Each of several observations has the f that the steps before it leave, T…Tf.
type reflections struct {
	flat   []float64   // the vectors f, one for each observation; the last one only moves the mean
	white  [][]float64 // slices of flat: one vector each
	beta   []float64
	shrink []float64 // t² of each observation

	// The products f_l·f_k, l < k, at k(k−1)/2 + l; of a row u of the root, u·f_k; how much of each f it gets.
	products, dots, take []float64
}

func newReflections(count, length int) reflections {
	m, flat := count-1, make([]float64, count*length)
	numbers := func(n int) []float64 { return make([]float64, n) }
	white := slices.Collect(slices.Chunk(flat, length))
	return reflections{flat, white, numbers(m), numbers(m), numbers(count * m / 2), numbers(count), numbers(m)}
}

func (r *reflections) squares(dst []float64) {
	for k, f := range r.white {
		dst[k] = kernel.Dot(f, f)
	}
}

// largestSquare is the largest squared norm of a whitened vector with which no product in a step overflows.
const largestSquare = 1e200

func (r *reflections) small() bool {
	large := func(f []float64) bool { return !(kernel.Dot(f, f) <= largestSquare) }
	return !slices.ContainsFunc(r.white, large)
}

// set applies the reflections of all vectors but the last to all vectors after them, if they are small.
func (r *reflections) set() bool {
	if !r.small() {
		return false
	}
	for k := range r.beta {
		f := r.white[k]
		s := kernel.Dot(f, f)
		t := math.Sqrt(1 + s)
		r.beta[k], r.shrink[k] = 1/(t*(1+t)), 1+s
		for _, g := range r.white[k+1:] {
			floats.AddScaled(g, -r.beta[k]*kernel.Dot(f, g), f)
		}
	}
	for k, f := range r.white {
		for l := range k {
			r.products[k*(k-1)/2+l] = kernel.Dot(r.white[l], f)
		}
	}
	return true
}

// follow lets a row u of the root with products u·f_k pass the reflections, u_k = u_{k−1} − c_k f_k,
//
//	c_k = β_k a_k,   a_k = u_{k−1}·f_k = u·f_k − Σ_{l<k} c_l f_l·f_k.
//
// It sets take to −c_k, replaces the products by a_k, and returns the last one.
func (r *reflections) follow() (last float64) {
	rest := r.products
	for k, a := range r.dots {
		for l, c := range r.take[:k] {
			a += c * rest[l]
		}
		if rest = rest[k:]; k < len(r.beta) {
			r.take[k] = -r.beta[k] * a
		}
		r.dots[k], last = a, a
	}
	return last
}

// diagonal has a variance for each weight. With the variance q = yᵀPy of the pre-activation of neuron a and
// the derivative δ by it, the vectors f_ka = √q_a δ_ka have the products f_k·f_l = h_k P h_lᵀ. So a step is a
// filter step over the independent pre-activations: q becomes q·square, and the pre-activation moves by
// √q·move. A neuron follows by its linear regression Py/q on the pre-activation.
type diagonal struct {
	reflections
	noise
	variance []float64
	sd       []float64 // √q

	move []float64 // scratch space
}

func newDiagonal(noise noise, neurons, classes int) *diagonal {
	return &diagonal{
		newReflections(classes, neurons), noise, slices.Clone(noise.prior), make([]float64, neurons),
		make([]float64, len(noise.prior)),
	}
}

func (r *diagonal) whiten(j *jacobian) {
	for a, unit := range j.neurons {
		r.sd[a] = math.Sqrt(kernel.Dot(r.variance[unit.from:unit.to], j.square[unit.layer]))
	}
	for k, f := range r.white {
		floats.MulTo(f, r.sd, j.delta[k])
	}
}

func (r *diagonal) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	r.squares(dst)
}

// step follows row a of the product T of the reflections, from the unit vector e_a with the products f_ka,
//
//	|u_k|² = |u_{k−1}|² − a_k²/(1+s_k),
//
// without forming it: square is |u|², and move is u·b for the last vector b. A variance v becomes v (1 −
// (1−square) v y²/q), at least square·v.
func (r *diagonal) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.set() {
		return false
	}
	for n, unit := range j.neurons {
		for k, f := range r.white {
			r.dots[k] = f[n]
		}
		move, square := r.follow(), 1.0
		for k, shrink := range r.shrink {
			// By Cauchy–Schwarz square is at least the second number, except for rounding.
			square = max(square-r.dots[k]*r.dots[k]/shrink, square/shrink)
		}
		if sd := r.sd[n]; sd > 0 {
			d := floats.ScaleTo(r.move[:unit.to-unit.from], move/sd, j.input[unit.layer])
			v, count := r.variance[unit.from:unit.to], -(1-square)/(sd*sd)
			kernel.Update(mean[unit.from:unit.to], v, d, j.square[unit.layer], 1, count, square)
		}
	}
	r.addTo(r.variance)
	return true
}

// bong is the Bayesian online natural gradient in one step, with a diagonal Gaussian, the linearised network
// and its Hessian (Jones, Chang and Murphy, NeurIPS 2024: "bong", "diag", "lin-hess"): for each weight with
// variance v, 1/ṽ = 1/v + (JᵀSJ)_ii and μ̃ = μ + ṽ (Jᵀ(y − p))_i. Diagonal keeps the diagonal of P̃, not of
// its inverse: its variances are larger.
type bong struct{ *diagonal }

func (r bong) step(mean []float64, j *jacobian) bool {
	if r.whiten(j); !r.small() {
		return false
	}
	m := len(j.delta) - 1
	for a, unit := range j.neurons {
		var hessian float64 // Σ_k δ_ka² = (JᵀSJ)_ii/y_i²
		for _, d := range j.delta[:m] {
			hessian += d[a] * d[a]
		}
		score := j.delta[m][a]
		if hessian == 0 && score == 0 {
			continue
		}
		v, mean := r.variance[unit.from:unit.to], mean[unit.from:unit.to]
		for i, y := range j.input[unit.layer] {
			v[i] /= 1 + v[i]*(y*y)*hessian
			mean[i] += v[i] * y * score
		}
	}
	r.addTo(r.variance)
	return true
}
