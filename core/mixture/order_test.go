package mixture

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// fixed is a model of two classes that gives class 0 a probability of its own for the next example, in its
// snapshots, and there for what is left out. Its predictions add up to 1 + excess. It learns nothing.
type fixed struct{ next, whole, leftOut, excess float64 }

func (f *fixed) Shape() (inputs, classes int) { return 2, 2 }
func (f *fixed) AddClass() error              { return errors.New("no more classes") }

func (f *fixed) Observe(_ []float64, class int) (bnn.Update, error) {
	u := bnn.Update{LogP: math.Log(f.next), MinVariance: math.NaN(), MinEigenvalue: math.NaN()}
	if class == 1 {
		u.LogP = math.Log(1 - f.next)
	}
	return u, nil
}

func (f *fixed) Predict(dst *bnn.Prediction, _ []float64) error {
	m := softmax.NewMoments(2)
	m.P[0], m.P[1] = (1+f.excess)*f.next, (1+f.excess)*(1-f.next)
	*dst = bnn.Prediction{P: m.P, Mean: make([]float64, 2), Variance: make([]float64, 2), Moments: m}
	return nil
}

func (f *fixed) Snapshot() bnn.Predictor { return &fixed{next: f.whole, excess: f.excess} }

// layer is a model whose snapshots can leave out what it has learned.
type layer struct{ fixed }

func (l *layer) Snapshot() bnn.Predictor { return &layer{fixed{l.whole, 0, l.leftOut, l.excess}} }

func (l *layer) PredictLeftOut(dst *bnn.Prediction, x []float64, _ int) error {
	return (&fixed{next: l.leftOut, excess: l.excess}).Predict(dst, x)
}

// In a shuffled stream the weights of a snapshot are those along the stream, to the bit. In others they are
// by the kept examples, which untrained networks learn if half of all examples are kept.
func TestOrderIsNoticed(t *testing.T) {
	for _, order := range []string{"shuffled", "sorted", "parts"} {
		for _, n := range []int{150, 600} {
			cfg := readout.Config{Kind: readout.Ridge, Inputs: 2, Classes: 3, Sequential: true}
			m := mixture(append(models(), check.Must(readout.New(cfg)))...)
			x, class := stream(n, order)
			for i := range x {
				check.Must(m.Observe(x[i], class[i]))
			}
			s, shuffled := snapshot(m), order == "shuffled"
			what := fmt.Sprintf("%s, %d examples", order, n)
			check.Equal(t, what, s.Ordered(), !shuffled)
			check.Equal(t, what+": along the stream", floats.Equal(s.Weights(), m.whole.members.weight), shuffled)
			var p, q bnn.Prediction
			check.OK(t, s.Predict(&p, x[0]))
			for k, member := range m.Members() {
				check.OK(t, member.Snapshot().Predict(&q, x[0]))
				same := floats.Equal(q.P, p.Members[k].P)
				check.Equal(t, fmt.Sprint(what, ": member ", k, " stays"), same, shuffled || n == 600 || k == 3)
			}
			if m.Fix(); shuffled || n == 600 { // not those of untrained networks
				check.NearAll(t, "fixed weights", m.Weights(), s.Weights(), 0)
			}
			check.NearAll(t, "fixed weights of a snapshot", snapshot(m).Weights(), m.Weights(), 0)
		}
	}
}

// Runs are noticed where they are long, or for a snapshot short, and are no chance; also if there are none in
// the first third.
func TestRuns(t *testing.T) {
	for c, want := range map[[3]int][2]bool{ // by the lengths of runs and of the stream, and the classes
		{1, 1000, 2}: {}, {8, 100000, 2}: {false, true}, {8, 1000, 10}: {false, true}, {2, 1000, 2}: {},
		{2, 1000, 10}: {}, {3, 1000, 10}: {false, true}, {15, 1000, 10}: {true, true}, {15, 1000, 3}: {true, true},
		{20, 40, 4}: {true, true}, {20, 20, 2}: {}, {1000, 1000, 3}: {}, {1, 1, 2}: {},
	} {
		all, half := NewOrder(c[2]), NewOrder(c[2])
		for i := range c[1] {
			all.Add(nil, i/c[0]%c[2], nil)
		}
		for i := range 496 { // 16 + 32 + … + 256
			half.Add(nil, i%c[2], nil)
		}
		for i := range c[1] {
			half.Add(nil, i/c[0]%c[2], nil)
		}
		check.Equal(t, c, [2]bool{all.HasRuns(LongRuns), all.HasRuns(shortRuns)}, want)
		if c[1] == 1000 && c[0] < 1000 {
			check.Equal(t, fmt.Sprint("half ", c), [2]bool{half.HasRuns(LongRuns), half.HasRuns(shortRuns)}, want)
		}
	}
	check.Equal(t, "no examples", NewOrder(2).HasRuns(shortRuns), false)
}

// A class that was away is forgotten if its log probability falls by more than 1 and three standard errors.
func TestHasForgotten(t *testing.T) {
	away := Order{Counts: []int{10, 90}, Latest: []int{10, 100}, Away: []int{0, 0}}
	fall := func(n int, by ...float64) bool {
		sample, now := make([]learned, 2*n), make([]float64, 2*n) // of two classes
		for i := range sample {
			sample[i] = learned{Kept: Kept{LogP: []float64{0, -1}}, class: i / n}
			if now[i] = -1; i < n {
				now[i] -= by[i%len(by)]
			}
		}
		return away.hasForgotten(sample, 1, now)
	}
	check.Equal(t, "forgotten", []bool{
		fall(4, 5), fall(5, 5), fall(5, -5), fall(50, 0.9), fall(50, 1.1), fall(50, 0, 2.5), fall(5, 0, 4),
		fall(9, 0, 4, 4), fall(6, math.Inf(1)), fall(40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29),
	}, []bool{false, true, false, false, true, true, false, true, true, false})
}

// A class was away if it did not come for more than five times its mean distance, at the end or before its
// last run.
func TestWasAway(t *testing.T) {
	repeat := strings.Repeat
	for classes, want := range map[string][]bool{
		repeat("012", 100): {false, false, false},
		repeat("0", 100) + repeat("1", 100) + repeat("2", 100):  {true, true, false},
		repeat("0", 6) + repeat("1", 30):                        {false, false, false}, // 30·6 = 5·36
		repeat("0", 6) + repeat("1", 31):                        {true, false, false},
		repeat("0", 60) + repeat("12", 100) + repeat("0", 12):   {true, false, false},
		repeat("0", 60) + repeat("12", 100) + repeat("012", 20): {false, false, false},
	} {
		o := NewOrder(3)
		for _, class := range classes {
			o.Add(nil, int(class-'0'), nil)
		}
		check.Equal(t, classes, []bool{o.wasAway(0), o.wasAway(1), o.wasAway(2)}, want)
	}
}

// A class is noticed to be forgotten if it is away, and not if all labels change. Networks that follow the
// stream forget by design, are tested only where there are no others, and have less weight in a snapshot.
func TestForgottenOrChanged(t *testing.T) {
	cfg := bnn.Default(2, 3)
	cfg.ProcessNoise = []float64{0.01}
	follower := func() bnn.Model { return check.Must(bnn.New(cfg, random.Source("follower"))) }
	for later, want := range map[[2]int]bool{{2, 1}: true, {1, 0}: false} { // the classes left and right of 0
		plain, both := mixture(network(1, 2, 3)), mixture(follower(), network(1, 2, 3))
		rnd, follows := rand.New(random.Source("forgotten")), mixture(follower())
		doubted := []float64{both.Weights()[0], snapshot(both).Weights()[0]} // Σ 2⁻ᵏk/4 / Σ 2⁻ᵏ, k = 0 to 4
		check.NearAll(t, "weights of a follower", doubted, []float64{0.5, 6.5 / 31}, 1e-12)
		for i := range 300 {
			class := rnd.IntN(2)
			x := []float64{float64(4*class-2) + rnd.NormFloat64(), rnd.NormFloat64()}
			if i >= 270 {
				class = later[class]
			}
			for _, m := range []*Mixture{plain, both, follows} {
				check.Must(m.Observe(x, class))
			}
		}
		ordered := []bool{snapshot(plain).Ordered(), snapshot(both).Ordered(), snapshot(follows).Ordered()}
		check.Equal(t, fmt.Sprint("later ", later), ordered, []bool{want, want, want})
	}
}

// wrapper is a model within another one, such as a network behind features.
type wrapper struct {
	bnn.LeftOut
	bnn.Predictor
}

func (w wrapper) Unwrap() bnn.Predictor { return w.Predictor }

// What cannot be left out of a wrapped model cannot be left out of the wrapper.
func TestLeftOut(t *testing.T) {
	l := new(layer)
	check.True(t, leftOut(wrapper{l, l}) != nil && leftOut(wrapper{l, network(1, 2, 2)}) == nil, "leftOut")
}

// In a sorted stream the weights of a snapshot follow from its present predictions of kept examples, of a
// layer as if it had not learned them, each class by its share; the powers, too. A layer has not forgotten.
// Predictions that do not add up to 1 are divided by their sum.
func TestWeightsByKept(t *testing.T) {
	net, good := &fixed{0.5, 0.9, 0, 0.5}, &layer{fixed{0.9, 0.3, 0.8, -0.2}}
	m, sum1 := mixture(net, good), mixture(&fixed{next: 0.5}, &fixed{next: 0.9})
	const n = 240 // 180 of class 0, and then 60 of class 1
	for i := range n {
		check.Must(m.Observe([]float64{float64(i), 0}, i/180))
		check.Must(sum1.Observe([]float64{float64(i), 0}, i/180))
	}
	check.NearAll(t, "powers along the stream", m.State().Next.Powers, sum1.State().Next.Powers, 1e-9)
	meanLogP := func(p float64) float64 { return 0.75*math.Log(p) + 0.25*math.Log(1-p) }
	weights, total := []float64{0, 0}, 0.0
	for a := range 5 {
		share := float64(a) / 4
		u := math.Exp(100 * meanLogP(share*0.9+(1-share)*0.8)) // of the 100 kept
		total += u
		floats.AddScaled(weights, u, []float64{share, 1 - share})
	}
	floats.Scale(1/total, weights)
	s := snapshot(m)
	check.NearAll(t, "weights", s.Weights(), weights, 1e-9)

	mixed := weights[0]*0.9 + weights[1]*0.8
	power := func(tau, p float64) float64 { return math.Pow(p, tau) / (math.Pow(p, tau) + math.Pow(1-p, tau)) }
	var p bnn.Prediction
	check.OK(t, s.Predict(&p, []float64{1, 2}))
	now, want := weights[0]*0.9+weights[1]*0.3, 0.0
	total = 0
	for _, tau := range powers {
		u := math.Exp(100 * meanLogP(power(tau, mixed)))
		total += u
		want += u * power(tau, now)
	}
	check.Near(t, "p", p.P[0], want/total, 1e-9)

	alone := mixture(&layer{fixed{0.1, 0.3, 0.9, 0}}, &fixed{0.5, 0.5, 0, 0})
	for i := range n { // class 1 is away after 20 examples
		check.Must(alone.Observe([]float64{float64(i), 0}, max(0, i%2-i/20)))
	}
	check.Equal(t, "the layer is less certain than before", snapshot(alone).Ordered(), false)
}

// The kept examples are a sample in which every example of a class has the same probability.
func TestKeptIsFair(t *testing.T) {
	const classes, many = 1000, 300 // two examples of each class are kept
	var tenth [10]int
	dropped, o := 0, NewOrder(classes)
	for c := range classes - 1 {
		examples := 3
		if c < many {
			examples = 100
		}
		for i := range examples {
			o.Add([]float64{float64(i)}, c, []float64{math.Inf(-1)})
		}
		for _, e := range o.Kept[c] {
			if c < many {
				tenth[int(e.X[0])/10]++
			}
		}
		if c >= many && !slices.ContainsFunc(o.Kept[c], func(e Kept) bool { return e.X[0] == 2 }) {
			dropped++
		}
	}
	for i, n := range tenth { // 60 are expected, with a standard deviation of 7.3
		check.True(t, n >= 35 && n <= 85, "%d of tenth %d: %v", n, i, tenth)
	}
	// The third example is dropped with probability 1/3: 233 are expected, with a standard deviation of 12.
	check.True(t, dropped >= 190 && dropped <= 276, "%d of %d classes drop their last example", dropped, classes-many-1)
	got := []any{len(o.Kept[0]), len(o.Kept[classes-1]), o.Kept[0][0].LogP[0], o.Counts[3], o.Same}
	check.Equal(t, "kept", got, []any{2, 0, -10., 100, many*99 + (classes-1-many)*2})

	few := NewOrder(41) // another class leaves less room for each
	for i := range 60 {
		few.Add([]float64{float64(i)}, 7, nil)
	}
	check.Equal(t, "of 41 classes", len(few.Kept[7]), 48)
	few.AddClass()
	check.Equal(t, "of 42 classes", len(few.Kept[7]), 47)
}

// Predictions, snapshots and files between the examples leave no trace, whether members learn side by side,
// an input comes again, and the caller changes its slice, or not. A snapshot does not change.
func TestPredictBetweenExamples(t *testing.T) {
	x, class := stream(200, "sorted")
	alone, asked := mixture(models()...), mixture(models()...)
	alone.parallel = true // with the same bits
	alone.SetFixedShare(0.01)
	asked.SetFixedShare(0.01)
	var p, q, settled bnn.Prediction
	var later bnn.Predictor
	buffer := make([]float64, 2)
	for i := range x {
		for k := range 3 {
			if k < 2 { // else as it was predicted for the example before
				check.OK(t, asked.Predict(&q, buffer))
			}
			copy(buffer, x[i])
			check.Must(asked.Observe(buffer, (class[i]+k)%3))
			check.Must(alone.Observe(slices.Clone(x[i]), (class[i]+k)%3))
		}
		check.OK(t, errors.Join(asked.Snapshot().Predict(&q, x[0]), asked.Predict(&q, x[i])))
		if i == 100 {
			check.OK(t, errors.Join(alone.AddClass(), asked.AddClass()))
			later = asked.Snapshot()
			check.OK(t, alone.Snapshot().Predict(&settled, x[0]))
		}
		if i%50 == 20 {
			var state State
			check.OK(t, json.Unmarshal(check.Must(json.Marshal(asked.State())), &state))
			asked = check.Must(Restore(state, asked.Members()...))
		}
		check.Must(asked.Observe(x[i], class[i]))
		check.Must(alone.Observe(x[i], class[i]))
	}
	check.NoAllocs(t, "a prediction", func() { _ = asked.Predict(&q, x[0]) })
	check.Equal(t, "state", asked.State(), alone.State())
	check.OK(t, later.Predict(&q, x[0]))
	check.NearAll(t, "P of a snapshot that is used late", q.P, settled.P, 0)
	check.OK(t, errors.Join(alone.Snapshot().Predict(&p, x[0]), asked.Snapshot().Predict(&q, x[0])))
	check.NearAll(t, "P of the snapshot", q.P, p.P, 0)
	check.OK(t, errors.Join(alone.Predict(&p, x[0]), asked.Predict(&q, x[0])))
	check.NearAll(t, "P", q.P, p.P, 0)
	check.NoAllocs(t, "a step", func() { _, _ = asked.Observe(x[0], 0) }) // it seldom keeps the example
	s := asked.Snapshot()
	check.NoAllocs(t, "a prediction of a snapshot", func() { _ = s.Predict(&q, x[0]) })
}

// A snapshot of a short stream predicts as well after classes in an order as in a random one: it learns the
// kept examples again, here all of them. The mixture itself goes on as if there were no snapshot.
func TestRelearn(t *testing.T) {
	const n = 120
	wrong := func(order func(x [][]float64, class []int) []int) (wrong int, s *Snapshot) {
		x, class, _ := check.Clusters(2*n, 3, 3, "relearn")
		var members []bnn.Model
		for k, hidden := range []int{8, 5} {
			cfg := bnn.Default(3, hidden, 3)
			if k == 1 {
				cfg.ProcessNoise = []float64{0, 0.001}
			}
			members = append(members, check.Must(bnn.New(cfg, random.Source("relearn", k))))
		}
		m := check.Must(features.New(features.Relu, 3, 20, 1))
		layer := check.Must(readout.New(readout.Config{Kind: readout.Ridge, Inputs: 20, Classes: 3, Sequential: true}))
		mixture := check.Must(New(append(members, features.Model{Map: m, Model: layer})...))
		for _, i := range order(x[:n], class[:n]) {
			check.Must(mixture.Observe(x[i], class[i]))
		}
		before := mixture.State()
		s = mixture.Snapshot().(*Snapshot)
		var p bnn.Prediction
		for i := n; i < 2*n; i++ {
			check.OK(t, s.Predict(&p, x[i]))
			if p.Class() != class[i] {
				wrong++
			}
		}
		check.Equal(t, "the mixture", mixture.State(), before)
		return wrong, s
	}
	shuffled, s := wrong(func(x [][]float64, _ []int) []int { return rand.New(random.Source("order")).Perm(n) })
	check.True(t, !s.Ordered(), "a random order is none")
	sorted, s := wrong(func(_ [][]float64, class []int) []int {
		order := rand.New(random.Source("order")).Perm(n)
		slices.SortStableFunc(order, func(a, b int) int { return class[a] - class[b] })
		return order
	})
	check.True(t, s.Ordered(), "an order")
	check.True(t, sorted <= shuffled+n/20, "of %d examples %d are wrong, and %d after a sorted stream", n, shuffled, sorted)
}
