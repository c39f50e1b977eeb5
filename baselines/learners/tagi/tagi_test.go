package tagi

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/check"
)

func newModel(cfg Config) *Model {
	return check.Must(New(cfg, random.Source("model")))
}

// Weights returns copies of the means and variances of layer l, nodes × inputs.
func (m *Model) Weights(l int) (mean, variance *mat.Dense) {
	mean, cov := m.network.Weights(l)
	out, in := mean.Dims()
	variance = mat.NewDense(out, in, nil)
	variance.Apply(func(j, i int, _ float64) float64 { return cov[j].At(i, i) }, variance)
	return mean, variance
}

func observe(t testing.TB, m *Model, x []float64, class int) {
	t.Helper()
	check.OK(t, m.Observe(x, class))
}

// One example moves the weights of one output neuron to the variances and means
// of conjugate Gaussian regression of the target on the inputs.
func TestOneNeuronIsConjugateRegression(t *testing.T) {
	const noise = 0.7
	m := newModel(Config{Layers: []int{2, 2}, SigmaV: noise})
	x := []float64{0.5, -2}
	mean, variance := m.Weights(0)
	observe(t, m, x, 1) // the target −1
	gotMean, gotVariance := m.Weights(0)
	input := mat.NewVecDense(3, []float64{0.5, -2, 1})
	// Λ = Σ⁻¹ + xxᵀ/σ², μ̃ = Λ⁻¹(Σ⁻¹μ + xy/σ²).
	precision := mat.NewSymDense(3, nil)
	right := mat.NewVecDense(3, nil)
	for i := range 3 {
		precision.SetSym(i, i, 1/variance.At(0, i))
		right.SetVec(i, mean.At(0, i)/variance.At(0, i))
	}
	precision.SymRankOne(precision, 1/(noise*noise), input)
	right.AddScaledVec(right, -1/(noise*noise), input)
	var cov mat.Dense
	check.OK(t, cov.Inverse(precision))
	var want mat.VecDense
	want.MulVec(&cov, right)
	for i := range 3 {
		check.Near(t, fmt.Sprint("mean ", i), gotMean.At(0, i), want.AtVec(i), 1e-13)
		check.Near(t, fmt.Sprint("variance ", i), gotVariance.At(0, i), cov.At(i, i), 1e-13)
	}
}

// joint is the step as the paper has it, in variances and covariances: from what
// the targets make of the outputs to the hidden layers from the last to the first,
// and from every layer to its weights. It is sound if no variance falls below its floor.
func joint(m *Model, class int) (mean, variance []*mat.Dense, sound bool) {
	// smooth returns mean and variance of a variable with the given covariance
	// with each of some others, whose mean and variance change.
	smooth := func(mean, variance float64, cov, of, gain, less []float64) (float64, float64) {
		for j, c := range cov {
			ratio := c / of[j]
			mean += ratio * gain[j]
			variance += ratio * ratio * less[j]
		}
		return mean, variance
	}
	depth, sound := len(m.layers), true
	mean, variance = make([]*mat.Dense, depth), make([]*mat.Dense, depth)
	last := m.layers[depth-1]
	gain, less := make([]float64, len(last.Mean)), make([]float64, len(last.Mean)) // m̃ − m and ṽ − v
	for _, s := range m.head.(*tree).path[class] {
		k := last.Variance[s.node] / (last.Variance[s.node] + m.cfg.SigmaV*m.cfg.SigmaV)
		gain[s.node] = k * (s.target - last.Mean[s.node])
		less[s.node] = -k * last.Variance[s.node]
	}
	for l := depth - 1; l >= 0; l-- {
		layer := m.layers[l]
		w, v := m.Weights(l)
		mean[l], variance[l] = mat.DenseCopyOf(w), mat.DenseCopyOf(v)
		for j := range layer.Mean {
			for i, y := range append(slices.Clone(layer.Input), 1) {
				a, b := smooth(w.At(j, i), v.At(j, i), []float64{v.At(j, i) * y}, layer.Variance[j:j+1], gain[j:j+1], less[j:j+1])
				mean[l].Set(j, i, a)
				variance[l].Set(j, i, b)
			}
		}
		if l == 0 {
			break
		}
		below := m.layers[l-1]
		nextGain, nextLess := make([]float64, len(below.Mean)), make([]float64, len(below.Mean))
		for i, mean := range below.Mean {
			cov := make([]float64, len(layer.Mean))
			for j := range cov {
				cov[j] = below.Variance[i] * gauss.CDF(mean/math.Sqrt(below.Variance[i])) * w.At(j, i)
			}
			a, b := smooth(mean, below.Variance[i], cov, layer.Variance, gain, less)
			nextGain[i], nextLess[i] = a-mean, b-below.Variance[i]
			sound = sound && b > 1e-3*below.Variance[i]
		}
		gain, less = nextGain, nextLess
	}
	return mean, variance, sound
}

func TestObserveIsTheSmootherOfThePaper(t *testing.T) {
	m := newModel(Config{Layers: []int{3, 6, 5, 5}, SigmaV: 1})
	x, class, _ := check.Clusters(60, 3, 5, "smoother")
	floored := 0
	for k, at := range x {
		check.OK(t, m.forward(at))
		mean, variance, sound := joint(m, class[k])
		observe(t, m, at, class[k])
		if !sound { // the floor, which the paper does not know
			floored++
			continue
		}
		for l := range mean {
			gotMean, gotVariance := m.Weights(l)
			if !mat.EqualApprox(gotMean, mean[l], 1e-12) || !mat.EqualApprox(gotVariance, variance[l], 1e-12) {
				t.Fatalf("layer %d differs", l)
			}
		}
	}
	if floored > 6 {
		t.Errorf("floored in %d of 60 steps", floored)
	}
}
