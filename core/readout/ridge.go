package readout

import (
	"math"
	"slices"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// ridge is a regression of the one-hot labels y: the outputs are ȳ + Wᵀ(x − x̄) with
//
//	W = (G + λI)⁻¹ Σ(x − x̄)yᵀ,   G = Σ(x − x̄)(x − x̄)ᵀ.
type ridge struct {
	lambda float64          // λ
	center []float64        // x̄
	share  []float64        // ȳ
	w      [][]float64      // of each class
	root   *linalg.Cholesky // of G + λI
	kept   []labelled       // the outputs for the kept examples, each left out
}

// outputs sets dst to the outputs for x; z is scratch space with room for as many numbers.
func (r *ridge) outputs(dst, z, x []float64) {
	z = z[:len(x)]
	for i, c := range r.center {
		z[i] = x[i] - c
	}
	for c, w := range r.w {
		dst[c] = r.share[c] + kernel.Dot(w, z[:len(w)])
	}
}

// fitRidge fits the regression, and class Gaussians on its outputs for the kept examples, each left out. λ is
// 1e-4 tr G/d times a power of ten, plus N times the variance of the rounding: the one whose Gaussians have
// the smallest loss. With a power above 1 the outputs must vary by 100/N or more, as the mean of the labels
// of the other examples, (Nȳ − y)/(N − 1), gives the left out label away.
func (l *Layer) fitRidge(m *moments) (*ridge, *gaussians) {
	d := float64(l.cfg.Inputs)
	g := scatter(m.squares, []float64{m.total}, [][]float64{m.center})
	mean := trace(g, l.cfg.Inputs) / d
	kept := l.sample(m.n)
	type fitted struct {
		*ridge
		*gaussians
	}
	f, _ := descend(1e-4, 10, func(scale float64) (fitted, float64) {
		r := &ridge{center: m.center, lambda: float64(scale*mean) + float64(m.total*floor)}
		if r.root = factorize(l.cfg.Inputs, 1, g, 0, g, r.lambda); r.root == nil {
			return fitted{}, math.Inf(1)
		}
		r.solve(m)
		r.kept = r.leftOut(m, kept)
		out, loss := outputGaussians(r.kept, m.n)
		if scale > 1 && m.total*r.spread() < 100 {
			loss = math.Inf(1)
		}
		return fitted{r, out}, loss
	})
	return f.ridge, f.gaussians
}

// spread is the root mean square of the distances of the kept outputs from ȳ.
func (r *ridge) spread() float64 {
	sum := 0.0
	for _, e := range r.kept {
		for c, y := range e.x {
			sum += float64((y - r.share[c]) * (y - r.share[c]))
		}
	}
	return math.Sqrt(sum / float64(len(r.kept)))
}

// solve sets W and ȳ.
func (r *ridge) solve(m *moments) {
	for c, n := range m.n {
		w := make([]float64, len(m.center))
		for i, x := range m.mean[c] {
			w[i] = n * (x - m.center[i])
		}
		r.root.Solve(w)
		r.root.SolveT(w)
		r.w, r.share = append(r.w, w), append(r.share, n/m.total)
	}
}

// leftOut returns the outputs for examples, each left out: with the leverage
// h = 1/N + (x − x̄)ᵀ(G + λI)⁻¹(x − x̄) they are (ŷ − hy)/(1 − h). For the only example of a class they are ŷ.
func (r *ridge) leftOut(m *moments, kept []labelled) []labelled {
	outputs, center := make([]labelled, len(kept)), slices.Clone(m.center)
	r.root.Solve(center)
	blocks(r.root, kept, func(i int, all []float64) {
		scratch := make([]float64, len(center))
		for z := range slices.Chunk(all, len(center)) {
			e, y := kept[i], make([]float64, len(r.w))
			r.outputs(y, scratch, e.x)
			kernel.AddScaled(z, -1, center)
			if h := 1/m.total + kernel.Dot(z, z); m.n[e.class] > 1 {
				y[e.class] -= h
				for c := range y {
					y[c] /= max(1-h, 1e-9)
				}
			}
			outputs[i] = labelled{y, e.class, e.weight}
			i++
		}
	})
	return outputs
}

// outputGaussians returns class Gaussians on outputs, and their loss; n are the examples of each class.
func outputGaussians(outputs []labelled, n []float64) (*gaussians, float64) {
	classes := len(n)
	counts, sums, squares := make([]int, classes), make([][]float64, classes), make([][]float64, classes)
	for c := range classes {
		s := newSquare(classes)
		sums[c] = make([]float64, classes)
		for _, e := range outputs {
			if e.class == c {
				counts[c]++
				kernel.AddScaled(sums[c], 1, e.x)
				s.add(e.x)
			}
		}
		s.flush(classes)
		squares[c] = s.sum
	}
	onOutputs := newMoments(counts, sums, squares)
	onOutputs.shares = logShares(n)
	return fitGaussians(onOutputs, outputs, false)
}
