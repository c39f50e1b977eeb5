// Package features maps inputs to fixed random features, on which an output layer, such as readout.Layer,
// learns. With fixed random weights w_i and b_i, features of kind [Relu] are y_i = max(0, b_i + w_iᵀx); those
// of [Conv] are convolutions of a square grey image. A [Model] learns on features:
//
//	m, err := features.New(features.Relu, 2, 512, 1)
//	l, err := readout.New(readout.Config{Kind: readout.Ridge, Inputs: 512, Classes: 3})
//	model := features.Model{Map: m, Model: l}
package features

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Kind is a kind of random features.
type Kind string

const (
	// Relu features are max(0, wᵀx + b) of k random inputs, k = 8 or an eighth of all if that is more, with w_j
	// ~ N(0, 1/k) and b ~ N(0, 1), for inputs with variances near 1.
	Relu Kind = "relu"

	// Conv features are of a square grey image, row by row. The responses of random 7×7 filters are divided by
	// the local contrast; positive and negative parts are pooled by 4×4 Gaussian windows; a feature is the
	// square root of a pool over its mean. Shifting or scaling all pixels changes features only by rounding. An
	// image of one grey has features of zero.
	Conv Kind = "conv"
)

// Words returns the words of all kinds.
func (Kind) Words() []string { return field.Words(Relu, Conv) }

const (
	mostInputs = 1 << 20
	mostSize   = 1 << 14
)

// MostWeights is the largest number of weights of a [Map].
const MostWeights = 100_000_000

// Map is a fixed map from inputs to features, determined by its four exported fields. A Map read from JSON
// must be made usable by [New]. It is safe for concurrent use.
type Map struct {
	Kind   Kind   `json:"kind"`
	Inputs int    `json:"inputs"`
	Size   int    `json:"size"` // the number of features
	Seed   uint64 `json:"seed"`

	weights []float64 // Relu: Size rows of Inputs numbers; Conv: Size/32 filters
	bias    []float64 // Relu only
	conv    *pooling  // Conv only

	latest atomic.Pointer[pair] // the last input that a Model mapped, see on
}

type pair struct{ x, y []float64 }

// New returns the map with the given fields. For Conv, inputs is the square of 8 or more, and size is 32
// times the number of filters. An error is a [*field.Error] of features or feature_size.
func New(kind Kind, inputs, size int, seed uint64) (*Map, error) {
	if err := field.Among("features", []Kind{Relu, Conv}, kind); err != nil {
		return nil, err
	}
	if inputs < 1 || inputs > mostInputs {
		return nil, field.Refuse(true, "features", kind, fmt.Sprintf("1 to %d inputs, not %d", mostInputs, inputs))
	}
	if err := field.Between("feature_size", 1, mostSize, size); err != nil {
		return nil, err
	}
	if kind == Relu && inputs*size > MostWeights {
		return nil, field.Errorf("feature_size", "%d features of %d inputs have %.3g weights; allowed: at most %d",
			size, inputs, float64(inputs*size), MostWeights)
	}
	m := &Map{Kind: kind, Inputs: inputs, Size: size, Seed: seed}
	rnd := rand.New(random.Source("features", string(kind), seed))
	if kind == Conv {
		if err := m.newConv(rnd); err != nil {
			return nil, err
		}
		return m, nil
	}
	m.weights, m.bias = make([]float64, size*inputs), random.Normals(rnd, size)
	k := min(inputs, max(8, inputs/8))
	for i := range size {
		for _, j := range rnd.Perm(inputs)[:k] {
			m.weights[i*inputs+j] = random.Normal(rnd) / math.Sqrt(float64(k))
		}
	}
	return m, nil
}

func (m *Map) apply(dst, x []float64) {
	if m.Kind == Conv {
		m.applyConv(dst, x)
		return
	}
	kernel.Rows(dst, m.weights, x)
	for i, b := range m.bias {
		dst[i] = max(0, b+dst[i])
	}
}

// Model is a model on the features of its inputs, see [Map.Standard]. An input of the wrong length or that is
// not finite is an error.
type Model struct {
	*Map
	bnn.Model
}

// Observe lets the model learn the features of an example. An output layer gets inputs of at most a quarter of
// the size, too, see readout.Layer.ObserveFrom.
func (m Model) Observe(x []float64, class int) (u bnn.Update, err error) {
	layer, ok := m.Model.(interface {
		ObserveFrom(source, x []float64, class int) (bnn.Update, error)
	})
	err = m.on(x, func(y []float64) (err error) {
		if ok && 4*m.Inputs <= m.Size {
			u, err = layer.ObserveFrom(x, y, class)
		} else {
			u, err = m.Model.Observe(y, class)
		}
		return err
	})
	return u, err
}

// Predict sets dst to the prediction of the model.
func (m Model) Predict(dst *bnn.Prediction, x []float64) error {
	return Predictor{m.Map, m.Model}.Predict(dst, x)
}

// Before implements [bnn.Sequential], by the model's Before or else Predict.
func (m Model) Before(dst *bnn.Prediction, x []float64) error {
	return m.on(x, func(y []float64) error { return bnn.Before(m.Model, dst, y) })
}

// Snapshot implements [bnn.Model] by a [Predictor].
func (m Model) Snapshot() bnn.Predictor { return Predictor{m.Map, m.Model.Snapshot()} }

// Shape returns the numbers of inputs of the map and of classes.
func (m Model) Shape() (inputs, classes int) { return Predictor{m.Map, m.Model}.Shape() }

// Predictor is a predictor on the features of its inputs.
type Predictor struct {
	*Map
	bnn.Predictor
}

// Predict sets dst to the prediction for x.
func (p Predictor) Predict(dst *bnn.Prediction, x []float64) error {
	return p.on(x, func(y []float64) error { return p.Predictor.Predict(dst, y) })
}

// Shape returns the numbers of inputs of the map and of classes.
func (p Predictor) Shape() (inputs, classes int) {
	_, classes = p.Predictor.Shape()
	return p.Inputs, classes
}

// Unwrap returns the predictor on the features.
func (p Predictor) Unwrap() bnn.Predictor { return p.Predictor }

// PredictLeftOut implements [bnn.LeftOut], by PredictLeftOut of the predictor or else Predict.
func (p Predictor) PredictLeftOut(dst *bnn.Prediction, x []float64, class int) error {
	if l, ok := p.Predictor.(bnn.LeftOut); ok {
		return p.on(x, func(y []float64) error { return l.PredictLeftOut(dst, y, class) })
	}
	return p.Predict(dst, x)
}

// on calls do with the features of x, NaN after an error. It keeps the last input with its features, so that
// an input that is predicted and then learned is mapped once, and so that mapping by [Relu] allocates nothing.
func (m *Map) on(x []float64, do func(y []float64) error) (err error) {
	p := m.latest.Swap(nil)
	if p == nil {
		p = &pair{y: make([]float64, m.Size)}
	}
	if p.x == nil || !slices.Equal(p.x, x) {
		err = m.Standard(p.y, x)
		if p.x = append(p.x[:0], x...); err != nil {
			p.x = nil
		}
	}
	wrong := do(p.y)
	m.latest.Store(p)
	return cmp.Or(err, wrong)
}

// standard has the approximate mean and standard deviation of features: for [Relu] √(1/π) and √(1 − 1/π), for
// inputs of mean square 1; for [Conv] those on images of digits.
var standard = map[Kind]struct{ mean, sd float64 }{Relu: {0.564, 0.826}, Conv: {0.95, 0.2}}

// Standard sets dst to the features of x, standardised by a fixed mean and standard deviation of their kind.
// If x has the wrong length, or x or a feature is not finite, it returns an error and sets dst to NaN.
func (m *Map) Standard(dst, x []float64) error {
	err := field.Input(x, m.Inputs)
	if m.weights == nil {
		err = errors.New("features: the map is not complete; need that of New")
	}
	if err == nil {
		m.apply(dst, x)
		s := standard[m.Kind]
		for i, v := range dst {
			if dst[i] = (v - s.mean) / s.sd; math.IsNaN(v) || math.IsInf(v, 0) {
				err = field.BadExample("features: feature %d is %g; need smaller inputs", i, v)
			}
		}
	}
	if err != nil {
		floats.AddConst(math.NaN(), dst)
	}
	return err
}

var (
	_ bnn.Model      = Model{}
	_ bnn.Sequential = Model{}
	_ bnn.LeftOut    = Predictor{}
)
