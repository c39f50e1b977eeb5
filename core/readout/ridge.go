package readout

import (
	"math"

	"closedform/internal/kernel"
)

// ridge is a regression of the one-hot labels y: the outputs are ȳ + Wᵀ(x − x̄) with
//
//	W = (G + λI)⁻¹ Σ(x − x̄)yᵀ,   G = Σ(x − x̄)(x − x̄)ᵀ.
type ridge struct {
	center []float64   // x̄
	share  []float64   // ȳ
	w      [][]float64 // of each class
}

// outputs sets dst to the outputs for x; z is scratch space.
func (r *ridge) outputs(dst, z, x []float64) {
	for i, c := range r.center {
		z[i] = x[i] - c
	}
	for c, w := range r.w {
		dst[c] = r.share[c] + kernel.Dot(w, z[:len(w)])
	}
}

// fitRidge fits the regression, and class Gaussians on its outputs for the kept examples, each left out. With the
// leverage h = 1/N + (x − x̄)ᵀ(G + λI)⁻¹(x − x̄) of an example these outputs are (ŷ − hy)/(1 − h), but
// ŷ for the only example of a class. They also choose λ, by their squared error, from the 1e-5 tr G/d
// times powers of ten; the rounding of the inputs adds its variance to those.
func (l *Layer) fitRidge(m *moments) (*ridge, *gaussians) {
	d, classes := l.cfg.Inputs, l.cfg.Classes
	g := scatter(m.squares, []float64{m.total}, [][]float64{m.center})
	mean := trace(g, d) / float64(d)
	kept := l.sample(m.n)
	type fitted struct {
		*ridge
		outputs []labelled // for the kept examples
	}
	f := descend(1e-5, 10, func(scale float64) (fitted, float64) {
		root := factorize(d, 1, g, 0, g, float64(scale*mean)+float64(m.total*floor))
		if root == nil {
			return fitted{}, math.Inf(1)
		}
		r := &ridge{center: m.center, w: make([][]float64, classes)}
		for c, n := range m.n {
			r.share = append(r.share, n/m.total)
			w := make([]float64, d)
			for i, x := range m.mean[c] {
				w[i] = n * (x - m.center[i])
			}
			if n > 0 {
				root.Solve(w)
				root.SolveT(w)
			}
			r.w[c] = w
		}
		centered := make([]float64, d)
		copy(centered, m.center)
		root.Solve(centered)
		outputs, loss, scratch := make([]labelled, len(kept)), 0.0, make([]float64, d)
		blocks(root, kept, func(at int, z [][]float64) {
			for i, z := range z {
				e := kept[at+i]
				y := make([]float64, classes)
				r.outputs(y, scratch, e.x)
				kernel.AddScaled(z, -1, centered)
				h := 1/m.total + kernel.Dot(z, z)
				for c := range y {
					label := 0.0
					if c == e.class {
						label = 1
					}
					if m.n[e.class] > 1 {
						y[c] = (y[c] - float64(h*label)) / max(1-h, 1e-9)
					}
					loss += e.weight * float64((y[c]-label)*(y[c]-label))
				}
				outputs[at+i] = labelled{y, e.class, e.weight}
			}
		})
		return fitted{r, outputs}, loss
	})
	counts, sums, squares := make([]int, classes), make([][]float64, classes), make([][]float64, classes)
	for c := range classes {
		s := newSquare(classes)
		sums[c] = make([]float64, classes)
		for _, e := range f.outputs {
			if e.class == c {
				counts[c]++
				kernel.AddScaled(sums[c], 1, e.x)
				s.add(e.x)
			}
		}
		s.flush(classes)
		squares[c] = s.sum
	}
	outputs := newMoments(counts, sums, squares)
	return f.ridge, fitGaussians(outputs, m.shares(), f.outputs)
}
