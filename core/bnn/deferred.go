package bnn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/kernel"
)

const (
	deferFrom = 1 << 23 // numbers of roots from which their steps are deferred: 64 MiB
	mostSteps = 8       // that are deferred
)

// deferred is a full layer for certain inputs whose roots are larger than the caches. To
// read and write them costs more than to compute with them, so that they take several steps
// at once: what a step says in the coordinates of the root L before them,
//
//	L̃ = L M_1 ⋯ M_t,   μ̃ = μ + L a,
//
// with the triangular M_i of [triangles.shrink], is all that the next one needs, of
// L̃ᵀŷ = M_tᵀ ⋯ M_1ᵀ Lᵀŷ and ŷ·μ̃ = ŷ·μ + a·Lᵀŷ.
type deferred struct {
	*full
	steps [][]carlson // neuron by neuron
	shift []float64   // neurons × padded: a
	sum   []float64   // of take, steps × padded
	mean  []float64   // of take
}

func newDeferred(in, out int) *deferred {
	f := newFull(in, out)
	w := &deferred{full: f, shift: make([]float64, out*f.padded), sum: make([]float64, mostSteps*f.padded), mean: make([]float64, f.padded)}
	for range out {
		steps := make([]carlson, mostSteps)
		for i := range steps {
			steps[i] = newCarlson(f.padded)
		}
		w.steps = append(w.steps, steps[:0])
	}
	return w
}

func (w *deferred) neuronShift(j int) []float64 { return w.shift[j*w.padded : (j+1)*w.padded] }

// forward leaves the L̃_jᵀŷ in the scratch.
func (w *deferred) forward(examples []*flow) {
	for _, f := range examples {
		f.active = runs(f.active[:0], f.y[:w.padded])
	}
	for j := range w.out {
		for _, f := range examples {
			f.g = f.scratch[j*w.padded : (j+1)*w.padded]
		}
		w.sparseImage(examples, j)
		for _, f := range examples {
			f.m[j] = kernel.Dot(f.y, w.neuronMean(j)) + kernel.Dot(f.g, w.neuronShift(j))
			for _, m := range w.steps[j] {
				m.transposed(f.g)
			}
			f.v[j] = kernel.Dot(f.g, f.g)
		}
	}
}

// longGap is how many zeros in a row are worth leaving out.
const longGap = 32

// runs appends the intervals of y outside of which there are zeros only, with a long gap
// between any two.
func runs(dst [][2]int, y []float64) [][2]int {
	for i, x := range y {
		switch n := len(dst); {
		case x == 0:
		case n > 0 && i-dst[n-1][1] < longGap:
			dst[n-1][1] = i + 1
		default:
			dst = append(dst, [2]int{i, i + 1})
		}
	}
	return dst
}

// sparseImage is [triangles.image] for a ŷ with zeros outside of the active runs.
func (w *deferred) sparseImage(examples []*flow, k int) {
	for j := range w.padded {
		first := j &^ 3
		row := w.rows(k, first)[(j-first)*(w.padded-first):]
		for _, f := range examples {
			f.g[j] = 0
			for _, run := range f.active {
				if from := max(first, run[0]); from < run[1] {
					f.g[j] += kernel.Dot(row[from-first:run[1]-first], f.y[:w.padded][from:run[1]])
				}
			}
		}
	}
}

func (w *deferred) update(f *flow) {
	u := f.scratch[w.out*w.padded:][:w.padded]
	for j := range w.out {
		g := f.scratch[j*w.padded : (j+1)*w.padded]
		size := kernel.Norm(g)
		if size*size <= certain || f.d[j] == 0 && f.e[j] == 0 {
			continue
		}
		scale(g, 1/size)
		copy(u, g)
		for i := len(w.steps[j]) - 1; i >= 0; i-- {
			w.steps[j][i].times(u)
		}
		kernel.AddScaled(w.neuronShift(j), f.d[j]*size, u)
		w.add(j, g, math.Max(0, 1+f.e[j]*size*size))
		if len(w.steps[j]) == mostSteps {
			w.take(j)
		}
	}
}

// add gives a neuron a further step, see [triangles.shrink].
func (w *deferred) add(j int, h []float64, left float64) {
	n := len(w.steps[j])
	w.steps[j] = w.steps[j][:n+1]
	step := &w.steps[j][n]
	copy(step.h, h)
	step.set(left)
}

// take has the root and the mean of a neuron take its steps.
func (w *deferred) take(j int) {
	steps, shift := w.steps[j], w.neuronShift(j)
	copy(w.mean, w.neuronMean(j))
	clear(w.sum)
	for k := w.padded - 4; k >= 0; k -= 4 {
		rows, n := w.rows(j, k), w.padded-k
		kernel.AddScaled4(w.mean[k:], (*[4]float64)(shift[k:]), rows[:n], rows[n:2*n], rows[2*n:3*n], rows[3*n:])
		for i := range steps {
			steps[i].columns(rows, w.sum[i*w.padded+k:(i+1)*w.padded], k)
		}
	}
	copy(w.neuronMean(j), w.mean)
	clear(shift)
	w.steps[j] = steps[:0]
}

func (w *deferred) takeAll() {
	for j := range w.steps {
		w.take(j)
	}
}

// What asks for the weights has all steps taken first.

func (w *deferred) largest() float64 {
	w.takeAll()
	return w.full.largest()
}

func (w *deferred) addVariance(v float64) {
	w.takeAll()
	w.full.addVariance(v)
}

func (w *deferred) MeanMatrix() *mat.Dense {
	w.takeAll()
	return w.full.MeanMatrix()
}

func (w *deferred) cov(j int) mat.Symmetric {
	w.take(j)
	return w.full.cov(j)
}

func (w *deferred) spread(s *LayerState) {
	w.takeAll()
	w.full.spread(s)
}
