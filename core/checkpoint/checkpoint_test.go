package checkpoint

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
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

func written(t testing.TB, n *bnn.Network) []byte {
	t.Helper()
	var file bytes.Buffer
	check.OK(t, Save(&file, n, ""))
	return file.Bytes()
}

func readBytes(file []byte) (*bnn.Network, error) {
	m, _, err := Load(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	return m.(*bnn.Network), nil
}

// changed returns a configuration that differs from the default.
func changed(change func(*bnn.Config), layers ...int) bnn.Config {
	c := bnn.Default(layers...)
	change(&c)
	return c
}

// complete has no field that is zero, nor as in bnn.Default. It is that of the file of testdata.
var complete = changed(func(c *bnn.Config) {
	c.Unit.Alpha, c.Unit.Beta = 0.1, 1.7
	c.Output, c.Hidden, c.Softmax = bnn.ADFExact, bnn.Smooth, softmax.Exact{Fast: true}
	c.SetCovariance(bnn.Diagonal, bnn.Shared)
	c.PriorVar, c.PriorMeanVar, c.PriorDraw = []float64{1. / 28, 10. / 56}, 2./3, bnn.Independent
	c.Replications = []float64{2. / 7, 1.5}
	c.Paper = bnn.PaperRule{OnIndefinite: bnn.Project, EigenvalueFloor: 1. / 3, VarianceFloor: 1e-5}
}, 3, 7, 4)

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
	smallConfig,
	complete,
}

func TestRoundTrip(t *testing.T) {
	for i, cfg := range configs {
		n := trained(cfg)
		file := written(t, n)
		got, err := readBytes(file)
		if err != nil {
			t.Fatalf("network %d: %v", i, err)
		}
		if got, want := got.State(), n.State(); !reflect.DeepEqual(got, want) {
			t.Errorf("network %d: read %+v, want %+v", i, got, want)
		}
		if !bytes.Equal(written(t, got), file) {
			t.Errorf("network %d: written again, it makes another file", i)
		}
	}
}

// Every field of a configuration is stored.
func TestConfigIsComplete(t *testing.T) {
	for _, v := range []reflect.Value{reflect.ValueOf(complete), reflect.ValueOf(complete.Unit), reflect.ValueOf(complete.Paper)} {
		for i := range v.NumField() {
			if v.Field(i).IsZero() {
				t.Errorf("%s is not tested", v.Type().Field(i).Name)
			}
		}
	}
	text := check.Must(encode(complete))
	if got, err := decode(text); err != nil || !reflect.DeepEqual(got, complete) {
		t.Errorf("%s is read as %+v, %v; want %+v", text, got, err, complete)
	}
}

type probitByAnotherName struct{ softmax.Probit }

func TestWriteRefuses(t *testing.T) {
	for _, s := range []softmax.Approximation{
		softmax.ProbitCorr{Lambda: 0.3, Corr: mat.NewSymDense(2, []float64{1, 0.2, 0.2, 1})},
		&softmax.Probit{Lambda: 0.3},
		probitByAnotherName{softmax.Probit{Lambda: 0.3}},
	} {
		n := check.Must(bnn.New(changed(func(c *bnn.Config) { c.Output, c.Softmax = bnn.Joint, s }, 2, 3), random.Source("checkpoint")))
		var file bytes.Buffer
		if err := Save(&file, n, ""); err == nil || !strings.Contains(err.Error(), "cannot be stored; allowed: softmax.Probit, softmax.Exact") {
			t.Errorf("softmax %T: error %v", s, err)
		}
		if file.Len() > 0 {
			t.Errorf("softmax %T: %d bytes were written", s, file.Len())
		}
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
	size := len(written(t, n))
	for room := range size {
		f := full(room)
		if err := Save(&f, n, ""); !errors.Is(err, errFull) {
			t.Fatalf("%d bytes of %d: error %v", room, size, err)
		}
	}
}

var update = flag.Bool("update", false, "write testdata anew, for a new format")

// A file of format 4 is read by every version of this package.
func TestFormat4(t *testing.T) {
	const name = "testdata/format4.npz"
	if *update {
		check.OK(t, os.WriteFile(name, written(t, trained(complete)), 0o666))
	}
	f := check.Must(os.Open(name))
	defer f.Close()
	m, _, err := Load(f)
	check.OK(t, err)
	n := m.(*bnn.Network)
	if got, want := n.Config(), complete; !reflect.DeepEqual(got, want) {
		t.Errorf("configuration %+v, want %+v", got, want)
	}
	var p bnn.Prediction
	check.OK(t, n.Predict(&p, []float64{0.5, -1, 2}))
	want := []float64{0.256919729866, 0.411079803666, 0.0915966674978, 0.240403798966}
	if !floats.EqualApprox(p.P, want, 1e-9) {
		t.Errorf("prediction %.12g, want %.12g", p.P, want)
	}
}

func ensemble(members ...*bnn.Network) *bnn.Ensemble {
	return check.Must(bnn.Combine(members...))
}

// An ensemble of several comes back to the bit, with its note.
func TestEnsemble(t *testing.T) {
	for _, cfg := range configs {
		var members []*bnn.Network
		for k := range 3 {
			n := check.Must(bnn.New(cfg, random.Source("member", k)))
			members = append(members, n)
		}
		e := ensemble(members...)
		x := []float64{0.5, -1, 2, 1}[:cfg.Layers[0]]
		_, _ = e.Observe(x, 1)
		var file bytes.Buffer
		check.OK(t, Save(&file, e, "a note"))
		again, note, err := Load(bytes.NewReader(file.Bytes()))
		if err != nil || note != "a note" || len(again.Members()) != 3 {
			t.Fatalf("%v, note %q", err, note)
		}
		_, _ = e.Observe(x, 0)
		_, _ = again.Observe(x, 0)
		var p, q bnn.Prediction
		check.OK(t, errors.Join(e.Predict(&p, x), again.Predict(&q, x)))
		if !mat.Equal(p.Cov, q.Cov) || !floats.Equal(p.P, q.P) || p.MutualInformation() != q.MutualInformation() {
			t.Errorf("%+v: read back it predicts %v, not %v", cfg, q.P, p.P)
		}
	}
}

// banks are one of networks with forgetting and a new class, in the midst of a stream; one within another,
// whose weights are fixed; and one all of whose members broke down.
func banks(t testing.TB) []*bnn.Bank {
	t.Helper()
	bank := func(w bnn.Weighing, members ...bnn.Model) *bnn.Bank {
		return check.Must(bnn.NewBank(w, members...))
	}
	strict := changed(func(c *bnn.Config) {
		c.Bias, c.Output, c.Softmax, c.PriorVar = false, bnn.Joint, softmax.Probit{Lambda: 2, Rho: 0.5}, []float64{1}
	}, 2, 3)
	first := bank(bnn.Weighing{Weights: bnn.Universal, Forgetting: 0.99, Temperature: true}, trained(configs[0]),
		ensemble(trained(bnn.Default(2, 4, 3)), trained(bnn.Default(2, 4, 3))), trained(strict))
	failed := bank(bnn.Weighing{Weights: bnn.Evidence}, trained(strict), trained(strict))
	rnd := rand.New(random.Source("checkpoint", "bank"))
	for range 20 {
		x, class := []float64{3 * rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(3)
		check.Must(first.Observe(x, class))
		_, _ = failed.Observe(x, class)
	}
	check.OK(t, first.AddClass())
	check.Must(first.Observe([]float64{1, 1}, 3))
	if w := first.Weights(); w[2] != 0 || w[0] == w[1] || failed.State().Failed == "" {
		t.Fatalf("weights %v, %+v", w, failed.State())
	}
	fixed := bank(bnn.Weighing{Weights: bnn.Equal}, trained(configs[3]), bank(bnn.Weighing{Weights: bnn.Evidence}, trained(configs[3])))
	fixed.Fix()
	return []*bnn.Bank{first, fixed, failed}
}

// A bank comes back to the bit, and goes on learning and weighing in the same way.
func TestBank(t *testing.T) {
	for i, b := range banks(t) {
		var file, second bytes.Buffer
		check.OK(t, Save(&file, b, "a note"))
		m, note, err := Load(bytes.NewReader(file.Bytes()))
		if err != nil || note != "a note" {
			t.Fatalf("%v, note %q", err, note)
		}
		again := m.(*bnn.Bank)
		if err := Save(&second, again, note); err != nil || !bytes.Equal(second.Bytes(), file.Bytes()) {
			t.Errorf("bank %d: %v, or written again it makes another file", i, err)
		}
		rnd := rand.New(random.Source("checkpoint", "more"))
		for range 10 {
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64()}
			want, failed := b.Observe(x, 1)
			got, err := again.Observe(x, 1)
			if (failed == nil) != (err == nil) || got.LogP != want.LogP || !floats.Equal(again.Weights(), b.Weights()) {
				t.Errorf("bank %d: %+v, %v, weights %v; want %+v, %v, %v", i, got, err, again.Weights(), want, failed, b.Weights())
			}
			var p, q bnn.Prediction
			failed, err = b.Predict(&p, x), again.Predict(&q, x)
			if (failed == nil) != (i < 2) || (err == nil) != (i < 2) || !floats.Same(p.P, q.P) || i < 2 && !mat.Equal(p.Cov, q.Cov) {
				t.Errorf("bank %d: %v, read back it predicts %v, not %v", i, err, q.P, p.P)
			}
		}
	}
	if err := Save(io.Discard, struct{ bnn.Model }{banks(t)[0]}, ""); err == nil || !strings.Contains(err.Error(), "allowed: *bnn.Network, *bnn.Ensemble, *bnn.Bank") {
		t.Errorf("another model: error %v", err)
	}
}
