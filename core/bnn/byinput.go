package bnn

import "gonum.org/v1/gonum/mat"

// byInput holds the means of the weights of a layer input by input, in × out: an
// input that is zero costs nothing.
type byInput struct {
	in, out int
	mean    []float64
}

func newByInput(in, out int) byInput {
	return byInput{in: in, out: out, mean: make([]float64, in*out)}
}

func (w *byInput) dims() (out, in int) { return w.out, w.in }

// inputMean returns the means of the weights of input i for all neurons.
func (w *byInput) inputMean(i int) []float64 { return w.mean[i*w.out : (i+1)*w.out] }

func (w *byInput) setMean(mean *mat.Dense) {
	for i := range w.in {
		mat.Col(w.inputMean(i), i, mean)
	}
}

func (w *byInput) backward(dst, squares []float64, f *flow) {
	for i := range dst {
		mean := w.inputMean(i)
		d, e := f.d[:len(mean)], f.e[:len(mean)]
		var first, second float64
		for j, mu := range mean {
			first += mu * d[j]
			second += mu * mu * e[j]
		}
		dst[i], squares[i] = first, second
	}
}
