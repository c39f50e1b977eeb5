package readout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// without returns the examples without example i.
func without(all []example, i int) []example {
	return slices.Concat(all[:i], all[i+1:])
}

// direct returns the outputs for x of a ridge regression of the one-hot labels by its definition.
func direct(examples []example, classes int, lambda, bias float64, x []float64) []float64 {
	n, d := len(examples), len(x)
	z, y := mat.NewDense(n, d+1, nil), mat.NewDense(n, classes, nil)
	for i, e := range examples {
		z.SetRow(i, append(slices.Clone(e.x), 1))
		y.Set(i, e.class, 1)
	}
	var g, b, w, out mat.Dense
	g.Mul(z.T(), z)
	for j := range d {
		g.Set(j, j, g.At(j, j)+lambda)
	}
	g.Set(d, d, g.At(d, d)+bias)
	b.Mul(z.T(), y)
	if err := w.Solve(&g, &b); err != nil {
		panic(err)
	}
	out.Mul(mat.NewDense(1, d+1, append(slices.Clone(x), 1)), &w)
	return out.RawRowView(0)
}

// rounded rounds the inputs as a layer does.
func rounded(examples []example) []example {
	for _, e := range examples {
		for j, v := range e.x {
			e.x[j] = math.RoundToEven(v*512) / 512
		}
	}
	return examples
}

// scatters returns n_c, m_c and S_c of each class.
func scatters(examples []example, classes int) (n []float64, mean *mat.Dense, scatter []*mat.SymDense) {
	d := len(examples[0].x)
	n, mean, scatter = make([]float64, classes), mat.NewDense(classes, d, nil), make([]*mat.SymDense, classes)
	for _, e := range examples {
		n[e.class]++
		floats.Add(mean.RawRowView(e.class), e.x)
	}
	for c := range classes {
		floats.Scale(1/n[c], mean.RawRowView(c))
		scatter[c] = mat.NewSymDense(d, nil)
		for _, e := range examples {
			if e.class == c {
				var r mat.VecDense
				r.SubVec(mat.NewVecDense(d, e.x), mean.RowView(c))
				scatter[c].SymRankOne(scatter[c], 1, &r)
			}
		}
	}
	return n, mean, scatter
}

// epsilon is ε by its definition.
func epsilon(examples []example, classes int) (epsilon float64) {
	_, _, scatters := scatters(examples, classes)
	for _, s := range scatters {
		epsilon += 1e-3 * mat.Trace(s) / float64(len(examples)) / float64(len(examples[0].x))
	}
	return epsilon + math.Pow(2, -18)/12
}

// normals returns the log densities of all classes by their definition, with given ε, and total as N in S̄.
func normals(examples []example, classes int, nu, total, epsilon float64, x []float64) []float64 {
	d := len(x)
	n, mean, scatters := scatters(examples, classes)
	pooled := mat.NewSymDense(d, nil)
	for _, s := range scatters {
		pooled.AddSym(pooled, s)
	}
	for j := range d {
		pooled.SetSym(j, j, pooled.At(j, j)+total*epsilon)
	}
	out := make([]float64, classes)
	for c := range out {
		k := mat.NewSymDense(d, nil)
		k.ScaleSym(nu/total, pooled)
		k.AddSym(k, scatters[c])
		k.ScaleSym(1/(n[c]+nu), k)
		normal, ok := distmv.NewNormal(mean.RawRowView(c), k, nil)
		if !ok {
			panic("not positive definite")
		}
		out[c] = normal.LogProb(x)
	}
	return out
}

// The ridge regression and the scores are by their definition, of kept examples with each really left out.
func TestScores(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		const n, d, classes = 60, 5, 3
		l := learned(t, Config{Kind: kind, Inputs: d, Classes: classes}, rounded(drawn(n, d, classes)))
		s := l.solve(true)
		kept, f := s.sample.examples, s.familiarity
		got := f.scores(kept, true)
		one, left, nu := slices.Clone(kept), slices.Clone(kept), f.density.nu
		for i, e := range kept {
			one[i].class = 0 // of the background
			left[i].x = direct(without(kept, i), classes, s.ridge.lambda, 0, e.x)
		}
		if kind == Ridge {
			nu = 1e12 // one covariance
		}
		whole := func(e []example) []example { return e }
		defined := func(part func([]example) []example, x, y []float64, class int) []float64 {
			density := normals(part(kept), classes, nu, n, epsilon(kept, classes), x)[class]
			background := normals(part(one), 1, 1e12, n, epsilon(one, 1), x)[0]
			output := normals(part(left), classes, s.ridge.classes.nu, n, epsilon(left, classes), y)[class]
			return []float64{density, density - background, slices.Max(y), output}
		}
		for i, e := range kept {
			others := func(e []example) []example { return without(e, i) }
			check.NearAll(t, "kept scores", got[i][:], defined(others, e.x, left[i].x, e.class), 1e-5)
		}
		for c := range classes {
			if kind == Ridge {
				continue
			}
			for i, density := range s.classes.densities(kept, true) {
				e, epsilon := kept[i], epsilon(kept, classes)
				want := normals(without(kept, i), classes, s.classes.nu, n, epsilon, e.x)[c]
				check.Near(t, "density in any class", density[c], want, 1e-8)
			}
		}
		for _, e := range rounded(drawn(3, d, classes)) {
			scores := f.scores([]example{e}, false)[0]
			y := direct(kept, classes, s.ridge.lambda, 0, e.x)
			check.NearAll(t, "scores", scores[:], defined(whole, e.x, y, e.class), 1e-6)
		}
	})
}

// PredictLeftOut is the prediction of a layer that has not learned the example, but for the parameters.
func TestPredictLeftOut(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		examples := drawn(200, 5, 3)
		c := Config{Kind: kind, Inputs: 5, Classes: 3}
		l := learned(t, c, examples)
		var p bnn.Prediction
		var left, kept float64 // mean distances from the truth
		for i := range 20 {
			e := examples[i]
			check.OK(t, l.PredictLeftOut(&p, e.x, e.class))
			want, with := predicted(t, learned(t, c, without(examples, i)), e.x)[:3], predicted(t, l, e.x)
			for k, v := range p.P {
				left, kept = left+math.Abs(v-want[k])/60, kept+math.Abs(with[k]-want[k])/60
			}
		}
		check.True(t, left < 0.015 && left < 0.6*kept, "%g from the prediction without it; %g with it", left, kept)
		only := learned(t, c, examples[:1])
		check.OK(t, only.PredictLeftOut(&p, examples[0].x, examples[0].class))
		check.NearAll(t, "the only example", p.P, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-15)
		check.Must(only.Observe(examples[1].x, 1))
		check.OK(t, only.PredictLeftOut(&p, examples[1].x, 1))
		check.NearAll(t, "the only one of its class", p.P, []float64{2. / 3, 1. / 6, 1. / 6}, 1e-15)
		check.Refuses(t, "class", l.PredictLeftOut(&p, examples[0].x, 3), "class 3")
	})
}

// Ten times the log probabilities of the labels have τ = 1/10, and half of them τ = 1. The only example of a
// class does not count.
func TestTemper(t *testing.T) {
	const n = 20000
	for scale, want := range map[float64]float64{10: 0.1, 0.5: 1} {
		rnd := rand.New(rand.NewPCG(1, 2))
		densities, examples, counts := matrix(n+1, 3), make([]example, n, n+1), []float64{0, 0, 1}
		for i := range examples {
			score := 4*rnd.Float64() - 2
			densities[i][1], densities[i][2], examples[i].count = scale*score, math.Inf(-1), 1
			if rnd.Float64() < 1/(1+4*math.Exp(-score)) { // τ does not scale the shares
				examples[i].class = 1
			}
			counts[examples[i].class]++
		}
		densities[n][2] = -1e9
		g := gaussians{moments: &moments{n: []float64{n / 2, n / 2, 1}}, shares: []float64{math.Log(0.8), math.Log(0.2), 0}}
		loss := g.temper(densities, newSample(append(examples, example{class: 2, count: 1}), counts))
		check.Near(t, "τ", g.tau, want, 0.005)
		check.Near(t, "loss", g.temper(densities, newSample(examples, counts)), loss, 0)
	}
}

// The p-values of inputs like those that were learned are uniform, and small of others.
func TestPValues(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		rnd := rand.New(random.Source("tail"))
		draw := func() example {
			e := example{x: make([]float64, 6), class: rnd.IntN(2)}
			for j := range e.x {
				e.x[j] = random.Normal(rnd) + 3*float64(e.class)
			}
			return e
		}
		l, err := New(Config{Kind: kind, Inputs: 6, Classes: 2})
		check.OK(t, err)
		check.True(t, math.IsNaN(pValue(t, l, draw().x)), "a p-value before the first example")
		for range 400 {
			observe(t, l, []example{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			below := 0.0
			for range n {
				if pValue(t, l, draw().x) <= level {
					below += 1. / n
				}
			}
			check.Near(t, "share below", below, level, 0.035)
		}
		far := pValue(t, l, slices.Repeat([]float64{-9}, 6))
		check.True(t, far < 1e-4, "far away %g", far)
		_, _, err = l.Familiarity([][]float64{{1}}, []int{0})
		check.Refuses(t, "Familiarity", err, "length 1")
		check.OK(t, l.AddClass())
		for n := 1; n <= 10; n++ {
			x := slices.Repeat([]float64{8 + float64(n)/10}, 6)
			observe(t, l, []example{{x: x, class: 2}})
			p, _, err := l.Familiarity([][]float64{x}, []int{2})
			check.OK(t, err)
			check.Equal(t, fmt.Sprint("NaN of a class with ", n, " examples"), math.IsNaN(p[0]), n < 10)
		}
	})
}

// pValue returns the p-value of x for its most probable class.
func pValue(t *testing.T, l *Layer, x []float64) float64 {
	t.Helper()
	var prediction bnn.Prediction
	check.OK(t, l.Predict(&prediction, x))
	p, density, err := l.Familiarity([][]float64{x}, []int{prediction.Class()})
	check.OK(t, err)
	check.Equal(t, "no density", math.IsNaN(density[0]), l.totals.examples() == 0)
	return p[0]
}

// A kept example is compared with the others of its class, not with itself.
func TestReferenceLeavesOut(t *testing.T) {
	distances := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 40}
	kept, scores := make([]example, 12), make([][4]float64, 12)
	for i, d := range distances {
		kept[i].count, scores[i] = 1, [4]float64{-d, -d, -d, -d}
	}
	var f familiarity
	f.refer(2, kept, scores)
	check.Near(t, "the farthest", f.sums[11], -4*math.Log(familiar.Tail(distances[:11], nil, 40)), 1e-12)
}

// cube draws examples of three inputs of ±1, with a jitter, of two classes by a logistic regression.
func cube(n int, jitter float64) (examples []example, possible float64) {
	rnd := rand.New(random.Source("cube"))
	for range n {
		x, logit := make([]float64, 3), 0.0
		for j := range x {
			x[j] = float64(2*rnd.IntN(2) - 1)
			logit += []float64{1.2, -0.8, 0.3}[j] * x[j]
			x[j] += jitter * random.Normal(rnd)
		}
		e := example{x: x}
		if rnd.Float64() < 1/(1+math.Exp(-logit)) {
			e.class, logit = 1, -logit
		}
		examples, possible = append(examples, e), possible+math.Log1p(math.Exp(logit))/float64(n)
	}
	return examples, possible
}

func clusters(n, d int, name string) (examples []example) {
	x, class, _ := check.Clusters(n, d, 3, name)
	for i := range x {
		examples = append(examples, example{x: x[i], class: class[i]})
	}
	return examples
}

// Rows that come several times, each time with the same class, are one example each: they do not change the
// predictions, apart from the 1/n that is left for a class without examples. Two rows that come twice, as in
// most tables, hardly change them, also with more inputs than rows.
func TestRepeatedRows(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		examples := clusters(60, 4, "repeated rows")
		c := Config{Kind: kind, Inputs: 4, Classes: 3}
		once, often := learned(t, c, examples), learned(t, c, slices.Repeat(examples, 20))
		for _, e := range examples {
			z := slices.Clone(e.x)
			z[0] += 0.5
			check.NearAll(t, "P", predictedAt(t, often, z), predictedAt(t, once, z), 0.02)
			check.Near(t, "p-value", pValue(t, often, z), pValue(t, once, z), 1e-9)
		}
	})
	examples, c := clusters(120, 100, "two rows twice"), Config{Kind: Ridge, Inputs: 100, Classes: 3}
	rows, others := examples[:60], examples[60:]
	once, some := learned(t, c, rows), learned(t, c, slices.Concat(rows, rows[:1], rows[7:8]))
	for _, e := range others {
		check.NearAll(t, "P with two rows twice", predictedAt(t, some, e.x), predictedAt(t, once, e.x), 0.1)
	}
}

// Equal inputs count as often as there are examples: all is as for inputs that differ a little.
func TestRepeatedInputs(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		for _, jitter := range []float64{0, 0.01} {
			examples, possible := cube(10000, jitter)
			l := learned(t, Config{Kind: kind, Inputs: 3, Classes: 2}, examples)
			loss := 0.0
			for _, e := range examples {
				loss -= math.Log(predictedAt(t, l, e.x)[e.class]) / float64(len(examples))
			}
			check.Near(t, fmt.Sprint("log loss with jitter ", jitter), loss, possible, 0.01)
			for i, e := range examples[:100] {
				p := pValue(t, l, e.x)
				check.True(t, p > 0.01, "jitter %g: input %d has the p-value %g", jitter, i, p)
			}
		}
	})
}

// Sources are kept with the inputs that are computed from them, the same in any order, unless one is unknown.
func TestSources(t *testing.T) {
	c := Config{Kind: Ridge, Inputs: 3, Classes: 2}
	a, b := check.Must(New(c)), check.Must(New(c))
	for i := range 40 {
		for l, i := range map[*Layer]int{a: i, b: 39 - i} {
			x := []float64{float64(i % 20), 1, 2}
			check.Must(l.ObserveFrom([]float64{float64(i % 20), float64(i)}, x, i%2))
		}
	}
	s := a.State()
	check.Equal(t, "in another order", b.State(), s)
	for i := range s.KeptClass {
		check.Equal(t, "source", s.Source[2*i:][:2], slices.Repeat([]float64{float64(s.Kept[3*i]) / 512}, 2))
	}
	check.Equal(t, "restored", check.Must(Restore(c, s)).State(), s)
	check.Must(a.Observe([]float64{3, 1, 2}, 1))
	check.Equal(t, "one without a source", len(a.State().Source), 0)
}

// Labels of noise are predicted almost with their shares; with too large a λ the log loss was 3.9.
func TestNoise(t *testing.T) {
	rnd := rand.New(random.Source("noise"))
	draw := func() (x []float64) {
		for range 5 {
			x = append(x, random.Normal(rnd))
		}
		return x
	}
	for range 10 {
		l := check.Must(New(Config{Kind: Ridge, Inputs: 5, Classes: 3}))
		for range 120 {
			observe(t, l, []example{{x: draw(), class: rnd.IntN(3)}})
		}
		loss := 0.0
		for range 500 {
			loss -= math.Log(predictedAt(t, l, draw())[rnd.IntN(3)]) / 500
		}
		check.True(t, loss < math.Log(3)+0.25, "log loss %g, with λ = %g", loss, l.solve(false).ridge.lambda)
	}
}

// Inputs beyond ±32 count as these, and are counted.
func TestLimited(t *testing.T) {
	l := check.Must(New(Config{Kind: Ridge, Inputs: 2, Classes: 2}))
	a, b, c := []float64{33, -1e300}, []float64{31, -32}, []float64{1, 40}
	observe(t, l, []example{{x: a}, {x: b}, {x: c, class: 1}})
	l = check.Must(Restore(l.Config(), l.State()))
	check.NearAll(t, "sums", l.State().Sum, []float64{63, -64, 1, 32}, 0)
	check.Equal(t, "limited examples", l.Limited(), 2)
}
