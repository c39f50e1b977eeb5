package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// ridge is a regression of the one-hot labels y. Its outputs are
//
//	ŷ(x) = ȳ + Wᵀ(x − x̄),   W = (G + λI)⁻¹ Σ(x − x̄)yᵀ,   G = Σ(x − x̄)(x − x̄)ᵀ
//
// With fewer different inputs than dimensions, all kept, it is solved in the dual form (Saunders et al. 1998)
//
//	W = Zᵀ(ZZᵀ + λI)⁻¹Y
//
// with a row √n_i (x_i − x̄) of Z and a row √n_i y_i of Y for each input that n_i examples of a class have.
type ridge struct {
	*moments
	lambda  float64          // ridge parameter λ
	w       [][]float64      // column of W for each class
	bias    []float64        // ȳ − Wᵀx̄
	root    *linalg.Cholesky // Cholesky factor of G + λI, in the dual form of ZZᵀ + λI
	size    int              // order of the factorised matrix
	dual    []float64        // Z by rows; nil in the primal form
	rows    []example        // the inputs of the rows of Z
	classes *gaussians       // class Gaussians on the outputs
}

// fitRidge fits the regression, and class Gaussians on its outputs for a sample of the examples, each left
// out. λ is 1e-4 tr G/d times a power of ten, plus N times the rounding variance: the one whose Gaussians
// have the smallest loss. With a power above 1 the outputs must vary by at least 100/N, as the mean label of
// the other examples, (Nȳ − y)/(N − 1), gives the left-out label away.
func fitRidge(m *moments, s sample) *ridge {
	base := ridge{moments: m, size: len(m.center)}
	var g linalg.Triangle
	if len(s.examples) < base.size && s.count == m.total {
		base.size, base.rows = len(s.examples), s.examples
		g = base.gram()
	} else {
		g = m.merged().scatter()
	}
	mean := g.Trace() / float64(len(m.center))
	best, _ := descend(1e-4, 10, func(scale float64) (*ridge, float64) {
		r, a := base, slices.Clone(g)
		r.lambda = float64(scale*mean) + float64(m.total*floor)
		a.AddDiagonal(r.lambda)
		if r.root = a.Cholesky(); r.root == nil {
			return nil, math.Inf(1)
		}
		r.solve()
		outputs := s
		outputs.examples = withInputs(s.examples, r.outputs(s.examples, true))
		var loss float64
		r.classes, loss = sampleGaussians(outputs)
		if scale > 1 && m.total*r.spread(outputs) < 100 {
			loss = math.Inf(1)
		}
		return &r, loss
	})
	return best
}

// gram sets Z and returns ZZᵀ.
func (r *ridge) gram() linalg.Triangle {
	d, n := len(r.center), len(r.rows)
	r.dual = make([]float64, n*d)
	g := linalg.NewTriangle(n)
	for i, e := range r.rows {
		row := r.dual[i*d:][:d]
		floats.SubTo(row, e.x, r.center)
		floats.Scale(math.Sqrt(e.count), row)
		kernel.Rows(g.Row(i), r.dual, row)
	}
	return g
}

// spread returns the root mean square distance of outputs from ȳ.
func (r *ridge) spread(outputs sample) float64 {
	sum := 0.0
	for _, e := range outputs.examples {
		for c, y := range e.x {
			y -= r.n[c] / r.total
			sum += float64(e.count * float64(y*y))
		}
	}
	return math.Sqrt(sum / outputs.count)
}

// solve sets W and the bias, given the root.
func (r *ridge) solve() {
	r.w, r.bias = matrix(len(r.n), len(r.center)), nil
	for c, w := range r.w {
		n, y := r.n[c], w
		if r.dual == nil {
			floats.SubTo(w, r.mean[c], r.center)
			floats.Scale(n, w)
		} else {
			y = make([]float64, r.size)
			for i, e := range r.rows {
				if e.class == c {
					y[i] = math.Sqrt(e.count)
				}
			}
		}
		r.root.Solve(y)
		r.root.SolveT(y)
		if r.dual != nil {
			kernel.AddRows(w, y, r.dual)
		}
		r.bias = append(r.bias, n/r.total-kernel.Dot(w, r.center))
	}
}

// outputs returns ŷ for each x. With left each x was learned with its class, and an example of it is left
// out: (ŷ − hy)/(1 − h) with the leverage h (Allen 1974), and ŷ for the only example of a class.
func (r *ridge) outputs(examples []example, left bool) [][]float64 {
	out := matrix(len(examples), len(r.w))
	linalg.Blocks(len(examples), func(first, last int) {
		var h []float64
		if left {
			h = r.leverages(examples[first:last])
		}
		for i, e := range examples[first:last] {
			y := out[first+i]
			for c, w := range r.w {
				y[c] = r.bias[c] + kernel.Dot(w, e.x)
			}
			if left && r.n[e.class] > 1 {
				y[e.class] -= h[i]
				floats.Scale(1/max(1-h[i], 1e-9), y)
			}
		}
	})
	return out
}

// leverages returns h = 1/N + (x − x̄)ᵀ(G + λI)⁻¹(x − x̄) of learned examples. In the dual form it is
// h = 1/N + (1 − λ[(ZZᵀ + λI)⁻¹]_ii)/n_i of row i.
func (r *ridge) leverages(examples []example) []float64 {
	z, h := make([]float64, len(examples)*r.size), make([]float64, len(examples))
	for i, e := range examples {
		if row := z[i*r.size:][:r.size]; r.dual == nil {
			floats.SubTo(row, e.x, r.center)
		} else {
			row[r.row(e)] = 1
		}
	}
	r.root.Solve(z)
	for i, e := range examples {
		row := z[i*r.size:][:r.size]
		square := kernel.Dot(row, row)
		if r.dual != nil {
			square = (1 - float64(r.lambda*square)) / r.rows[r.row(e)].count
		}
		h[i] = square + 1/r.total
	}
	return h
}

// row returns the row of Z of a learned example.
func (r *ridge) row(e example) int {
	if e.hash == 0 {
		e.hash = hash(e.x)
	}
	i, _ := slices.BinarySearchFunc(r.rows, e, order)
	return min(i, len(r.rows)-1)
}
