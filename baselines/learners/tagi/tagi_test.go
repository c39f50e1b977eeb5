package tagi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/check"
)

func newModel(t testing.TB, cfg Config) *Model {
	t.Helper()
	m, err := New(cfg, random.Source("model"))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Weights returns copies of the means and variances of layer l, nodes × inputs.
func (m *Model) Weights(l int) (mean, variance *mat.Dense) {
	return m.layers[l].MeanMatrix(), m.layers[l].VarianceMatrix()
}

func observe(t testing.TB, m *Model, x []float64, class int) {
	t.Helper()
	if err := m.Observe(x, class); err != nil {
		t.Fatal(err)
	}
}

// One example moves the weights of one output neuron to the variances and means
// of conjugate Gaussian regression of the target on the inputs.
func TestOneNeuronIsConjugateRegression(t *testing.T) {
	const noise = 0.7
	m := newModel(t, Config{Layers: []int{2, 2}, SigmaV: noise})
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
	if err := cov.Inverse(precision); err != nil {
		t.Fatal(err)
	}
	var want mat.VecDense
	want.MulVec(&cov, right)
	for i := range 3 {
		check.Near(t, fmt.Sprint("mean ", i), gotMean.At(0, i), want.AtVec(i), 1e-13)
		check.Near(t, fmt.Sprint("variance ", i), gotVariance.At(0, i), cov.At(i, i), 1e-13)
	}
}

// The same input with the same target over and over, and a bias alone: after N
// examples the variance is v/(1 + Nv/σ²).
func TestRepeatedTargetsOfABias(t *testing.T) {
	m := newModel(t, Config{Layers: []int{1, 2}, SigmaV: 2, PriorVar: 3})
	mean, variance := m.Weights(0)
	const count = 50
	for range count {
		observe(t, m, []float64{0}, 0)
	}
	gotMean, gotVariance := m.Weights(0)
	v := variance.At(0, 1)
	check.Near(t, "variance", gotVariance.At(0, 1), v/(1+count*v/4), 1e-13)
	check.Near(t, "mean", gotMean.At(0, 1), (mean.At(0, 1)+count*v/4)/(1+count*v/4), 1e-13)
	check.Near(t, "variance of the weight", gotVariance.At(0, 0), variance.At(0, 0), 0)
	check.Near(t, "mean of the weight", gotMean.At(0, 0), mean.At(0, 0), 0)
}

// The moments of all layers agree with samples of weights, layer by layer, where
// the inputs of the layer are as independent as it takes them for.
func TestForwardAgreesWithMonteCarlo(t *testing.T) {
	const draws = 400_000
	m := newModel(t, Config{Layers: []int{3, 2, 3}, PriorVar: 0.5})
	if err := m.forward([]float64{1, -0.5, 2}); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(random.Source("mc"))
	for l, w := range m.layers {
		for j := range w.Out {
			z := make([]float64, draws)
			for k := range z {
				for i, y := range w.y {
					if i < len(w.s) {
						y += math.Sqrt(w.s[i]) * rnd.NormFloat64()
					}
					mean, variance := w.Input(i)
					z[k] += y * (mean[j] + math.Sqrt(variance[j])*rnd.NormFloat64())
				}
			}
			mean, variance := stat.MeanVariance(z, nil)
			square := 0.0 // fourth central moment
			for _, x := range z {
				square += math.Pow(x-mean, 4) / draws
			}
			check.Near(t, fmt.Sprintf("mean of neuron %d of layer %d", j, l), w.m[j], mean, 5*math.Sqrt(variance/draws))
			check.Near(t, fmt.Sprintf("variance of neuron %d of layer %d", j, l), w.v[j], variance, 5*math.Sqrt(square/draws))
		}
	}
}

func TestRectify(t *testing.T) {
	for _, c := range [][2]float64{{0, 1}, {1.3, 4}, {-0.7, 0.5}} {
		m, v := c[0], c[1]
		cdf, pdf := gauss.CDF(m/math.Sqrt(v)), math.Sqrt(v)*gauss.PDF(m/math.Sqrt(v))
		mean, variance, slope := rectify(m, v)
		check.Near(t, "mean", mean, m*cdf+pdf, 1e-14)
		check.Near(t, "variance", variance, (m*m+v)*cdf+m*pdf-mean*mean, 1e-13)
		check.Near(t, "slope", slope, cdf, 1e-14)
	}
	for _, c := range [][2]float64{{2, 1}, {-2, 0}} {
		mean, variance, slope := rectify(c[0], 0)
		check.NearAll(t, "of a certain input", []float64{mean, variance, slope}, []float64{max(0, c[0]), 0, c[1]}, 0)
	}
}

// joint is the step as the paper has it, in variances and covariances: from what
// the targets make of the outputs to the hidden layers from the last to the first,
// and from every layer to its weights.
func joint(m *Model, class int) (mean, variance []*mat.Dense) {
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
	depth := len(m.layers)
	mean, variance = make([]*mat.Dense, depth), make([]*mat.Dense, depth)
	last := m.layers[depth-1]
	gain, less := make([]float64, last.Out), make([]float64, last.Out) // m̃ − m and ṽ − v
	for _, s := range m.head.(*tree).class(class) {
		k := last.v[s.node] / (last.v[s.node] + m.cfg.SigmaV*m.cfg.SigmaV)
		gain[s.node] = k * (s.target - last.m[s.node])
		less[s.node] = -k * last.v[s.node]
	}
	for l := depth - 1; l >= 0; l-- {
		layer := m.layers[l]
		w, v := m.Weights(l)
		mean[l], variance[l] = mat.DenseCopyOf(w), mat.DenseCopyOf(v)
		for j := range layer.Out {
			for i, y := range layer.y {
				a, b := smooth(w.At(j, i), v.At(j, i), []float64{v.At(j, i) * y}, layer.v[j:j+1], gain[j:j+1], less[j:j+1])
				mean[l].Set(j, i, a)
				variance[l].Set(j, i, b)
			}
		}
		if l == 0 {
			break
		}
		below := m.layers[l-1]
		nextGain, nextLess := make([]float64, below.Out), make([]float64, below.Out)
		for i := range below.Out {
			cov := make([]float64, layer.Out)
			for j := range cov {
				cov[j] = below.v[i] * below.slope[i] * w.At(j, i)
			}
			a, b := smooth(below.m[i], below.v[i], cov, layer.v, gain, less)
			nextGain[i], nextLess[i] = a-below.m[i], b-below.v[i]
		}
		gain, less = nextGain, nextLess
	}
	return mean, variance
}

func TestObserveIsTheSmootherOfThePaper(t *testing.T) {
	m := newModel(t, Config{Layers: []int{3, 6, 5, 5}, SigmaV: 1})
	x, class, _ := check.Clusters(60, 3, 5, "smoother")
	for k, at := range x {
		if err := m.forward(at); err != nil {
			t.Fatal(err)
		}
		mean, variance := joint(m, class[k])
		floored := m.Floored()
		observe(t, m, at, class[k])
		if m.Floored() > floored {
			continue // which the paper does not know
		}
		for l := range mean {
			gotMean, gotVariance := m.Weights(l)
			if !mat.EqualApprox(gotMean, mean[l], 1e-12) || !mat.EqualApprox(gotVariance, variance[l], 1e-12) {
				t.Fatalf("layer %d differs", l)
			}
		}
	}
	if m.Floored() > 6 {
		t.Errorf("floored %d times in 60 steps", m.Floored())
	}
}

// Forward moments are those of package bnn.
func TestMomentsAreThoseOfBNN(t *testing.T) {
	m := newModel(t, Config{Layers: []int{3, 4, 4, 2}})
	cfg := bnn.Default(3, 4, 4, 2)
	cfg.Hidden, cfg.Output = bnn.Smooth, bnn.Total
	cfg.SetCovariance(bnn.Diagonal)
	other, err := bnn.New(cfg, random.Source("bnn"))
	if err != nil {
		t.Fatal(err)
	}
	for l := range m.layers {
		mean, variance := m.Weights(l)
		want, cov := other.Weights(l)
		rows, in := mean.Dims() // one node of the tree for two classes
		want.Slice(0, rows, 0, in).(*mat.Dense).Copy(mean)
		for j := range rows {
			cov[j] = mat.NewDiagDense(in, variance.RawRowView(j))
		}
		if err := other.SetWeights(l, want, cov); err != nil {
			t.Fatal(err)
		}
	}
	x := []float64{0.3, -1, 2}
	var prediction bnn.Prediction
	if err := other.Predict(&prediction, x); err != nil {
		t.Fatal(err)
	}
	p := make([]float64, 2)
	if err := m.Predict(p, x); err != nil {
		t.Fatal(err)
	}
	last := m.layers[2]
	check.Near(t, "mean", last.m[0], prediction.Mean[0], 1e-13)
	check.Near(t, "variance", last.v[0], prediction.Variance[0], 1e-13)
	check.Near(t, "p", p[0], gauss.CDF(last.m[0]/math.Sqrt(last.v[0]+1./9)), 1e-13)
	check.Near(t, "sum", floats.Sum(p), 1, 1e-14)
}

// The moments of the first layer are those of its weights, by hand.
func TestLayers(t *testing.T) {
	m := newModel(t, Config{Layers: []int{1, 3, 2}})
	observe(t, m, []float64{2}, 1)
	if err := m.Predict(make([]float64, 2), []float64{0.5}); err != nil {
		t.Fatal(err)
	}
	mean, variance := m.Weights(0)
	layers := m.Layers()
	for j, v := range layers[0].Variance {
		check.Near(t, "mean", layers[0].Mean[j], 0.5*mean.At(j, 0)+mean.At(j, 1), 1e-14)
		check.Near(t, "variance", v, 0.25*variance.At(j, 0)+variance.At(j, 1), 1e-14)
	}
	if len(layers) != 2 || len(layers[0].Input) != 1 || layers[0].Input[0] != 0.5 || len(layers[1].Input) != 3 {
		t.Errorf("layers %+v", layers)
	}
}
