package classifier

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
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

func learn(t *testing.T, c *Classifier, n int, draw func() ([]float64, int)) {
	t.Helper()
	for range n {
		x, class := draw()
		check.OK(t, c.Learn(x, class))
	}
}

func saved(t *testing.T, c *Classifier) []byte {
	t.Helper()
	var file bytes.Buffer
	check.OK(t, c.Save(&file))
	return file.Bytes()
}

// Inputs like those that were learned are answered, rightly as a rule, and those far from all are unknown.
func TestUnknown(t *testing.T) {
	c, draw := newTriangle(), stream()
	var p Prediction
	check.OK(t, c.Predict(&p, []float64{30, 30}))
	check.True(t, p.Class != Unknown && p.Familiarity == 1, "before the first example: %+v", p)
	learn(t, c, 400, draw)
	wrong, unknown := 0, 0
	for range 500 {
		x, class := draw()
		check.OK(t, c.Predict(&p, x))
		check.Near(t, "sum", p.P[0]+p.P[1]+p.P[2], 1, 1e-12)
		if p.Class == Unknown {
			unknown++
		} else if p.Class != class {
			wrong++
		}
	}
	check.True(t, wrong <= 50 && unknown <= 3, "of 500 inputs %d are wrong and %d unknown", wrong, unknown)
	for _, x := range [][]float64{{30, 30}, {-30, 0}, {1e6, 1}} {
		check.OK(t, c.Predict(&p, x))
		check.True(t, p.Class == Unknown && p.Details.Class() != Unknown, "%v is of class %d", x, p.Class)
	}
	c.Decision = Decision{}
	check.OK(t, c.Predict(&p, []float64{30, 30}))
	check.Equal(t, "without a decision", p.Class, p.Details.Class())
	for _, smallest := range []float64{p.Confidence, math.Nextafter(p.Confidence, 2)} {
		c.Decision.Confidence = smallest
		check.OK(t, c.Predict(&p, []float64{30, 30}))
		check.True(t, (p.Class == Unknown) == (p.Confidence < smallest), "at %g the class is %d", smallest, p.Class)
	}
}

// A stream in two parts with a file between them leaves the same bytes, predicted before learning or not.
func TestSave(t *testing.T) {
	whole, first := newTriangle(), newTriangle()
	first.Note = json.RawMessage(`{"names":["a","b<c"]}`)
	first.Decision = Decision{Confidence: math.Inf(1), Familiarity: 0.01}
	draw, again := stream(), stream()
	learn(t, whole, 130, draw)
	learn(t, first, 70, again)
	second := check.Must(Load(bytes.NewReader(saved(t, first))))
	if second.Decision.Confidence < math.MaxFloat64 || !slices.Equal(saved(t, second), saved(t, first)) {
		t.Errorf("loaded: %+v, note %s", second.Decision, second.Note)
	}
	for range 60 {
		x, class := again()
		check.OK(t, second.Before(new(Prediction), x))
		check.OK(t, second.Learn(x, class))
	}
	whole.Note, whole.Decision = second.Note, second.Decision
	check.True(t, bytes.Equal(saved(t, whole), saved(t, second)), "what was loaded has learned something else")
	first.Note = json.RawMessage(`{"names"`)
	check.Refuses(t, "a note that is not JSON", first.Save(new(bytes.Buffer)), "classifier: ")
}

// A model of another program has no history. Its note is kept if it is JSON; a history that does not fit the
// model is refused.
func TestLoadAny(t *testing.T) {
	network := check.Must(bnn.New(bnn.Default(2, 2), random.Source("network")))
	load := func(note string) (*Classifier, error) {
		var file bytes.Buffer
		check.OK(t, checkpoint.Save(&file, network, note))
		return Load(&file)
	}
	for note, want := range map[string]string{"": "", "hello": "", "[1]": "[1]", `{"a":2}`: `{"a":2}`} {
		c := check.Must(load(note))
		check.Equal(t, "note", string(c.Note), want)
		if _, err := c.Threshold(0.1, 0.9); err == nil || c.Familiar != nil {
			t.Errorf("note %q: threshold without a record", note)
		}
		check.OK(t, c.Learn([]float64{1, 1}, 1))
		var p Prediction
		check.OK(t, c.Predict(&p, []float64{9, 9}))
		check.Equal(t, "familiarity", p.Familiarity, 1)
	}
	three := string(check.Must(json.Marshal(familiar.New(3))))
	for _, history := range []string{`"track_record":{"predicted":[1],"wrong":[2]}`, `"familiar":` + three} {
		check.Refuses(t, history, check.Err(load(`{"decision":{},`+history+`}`)), "classifier: ")
	}
}

// The record has the last half of the examples or more, and the threshold follows from it.
func TestHistory(t *testing.T) {
	h := NewHistory(1)
	for i := range 1000 {
		h.Add([]float64{float64(i)}, 0.99, i < 200) // the first 200 are wrong
		if n := h.Record.Len() + h.Recent.Len(); n < i/2 || i > 400 && n > i {
			t.Fatalf("after %d examples the record has %d", i, n)
		}
	}
	threshold, err := h.Threshold(0.01, 0.95)
	check.True(t, err == nil && threshold <= 0.99 && h.Familiar.Seen == 1000, "threshold %g, %v", threshold, err)
}

// After an error nothing has changed. A class that is added is learned.
func TestErrorsAndClasses(t *testing.T) {
	for _, o := range []Options{{}, {Inputs: 2, Classes: 1}, {Classes: 2}, {2, 2, []int{0}, false}} {
		check.Refuses(t, fmt.Sprint(o), check.Err(New(o, random.Source("options"))), "classifier: bnn: Layers: ")
	}
	c, draw := newTriangle(), stream()
	learn(t, c, 50, draw)
	before := saved(t, c)
	for _, bad := range []struct {
		x     []float64
		class int
	}{{[]float64{1}, 0}, {[]float64{1, math.NaN()}, 0}, {[]float64{1, 1}, 3}, {[]float64{1, 1}, -1}} {
		check.Refuses(t, fmt.Sprint(bad), c.Learn(bad.x, bad.class))
	}
	var p Prediction
	check.Refuses(t, "NaN", c.Predict(&p, []float64{0, math.NaN()}))
	if p.Class != Unknown || !math.IsNaN(p.Familiarity) || !bytes.Equal(saved(t, c), before) {
		t.Errorf("after errors: %+v, or the classifier has changed", p)
	}
	check.OK(t, c.AddClass())
	for range 30 {
		check.OK(t, c.Before(&p, []float64{-5, -5}))
		check.OK(t, c.Learn([]float64{-5, -5}, 3))
		learn(t, c, 3, draw)
	}
	check.OK(t, c.Predict(&p, []float64{-5, -5}))
	check.Equal(t, "the new class", p.Class, 3)
}

// The networks of the default mixture have the prior variances that CHOICES.md says.
func TestVariants(t *testing.T) {
	cfg := bnn.Default(4, 50, 3)
	hidden, output, last := cfg.PriorVar[0], cfg.PriorVar[1], bnn.Default(4, 3).PriorVar[0]
	configs := variants(cfg)
	for k, want := range [][]float64{
		{hidden, 3 * output}, {hidden / 10, 10 * output}, {hidden / 10, 0.3 * output}, {last}, {last / 1000},
	} {
		check.NearAll(t, fmt.Sprint("prior variances of network ", k), configs[k].PriorVar, want, 1e-12)
	}
	cfg.SetCovariance(bnn.Diagonal)
	cfg.PriorVar = []float64{1, 2 * cfg.PriorVar[1]}
	check.Near(t, "prior variance of a wider prior", variants(cfg)[3].PriorVar[0], 2*last, 1e-12)
	check.Equal(t, "networks without hidden layers", len(variants(bnn.Default(4, 3))), 2)
	cfg.PriorVar = nil
	check.Refuses(t, "no prior variances", check.Err(NewMixture(cfg, false, random.Source("none"))), "PriorVar")
}

// The familiarity of an output layer, behind features or not, is by Bonferroni of inputs and layer, or of one
// of them where there are few examples or no model of the inputs.
func TestLayer(t *testing.T) {
	for _, behind := range []func(l *readout.Layer) bnn.Model{
		func(l *readout.Layer) bnn.Model { return l },
		func(l *readout.Layer) bnn.Model {
			return features.Model{Map: check.Must(features.New(features.Relu, 2, 2, 1)), Model: l}
		},
	} {
		l := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 3}))
		c, draw, x := From(behind(l), NewHistory(2)), stream(), []float64{0.5, -0.25}
		var p Prediction
		learn(t, c, 9, draw)
		check.OK(t, c.Predict(&p, x))
		check.Near(t, "few examples", p.Familiarity, c.Familiar.P(x), 0)
		learn(t, c, 191, draw)
		z := x
		if f, ok := c.Model().(features.Model); ok {
			z = make([]float64, 2)
			check.OK(t, f.Standard(z, x))
		}
		check.OK(t, c.Predict(&p, x))
		all, _, err := l.Familiarity([][]float64{z}, []int{p.Details.Class()})
		check.OK(t, err)
		check.Near(t, "both", p.Familiarity, min(1, 2*c.Familiar.P(x), 2*all[0]), 0)
		check.OK(t, c.Before(&p, x))
		check.Near(t, "before", p.Familiarity, c.Familiar.P(x), 0)
		c.Familiar = nil
		check.OK(t, c.Predict(&p, x))
		check.Near(t, "layer alone", p.Familiarity, all[0], 0)
	}
}
