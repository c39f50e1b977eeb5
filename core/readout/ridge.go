package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// ridge is a regression of the one-hot labels y: the outputs are ȳ + Wᵀ(x − x̄) with
//
//	W = (G + λI)⁻¹ Σ(x − x̄)yᵀ,   G = Σ(x − x̄)(x − x̄)ᵀ.
//
// With fewer different inputs than dimensions, all of them kept, it is solved in its dual form: with a row
// √n_i (x_i − x̄) of Z and a row √n_i y_i of Y for each input that n_i examples of a class have,
//
//	W = Zᵀ(ZZᵀ + λI)⁻¹Y.
type ridge struct {
	lambda float64          // λ
	center []float64        // x̄
	share  []float64        // ȳ
	w      [][]float64      // of each class
	bias   []float64        // ȳ − Wᵀx̄
	root   *linalg.Cholesky // of G + λI or ZZᵀ + λI
	dual   []float64        // Z by rows, nil in the other form
	rows   []labelled       // the inputs of Z
	kept   []labelled       // the outputs for the kept inputs, an example of each left out
}

// outputs sets dst to the outputs for x.
func (r *ridge) outputs(dst, x []float64) {
	for c, w := range r.w {
		dst[c] = r.bias[c] + kernel.Dot(w, x)
	}
}

// fitRidge fits the regression, and class Gaussians on its outputs for the kept inputs, each left out. λ is
// 1e-4 tr G/d times a power of ten, plus N times the variance of the rounding: the one whose Gaussians have
// the smallest loss. With a power above 1 the outputs must vary by 100/N or more, as the mean of the labels
// of the other examples, (Nȳ − y)/(N − 1), gives the left out label away.
func (l *Layer) fitRidge(m *moments) (*ridge, *gaussians) {
	kept := l.sample()
	base := ridge{center: m.center}
	for _, n := range m.n {
		base.share = append(base.share, n/m.total)
	}
	var g []float64
	size := l.cfg.Inputs
	if len(kept) < size && countOf(kept) == m.total {
		size, base.rows = len(kept), kept
		g = base.gram()
	} else {
		g = scatter(m.squares, []float64{m.total}, [][]float64{m.center})
	}
	mean := trace(g, size) / float64(l.cfg.Inputs)
	type fitted struct {
		*ridge
		*gaussians
	}
	f, _ := descend(1e-4, 10, func(scale float64) (fitted, float64) {
		r := base
		r.lambda = float64(scale*mean) + float64(m.total*floor)
		if r.root = factorize(size, 1, g, 0, g, r.lambda); r.root == nil {
			return fitted{}, math.Inf(1)
		}
		r.solve(m)
		r.kept = r.leftOut(m, kept)
		out, loss := outputGaussians(r.kept, l.counts)
		if scale > 1 && m.total*r.spread() < 100 {
			loss = math.Inf(1)
		}
		return fitted{&r, out}, loss
	})
	return f.ridge, f.gaussians
}

// countOf returns the number of examples.
func countOf(all []labelled) (n float64) {
	for _, e := range all {
		n += e.count
	}
	return n
}

// gram sets Z, and returns the upper triangle of ZZᵀ.
func (r *ridge) gram() (g []float64) {
	d := len(r.center)
	r.dual = make([]float64, len(r.rows)*d)
	for i, e := range r.rows {
		row := r.dual[i*d:][:d]
		floats.SubTo(row, e.x, r.center)
		floats.Scale(math.Sqrt(e.count), row)
	}
	for i := range r.rows {
		for j := i; j < len(r.rows); j++ {
			g = append(g, kernel.Dot(r.dual[i*d:][:d], r.dual[j*d:][:d]))
		}
	}
	return g
}

// spread is the root mean square of the distances of the kept outputs from ȳ.
func (r *ridge) spread() float64 {
	sum := 0.0
	for _, e := range r.kept {
		for c, y := range e.x {
			sum += float64(e.count * float64((y-r.share[c])*(y-r.share[c])))
		}
	}
	return math.Sqrt(sum / countOf(r.kept))
}

// solve sets W.
func (r *ridge) solve(m *moments) {
	for c, n := range m.n {
		w := make([]float64, len(r.center))
		if r.dual == nil {
			for i, x := range m.mean[c] {
				w[i] = n * (x - r.center[i])
			}
			r.root.Solve(w)
			r.root.SolveT(w)
		} else {
			y := make([]float64, len(r.rows))
			for i, e := range r.rows {
				if e.class == c {
					y[i] = math.Sqrt(e.count)
				}
			}
			r.root.Solve(y)
			r.root.SolveT(y)
			kernel.AddRows(w, y, r.dual)
		}
		r.w, r.bias = append(r.w, w), append(r.bias, r.share[c]-kernel.Dot(w, r.center))
	}
}

// leftOut returns the outputs for learned inputs, an example of each left out: (ŷ − hy)/(1 − h) with the
// leverage h = 1/N + (x − x̄)ᵀ(G + λI)⁻¹(x − x̄), and ŷ for the only example of a class.
// In the dual form h = 1/N + (1 − λ[(ZZᵀ + λI)⁻¹]_ii)/n_i.
func (r *ridge) leftOut(m *moments, kept []labelled) []labelled {
	outputs := slices.Clone(kept)
	row := func(e labelled) int { // in Z
		return slices.IndexFunc(r.rows, func(of labelled) bool {
			return of.class == e.class && slices.Equal(of.x, e.x)
		})
	}
	size := len(r.center)
	if r.dual != nil {
		size = len(r.rows)
	}
	blocks(r.root, size, len(kept), func(i int, z []float64) {
		if r.dual == nil {
			floats.SubTo(z, kept[i].x, r.center)
		} else if k := row(kept[i]); k >= 0 {
			z[k] = 1
		}
	}, func(i int, z []float64) {
		e, y := kept[i], make([]float64, len(r.w))
		r.outputs(y, e.x)
		h := kernel.Dot(z, z)
		if k := row(e); k >= 0 {
			h = (1 - float64(r.lambda*h)) / r.rows[k].count
		}
		if h += 1 / m.total; m.n[e.class] > 1 {
			y[e.class] -= h
			for c := range y {
				y[c] /= max(1-h, 1e-9)
			}
		}
		outputs[i].x = y
	})
	return outputs
}

// outputGaussians returns class Gaussians on outputs, and their loss; n are the examples of each class.
func outputGaussians(outputs []labelled, n []int) (*gaussians, float64) {
	t := totals{inputs: len(n)}
	for range n {
		t.addClass()
	}
	for _, e := range outputs {
		t.add(e)
	}
	m := t.moments()
	m.shares = logShares(n)
	return fitGaussians(m, outputs, false)
}
