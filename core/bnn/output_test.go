package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

// indefinite is a step of the paper's rule that cannot be taken as printed.
func indefinite(t *testing.T, policy Policy, rule OutputRule) (n *Network, x []float64) {
	probit := softmax.Probit{Lambda: 2, Rho: 0.5}
	n = newNetwork(spec{Layers: []int{2, 3}, Output: rule, OnIndefinite: policy, Softmax: probit, paper: true})
	n.cfg.Paper.EigenvalueFloor, n.cfg.Paper.VarianceFloor = 0.02, 0.01
	mean := mat.NewDense(3, 2, []float64{3, 0, 0, 3, 3, 3})
	tenth := mat.NewDiagDense(2, []float64{0.1, 0.1})
	check.OK(t, n.SetWeights(0, mean, []mat.Symmetric{tenth, tenth, tenth}))
	return n, []float64{1, 0.2}
}

func TestPolicies(t *testing.T) {
	n, x := indefinite(t, Fail, Joint)
	before := copied(n)
	failed, err := n.Observe(x, 1)
	var e *IndefiniteError
	refused := errors.As(err, &e) && e.Update == failed && failed.Action == Refused && failed.MinEigenvalue < 0
	check.True(t, refused, "fail: %+v, %v", failed, err)
	check.Equal(t, "the same after fail", sameState(n.State(), before.State()), true)
	for policy, action := range map[Policy]Action{Skip: Skipped, Project: Projected} {
		n, _ = indefinite(t, policy, Joint)
		want := failed
		want.Action = action
		check.Equal(t, policy, check.Must(n.Observe(x, 1)), want)
		if policy == Skip {
			check.Equal(t, "the same after skip", sameState(n.State(), before.State()), true)
			continue
		}
		check.Equal(t, "smallest eigenvalue, set to the floor", n.step.innovation.Values[0], 0.02)
		var p Prediction
		check.OK(t, n.Predict(&p, x))
		for j, v := range p.Variance {
			check.True(t, v >= 0.01*n.flows[0].v[j]*(1-1e-9), "project: ṽ_%d = %g, below the floor", j, v)
		}
	}
	// Small eigenvalues are floored also where only a variance is negative: the mean must not be left to an
	// unprotected step.
	probit := softmax.Probit{Lambda: 1, Rho: 0.5}
	n = newNetwork(spec{Layers: []int{1, 3}, OnIndefinite: Project, Softmax: probit, Output: Joint, paper: true})
	m, v := []float64{1.5, 0, -1}, []float64{4, 1, 2}
	n.cfg.Softmax.Moments(n.step.moments, m, v)
	u := check.Must(n.step.run(&n.cfg, m, v, 1))
	lowest := n.step.innovation.Values[0]
	floored := 0 < u.MinEigenvalue && u.MinEigenvalue < lowest && lowest == 1e-3
	check.True(t, u.Action == Projected && floored, "%+v with the smallest eigenvalue %g in the solve", u, lowest)
	// The same step is no trouble for rule Total.
	n, x = indefinite(t, Fail, Total)
	check.Equal(t, "total", check.Must(n.Observe(x, 1)).Action, Applied)
}

// Within bounds the ṽ are the best fit: no derivative of the sum over all pairs of the squared errors of
// ṽ_i + ṽ_j says that a move within bounds would be better.
func TestLimit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	bounded := 0
	for trial := range 2000 {
		n := 2 + trial%6
		v, fit := make([]float64, n), make([]float64, n)
		for j := range n {
			v[j] = math.Exp(4 * rnd.NormFloat64())
			fit[j] = v[j] * (1 + rnd.NormFloat64())
		}
		if trial%3 == 0 {
			v[0] = 0
		}
		s := outputStep{variance: slices.Clone(fit)}
		floored, capped := s.limit(v)
		bounded += floored + capped
		sum, scale := floats.Sum(s.variance)-floats.Sum(fit), floats.Sum(v)
		for j, x := range s.variance {
			g, low, high := float64(n-2)*(x-fit[j])+sum, 1e-3*v[j], 2*v[j]
			best := low <= x && x <= high && !(x > low && g > 1e-9*scale) && !(x < high && g < -1e-9*scale)
			check.True(t, best, "fit %v, prior %v: limited %v; derivative %g by %d", fit, v, s.variance, g, j)
			if x == low && v[j] > 0 {
				floored--
			}
			if x == high && v[j] > 0 {
				capped--
			}
		}
		check.Equal(t, "at bounds and not counted", [2]int{floored, capped}, [2]int{})
	}
	check.True(t, bounded >= 100, "%d at bounds", bounded)
}

// Two wide logits and a narrow one: the variance of their difference is fitted, and the report is of before. A
// variance that grows does so once, however often the example counts. With noise a step raises the variance of
// a logit at most to σ₀²|ŷ|², here 0.0125, and leaves what is above.
func TestLimitedStep(t *testing.T) {
	for _, kind := range []Covariance{Full, Diagonal} {
		for _, c := range []struct {
			noise                []float64
			times, narrow, after float64
			counts               [2]int // floored and capped
		}{
			{nil, 1, 0.01, 0.02, [2]int{0, 1}},
			{nil, 2.5, 0.01, 0.02, [2]int{2, 1}},
			{[]float64{}, 1, 0.01, 0.02, [2]int{0, 1}},
			{[]float64{0}, 1, 0.01, 0.02, [2]int{0, 1}},
			{[]float64{1e-3}, 1, 0.01, 0.0125, [2]int{0, 2}},
			{[]float64{1e-3}, 1, 0.015, 0.015, [2]int{0, 2}},
		} {
			n := newNetwork(spec{
				Layers: []int{1, 3}, Covariance: []Covariance{kind}, PriorVar: 0.0125 / 4, Noise: c.noise,
				Replications: []float64{c.times},
			})
			oneInput(t, n, 0, make([]float64, 3), []float64{25, 25, c.narrow / 4})
			update := check.Must(n.Observe([]float64{2}, 0))
			_, after := n.Weights(0)
			if c.times == 1 {
				check.Near(t, "variance of z_0", 4*after[0].At(0, 0), 31.6, 0.1) // 27.3 if only z_2 is limited
			}
			check.Near(t, fmt.Sprintf("variance of z_2, %+v", c), 4*after[2].At(0, 0), c.after, 1e-12)
			check.Near(t, "smallest ṽ", update.MinVariance, 13.06, 0.01)
			check.Equal(t, "counts", [2]int{update.Floored, update.Capped}, c.counts)
		}
	}
}

// Total takes the step where other classes are below the resolution of an eigensolver or underflow, and
// applies the policy where the observed one is too improbable for its moments to have digits.
func TestTotalWithImprobableClasses(t *testing.T) {
	for _, gap := range []float64{5, 6.1, 6.3, 6.5, 6.7, 10, 20, 30, 50, 200} {
		for class := range 3 {
			probit := softmax.Probit{Lambda: 1, Rho: 0.5}
			n := newNetwork(spec{Layers: []int{1, 3}, Output: Total, Softmax: probit, paper: true})
			oneInput(t, n, 0, []float64{0, -gap, -gap}, []float64{0.01, 0.01, 0.01})
			var p Prediction
			check.OK(t, n.Predict(&p, []float64{1}))
			u, err := n.Observe([]float64{1}, class)
			check.True(t, u.MinVariance > 0, "gap %g, class %d: %+v", gap, class, u)
			var indefinite *IndefiniteError
			taken := err == nil && u.Action == Applied && !u.Indefinite
			refused := errors.As(err, &indefinite) && u.Action == Refused && u.Indefinite
			likely := p.P[class] > 1e-10
			check.True(t, taken == likely && refused != likely, "gap %g, class %d: %+v, %v", gap, class, u, err)
		}
	}
}

// given is an approximation for two classes of which the first has the probability p, and Σ_y is rest where
// p = ½.
type given struct{ p, rest float64 }

func (g given) Moments(dst *softmax.Moments, _, _ []float64) {
	dst.P[0], dst.P[1] = g.p, 1-g.p
	dst.E.Set(0, 1, 0.25-g.rest)
	dst.E.Set(1, 0, 0.25-g.rest)
}

// Moments that cannot be are refused, as is an eigenvalue within the rounding error of Σ_y.
func TestBrokenApproximation(t *testing.T) {
	for _, rule := range []OutputRule{Joint, Total} {
		for _, p := range []float64{math.NaN(), math.Inf(1), -0.1} {
			n := newNetwork(spec{Layers: []int{2, 2}, Output: rule, Softmax: given{p, 1e-17}, paper: true})
			u, err := n.Observe([]float64{1, 1}, 0)
			check.True(t, err != nil && u.Action == Refused, "%v: p = %g: %+v, %v", rule, p, u, err)
		}
	}
	for rest, indefinite := range map[float64]bool{0x1p-54: true, 1e-14: false} {
		n := newNetwork(spec{Layers: []int{1, 2}, Softmax: given{0.5, rest}, Output: Joint, paper: true})
		u, _ := n.Observe([]float64{1}, 0)
		check.True(t, u.MinEigenvalue > 0 && u.Indefinite == indefinite, "Σ_y = %g: %+v", rest, u)
	}
}

// pick returns one of its arguments.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// extremeConfig returns any configuration, with variances from 1e-300 to 1e300.
func extremeConfig(r *rand.Rand) spec {
	cfg := spec{
		Layers: []int{pick(r, 1, 2, 5), pick(r, 2, 3, 10)}, Bias: pick(r, true, false),
		Output: pick(r, outputRules...), Hidden: pick(r, SmoothMean, Smooth, Frozen),
		Covariance:   []Covariance{pick(r, Full, Diagonal, Shared)},
		OnIndefinite: pick(r, Fail, Skip, Project),
		PriorVar:     math.Pow(10, pick(r, 0., 0, 2, -8, 8, 16, -16, -100, 100, -300, 300)), paper: true,
		PriorMeanVar: math.Pow(10, pick(r, 0., 8, -8, 100, 200, 300)), Alpha: pick(r, 0, 0.1, 1), Beta: 1,
		Replications: pick(r, nil, []float64{1}, []float64{1e6}),
		Noise:        pick(r, nil, []float64{1e-9}, []float64{0.5}),
	}
	if cfg.Output == ADFExact && cfg.Layers[1] == 10 {
		cfg.Layers[1] = 3 // slow
	}
	if cfg.Output == Joint || cfg.Output == Total {
		probit := softmax.Probit{Lambda: 0.2, Rho: 0.1}
		cfg.Softmax = pick[softmax.Approximation](r, nil, softmax.Exact{Fast: true}, probit)
	}
	for range r.IntN(3) { // hidden layers
		cfg.Layers = append([]int{cfg.Layers[0], pick(r, 1, 4)}, cfg.Layers[1:]...)
	}
	for range cfg.Layers[1:] {
		cfg.PriorScale = append(cfg.PriorScale, math.Pow(10, pick(r, 0., 0, 0, -150, 150, -300, 300)))
	}
	return cfg
}

// extremeStream returns a stream of examples.
func extremeStream(r *rand.Rand, inputs, classes int) (name string, next func(x []float64) (class int)) {
	scale := math.Pow(10, pick(r, -8., 0, 8))
	same := make([]float64, inputs)
	for i := range same {
		same[i] = scale * r.NormFloat64()
	}
	name = pick(r, "scaled", "constant", "same", "contradictory", "mixed", "zero")
	return fmt.Sprintf("%s at %g", name, scale), func(x []float64) int {
		class := r.IntN(classes)
		for i := range x {
			switch name {
			case "constant":
				x[i] = scale
			case "same":
				x[i], class = same[i], 0
			case "contradictory":
				x[i] = same[i]
			case "zero":
				x[i] = 0
			case "mixed":
				x[i] = math.Pow(10, pick(r, -300., -8, 0, 8, 150, 300)) * r.NormFloat64()
			default:
				x[i] = scale * r.NormFloat64()
			}
		}
		return class
	}
}

// wrong says what a state has that no network may have. The rule Frozen can leave a
// variance of zero: in its linear part a unit with one input knows all of its output.
func wrong(s State) string {
	for l, layer := range s.Layers {
		good := kernel.Finite(layer.Mean.RawMatrix().Data...)
		rows, _ := layer.Spread.Dims()
		for i := range rows {
			row := layer.Spread.RawRowView(i)
			low, high := floats.Min(row), floats.Max(row)
			if s.Config.Covariance[l] != Diagonal { // a root, whose square may underflow
				low = floats.Norm(row, 2)
				high = low * low
			}
			good = good && high <= math.MaxFloat64 && (low > 0 || low == 0 && s.Config.Hidden == Frozen)
		}
		if !good {
			return fmt.Sprintf("weights of layer %d: %v", l, layer)
		}
	}
	return ""
}

func sameState(a, b State) bool { return reflect.DeepEqual(a.Layers, b.Layers) }

// After each update from a stream every variance is positive and every number finite, or there was an error and
// the network is what it was.
func TestUpdatesAtExtremes(t *testing.T) {
	for trial := range check.Torture(t, 40, 200, 2600) {
		r := rand.New(random.Source("bnn", "extremes", trial))
		cfg := extremeConfig(r)
		n, err := New(cfg.config(), r)
		if err != nil {
			continue // variances overflow or underflow
		}
		name, next := extremeStream(r, cfg.Layers[0], cfg.Layers[len(cfg.Layers)-1])
		updates := pick(r, append(slices.Repeat([]int{400}, 39), 10_000)...)
		if cfg.Output == ADFExact {
			updates /= 20 // slow
		}
		x, before := make([]float64, cfg.Layers[0]), n.State()
		var p Prediction
		problem := wrong(before)
		for k := 0; k < updates && problem == ""; k++ {
			_, err := n.Observe(x, next(x))
			after := n.State()
			problem = wrong(after)
			if err != nil && !sameState(before, after) {
				problem = "changed in spite of the error " + err.Error()
			}
			if err := n.Predict(&p, x); err == nil && !kernel.Finite(p.P...) {
				problem += fmt.Sprintf("; predicts %v", p.P)
			}
			before = after
		}
		if problem != "" {
			t.Fatalf("trial %d: %+v, %s: after the example %g: %s", trial, cfg, name, x, problem)
		}
	}
}

// What is left of a variance may be nothing, beside components of h whose squares underflow.
func TestCarlsonUnderflow(t *testing.T) {
	w := newTriangles(1, 4)
	w.carlson([]float64{1, 0, 1e-170, 0}, 0)
	check.NearAll(t, "keep", w.keep, []float64{0, 1, 1, 1}, 0)
	check.NearAll(t, "mix", w.mix, []float64{0, 0, 0, 0}, 0)
}
