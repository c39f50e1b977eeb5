package kalman

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// lowRank is the covariance of the filter "LO-FI" (Chang, Durán-Martín, Shestopaloff, Jones and Murphy,
// "Low-rank extended Kalman filtering for online learning of neural networks from streaming data", CoLLAs
// 2023): its inverse is P⁻¹ = Υ + WWᵀ, Υ diagonal, W with L columns. A step appends the n−1 columns of JᵀA to
// W, moves the mean by (Υ + WWᵀ)⁻¹Jᵀ(y − p), keeps the L largest singular vectors, and adds the diagonal of
// the others' contribution to Υ. The vectors times their values are WV, V of WᵀW.
type lowRank struct {
	rank, size          int       // number of columns of W, without and with the rows of a jacobian
	precision, variance []float64 // Υ and 1/Υ
	w                   []float64 // W neuron by neuron: the part of each column that belongs to the neuron

	// Products for l ≤ k of the columns w_k of W, after which come the rows of a jacobian.
	gram   []float64       // w_k·w_l
	cross  []float64       // w_k·w_l/Υ
	known  bool            // whether cross, for pairs of columns of W, and factor are up to date
	inner  []float64       // I + WᵀΥ⁻¹W, overwritten by its factor
	factor linalg.Cholesky // factor of inner
	rhs    []float64
	eigen  *linalg.Eigen
	mix    []float64 // eigenvectors of the Gram matrix, by descending eigenvalue

	part, next []float64 // scratch space: a vector and the new columns of a neuron
	dots       []float64 // scratch space: products of a vector with the columns

	noise
}

func newLowRank(noise noise, rank, classes int) *lowRank {
	w, size, columns := len(noise.prior), rank+classes, rank+classes-1
	r := &lowRank{
		rank: rank, size: size, noise: noise,
		precision: make([]float64, w), variance: make([]float64, w), w: make([]float64, rank*w),
		gram: make([]float64, size*size), cross: make([]float64, size*size),
		inner: make([]float64, columns*columns), rhs: make([]float64, columns), eigen: linalg.NewEigen(columns),
		mix: make([]float64, rank*columns), part: make([]float64, w),
		next: make([]float64, rank*w), dots: make([]float64, size),
	}
	for i, v := range noise.prior {
		r.precision[i], r.variance[i] = 1/v, v
	}
	return r
}

func (r *lowRank) columns(unit neuron) []float64 { return r.w[unit.from*r.rank : unit.to*r.rank] }

func (r *lowRank) multiply(j *jacobian, learns bool) {
	clear(r.gram[r.rank*r.size:])
	clear(r.cross[r.rank*r.size:])
	if !r.known {
		clear(r.cross)
	}
	for a, unit := range j.neurons {
		y := j.input[unit.layer]
		u := floats.MulTo(r.part[:len(y)], y, r.variance[unit.from:unit.to])
		if learns {
			r.append(r.gram, j, a, y, y)
		}
		r.append(r.cross, j, a, u, y)
		if !r.known {
			r.weigh(r.cross, unit, r.variance[unit.from:unit.to])
		}
	}
	r.known = true
}

// weigh adds to products the products Σ_i w_ki w_li weight_i of the columns of a neuron.
func (r *lowRank) weigh(products []float64, unit neuron, weight []float64) {
	w, n := r.columns(unit), len(weight)
	for k := range r.rank {
		u := floats.MulTo(r.part[:n], w[k*n:(k+1)*n], weight)
		kernel.Rows(r.dots[:k+1], w, u)
		floats.Add(products[k*r.size:][:k+1], r.dots[:k+1])
	}
}

// append adds to products the products of the rows of the jacobian, δ_ka y, with the columns of neuron a and
// with each other, where u is y, or y/Υ.
func (r *lowRank) append(products []float64, j *jacobian, a int, u, y []float64) {
	if !slices.ContainsFunc(j.delta, func(d []float64) bool { return d[a] != 0 }) {
		return // the hidden unit is off
	}
	w, square := r.columns(j.neurons[a]), kernel.Dot(u, y)
	kernel.Rows(r.dots[:r.rank], w, u)
	for k, d := range j.delta {
		r.dots[r.rank+k] = square * d[a]
		kernel.AddScaled(products[(r.rank+k)*r.size:][:r.rank+k+1], d[a], r.dots)
	}
}

func (r *lowRank) factorize(columns int) bool {
	for k := range columns {
		row := r.inner[k*columns : (k+1)*columns]
		copy(row, r.cross[k*r.size:][:k+1])
		row[k]++
	}
	return r.factor.FactorizeLower(r.inner, columns)
}

// variances takes HPHᵀ for HΥ⁻¹Hᵀ − HΥ⁻¹W (I + WᵀΥ⁻¹W)⁻¹ WᵀΥ⁻¹Hᵀ.
func (r *lowRank) variances(dst []float64, j *jacobian) {
	known := r.known
	if r.multiply(j, false); !known && !r.factorize(r.rank) {
		r.known = false
		floats.AddConst(math.NaN(), dst)
		return
	}
	for k := range dst {
		row, x := r.cross[(r.rank+k)*r.size:], r.rhs[:r.rank]
		copy(x, row)
		r.factor.Solve(x)
		dst[k] = max(0, row[r.rank+k]-kernel.Dot(x, x))
	}
}

func (r *lowRank) step(mean []float64, j *jacobian) bool {
	r.multiply(j, true)
	r.known = false
	columns := len(r.rhs)
	for k := r.rank; k < columns; k++ {
		if i := k*r.size + k; !(r.cross[i] <= largestSquare && r.gram[i] <= largestSquare) {
			return false
		}
	}
	for k := range columns {
		for l, x := range r.gram[k*r.size:][:k+1] {
			r.eigen.Vectors[l*columns+k] = x
		}
	}
	if !r.factorize(columns) || !r.eigen.Factorize() {
		return false
	}
	clear(r.gram) // the columns become orthogonal
	for m := range r.rank {
		r.gram[m*(r.size+1)] = max(0, r.eigen.Values[columns-1-m])
		for k := range columns {
			r.mix[m*columns+k] = r.eigen.Vectors[(k+1)*columns-1-m]
		}
	}
	copy(r.rhs, r.cross[columns*r.size:])
	r.factor.Solve(r.rhs)
	r.factor.SolveT(r.rhs)
	floats.Scale(-1, r.rhs)
	for a := range j.neurons { // neuron by neuron, as a cache may hold only one neuron's columns
		r.move(mean, j, a)
		r.truncate(j, a)
	}
	if r.due() {
		r.addNoise(j.neurons)
	}
	return true
}

// move adds to the means of a neuron its part of Υ⁻¹(Jᵀ(y − p) − Wc) = (Υ + WWᵀ)⁻¹Jᵀ(y − p), with c = (I +
// WᵀΥ⁻¹W)⁻¹WᵀΥ⁻¹Jᵀ(y − p).
func (r *lowRank) move(mean []float64, j *jacobian, a int) {
	unit, last := j.neurons[a], len(j.delta)-1
	gradient := j.delta[last][a]
	for k, d := range j.delta[:last] {
		gradient += r.rhs[r.rank+k] * d[a]
	}
	u := floats.ScaleTo(r.part[:unit.to-unit.from], gradient, j.input[unit.layer])
	kernel.AddRows(u, r.rhs[:r.rank], r.columns(unit))
	floats.Mul(u, r.variance[unit.from:unit.to])
	floats.Add(mean[unit.from:unit.to], u)
}

func (r *lowRank) truncate(j *jacobian, a int) {
	unit, rows := j.neurons[a], j.delta[:len(j.delta)-1]
	w, n := r.columns(unit), unit.to-unit.from
	var square float64
	for _, d := range rows {
		square += d[a] * d[a]
	}
	u := floats.ScaleTo(r.part[:n], square, j.square[unit.layer])
	for m := range r.rank {
		mix, gradient := r.mix[m*len(r.rhs):(m+1)*len(r.rhs)], 0.0
		for k, d := range rows {
			gradient += mix[r.rank+k] * d[a]
		}
		next := floats.ScaleTo(r.next[m*n:(m+1)*n], gradient, j.input[unit.layer])
		kernel.AddRows(next, mix[:r.rank], w)
		for i, x := range w[m*n : (m+1)*n] {
			u[i] += x*x - next[i]*next[i]
		}
	}
	copy(w, r.next)
	for i, x := range u {
		r.precision[unit.from+i] += max(0, x) // x ≥ 0 except for rounding
		r.variance[unit.from+i] = 1 / r.precision[unit.from+i]
	}
}
