package classifier

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

// stream draws examples of three classes around the corners of a triangle in the plane.
func stream() func() (x []float64, class int) {
	rnd := rand.New(random.Source("stream"))
	return func() ([]float64, int) {
		class := rnd.IntN(3)
		x := []float64{random.Normal(rnd), random.Normal(rnd)}
		if class < 2 {
			x[class] += 3
		}
		return x, class
	}
}

func newTriangle() *Classifier {
	return check.Must(New(Options{Inputs: 2, Classes: 3, Hidden: []int{5}}, random.Source("triangle")))
}

func newNetwork(cfg bnn.Config) *Classifier {
	return From(check.Must(bnn.New(cfg, random.Source("network"))), NewHistory(2))
}

func learn(t *testing.T, c *Classifier, n int, draw func() ([]float64, int)) {
	t.Helper()
	for range n {
		x, class := draw()
		check.OK(t, c.Learn(x, class))
	}
}

// Inputs like those that were learned are answered, rightly as a rule, and those far from all are unknown: by
// the classifier and by its snapshot, each with its own Decision.
func TestUnknown(t *testing.T) {
	c, draw := newTriangle(), stream()
	var p Prediction
	check.OK(t, c.Predict(&p, []float64{30, 30}))
	check.True(t, p.Class != Unknown && p.Familiarity == 1, "before the first example: %+v", p)
	learn(t, c, 400, draw)
	s := check.Must(c.Snapshot())
	for decision, predict := range map[*Decision]func(*Prediction, []float64) error{
		&c.Decision: c.Predict, &s.Decision: s.Predict,
	} {
		wrong, unknown := 0, 0
		for range 500 {
			x, class := draw()
			check.OK(t, predict(&p, x))
			check.Near(t, "sum", p.P[0]+p.P[1]+p.P[2], 1, 1e-12)
			if p.Class == Unknown {
				unknown++
			} else if p.Class != class {
				wrong++
			}
		}
		check.True(t, wrong <= 50 && unknown <= 3, "of 500 inputs %d are wrong and %d unknown", wrong, unknown)
		for _, x := range [][]float64{{-30, 0}, {1e6, 1}, {30, 30}} {
			check.OK(t, predict(&p, x))
			check.True(t, p.Class == Unknown && p.Details.Class() != Unknown, "%v: class %d", x, p.Class)
		}
		for d, answered := range map[Decision]bool{
			{}: true, {Familiarity: 2 * p.Familiarity}: false,
			{Confidence: p.Confidence}: true, {Confidence: math.Nextafter(p.Confidence, 2)}: false,
			{Probability: slices.Max(p.P)}: true, {Probability: math.Nextafter(slices.Max(p.P), 2)}: false,
		} {
			*decision = d
			check.OK(t, predict(&p, []float64{30, 30}))
			check.True(t, (p.Class != Unknown) == answered, "%+v: class %d", d, p.Class)
		}
	}
}

// A snapshot does not change, and is that of a loaded copy, to the bit. Others predict while one goroutine
// learns.
func TestConcurrent(t *testing.T) {
	cfg := bnn.Default(2, 3)
	cfg.Output, cfg.Softmax = bnn.Joint, softmax.Probit{Lambda: 0.3, Rho: 0.2} // P does not add up to 1
	cfg.Paper.OnIndefinite = bnn.Skip
	for _, c := range []*Classifier{newTriangle(), newNetwork(cfg)} {
		draw := stream()
		learn(t, c, 200, draw)
		at := func(s *Snapshot) []float64 {
			var p Prediction
			check.OK(t, s.Predict(&p, []float64{0.5, 1}))
			return append([]float64{p.Confidence, p.Familiarity, check.Must(s.Threshold(0.1, 0.9))}, p.P...)
		}
		first, loaded := check.Must(c.Snapshot()), check.Must(Load(bytes.NewReader(saved(t, c))))
		want := at(check.Must(loaded.Snapshot()))
		var others sync.WaitGroup
		var done atomic.Bool
		for k := range 5 {
			others.Go(func() {
				var p, q Prediction
				for range 5 {
					check.OK(t, errors.Join(c.Predict(&p, []float64{1, 1}), first.Predict(&q, []float64{1, 1})))
					check.Near(t, "sum", kernel.Sum(p.P), 1, 1e-12)
					if check.Must(c.Threshold(0.1, 0.9)); k == 0 {
						at(check.Must(c.Snapshot()))
						check.Must(Load(bytes.NewReader(saved(t, c))))
					}
				}
			})
		}
		go func() {
			others.Wait()
			done.Store(true)
		}()
		for i := 0; i < 100 || !done.Load(); i++ {
			learn(t, c, 1, draw)
		}
		check.NearAll(t, "the first snapshot", at(first), want, 0)
		check.True(t, !slices.Equal(at(check.Must(c.Snapshot())), want), "the last snapshot is the first")
	}
}

// Errors name the option, or that the example is bad. After an error nothing has changed.
func TestErrors(t *testing.T) {
	for name, o := range map[string]Options{
		"Inputs": {}, "Classes": {Inputs: 2, Classes: 1}, "Hidden": {Inputs: 2, Classes: 2, Hidden: []int{0}},
		"Scale": {Inputs: 144, Classes: 2, Images: true, Scale: true},
	} {
		err := check.Err(New(o, random.Source("options")))
		wrong, _ := errors.AsType[*bnn.FieldError](err)
		check.True(t, wrong != nil && wrong.Field == name, "%+v: %v", o, err)
	}
	check.Refuses(t, "nil", check.Err(New(Options{Inputs: 2, Classes: 2}, nil)), "no source of random numbers")
	var zero Classifier
	for _, err := range []error{
		zero.Learn(nil, 0), zero.Predict(new(Prediction), nil), zero.AddClass(), zero.Save(io.Discard),
		check.Err(zero.Snapshot()), check.Err(zero.Threshold(0.1, 0.9)),
	} {
		check.Refuses(t, "the zero Classifier", err, "classifier: no model; a Classifier is made by New")
	}
	c, draw := newTriangle(), stream()
	learn(t, c, 50, draw)
	before := saved(t, c)
	wrapped := features.Model{
		Map:   check.Must(features.New(features.Relu, 2, 4, 1)),
		Model: check.Must(readout.New(readout.Config{Kind: readout.Ridge, Inputs: 4, Classes: 3})),
	}
	for _, bad := range []struct {
		x     []float64
		class int
	}{{[]float64{1}, 0}, {[]float64{1, math.NaN()}, 0}, {[]float64{1, 1}, 3}, {[]float64{1, 1}, -1}} {
		for _, c := range []*Classifier{c, From(wrapped, new(History)), newNetwork(bnn.Default(2, 3))} {
			err := c.Learn(bad.x, bad.class)
			_, ok := errors.AsType[*bnn.ExampleError](err)
			check.True(t, ok && !strings.Contains(err.Error(), "member"), "%v: error %v", bad, err)
		}
	}
	var p Prediction
	for _, predict := range []func(*Prediction, []float64) error{c.Predict, check.Must(c.Snapshot()).Predict} {
		check.OK(t, predict(&p, []float64{0, 0}))
		_, ok := errors.AsType[*bnn.ExampleError](predict(&p, []float64{0, math.NaN()}))
		check.True(t, ok, "NaN is no ExampleError")
		nan := math.IsNaN(p.Familiarity) && math.IsNaN(p.Confidence) && math.IsNaN(p.P[0])
		check.True(t, p.Class == Unknown && nan, "after errors: %+v", p)
		check.True(t, bytes.Equal(saved(t, c), before), "the classifier has changed")
	}
}

// A class that is added is learned.
func TestAddClass(t *testing.T) {
	layer, draw := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 3})), stream()
	var p Prediction
	for _, c := range []*Classifier{newTriangle(), From(layer, NewHistory(2)), newNetwork(bnn.Default(2, 3))} {
		learn(t, c, 50, draw)
		check.OK(t, c.Predict(&p, []float64{-5, -5}))
		check.OK(t, c.AddClass())
		check.OK(t, c.Model().Predict(&p.Details, []float64{-5, -5}))
		check.Equal(t, "classes", len(p.Details.P), 4)
		for range 30 {
			check.OK(t, c.Learn([]float64{-5, -5}, 3))
			learn(t, c, 3, draw)
			check.OK(t, c.Predict(&p, []float64{-5, -5}))
		}
		check.Equal(t, "the new class", p.Details.Class(), 3)
		check.OK(t, check.Must(c.Snapshot()).Predict(&p, []float64{-5, -5}))
		check.Equal(t, "the new class in a snapshot", p.Details.Class(), 3)
	}
}

// The networks of the default mixture have the prior variances and the process noise that CHOICES.md says.
func TestVariants(t *testing.T) {
	cfg := bnn.Default(4, 50, 3)
	hidden, output, last := cfg.PriorVar[0], cfg.PriorVar[1], bnn.Default(4, 3).PriorVar[0]
	for k, c := range variants(cfg) {
		units, want := []int{50, 50, 30, 70, 0, 0, 0}[k], [][]float64{ // prior variances, process noise
			{hidden / 10, 0.3 * output},
			{hidden / 10, 10 * output},
			{hidden, 10 * output * 51 / 31, 0, 1e-3},
			{hidden, 3 * output * 51 / 71, 1e-5, 1e-5},
			{last},
			{last / 1000},
			{100 * last, 1e-3},
		}[k]
		check.NearAll(t, fmt.Sprint("network ", k), slices.Concat(c.PriorVar, c.ProcessNoise), want, 1e-12)
		check.True(t, units == 0 && len(c.Layers) == 2 || c.Layers[1] == units, "layers %v", c.Layers)
	}
	cfg.SetCovariance(bnn.Diagonal)
	cfg.PriorVar = []float64{1, 2 * cfg.PriorVar[1]}
	check.Near(t, "prior variance of a wider prior", variants(cfg)[4].PriorVar[0], 2*last, 1e-12)
	check.Equal(t, "networks without hidden layers", len(variants(bnn.Default(4, 3))), 3)
	cfg.PriorVar = nil
	check.Refuses(t, "no prior variances", check.Err(NewMixture(cfg, false, random.Source("none"))), "PriorVar")
}

// Inputs of any range are scaled by the examples before, and learned as if they had been scaled by the caller,
// also by a snapshot and after a file.
func TestScale(t *testing.T) {
	o := Options{Inputs: 3, Classes: 3, Hidden: []int{5}}
	plain := check.Must(New(o, random.Source("scale")))
	o.Scale = true
	c, draw := check.Must(New(o, random.Source("scale"))), stream()
	var rows [3][]float64 // the inputs of the examples before
	var p, q Prediction
	for i := range 150 {
		x, class := draw()
		x = []float64{1e6 + 1e3*x[0], 1e-150 * x[1], 7} // 7 never changes
		if i == 100 {
			x[0] = math.MaxFloat64
		}
		z := make([]float64, 3)
		for j, row := range rows[:2] {
			mean, sd := stat.PopMeanStdDev(row, nil)
			if i > 1 {
				z[j] = max(-10, min(10, (x[j]-mean)/sd))
			}
		}
		if i <= 100 { // the example of 1e308 ends the comparison
			check.OK(t, errors.Join(plain.Predict(&q, z), plain.Learn(z, class), c.Predict(&p, x)))
			check.NearAll(t, fmt.Sprint("P of example ", i), p.P, q.P, 1e-6)
		}
		if i%2 == 0 {
			check.OK(t, c.Predict(&p, x))
		}
		if check.OK(t, c.Learn(x, class)); i == 60 {
			c = check.Must(Load(bytes.NewReader(saved(t, c))))
		}
		for j := range rows {
			rows[j] = append(rows[j], x[j])
		}
		if i == 99 {
			s, want := check.Must(c.Snapshot()), check.Must(plain.Snapshot())
			for j := range 2 {
				mean, sd := stat.PopMeanStdDev(rows[j], nil)
				x[j], z[j] = mean+float64(j+1)*sd, float64(j+1)
			}
			check.OK(t, errors.Join(s.Predict(&p, x), want.Predict(&q, z)))
			check.NearAll(t, "P of the snapshot", p.P, q.P, 1e-6)
			check.Refuses(t, "NaN", s.Predict(&p, []float64{1, math.Inf(1), 7}), "input 1 is +Inf")
		}
		check.Refuses(t, "infinite", c.Learn([]float64{1, math.Inf(1), 7}, 0), "input 1 is +Inf")
		check.True(t, c.Learn(x, 3) != nil && c.Scaling.Seen == i+1, "an error was learned")
	}
	check.Must(Load(bytes.NewReader(saved(t, c))))
	note := `{"decision":{},"scaling":{"seen":1,"mean":[0],"squares":[0]}}`
	var file bytes.Buffer
	check.OK(t, checkpoint.Save(&file, c.Model(), note))
	check.Refuses(t, "another scaling", check.Err(Load(&file)), "the scaling is not that of 3 inputs")
}

// benchmark measures an operation on defaults of several sizes, each after some examples. The documentation says
// what its output was.
func benchmark(b *testing.B, operation func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func()) {
	for _, size := range []struct {
		classes, inputs, examples int
		images                    bool
	}{
		{2, 7, 3000, false},
		{10, 64, 3000, false},
		{10, 784, 1000, true},
		{100, 20, 3000, false},
		{1000, 800, 300, false},
	} {
		b.Run(fmt.Sprintf("classes=%d/inputs=%d", size.classes, size.inputs), func(b *testing.B) {
			o := Options{Inputs: size.inputs, Classes: size.classes, Images: size.images}
			c, rnd := check.Must(New(o, random.Source("benchmark"))), rand.New(random.Source("examples"))
			draw := func() ([]float64, int) {
				class := rnd.IntN(size.classes)
				x := random.Normals(rnd, size.inputs)
				for j := range x {
					x[j] = (x[j] + float64((class+j)%size.classes)*4/float64(size.classes)) / 2
				}
				return x, class
			}
			for range size.examples {
				check.OK(b, c.Learn(draw()))
			}
			run := operation(b, c, draw)
			b.ReportAllocs()
			for b.Loop() {
				run()
			}
		})
	}
}

func BenchmarkLearn(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func() {
		return func() { check.OK(b, c.Learn(draw())) }
	})
}

func BenchmarkSnapshot(b *testing.B) {
	benchmark(b, func(_ *testing.B, c *Classifier, _ func() ([]float64, int)) func() {
		return func() { check.Must(c.Snapshot()) }
	})
}

// The prediction of a snapshot.
func BenchmarkPredict(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, draw func() ([]float64, int)) func() {
		s, p := check.Must(c.Snapshot()), new(Prediction)
		x, _ := draw()
		return func() { check.OK(b, s.Predict(p, x)) }
	})
}

func BenchmarkSave(b *testing.B) {
	benchmark(b, func(b *testing.B, c *Classifier, _ func() ([]float64, int)) func() {
		return func() {
			var file bytes.Buffer
			check.OK(b, c.Save(&file))
			b.ReportMetric(float64(file.Len())/1e6, "MB/file")
		}
	})
}
