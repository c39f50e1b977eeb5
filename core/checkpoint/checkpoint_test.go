package checkpoint

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// trained returns a network that has seen some random examples.
func trained(cfg bnn.Config) *bnn.Network {
	n := check.Must(bnn.New(cfg, random.Source("checkpoint", "test")))
	rnd := rand.New(random.Source("checkpoint", "examples"))
	x := make([]float64, cfg.Layers[0])
	for range 40 {
		for i := range x {
			x[i] = rnd.NormFloat64()
		}
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

// complete has no field that is zero, nor as in bnn.Default. It is that of a file in testdata.
var complete = changed(func(c *bnn.Config) {
	c.Unit.Alpha, c.Unit.Beta = 0.1, 1.7
	c.Output, c.Hidden, c.Softmax = bnn.ADFExact, bnn.Smooth, softmax.Exact{Fast: true}
	c.SetCovariance(bnn.Diagonal, bnn.Shared)
	c.PriorVar, c.PriorMeanVar, c.PriorDraw = []float64{1. / 28, 10. / 56}, 2./3, bnn.Independent
	c.Replications = []float64{2. / 7, 1.5}
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
		c.Bias, c.Output, c.Softmax, c.Paper.OnIndefinite = false, bnn.Joint, softmax.Probit{Lambda: 1. / 3}, bnn.Skip
	}, 2, 3),
	changed(func(c *bnn.Config) {
		corr := mat.NewSymDense(2, []float64{1, 0.2, 0.2, 1})
		c.Output, c.Softmax, c.Paper.OnIndefinite = bnn.Joint, softmax.ProbitCorr{Lambda: 0.3, Corr: corr}, bnn.Project
	}, 2, 3),
	small,
	complete,
}

// models are of all kinds, most of them in the midst of a stream.
func models(t testing.TB) (all []bnn.Model) {
	t.Helper()
	for _, cfg := range configs {
		e := ensemble(check.Must(bnn.New(cfg, random.Source("member", 0))), check.Must(bnn.New(cfg, random.Source("member", 1))))
		_, _ = e.Observe([]float64{0.5, -1, 2, 1}[:cfg.Layers[0]], 1)
		all = append(all, trained(cfg), e)
	}
	for _, b := range banks(t) {
		all = append(all, b)
	}
	relu := check.Must(features.New(features.Relu, 2, 3, math.MaxUint64))
	conv := check.Must(features.New(features.Conv, 64, 32, 1))
	return append(all, layer(readout.Ridge, 0), layer(readout.Ridge, 40), layer(readout.Gaussian, 40), layer(readout.Gaussian, 1),
		features.Model{Map: relu, Model: layer(readout.Ridge, 40)},
		features.Model{Map: relu, Model: check.Must(bnn.NewEnsemble(bnn.Default(3, 2), 2, random.Source("ensemble")))},
		features.Model{Map: conv, Model: check.Must(bnn.NewEnsemble(bnn.Default(32, 4, 3), 2, random.Source("ensemble")))})
}

// Every model comes back to the bit, with its note, and goes on predicting and learning in the same way.
func TestRoundTrip(t *testing.T) {
	for i, m := range models(t) {
		file := saved(t, m)
		again, note, err := Load(bytes.NewReader(file))
		if err != nil || note != "a note" || reflect.TypeOf(again) != reflect.TypeOf(m) {
			t.Fatalf("model %d: a %T, %v, note %q", i, again, err, note)
		}
		inputs, classes := m.Shape()
		if in, out := again.Shape(); in != inputs || out != classes || !bytes.Equal(saved(t, again), file) {
			t.Errorf("model %d: %d inputs and %d classes, or written again it makes another file", i, in, out)
		}
		of, _ := m.(interface{ Members() []*bnn.Network })
		for k := 0; of != nil && k < len(of.Members()); k++ {
			got, want := again.(interface{ Members() []*bnn.Network }).Members()[k].State(), of.Members()[k].State()
			if !reflect.DeepEqual(got, want) {
				t.Errorf("model %d, network %d: read %+v, want %+v", i, k, got, want)
			}
		}
		rnd := rand.New(random.Source("checkpoint", "more"))
		for range 10 {
			x := make([]float64, inputs)
			for j := range x {
				x[j] = rnd.NormFloat64()
			}
			want, failed := m.Observe(x, 1)
			got, err := again.Observe(x, 1)
			if fmt.Sprint(err) != fmt.Sprint(failed) || !floats.Same([]float64{got.LogP}, []float64{want.LogP}) {
				t.Errorf("model %d: %+v, %v; want %+v, %v", i, got, err, want, failed)
			}
			var p, q bnn.Prediction
			failed, err = m.Predict(&p, x), again.Predict(&q, x)
			if (failed == nil) != (err == nil) || !floats.Same(p.P, q.P) || err == nil && !mat.Equal(p.Cov, q.Cov) {
				t.Errorf("model %d: %v, read back it predicts %v, not %v", i, err, q.P, p.P)
			}
		}
		if !bytes.Equal(saved(t, again), saved(t, m)) {
			t.Errorf("model %d has learned something else", i)
		}
	}
}

// Every field of a configuration is stored, see TestRoundTrip of complete.
func TestConfigIsComplete(t *testing.T) {
	for _, v := range []reflect.Value{reflect.ValueOf(complete), reflect.ValueOf(complete.Unit), reflect.ValueOf(complete.Paper)} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s is not tested", v.Type().Field(i).Name)
			}
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
		check.Must(bnn.NewBank(struct{ bnn.Model }{network(softmax.Exact{})})),
	} {
		var file bytes.Buffer
		check.Refuses(t, fmt.Sprintf("%T", m), Save(&file, m, ""), "cannot be stored; allowed: ")
		check.Equal(t, "bytes that were written", file.Len(), 0)
	}
}

// full is a disk that has room for so many bytes.
type full int

var errFull = errors.New("no space left")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		return 0, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	n := trained(configs[0])
	size := len(saved(t, n))
	for room := range size {
		f := full(room)
		if err := Save(&f, n, "a note"); !errors.Is(err, errFull) {
			t.Fatalf("%d bytes of %d: error %v", room, size, err)
		}
	}
}

// Files of format 5 are read, predict as then, and go on.
func TestFormat5(t *testing.T) {
	for name, want := range map[string][]float64{
		"network": {0.256919729866, 0.411079803666, 0.0915966674978, 0.240403798966},
		"bank":    {0.435780188439, 0.527052074099, 0.0371677374616},
		"layer":   {0.483267068804, 0.508602849895, 0.00813008130081},
	} {
		m, _, err := Load(bytes.NewReader(check.Must(os.ReadFile("testdata/format5_" + name + ".npz"))))
		check.OK(t, err)
		if n, ok := m.(*bnn.Network); ok && !reflect.DeepEqual(n.Config(), complete) {
			t.Errorf("configuration %+v, want %+v", n.Config(), complete)
		}
		inputs, _ := m.Shape()
		var p bnn.Prediction
		check.OK(t, m.Predict(&p, []float64{0.5, -1, 2}[:inputs]))
		check.NearAll(t, name, p.P, want, 1e-9)
		check.OK(t, load(saved(t, m)))
		learn(m, inputs, 20)
	}
}

func ensemble(members ...*bnn.Network) *bnn.Ensemble { return check.Must(bnn.Combine(members...)) }

// banks are one of networks with a new class, in the midst of a stream, of which one refuses examples; and one within
// another, whose weights are fixed.
func banks(t testing.TB) []*bnn.Bank {
	t.Helper()
	bank := func(members ...bnn.Model) *bnn.Bank { return check.Must(bnn.NewBank(members...)) }
	strict := changed(func(c *bnn.Config) {
		c.Bias, c.Output, c.Softmax, c.PriorVar = false, bnn.Joint, softmax.Probit{Lambda: 2, Rho: 0.5}, []float64{1}
	}, 2, 3)
	first := bank(trained(configs[0]), ensemble(trained(bnn.Default(2, 4, 3)), trained(bnn.Default(2, 4, 3))), trained(strict))
	rnd := rand.New(random.Source("checkpoint", "bank"))
	for range 20 {
		x, class := []float64{3 * rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(3)
		check.Must(first.Observe(x, class))
	}
	check.OK(t, first.AddClass())
	check.Must(first.Observe([]float64{1, 1}, 3))
	rows := check.Must(readout.New(readout.Config{Kind: readout.Ridge, Inputs: 2, Classes: 3, Sequential: true}))
	learn(rows, 2, 70)
	fixed := bank(trained(configs[3]), bank(trained(configs[3])), rows)
	fixed.Fix()
	return []*bnn.Bank{first, fixed}
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
		x := make([]float64, inputs)
		for j := range x {
			x[j] = rnd.NormFloat64() + float64(i%2)
		}
		check.Must(m.Observe(x, i%2))
	}
}

//go:embed testdata/read.py
var readPy string

// NumPy reads what Write writes, as the README shows.
func TestPython(t *testing.T) {
	python := findNumPy()
	if python == "" {
		t.Skip("no python3 with numpy")
	}
	for _, cfg := range []bnn.Config{small, configs[3], complete} { // all kinds of covariances
		n := trained(cfg)
		cmd := exec.Command(python, "-c", readPy)
		cmd.Stdin = bytes.NewReader(saved(t, n))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, stderr.Bytes())
		}
		var got struct {
			Format int
			Layers []int
			Rule   string
			Mean   [][][]float64   // layer, neuron, input
			Cov    [][][][]float64 // layer, neuron, input, input
		}
		check.OK(t, json.Unmarshal(out, &got))
		if got.Format != int(version) || got.Rule != string(cfg.Output) || len(got.Layers) != len(cfg.Layers) {
			t.Fatalf("format %d, layers %v, rule %s of %+v", got.Format, got.Layers, got.Rule, cfg)
		}
		for l := range len(cfg.Layers) - 1 {
			mean, cov := n.Weights(l)
			out, in := mean.Dims()
			if len(got.Mean[l]) != out || len(got.Cov[l]) != out {
				t.Fatalf("layer %d: %d means and %d covariances; want %d", l, len(got.Mean[l]), len(got.Cov[l]), out)
			}
			for j := range out {
				check.NearAll(t, "mean", got.Mean[l][j], mean.RawRowView(j), 0)
				check.NearMatrix(t, "covariance", mat.NewDense(in, in, slices.Concat(got.Cov[l][j]...)), cov[j], 1e-12)
			}
		}
	}
}

// findNumPy returns a Python that has NumPy, or nothing.
func findNumPy() string {
	for _, python := range []string{"python3", "/usr/bin/python3"} { // another may come first in the path
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	return ""
}
