package bnn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/kernel"
	"closedform/core/linear"
)

// shared has one covariance for all neurons, Σ_j = Σ = RRᵀ: a matrix normal
// distribution of the weights, with the identity between neurons. Of the posterior
// it keeps the closest such distribution, by the sum over the neurons of
// KL(posterior ‖ shared), whose covariance is the mean of theirs,
//
//	μ_j += d_j Σŷ,   Σ += ē (Σŷ)(Σŷ)ᵀ,   ē = Σ_j e_j/out,
//
// at the price of one neuron: d² numbers and O(d²) operations, not out·d².
type shared struct {
	linear.Means
	roots
}

func newShared(in, out int) *shared { return &shared{linear.NewMeans(in, out), newRoots(1, in)} }

func (w *shared) scratch() int { return w.In }

func (w *shared) cov(int) mat.Symmetric { return w.block(0, w.In) }

// setCov sets Σ from the first neuron; all others must have the same.
func (w *shared) setCov(j int, cov mat.Symmetric) error {
	if j == 0 {
		return w.setBlock(0, 0, 0, cov)
	}
	trace, err := checkCov(j, cov)
	if err != nil {
		return err
	}
	for a := range w.In {
		for b := range a + 1 {
			// Up to the rounding of the root.
			if x, want := cov.At(a, b), kernel.Dot(w.row(a), w.row(b)); math.Abs(x-want) > 1e-12*trace {
				return fmt.Errorf("covariance of neuron %d holds %g where that of neuron 0 holds %g; the layer is shared", j, x, want)
			}
		}
	}
	return nil
}

// forward leaves g = Rᵀŷ in the scratch: ŷᵀΣŷ = |g|².
func (w *shared) forward(f *flow) {
	g := f.scratch
	w.image(g, f.y, 0)
	clear(f.m)
	clear(f.v)
	var common float64
	kernel.AddRows(f.m, f.y, w.Mean)
	for i, s := range f.s {
		if s > 0 {
			common += s * kernel.Dot(w.row(i), w.row(i))
			kernel.AddSquares(f.v, s, w.InputMean(i))
		}
	}
	floats.AddConst(kernel.Dot(g, g)+common, f.v)
}

func (w *shared) backward(first, second []float64, f *flow) { w.Backward(first, second, f.d, f.e) }

// update is that of full for all neurons at once.
func (w *shared) update(f *flow) {
	g := f.scratch
	size := kernel.Norm(g)
	if size*size <= certain {
		return
	}
	floats.Scale(1/size, g)
	e := kernel.Sum(f.e) / float64(w.Out)
	loss := 1 - math.Sqrt(math.Max(0, 1+e*size*size))
	w.shrink(0, w.In, g, loss, func(i int, u float64) {
		kernel.AddScaled(w.InputMean(i), size*u, f.d)
	})
}
