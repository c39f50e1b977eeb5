package checkpoint

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// trained returns a network that has seen some random examples.
func trained(cfg bnn.Config) *bnn.Network {
	n := check.Must(bnn.New(cfg, random.Source("checkpoint", "test")))
	rnd := rand.New(random.Source("checkpoint", "examples"))
	for range 40 {
		x := random.Normals(rnd, cfg.Layers[0])
		n.Observe(x, rnd.IntN(cfg.Layers[len(cfg.Layers)-1])) // a refused step is one, too
	}
	return n
}

func saved(t testing.TB, m bnn.Model) []byte {
	t.Helper()
	var file bytes.Buffer
	check.OK(t, Save(&file, m, "a note"))
	return file.Bytes()
}

// changed returns a configuration that differs from the default.
func changed(change func(*bnn.Config), layers ...int) bnn.Config {
	c := bnn.Default(layers...)
	change(&c)
	return c
}

// complete has no field that is zero or as in bnn.Default.
var complete = changed(func(c *bnn.Config) {
	c.Unit.Alpha, c.Unit.Beta = 0.1, 1.7
	c.Output, c.Hidden, c.Softmax = bnn.ADFExact, bnn.Smooth, softmax.Exact{Fast: true}
	c.SetCovariance(bnn.Diagonal, bnn.Shared)
	c.PriorVar, c.PriorMeanVar, c.PriorDraw = []float64{1. / 28, 10. / 56}, 2./3, bnn.Independent
	c.Replications, c.ProcessNoise = []float64{2. / 7, 1.5}, []float64{0.3, 1. / 3}
	c.Paper = bnn.PaperRule{OnIndefinite: bnn.Project, EigenvalueFloor: 1. / 3, VarianceFloor: 1e-5}
}, 3, 7, 4)

// small is that of a network with one full and one diagonal layer.
var small = changed(func(c *bnn.Config) {
	c.SetCovariance(bnn.Full, bnn.Diagonal)
	c.Output, c.Hidden = bnn.Joint, bnn.Frozen
}, 1, 2, 2)

// configs are of all kinds.
var configs = []bnn.Config{
	bnn.Default(2, 3),
	changed(func(c *bnn.Config) { c.Output, c.Softmax = bnn.Total, softmax.Exact{} }, 3, 4, 2),
	changed(func(c *bnn.Config) {
		c.Bias, c.Hidden, c.PriorMeanVar = false, bnn.Smooth, 0.1
		c.SetCovariance(bnn.Diagonal, bnn.Full, bnn.Diagonal)
	}, 1, 4, 5, 3),
	changed(func(c *bnn.Config) {
		c.Bias, c.PriorMeanVar = false, 1
		c.SetCovariance(bnn.Diagonal, bnn.Shared)
	}, 2, 4, 3),
	changed(func(c *bnn.Config) {
		c.Output, c.Paper.OnIndefinite, c.Bias = bnn.Joint, bnn.Skip, false
		c.Softmax = softmax.Probit{Lambda: 1. / 3}
	}, 2, 3),
	changed(func(c *bnn.Config) {
		c.Output, c.Paper.OnIndefinite = bnn.Joint, bnn.Project
		c.Softmax = softmax.ProbitCorr{Lambda: 0.3, Corr: mat.NewSymDense(2, []float64{1, 0.2, 0.2, 1})}
	}, 2, 3),
	small,
	complete,
}

// models are of all kinds, most of them in the midst of a stream.
func models(t testing.TB) (all []bnn.Model) {
	t.Helper()
	src := random.Source("models")
	for _, cfg := range configs {
		e := check.Must(bnn.NewEnsemble(cfg, 2, src))
		_, _ = e.Observe([]float64{0.5, -1, 2, 1}[:cfg.Layers[0]], 1)
		all = append(all, trained(cfg), e)
	}
	for _, m := range mixtures(t) {
		all = append(all, m)
	}
	for _, examples := range []int{0, 1, 40} {
		all = append(all, layer(readout.Ridge, examples), layer(readout.Gaussian, examples))
	}
	relu := check.Must(features.New(features.Relu, 2, 3, math.MaxUint64))
	conv := check.Must(features.New(features.Conv, 64, 32, 1))
	another := check.Must(features.New(features.Relu, 2, 8, 2)) // not the map of the sources of the layer
	return append(all, features.Model{Map: relu, Model: layer(readout.Ridge, 40)}, wide(),
		features.Model{Map: another, Model: wide().Model},
		features.Model{Map: relu, Model: check.Must(bnn.NewEnsemble(bnn.Default(3, 2), 2, src))},
		features.Model{Map: conv, Model: check.Must(bnn.NewEnsemble(bnn.Default(32, 4, 3), 2, src))})
}

// Every model comes back to the bit, with its note, and goes on predicting and learning in the same way.
func TestRoundTrip(t *testing.T) {
	rnd := rand.New(random.Source("checkpoint", "more"))
	for i, m := range models(t) {
		file := saved(t, m)
		again, note, err := Load(bytes.NewReader(file))
		check.OK(t, err)
		check.Equal(t, "note and type", fmt.Sprintf("%s, %T", note, again), fmt.Sprintf("a note, %T", m))
		check.Equal(t, "written again, the same bytes", bytes.Equal(saved(t, again), file), true)
		if n, ok := m.(*bnn.Network); ok {
			check.Equal(t, fmt.Sprint("state of model ", i), again.(*bnn.Network).State(), n.State())
		}
		inputs, _ := m.Shape()
		for range 10 {
			x := random.Normals(rnd, inputs)
			want, failed := m.Observe(x, 1)
			got, err := again.Observe(x, 1)
			check.Equal(t, fmt.Sprint("step of model ", i), fmt.Sprint(got.LogP, err), fmt.Sprint(want.LogP, failed))
			var p, q bnn.Prediction
			failed, err = m.Predict(&p, x), again.Predict(&q, x)
			check.Equal(t, "error", fmt.Sprint(err), fmt.Sprint(failed))
			same := floats.Same(p.P, q.P) && (err != nil || mat.Equal(p.Cov, q.Cov))
			check.True(t, same, "model %d: read back it predicts %v, not %v", i, q.P, p.P)
		}
		check.Equal(t, "after learning, the same bytes", bytes.Equal(saved(t, again), saved(t, m)), true)
	}
}

// Every field of a configuration is stored, see TestRoundTrip of complete.
func TestConfigIsComplete(t *testing.T) {
	for _, part := range []any{complete, complete.Unit, complete.Paper} {
		v := reflect.ValueOf(part)
		for i := range v.NumField() {
			check.True(t, !v.Field(i).IsZero(), "%s is not tested", v.Type().Field(i).Name)
		}
	}
}

type probitByAnotherName struct{ softmax.Probit }

func TestWriteRefuses(t *testing.T) {
	network := func(s softmax.Approximation) bnn.Model {
		cfg := changed(func(c *bnn.Config) { c.Output, c.Softmax = bnn.Joint, s }, 2, 3)
		return check.Must(bnn.New(cfg, random.Source("checkpoint")))
	}
	for _, m := range []bnn.Model{
		struct{ bnn.Model }{},
		network(&softmax.Probit{Lambda: 0.3}),
		network(probitByAnotherName{softmax.Probit{Lambda: 0.3}}),
		check.Must(mixture.New(struct{ bnn.Model }{network(softmax.Exact{})})),
	} {
		var file bytes.Buffer
		check.Refuses(t, fmt.Sprintf("%T", m), Save(&file, m, ""), "cannot be stored; allowed: ")
		check.Equal(t, "bytes that were written", file.Len(), 0)
	}
}

func TestWriteError(t *testing.T) {
	read, write := io.Pipe()
	check.OK(t, read.CloseWithError(io.ErrShortWrite))
	check.Refuses(t, "a full disk", Save(write, trained(small), ""), "checkpoint: short write")
}

// mixtures are one of networks with a new class, amid a stream, of which one refuses examples; and one
// within another, whose weights are fixed.
func mixtures(t testing.TB) []*mixture.Mixture {
	t.Helper()
	mix := func(members ...bnn.Model) *mixture.Mixture { return check.Must(mixture.New(members...)) }
	strict := changed(func(c *bnn.Config) {
		c.Output, c.Bias, c.PriorVar = bnn.Joint, false, []float64{1}
		c.Softmax = softmax.Probit{Lambda: 2, Rho: 0.5}
	}, 2, 3)
	two := check.Must(bnn.Combine(trained(bnn.Default(2, 4, 3)), trained(bnn.Default(2, 4, 3))))
	first := mix(trained(configs[0]), two, trained(strict))
	rnd := rand.New(random.Source("checkpoint", "mixture"))
	for range 20 {
		check.Must(first.Observe([]float64{3 * rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(3)))
	}
	check.OK(t, first.AddClass())
	check.Must(first.Observe([]float64{1, 1}, 3))
	c := readout.Config{Kind: readout.Ridge, Inputs: 2, Classes: 3, Sequential: true}
	rows := check.Must(readout.New(c))
	learn(rows, 2, 70)
	fixed := mix(trained(configs[3]), mix(trained(configs[3])), rows)
	fixed.Fix()
	return []*mixture.Mixture{first, fixed}
}

// wide returns an output layer on many features of few inputs.
func wide() features.Model {
	c := readout.Config{Kind: readout.Ridge, Inputs: 8, Classes: 2, Sequential: true}
	m := features.Model{Map: check.Must(features.New(features.Relu, 2, 8, 1)), Model: check.Must(readout.New(c))}
	learn(m, 2, 40)
	return m
}

// layer returns an output layer of three inputs that has seen some examples, none of its last class.
func layer(kind readout.Kind, examples int) *readout.Layer {
	l := check.Must(readout.New(readout.Config{Kind: kind, Inputs: 3, Classes: 3}))
	learn(l, 3, examples)
	return l
}

// learn shows a model some examples of its first two classes.
func learn(m bnn.Model, inputs, examples int) {
	rnd := rand.New(random.Source("checkpoint", "layer"))
	for i := range examples {
		x := random.Normals(rnd, inputs)
		floats.AddConst(float64(i%2), x)
		check.Must(m.Observe(x, i%2))
	}
}

//go:embed testdata/read.py
var readPy string

// NumPy reads what Save writes, all kinds of covariances.
func TestPython(t *testing.T) {
	all := func(c *bnn.Config) { c.SetCovariance(bnn.Full, bnn.Diagonal, bnn.Shared) }
	n := trained(changed(all, 2, 3, 4, 2))
	var got struct {
		Format int
		Layers []int
		Rule   string
		Mean   [][][]float64   // layer, neuron, input
		Cov    [][][][]float64 // layer, neuron, input, input
	}
	check.OK(t, json.Unmarshal(python(t, saved(t, n)), &got))
	check.Equal(t, "format, layers and rule", fmt.Sprint(got.Format, got.Layers, got.Rule), "11 [2 3 4 2]adf")
	for l := range 3 {
		mean, cov := n.Weights(l)
		_, in := mean.Dims()
		for j := range cov {
			check.NearAll(t, "mean", got.Mean[l][j], mean.RawRowView(j), 0)
			read := mat.NewDense(in, in, slices.Concat(got.Cov[l][j]...))
			check.NearMatrix(t, "covariance", read, cov[j], 1e-12)
		}
	}
}

// python returns what read.py prints of a file. Another Python than the one with NumPy may come first.
func python(t *testing.T, file []byte) []byte {
	var failed []byte
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		cmd := exec.Command(python, "-c", readPy)
		cmd.Stdin = bytes.NewReader(file)
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			failed = exit.Stderr
		} else if err == nil {
			return out
		}
	}
	if len(failed) > 0 && !bytes.Contains(failed, []byte("No module named")) {
		t.Fatalf("%s", failed)
	}
	t.Skip("no python3 with numpy")
	return nil
}
