package bnn

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// triangles are lower triangular roots L of covariances Σ = LLᵀ, updated by Carlson's square-root filter,
// since rounding would make Σ itself indefinite where an example leaves little of a variance. Row j of Lᵀ is
// stored from column 4⌊j/4⌋ on, with rows and columns zero-padded to a multiple of four.
type triangles struct {
	size, padded int
	length       int // numbers stored for one root
	factor       []float64
	keep, mix    []float64 // factors of an update, set by carlson
	root         []float64 // scratch space of carlson
	noise        []float64 // scratch space of forget
}

func newTriangles(count, size int) triangles {
	padded := (size + 3) &^ 3
	length := padded * (padded + 4) / 2
	numbers := func(n int) []float64 { return make([]float64, n) }
	return triangles{
		size: size, padded: padded, length: length, factor: numbers(count * length),
		keep: numbers(padded), mix: numbers(padded), root: numbers(padded + 1),
	}
}

// rows returns rows j to j+3 of Lᵀ of root k from column j on, for j a multiple of four.
func (t *triangles) rows(k, j int) []float64 {
	// Before them are j/4 groups of four rows of lengths padded, padded−4, …
	start := k*t.length + j*t.padded - j*(j-4)/2
	return t.factor[start : start+4*(t.padded-j)]
}

func (t *triangles) entry(k, i, j int) *float64 {
	first := j &^ 3
	return &t.rows(k, first)[(j-first)*(t.padded-first)+i-first]
}

// image sets g to Lᵀŷ for root k and returns Σ_i s_i Σ_ii, for the ŷ and s of a flow.
func (t *triangles) image(g []float64, f *flow, k int) (noise float64) {
	if f.s != nil {
		return kernel.Image(g[:t.padded], t.factor[k*t.length:(k+1)*t.length], f.y[:t.padded], f.s[:t.padded])
	}
	for j := 0; j < t.padded; j += 4 {
		kernel.Dot4((*[4]float64)(g[j:]), t.rows(k, j), f.y[j:t.padded])
	}
	return 0
}

// shrink sets u to Lh for a unit vector h, both padded, and L to a root of Σ − loss uuᵀ, left = 1 − loss ≥ 0.
func (t *triangles) shrink(u, h []float64, k int, left float64) {
	clear(u)
	t.carlson(h, left)
	for j := t.padded - 4; j >= 0; j -= 4 { // u_i becomes Σ_{k≥j} h_k L_ik
		keep, mix := (*[4]float64)(t.keep[j:]), (*[4]float64)(t.mix[j:])
		kernel.Carlson4(t.rows(k, j), u[j:], (*[4]float64)(h[j:]), keep, mix)
	}
}

// carlson sets keep and mix for Carlson's square-root filter (1973; Bierman 1977, Ch. V.4): I − loss hhᵀ,
// loss = 1 − left, |h| = 1, has the lower Cholesky factor M_jj = keep_j = √(τ_{j+1}/τ_j), M_ij = h_i mix_j =
// −loss h_i h_j/√(τ_jτ_{j+1}) with τ_j = left + loss Σ_{k≥j} h_k².
func (t *triangles) carlson(h []float64, left float64) {
	loss := 1 - left
	if left > 0 {
		t.root[len(h)] = left
		kernel.Carlson(t.keep, t.mix, t.root, h, loss)
		return
	}
	tau, root, inverse := 0.0, 0.0, 0.0
	for j := len(h) - 1; j >= 0; j-- {
		hj := h[j]
		t.keep[j], t.mix[j] = 1, 0
		if hj == 0 {
			continue
		}
		tau += loss * (hj * hj)
		next := math.Sqrt(tau)
		if next == 0 {
			continue
		}
		t.keep[j] = root / next
		t.mix[j] = -loss * hj * inverse / next
		root, inverse = next, 1/next
	}
}

func (t *triangles) spread() *mat.Dense {
	rows := len(t.factor) / t.length * t.size
	roots := mat.NewDense(rows, t.size, nil)
	for i := range rows {
		for j := range i%t.size + 1 {
			roots.Set(i, j, *t.entry(i/t.size, i%t.size, j))
		}
	}
	return roots
}

func (t *triangles) setSpread(roots *mat.Dense) {
	for k := range len(t.factor) / t.length {
		r := mat.DenseCopyOf(roots.Slice(k*t.size, (k+1)*t.size, 0, t.size))
		lowerTriangular(r)
		for i := range t.size {
			for j := range i + 1 {
				*t.entry(k, i, j) = r.At(i, j)
			}
		}
	}
}

// forget multiplies four rows and columns of each Σ, from first on, by √(1 − share), and adds share·prior to
// their diagonal. It scales the rows of L, and then reflects four vectors, multiples of the unit vectors of the
// rows, into the columns of L, until they are zero.
func (t *triangles) forget(first int, prior, share float64) {
	if t.noise == nil {
		t.noise = make([]float64, 4*t.padded)
	}
	keep, noise := math.Sqrt(1-share), math.Sqrt(share*prior)
	for r := range len(t.factor) / t.length {
		for j := 0; j <= first; j += 4 {
			rows, width := t.rows(r, j), t.padded-j
			for start := first - j; start < len(rows); start += width {
				for i := range 4 {
					rows[start+i] *= keep
				}
			}
		}
		clear(t.noise)
		for i := first; i < min(first+4, t.size); i++ {
			t.noise[(i-first)*t.padded+i] = noise
		}
		for j := first; j < t.size; j++ {
			group, k := j&^3, j&3
			rows := t.rows(r, group)
			kernel.Reflect(rows[k*len(rows)/4:][:len(rows)/4], t.noise[group:], k, t.padded)
		}
	}
}

// lowerTriangular overwrites R by a lower triangular L with LLᵀ = RRᵀ, by Householder reflections from the
// right. A lower triangular R stays as it is.
func lowerTriangular(r *mat.Dense) {
	rows, _ := r.Dims()
	for i := range rows {
		h := r.RawRowView(i)[i:]
		first := linalg.Reflection(h)
		if h[0] != 0 {
			for k := i + 1; k < rows; k++ {
				row := r.RawRowView(k)[i:]
				kernel.AddScaled(row, -kernel.Dot(row, h), h)
			}
		}
		clear(h)
		h[0] = first
	}
}

// setRoot sets root to a root of cov by pivoted Cholesky, up to where rounding makes the rest indefinite.
func setRoot(root *mat.Dense, cov mat.Symmetric) error {
	rest, n, trace := mat.DenseCopyOf(cov), cov.SymmetricDim(), mat.Trace(cov)
	column := make([]float64, n)
	for k := range n {
		best := 0
		for a := range n {
			if rest.At(a, a) > rest.At(best, best) {
				best = a
			}
		}
		pivot := rest.At(best, best)
		if mat.Row(column, best, rest); !(pivot > 0 && largest(column) <= 2*pivot) {
			break
		}
		floats.Scale(1/math.Sqrt(pivot), column)
		for a, x := range column {
			root.Set(a, k, x)
			kernel.AddScaled(rest.RawRowView(a), -x, column)
			rest.Set(a, best, 0)
			rest.Set(best, a, 0)
		}
	}
	if !(largest(rest.RawMatrix().Data) <= 1e-13*trace+1e-300) || math.IsInf(trace, 0) {
		return errors.New("is not positive semi-definite")
	}
	return nil
}

func largest(x []float64) float64 { return max(floats.Max(x), -floats.Min(x)) }
