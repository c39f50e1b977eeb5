package readout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// drawn draws examples of classes with different means and covariances, most of class 0.
func drawn(n, d, classes int) []example {
	rnd := rand.New(random.Source("readout", n, d, classes))
	all := make([]example, n)
	for i := range all {
		e := example{x: make([]float64, d), class: i % classes}
		if i%3 == 0 {
			e.class = 0
		}
		common := random.Normal(rnd)
		for j := range e.x {
			e.x[j] = random.Normal(rnd) + 0.5*float64(e.class)*common
		}
		e.x[e.class%d] += 2
		all[i] = e
	}
	return all
}

func learned(t *testing.T, c Config, examples []example) *Layer {
	t.Helper()
	l := check.Must(New(c))
	observe(t, l, examples)
	return l
}

func observe(t *testing.T, l *Layer, examples []example) {
	t.Helper()
	for _, e := range examples {
		u, err := l.Observe(e.x, e.class)
		if err != nil || u.Action != bnn.Applied || !math.IsNaN(u.LogP) {
			t.Fatalf("update %+v, error %v", u, err)
		}
	}
}

// predictedAt returns the probabilities at x.
func predictedAt(t *testing.T, l *Layer, x []float64) []float64 {
	t.Helper()
	var p bnn.Prediction
	check.OK(t, l.Predict(&p, x))
	return p.P
}

// predicted returns the probabilities and all scores of x.
func predicted(t *testing.T, l *Layer, x []float64) []float64 {
	t.Helper()
	all := predictedAt(t, l, x)
	for c := range all {
		if l.totals.examples() > 0 {
			scores := l.solve(true).familiarity.scores([]example{check.Must(l.example(x, c))}, false)
			all = append(all, scores[0][:]...)
		}
	}
	return all
}

// eachKind runs a test for both kinds of layers.
func eachKind(t *testing.T, test func(t *testing.T, kind Kind)) {
	for _, kind := range []Kind{Ridge, Gaussian} {
		t.Run(string(kind), func(t *testing.T) { test(t, kind) })
	}
}

// Neither the order of the examples matters, nor when a layer predicts, is restored, or gets a new class.
func TestOrder(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		const classes = 4
		examples := drawn(2600, 7, classes)
		c := Config{Kind: kind, Inputs: 7, Classes: classes}
		l := learned(t, c, examples)
		x := drawn(5, 7, classes)[4].x
		want, state := predicted(t, l, x), l.State()
		weight, sample := make([]float64, classes), l.solve(false).sample
		for i, e := range sample.examples {
			weight[e.class] += sample.weight[i] / float64(state.Count[e.class])
		}
		check.NearAll(t, "relative weights of the classes", weight, slices.Repeat([]float64{1}, classes), 1e-9)
		kept := len(state.KeptClass)
		check.True(t, 1000 <= kept && kept <= mostKept, "%d examples kept", kept)
		same := func(what string, l *Layer) {
			t.Helper()
			check.NearAll(t, what, predicted(t, l, x), want, 0)
			check.Equal(t, what+": state", l.State(), state)
			check.Equal(t, what+": configuration", l.Config(), c)
		}
		sorted := slices.Clone(examples)
		slices.SortStableFunc(sorted, func(a, b example) int { return a.class - b.class })
		same("sorted", learned(t, c, sorted))
		swap := func(i, j int) { examples[i], examples[j] = examples[j], examples[i] }
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(examples), swap)
		same("shuffled", learned(t, c, examples))

		part := check.Must(New(Config{Kind: kind, Inputs: 7, Classes: 2}))
		added := 2
		for i, e := range sorted {
			for ; added <= e.class; added++ {
				check.OK(t, part.AddClass())
			}
			observe(t, part, []example{e})
			if i%700 == 0 {
				predicted(t, part, x)
				part = check.Must(Restore(part.Config(), part.State()))
			}
		}
		same("in parts", part)
	})
}

// A snapshot is a layer without the recursion that has learned the same, to the bit, also while the layer
// learns on, and if it solves first after that.
func TestSnapshot(t *testing.T) {
	for _, c := range []Config{{Ridge, 5, 3, false}, {Gaussian, 5, 3, false}, {Ridge, 5, 3, true}} {
		examples, more := drawn(200, 5, 3), drawn(333, 5, 4)
		examples[0].x[0] = 40 // is limited
		l, plain := check.Must(New(c)), c
		plain.Sequential = false
		for _, e := range examples {
			check.Must(l.Observe(e.x, e.class))
		}
		same := learned(t, plain, examples)
		want := predictedAt(t, same, more[0].x)
		solved, unsolved := l.Snapshot().(*Layer), l.Snapshot().(*Layer)
		predict := func() {
			var p bnn.Prediction
			err := solved.Predict(&p, more[0].x)
			check.True(t, err == nil && slices.Equal(p.P, want), "%+v: %v, error %v; want %v", c, p.P, err, want)
		}
		var busy sync.WaitGroup
		busy.Go(predict)
		busy.Go(predict)
		check.OK(t, l.AddClass())
		for _, e := range slices.Concat(examples, more) {
			check.Must(l.Observe(e.x, e.class))
		}
		busy.Wait()
		late := predicted(t, unsolved, more[0].x)
		check.Equal(t, "of a snapshot that solves late", late, predicted(t, same, more[0].x))
		check.Equal(t, "configuration", unsolved.Config(), plain)
		check.Equal(t, "state", unsolved.State(), same.State())
	}
}

// The log loss is near that of the distribution of the examples, in the end and along the stream.
func TestCalibrated(t *testing.T) {
	rnd := rand.New(random.Source("calibrated"))
	draw := func(n int) (examples []example, possible float64) {
		for range n {
			e := example{x: []float64{random.Normal(rnd), random.Normal(rnd), 1}, class: rnd.IntN(2)}
			e.x[0] += 2 * float64(e.class)
			possible += math.Log1p(math.Exp(float64(1-2*e.class)*(2*e.x[0]-2))) / float64(n)
			examples = append(examples, e)
		}
		return examples, possible
	}
	for _, c := range []Config{{Ridge, 3, 2, false}, {Gaussian, 3, 2, false}, {Ridge, 3, 2, true}} {
		l := check.Must(New(c))
		if examples, possible := draw(2000); c.Sequential {
			check.Near(t, "log loss along the stream", before(t, l, examples), possible, 0.015)
		} else {
			observe(t, l, examples)
		}
		examples, loss := draw(5000)
		for _, e := range examples {
			loss += math.Log(predictedAt(t, l, e.x)[e.class]) / 5000
		}
		check.Near(t, "log loss", loss, 0, 0.005)
	}
}

// Whatever the examples, probabilities are finite, add up to 1, and favour the class of the examples.
func TestExtremes(t *testing.T) {
	same := func(x float64, class ...int) (all []example) {
		for _, c := range class {
			all = append(all, example{x: slices.Repeat([]float64{x}, 40), class: c})
		}
		return all
	}
	for name, examples := range map[string][]example{
		"none":              nil,
		"one":               same(1, 2),
		"one of each class": slices.Concat(same(1, 2), same(0, 0), same(-1, 1)),
		"one class":         append(drawn(1, 40, 3), drawn(1, 40, 3)...),
		"constant":          same(0.3, 0, 1, 1, 1, 2, 2),
		"duplicates":        slices.Concat(drawn(9, 40, 3), drawn(9, 40, 3), drawn(9, 40, 3)),
		"two classes":       drawn(30, 40, 2),
		"one of a class":    append(drawn(60, 40, 2), same(1, 2)...),
		"huge":              slices.Concat(same(1e300, 0, 0), same(-1e300, 1, 1)),
	} {
		eachKind(t, func(t *testing.T, kind Kind) {
			l := learned(t, Config{Kind: kind, Inputs: 40, Classes: 3}, examples)
			for _, e := range slices.Concat(examples, drawn(4, 40, 3), same(1e308, 0)) {
				p, least := predictedAt(t, l, e.x), 1/float64(3*(len(examples)+1))
				check.Near(t, name+": sum of the probabilities", floats.Sum(p), 1, 1e-12)
				for c, v := range p {
					good := v >= least*(1-1e-9) && (l.totals.counts[c] > 0 || v <= least*(1+1e-9))
					check.True(t, good, "%s: probabilities %v", name, p)
				}
				for i, v := range predicted(t, l, e.x)[3:] {
					finite := v <= math.MaxFloat64 && (v >= -math.MaxFloat64 || l.totals.counts[i/4] == 0)
					check.True(t, finite, "%s: score %d is %g", name, i, v)
				}
			}
			if name == "one of each class" || name == "huge" {
				for _, e := range examples {
					check.Equal(t, name+": class", floats.MaxIdx(predictedAt(t, l, e.x)), e.class)
				}
			}
		})
	}
}

// A prediction serves all that a network's does, and one that a network made can be overwritten.
func TestPrediction(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		network := check.Must(bnn.New(bnn.Default(4, 5, 3), random.Source("prediction")))
		var p bnn.Prediction
		x := make([]float64, 4)
		check.OK(t, network.Predict(&p, x))
		l := learned(t, Config{Kind: kind, Inputs: 4, Classes: 3}, drawn(60, 4, 3))
		check.OK(t, l.Predict(&p, x))
		check.True(t, p.Layers == nil && p.Members == nil && p.Class() != bnn.Unknown, "prediction %+v", p)
		aleatoric, epistemic := p.LabelVariance()
		got := []float64{p.MutualInformation(), p.Sum(), epistemic, aleatoric}
		want := []float64{0, 1, 0, 1 - floats.Dot(p.P, p.P)}
		check.NearAll(t, "mutual information, sum and variances", got, want, 1e-9)
		several := make([]bnn.Prediction, 5)
		check.OK(t, l.PredictAll(several, [][]float64{{1, 2, 3, 4}, {0, 0, 0, 1}, {-1, 0, 2, 0}, {9, 1, 1, 1}, x}))
		check.Equal(t, "of five", several[4].P, p.P)
		check.Refuses(t, "PredictAll", l.PredictAll(several, [][]float64{x, {1}}), "length 1")
		check.Refuses(t, "Predict", l.Predict(&p, []float64{1, 2, math.NaN(), 4}), "input 2 is NaN")
		unknown := p.Class() == bnn.Unknown && math.IsNaN(p.Mean[0]+p.Variance[0]+p.Cov.At(0, 0))
		check.True(t, unknown, "after an error: %+v", p)
		check.OK(t, network.Predict(&p, x))
		check.Equal(t, "layers of the network", len(p.Layers), 2)
	})
}

func TestRefuses(t *testing.T) {
	for c, want := range map[Config]string{
		{Kind: "lda", Inputs: 3, Classes: 2}:    "Kind: \"lda\" is not allowed; allowed: \"ridge\", ",
		{Kind: Ridge, Inputs: 0, Classes: 2}:    "Inputs: 0 is not allowed",
		{Kind: Gaussian, Inputs: 3, Classes: 1}: "Classes: 1 is not allowed; allowed: 2 to 4096",
	} {
		check.Refuses(t, fmt.Sprint(c), check.Err(New(c)), want)
	}
	eachKind(t, func(t *testing.T, kind Kind) {
		c := Config{Kind: kind, Inputs: 3, Classes: 3}
		l := learned(t, c, drawn(20, 3, 3))
		before := l.State()
		for want, bad := range map[string]example{
			"input of length 2; need 3 numbers":     {x: make([]float64, 2)},
			"input 1 is -Inf; need a finite number": {x: []float64{1, math.Inf(-1), 0}},
			"class 3; need one of 0 to 2":           {x: make([]float64, 3), class: 3},
			"class -1; need one of 0 to 2":          {x: make([]float64, 3), class: -1},
		} {
			u, err := l.Observe(bad.x, bad.class)
			check.Refuses(t, "Observe", err, want)
			check.Equal(t, want, u.Action, bnn.Refused)
			check.Equal(t, "state after an error", l.State(), before)
		}
		for name, spoil := range map[string]func(s *State){
			"counts":  func(s *State) { s.Count = s.Count[1:] },
			"sum":     func(s *State) { s.Sum[0] = math.NaN() },
			"scatter": func(s *State) { s.Scatter = s.Scatter[1:] },
			"minus":   func(s *State) { s.Scatter[0] = -1000 },
			"beyond":  func(s *State) { s.Kept[0] = math.MinInt16 },
			"class":   func(s *State) { s.KeptClass[0] = 3 },
			"order":   func(s *State) { s.Kept[0], s.Kept[3] = s.Kept[3], s.Kept[0] },
			"twice":   func(s *State) { copy(s.Kept[3:], s.Kept[:3]) },
			"none":    func(s *State) { s.Count[0] = 0 },
			"kept":    func(s *State) { s.KeptCount[0] = 0 },
			"many":    func(s *State) { s.KeptCount[0] = 1000 },
		} {
			s := l.State()
			spoil(&s)
			check.Refuses(t, name, check.Err(Restore(c, s)))
		}
	})
}

// before observes examples, each after its prediction, and returns the mean log loss.
func before(t *testing.T, l *Layer, examples []example) (loss float64) {
	t.Helper()
	var p bnn.Prediction
	for _, e := range examples {
		check.OK(t, l.Predict(&p, e.x))
		u := check.Must(l.Observe(e.x, e.class))
		check.Near(t, "LogP", u.LogP, math.Log(p.P[e.class]), 1e-12)
		loss -= u.LogP / float64(len(examples))
	}
	return loss
}

// The recursion is the regression on all examples so far; temperatures and share are by their definition.
func TestSequence(t *testing.T) {
	const d, classes = 6, 3
	examples := rounded(drawn(fresh+30, d, classes))
	l := check.Must(New(Config{Ridge, d, classes, true}))
	evidence, share := make([]float64, len(temperatures)), 0.5
	for i, e := range examples {
		check.OK(t, l.Predict(new(bnn.Prediction), e.x))
		s := l.sequence
		if i > 0 && (i < 40 || i%997 == 0 || i > fresh+25) {
			check.NearAll(t, "outputs", s.o, direct(examples[:i], classes, 10, 0.001, e.x), 1e-9)
		}
		byTau, total := make([]float64, classes), 0.0
		for k, tau := range temperatures {
			p, sum := make([]float64, classes), 0.0
			for c, o := range s.o {
				p[c] = math.Exp(tau * o)
				sum += p[c]
			}
			for c := range p {
				byTau[c] += math.Exp(evidence[k]) * p[c] / sum
			}
			total += math.Exp(evidence[k])
			evidence[k] = 0.998*evidence[k] + math.Log(p[e.class]/sum)
		}
		for c := range byTau {
			byTau[c] /= total
		}
		check.NearAll(t, "by temperatures", s.byTau, byTau, 1e-9)
		p := share*byTau[e.class] + (1-share)*s.byFit[e.class]
		check.Near(t, "probability", s.prob[e.class], p, 1e-9)
		share = (1-1/float64(i+2))*share*byTau[e.class]/p + 0.5/float64(i+2)
		check.Must(l.Observe(e.x, e.class))
	}
	check.Near(t, "share", l.sequence.Share, share, 1e-9)
	check.Equal(t, "outputs that are kept", len(l.sequence.Class), mostRecent)
}

// A stopped stream leaves the same state, to the bit.
func TestSequenceResumes(t *testing.T) {
	examples := drawn(fresh+100, 5, 4)
	c := Config{Ridge, 5, 3, true}
	whole, part := check.Must(New(c)), check.Must(New(c))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, e := range examples {
		if i == 300 {
			check.OK(t, whole.AddClass())
			check.OK(t, part.AddClass())
		}
		if e.class == 3 && i < 300 {
			e.class = 2
		}
		before(t, whole, []example{e})
		check.Must(part.Observe(e.x, e.class))
		if i < 40 || rnd.IntN(200) == 0 || i == 300 {
			predicted(t, part, e.x)
			part = check.Must(Restore(part.Config(), part.State()))
		}
	}
	check.Equal(t, "state", part.State(), whole.State())
	var p bnn.Prediction
	check.NoAllocs(t, "two predictions", func() {
		_ = whole.Predict(&p, examples[0].x)
		_ = whole.Predict(&p, examples[1].x)
	})

	spoilt := whole.State()
	spoilt.Sequence = nil
	check.Refuses(t, "none", check.Err(Restore(whole.Config(), spoilt)), "readout: a ")
	for name, spoil := range map[string]func(s *Sequence){
		"P": func(s *Sequence) { s.P = s.P[1:] },
		"infinite": func(s *Sequence) {
			s.P[0] += 2 * (math.Float64bits(math.Inf(1)) - math.Float64bits(whole.sequence.p[0]))
		},
		"NaN":     func(s *Sequence) { s.W[0] = math.NaN() },
		"pending": func(s *Sequence) { s.Pending = append(s.Pending, 1) },
		"class":   func(s *Sequence) { s.Class[0] = 4 },
		"sample":  func(s *Sequence) { s.SampleClass = nil },
		"share":   func(s *Sequence) { s.Share = math.NaN() },
	} {
		s := whole.State()
		spoil(s.Sequence)
		check.Refuses(t, name, check.Err(Restore(whole.Config(), s)), "readout: a ")
	}
}
