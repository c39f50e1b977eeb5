package kalman

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// lowRank is the covariance of the filter "LO-FI" (Chang, Durán-Martín, Shestopaloff, Jones and
// Murphy, "Low-rank extended Kalman filtering for online learning of neural networks from
// streaming data", CoLLAs 2023), without process noise: its inverse is
//
//	P⁻¹ = Υ + WWᵀ,   Υ diagonal, W of L columns.
//
// A step appends the n−1 columns of Jᵀ A to W, moves the mean by (Υ + WWᵀ)⁻¹Jᵀ(y − p), and
// keeps the L largest of the singular vectors. Of the others the diagonal of what they
// added is added to Υ.
//
// With V and Λ² the eigenvectors and eigenvalues of WᵀW, the singular vectors times
// their values are WV.
type lowRank struct {
	rank                int
	precision, variance []float64 // Υ and 1/Υ
	w                   []float64 // of each neuron the columns, one after the other
	squares             []float64 // Λ² of these, which are orthogonal

	// Of the rows h of the jacobian.
	q           []float64   // variance of a pre-activation by 1/Υ alone
	cross, gram [][]float64 // of column and neuron: Σ_i W_i y_i/Υ_i and Σ_i W_i y_i
	norms       []float64   // y·y for each neuron
	all         []float64   // a vector over the neurons
	products    []float64   // a number for each column

	inner *mat.SymDense // I + WᵀΥ⁻¹W; stale after a step
	stale bool
	small linalg.Cholesky // of inner
	wide  *mat.SymDense   // the same with the appended columns
	large linalg.Cholesky
	rhs   []float64
	eigen *linalg.Eigen
	mix   []float64 // eigenvectors, the largest first

	buffer, next []float64 // a vector, and columns, of a neuron
}

func newLowRank(variance []float64, rank, neurons, classes int) *lowRank {
	w, size := len(variance), rank+classes-1
	r := &lowRank{
		rank: rank, precision: make([]float64, w), variance: make([]float64, w), w: make([]float64, rank*w), squares: make([]float64, rank),
		q: make([]float64, neurons), cross: vectors(rank, neurons), gram: vectors(rank, neurons),
		norms: make([]float64, neurons), all: make([]float64, neurons), products: make([]float64, rank),
		inner: mat.NewSymDense(rank, nil), stale: true, wide: mat.NewSymDense(size, nil), rhs: make([]float64, size),
		eigen: linalg.NewEigen(size), mix: make([]float64, rank*size), buffer: make([]float64, w), next: make([]float64, rank*w),
	}
	for i, v := range variance {
		r.precision[i], r.variance[i] = 1/v, v
	}
	return r
}

// columns returns those of a neuron.
func (r *lowRank) columns(at neuron) []float64 { return r.w[at.from*r.rank : at.to*r.rank] }

// dots sets the first products to those of x with the rows of a, which are as long as x.
func (r *lowRank) dots(a, x []float64) {
	for k := range len(a) / len(x) {
		r.products[k] = kernel.Dot(a[k*len(x):(k+1)*len(x)], x)
	}
}

// project sets what the inputs say of neurons and columns.
func (r *lowRank) project(j *jacobian) {
	if r.stale {
		r.inner.Zero()
	}
	for a, at := range j.neurons {
		y, w := j.input[at.layer], r.columns(at)
		r.norms[a] = kernel.Dot(y, y)
		r.dots(w, y)
		for l, x := range r.products {
			r.gram[l][a] = x
		}
		u := r.buffer[:len(y)]
		floats.MulTo(u, r.variance[at.from:at.to], y)
		r.q[a] = kernel.Dot(u, y)
		r.dots(w, u)
		for l, x := range r.products {
			r.cross[l][a] = x
		}
		if r.stale {
			r.addInner(at)
		}
	}
	for l := 0; r.stale && l < r.rank; l++ {
		r.inner.SetSym(l, l, 1+r.inner.At(l, l))
	}
	r.stale = false
}

// addInner adds to WᵀΥ⁻¹W what a neuron has a part in.
func (r *lowRank) addInner(at neuron) {
	w, n := r.columns(at), at.to-at.from
	u := r.buffer[:n]
	for l := range r.rank {
		floats.MulTo(u, r.variance[at.from:at.to], w[l*n:(l+1)*n])
		r.dots(w[:(l+1)*n], u)
		for m, x := range r.products[:l+1] {
			r.inner.SetSym(l, m, r.inner.At(l, m)+x)
		}
	}
}

// variances takes HPHᵀ for HΥ⁻¹Hᵀ − HΥ⁻¹W (I + WᵀΥ⁻¹W)⁻¹ WᵀΥ⁻¹Hᵀ.
func (r *lowRank) variances(dst []float64, j *jacobian) {
	if r.project(j); !r.small.Factorize(r.inner) {
		floats.AddConst(math.NaN(), dst)
		return
	}
	for k, d := range j.delta {
		x := r.rhs[:r.rank]
		for l, c := range r.cross {
			x[l] = kernel.Dot(c, d)
		}
		r.small.Solve(x)
		floats.MulTo(r.all, d, r.q)
		dst[k] = max(0, kernel.Dot(r.all, d)-kernel.Dot(x, x))
	}
}

func (r *lowRank) step(mean []float64, j *jacobian) bool {
	r.project(j)
	last := len(j.delta) - 1
	for l := range r.rank {
		for m := range l + 1 {
			r.wide.SetSym(l, m, r.inner.At(l, m))
		}
		for k, d := range j.delta[:last] {
			r.wide.SetSym(l, r.rank+k, kernel.Dot(r.cross[l], d))
		}
		r.rhs[l] = kernel.Dot(r.cross[l], j.delta[last])
	}
	for k, d := range j.delta[:last] {
		floats.MulTo(r.all, d, r.q)
		for m, other := range j.delta[:k+1] {
			r.wide.SetSym(r.rank+k, r.rank+m, kernel.Dot(r.all, other))
		}
		square := r.wide.At(r.rank+k, r.rank+k)
		if !(square <= largestSquare) {
			return false
		}
		r.wide.SetSym(r.rank+k, r.rank+k, 1+square)
		r.rhs[r.rank+k] = kernel.Dot(r.all, j.delta[last])
	}
	if !r.large.Factorize(r.wide) || !r.decompose(j) {
		return false
	}
	r.large.Solve(r.rhs)
	r.large.SolveT(r.rhs)
	r.prepare(j)
	for a := range j.neurons { // whose columns may be all that the caches hold
		r.move(mean, j, a)
		r.truncate(j, a)
	}
	r.stale = true
	return true
}

// decompose finds the eigenvectors of WᵀW with the appended columns. It reports whether the
// numbers are small enough for that.
func (r *lowRank) decompose(j *jacobian) bool {
	g, size := r.eigen.Vectors, len(r.rhs)
	clear(g)
	rows := j.delta[:len(j.delta)-1]
	for l, square := range r.squares {
		g[l*size+l] = square
		for k, d := range rows {
			g[l*size+r.rank+k] = kernel.Dot(r.gram[l], d)
		}
	}
	for k, d := range rows {
		floats.MulTo(r.all, r.norms, d)
		for m := k; m < len(rows); m++ {
			g[(r.rank+k)*size+r.rank+m] = kernel.Dot(r.all, rows[m])
		}
		if !(g[(r.rank+k)*(size+1)] <= largestSquare) {
			return false
		}
	}
	return r.eigen.Factorize()
}

// prepare sets what move and truncate need for all neurons.
func (r *lowRank) prepare(j *jacobian) {
	last := len(j.delta) - 1
	copy(r.all, j.delta[last])
	for k, d := range j.delta[:last] {
		kernel.AddScaled(r.all, -r.rhs[r.rank+k], d)
	}
	floats.Scale(-1, r.rhs[:r.rank])
	size := len(r.rhs)
	for m := range r.rank {
		r.squares[m] = max(0, r.eigen.Values[size-1-m])
		for row := range size {
			r.mix[m*size+row] = r.eigen.Vectors[row*size+size-1-m]
		}
	}
}

// move adds to the means of a neuron what it has of Υ⁻¹(Jᵀ(y − p) − Wc),
// c = (I + WᵀΥ⁻¹W)⁻¹WᵀΥ⁻¹Jᵀ(y − p), which is (Υ + WWᵀ)⁻¹Jᵀ(y − p).
func (r *lowRank) move(mean []float64, j *jacobian, a int) {
	at := j.neurons[a]
	u := r.buffer[:at.to-at.from]
	floats.ScaleTo(u, r.all[a], j.input[at.layer])
	kernel.AddRows(u, r.rhs[:r.rank], r.columns(at))
	floats.Mul(u, r.variance[at.from:at.to])
	floats.Add(mean[at.from:at.to], u)
}

// truncate makes W its largest singular vectors, as far as they are columns of a neuron.
func (r *lowRank) truncate(j *jacobian, a int) {
	at := j.neurons[a]
	n, size, rows := at.to-at.from, len(r.rhs), j.delta[:len(j.delta)-1]
	u, w, precision := r.buffer[:n], r.columns(at), r.precision[at.from:at.to]
	copy(u, precision)
	var square float64
	for _, d := range rows {
		square += d[a] * d[a]
	}
	floats.AddScaled(u, square, j.square[at.layer])
	own := r.products // of each column, what the step appends
	for m := range own {
		own[m] = 0
		for k, d := range rows {
			own[m] += r.mix[m*size+r.rank+k] * d[a]
		}
	}
	for m, own := range own {
		next := r.next[m*n : (m+1)*n]
		floats.ScaleTo(next, own, j.input[at.layer])
		kernel.AddRows(next, r.mix[m*size:][:r.rank], w)
		for i, x := range w[m*n : (m+1)*n] {
			u[i] += x * x
			u[i] -= next[i] * next[i]
		}
	}
	copy(w, r.next)
	variance := r.variance[at.from:at.to]
	for i, x := range u {
		precision[i] = max(precision[i], x) // what is dropped is not negative, but for rounding
		variance[i] = 1 / precision[i]
	}
}
