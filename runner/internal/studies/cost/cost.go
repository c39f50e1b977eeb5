// Package cost is the study of what a step of the network costs against its size: one
// number at a time is changed, and the logarithms of time and size are compared.
package cost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/config"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "cost",
	Asks: "How do time and memory grow with classes, width, inputs and examples?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{header: m.Header, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	study.Plain
	Cost    settings        `toml:"cost"`
	Model   learner.Model   `toml:"model"` // its layers are those that one size is changed of
	Methods []learner.Named `toml:"method" inherit:"model"`

	header config.Header
	models []learner.Named
}

type settings struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"`       // numbers of classes
	Width    config.Ints `toml:"width" allowed:"each 1 to 10,000"`        // neurons of every hidden layer
	Inputs   config.Ints `toml:"inputs" allowed:"each 1 to 10,000"`       // numbers of inputs
	Examples config.Ints `toml:"examples" allowed:"each 10 to 1,000,000"` // lengths of the stream
	Stream   int         `toml:"stream" allowed:"10 to 1,000,000"`        // its length on the other axes
	Most     int         `toml:"most" allowed:"1 to 100,000,000"`         // numbers in the weights of a network; larger ones are left out
}

func (e *experiment) SetUp(*config.Manifest) (err error) {
	e.models, err = (learner.Sweep{}).Models(e.Model, e.Methods)
	for _, v := range e.models {
		if len(v.Layers) < 3 {
			err = field.Errorf("model.layers", "%v is not allowed; allowed: inputs, hidden widths and classes", v.Layers)
		}
	}
	return err
}

// batches is the number of parts of a stream, of whose times the median is taken: no stream is shorter.
const batches = 10

// Validate reports what is not allowed.
func (s *settings) Validate() error {
	for _, axis := range s.axes() {
		if err := learner.Increasing(axis.name, axis.sizes, config.MaxTrain); err != nil || len(axis.sizes) < 2 {
			return cmp.Or(err, field.Errorf(axis.name, "%v is not allowed; allowed: at least two sizes", axis.sizes))
		}
	}
	return nil
}

// axis is what is changed.
type axis struct {
	name, label string // the key, and its words
	sizes       []int
	set         func(p *point, size int)
	time, words string // the column of the time that belongs to it, and its words
}

func (s *settings) axes() []axis {
	const observe, words = "observe", "time of one Observe, μs"
	return []axis{
		{"classes", "classes", s.Classes, func(p *point, size int) { p.model.Layers[len(p.model.Layers)-1] = size }, observe, words},
		{"width", "width of the hidden layers", s.Width, func(p *point, size int) {
			for l := range len(p.model.Layers) - 2 {
				p.model.Layers[l+1] = size
			}
		}, observe, words},
		{"inputs", "inputs", s.Inputs, func(p *point, size int) { p.model.Layers[0] = size }, observe, words},
		{"examples", "examples", s.Examples, func(p *point, size int) { p.examples = size }, "stream", "time of all, s"},
	}
}

var _ study.Timed = (*experiment)(nil)

// point is a network at a size of an axis, with the stream that it learns.
type point struct {
	axis     string
	size     int
	model    learner.Named
	examples int
}

// points returns all of them, also those that are too large.
func (e *experiment) points() (all []point) {
	for _, axis := range e.Cost.axes() {
		for _, size := range axis.sizes {
			for _, m := range e.models {
				m.Layers = slices.Clone(m.Layers)
				p := point{axis.name, size, m, e.Cost.Stream}
				axis.set(&p, size)
				all = append(all, p)
			}
		}
	}
	return all
}

// numbers returns how many there are in the means and covariances of all weights.
func (p point) numbers() (n int) {
	cfg, _ := p.model.Config(p.model.Layers) // which is valid
	for l := range len(cfg.Layers) - 1 {
		out, in := cfg.WeightDims(l)
		rows, cols := cfg.SpreadDims(l)
		n += out*in + rows*cols
	}
	return n * max(1, p.model.Members)
}

func (p point) bytes() int { return 8 * p.numbers() }

var axisColumn, sizeColumn, methodColumn, weights = table.Text("axis", "what is changed"), table.Int("size", "to how many"),
	table.Text("method", "the network"), table.Int("bytes", "of the means and covariances of its weights")

// Tables says which networks are measured, and how large they are.
func (e *experiment) Tables([]table.Set) (table.Set, error) {
	t := table.New("networks", axisColumn, sizeColumn, methodColumn, weights, table.Int("measured", "0: too large, and left out"))
	for _, p := range e.points() {
		t.Add(p.axis, p.size, p.model.Name, p.bytes(), p.numbers() <= e.Cost.Most)
	}
	return table.Set{t}, nil
}

func (e *experiment) Measure(ctx context.Context, _ table.Set) (table.Set, error) {
	t := table.New("timing_cost", axisColumn, sizeColumn, methodColumn,
		table.Num("observe", "time of one Observe, in microseconds: median of ten parts of the stream"),
		table.Num("predict", "that of one Predict"), table.Num("stream", "time of the whole stream, in seconds"), weights)
	for _, p := range e.points() {
		if p.numbers() > e.Cost.Most {
			continue
		}
		times, err := e.measure(ctx, p)
		if err != nil {
			return nil, err
		}
		t.Add(p.axis, p.size, p.model.Name, times, p.bytes())
	}
	return table.Set{t, e.slopes(t)}, nil
}

// measure returns the times of an Observe, a Predict and the stream. The inputs are
// dense, and come again: the network does not stop for that.
func (e *experiment) measure(ctx context.Context, p point) ([]float64, error) {
	const different = 256 // examples
	source := func(purpose string) rand.Source {
		return study.Stream(e.header.Name, e.header.Seed, p.axis, p.size, purpose)
	}
	network, err := p.model.Mixture(source("weights"))
	if err != nil {
		return nil, err
	}
	rnd := rand.New(source("examples"))
	x, class := make([][]float64, different), make([]int, different)
	for i := range x {
		x[i] = make([]float64, p.model.Layers[0])
		for k := range x[i] {
			x[i][k] = random.Normal(rnd)
		}
		class[i] = rnd.IntN(p.model.Layers[len(p.model.Layers)-1])
	}
	observe, total, err := perStep(ctx, p.examples, func(i int) error {
		_, err := network.Observe(x[i%different], class[i%different])
		return err
	})
	if err != nil {
		return nil, err
	}
	var to bnn.Prediction
	predict, _, err := perStep(ctx, e.Cost.Stream, func(i int) error {
		return network.Predict(&to, x[i%different])
	})
	return []float64{observe, predict, total}, err
}

// perStep takes n steps in batches, and returns the median of their microseconds per step,
// and the seconds of all.
func perStep(ctx context.Context, n int, step func(i int) error) (median, total float64, err error) {
	var each []float64
	for b := range batches {
		first, end := b*n/batches, (b+1)*n/batches
		begin := time.Now()
		for i := first; i < end; i++ {
			if err := step(i); err != nil {
				return 0, 0, err
			}
		}
		seconds := time.Since(begin).Seconds()
		total += seconds
		each = append(each, seconds*1e6/float64(end-first))
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
	}
	slices.Sort(each)
	return (each[(batches-1)/2] + each[batches/2]) / 2, total, nil
}

// slopes returns d log time / d log size of every method along every axis.
func (e *experiment) slopes(t *table.Table) *table.Table {
	out := table.New("timing_slopes", axisColumn, methodColumn,
		table.Num("slope", "least squares of log time on log size over the upper half of the sizes: "+
			"of one Observe, or along the examples of the whole stream"),
		table.Num("predict", "that of one Predict"))
	for _, axis := range e.Cost.axes() {
		for _, m := range e.models {
			rows := t.Where("axis", axis.name).Where("method", m.Name)
			x, predict := rows.Nums("size"), math.NaN()
			if axis.name != "examples" {
				predict = slope(x, rows.Nums("predict"))
			}
			out.Add(axis.name, m.Name, slope(x, rows.Nums(axis.time)), predict)
		}
	}
	return out
}

// slope returns that of the least-squares line through (log x, log y) over the upper half
// of x, which increases; NaN for fewer than two points.
func slope(x, y []float64) float64 {
	var n, su, sv, suu, suv float64
	for i := len(x) / 2; i < len(x); i++ {
		u, v := kernel.Log(x[i]), kernel.Log(y[i])
		n, su, sv, suu, suv = n+1, su+u, sv+v, suu+float64(u*u), suv+float64(u*v)
	}
	if n < 2 {
		return math.NaN()
	}
	return (float64(n*suv) - float64(su*sv)) / (float64(n*suu) - float64(su*su))
}
