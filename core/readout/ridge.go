package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// ridge is a regression of the one-hot labels y: the outputs are ȳ + Wᵀ(x − x̄) with W = (G + λI)⁻¹ Σ(x −
// x̄)yᵀ, G = Σ(x − x̄)(x − x̄)ᵀ. With fewer different inputs than dimensions, all kept, it is solved in the
// dual form W = Zᵀ(ZZᵀ + λI)⁻¹Y, with a row √n_i (x_i − x̄) of Z and a row √n_i y_i of Y for each input that
// n_i examples of a class have.
type ridge struct {
	*moments
	lambda float64          // λ
	w      [][]float64      // of each class
	bias   []float64        // ȳ − Wᵀx̄
	root   *linalg.Cholesky // of G + λI or ZZᵀ + λI
	size   int              // of the root
	dual   []float64        // Z by rows, nil in the other form
	rows   []labelled       // the inputs of Z
}

// fitRidge fits the regression, and class Gaussians on its outputs for the kept inputs, each left out. λ is
// 1e-4 tr G/d times a power of ten, plus N times the rounding variance: the one whose Gaussians have the
// smallest loss. With a power above 1 the outputs must vary by at least 100/N, as the mean label of the other
// examples, (Nȳ − y)/(N − 1), gives the left-out label away.
func fitRidge(m *moments, kept []labelled, counts []int) (*ridge, *gaussians) {
	base := ridge{moments: m, size: len(m.center)}
	var g triangle
	if len(kept) < base.size && countOf(kept) == m.total {
		base.size, base.rows = len(kept), kept
		g = base.gram()
	} else {
		g = scatter(m.squares, []float64{m.total}, [][]float64{m.center})
	}
	mean := g.trace(base.size) / float64(len(m.center))
	type fitted struct {
		*ridge
		*gaussians
	}
	f, _ := descend(1e-4, 10, func(scale float64) (fitted, float64) {
		r := base
		r.lambda = float64(scale*mean) + float64(m.total*floor)
		if r.root = factorize(r.size, 1, g, 0, g, r.lambda); r.root == nil {
			return fitted{}, math.Inf(1)
		}
		r.solve()
		left := withInputs(kept, r.outputs(kept, true))
		out, loss := outputGaussians(left, counts)
		if scale > 1 && m.total*r.spread(left) < 100 {
			loss = math.Inf(1)
		}
		return fitted{&r, out}, loss
	})
	return f.ridge, f.gaussians
}

func countOf(examples []labelled) (n float64) {
	for _, e := range examples {
		n += e.count
	}
	return n
}

func withInputs(examples []labelled, x [][]float64) []labelled {
	examples = slices.Clone(examples)
	for i := range examples {
		examples[i].x = x[i]
	}
	return examples
}

func (r *ridge) gram() (g triangle) {
	d, n := len(r.center), len(r.rows)
	r.dual, g = make([]float64, n*d), make(triangle, n*(n+1)/2)
	for i, e := range r.rows {
		row := r.dual[i*d:][:d]
		floats.SubTo(row, e.x, r.center)
		floats.Scale(math.Sqrt(e.count), row)
		kernel.Rows(g.row(i), r.dual, row)
	}
	return g
}

// spread is the root mean square distance of outputs from ȳ.
func (r *ridge) spread(outputs []labelled) float64 {
	sum := 0.0
	for _, e := range outputs {
		for c, y := range e.x {
			y -= r.n[c] / r.total
			sum += float64(e.count * float64(y*y))
		}
	}
	return math.Sqrt(sum / countOf(outputs))
}

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

// outputs returns the outputs for inputs. With left these were learned, and an example of each is left out:
// (ŷ − hy)/(1 − h) with the leverage h = 1/N + (x − x̄)ᵀ(G + λI)⁻¹(x − x̄), and ŷ for the only example of a
// class. In the dual form h = 1/N + (1 − λ[(ZZᵀ + λI)⁻¹]_ii)/n_i.
func (r *ridge) outputs(examples []labelled, left bool) [][]float64 {
	out := matrix(len(examples), len(r.w))
	blocks(len(examples), func(first, last int) {
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

func (r *ridge) leverages(examples []labelled) (h []float64) {
	z := make([]float64, len(examples)*r.size)
	for i, e := range examples {
		if row := z[i*r.size:][:r.size]; r.dual == nil {
			floats.SubTo(row, e.x, r.center)
		} else {
			row[e.place] = 1
		}
	}
	r.root.Solve(z)
	for i, e := range examples {
		row := z[i*r.size:][:r.size]
		square := kernel.Dot(row, row)
		if r.dual != nil {
			square = (1 - float64(r.lambda*square)) / r.rows[e.place].count
		}
		h = append(h, square+1/r.total)
	}
	return h
}

func outputGaussians(outputs []labelled, n []int) (*gaussians, float64) {
	t := totals{inputs: len(n)}
	for range n {
		t.addClass()
	}
	for _, e := range outputs {
		t.add(e)
	}
	return fitGaussians(t.moments(n), outputs, false)
}
