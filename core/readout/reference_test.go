package readout

import (
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

// without returns the examples but one.
func without(all []labelled, i int) []labelled {
	return slices.Concat(all[:i], all[i+1:])
}

// direct returns the outputs for x of a ridge regression of the one-hot labels by its definition.
func direct(examples []labelled, classes int, lambda, bias float64, x []float64) []float64 {
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

// rounded returns examples with the inputs that a layer sees.
func rounded(examples []labelled) []labelled {
	for _, e := range examples {
		for j, v := range e.x {
			e.x[j] = math.RoundToEven(v*512) / 512
		}
	}
	return examples
}

// scatters returns the numbers and the means of the examples of each class, and their scatters.
func scatters(examples []labelled, classes int) (n []float64, mean *mat.Dense, of []*mat.SymDense) {
	d := len(examples[0].x)
	n, mean, of = make([]float64, classes), mat.NewDense(classes, d, nil), make([]*mat.SymDense, classes)
	for _, e := range examples {
		n[e.class]++
		floats.Add(mean.RawRowView(e.class), e.x)
	}
	for c := range classes {
		floats.Scale(1/n[c], mean.RawRowView(c))
		of[c] = mat.NewSymDense(d, nil)
		for _, e := range examples {
			if e.class == c {
				var r mat.VecDense
				r.SubVec(mat.NewVecDense(d, e.x), mean.RowView(c))
				of[c].SymRankOne(of[c], 1, &r)
			}
		}
	}
	return n, mean, of
}

// epsilon is ε by its definition.
func epsilon(examples []labelled, classes int) (epsilon float64) {
	_, _, scatters := scatters(examples, classes)
	for _, s := range scatters {
		epsilon += 1e-3 * mat.Trace(s) / float64(len(examples)) / float64(len(examples[0].x))
	}
	return epsilon + math.Pow(2, -18)/12
}

// normals returns log densities of Gaussians by their definition, where N in S̄ is total, with ε given.
func normals(examples []labelled, classes int, nu, total, epsilon float64, x []float64) []float64 {
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
		kept := s.kept
		got := s.scores(kept, true)
		one, left, nu := slices.Clone(kept), slices.Clone(kept), s.density.nu
		for i, e := range kept {
			one[i].class = 0 // of the background
			left[i].x = direct(without(kept, i), classes, s.ridge.lambda, 0, e.x)
		}
		if kind == Ridge {
			nu = 1e12 // one covariance
		}
		all := func(e []labelled) []labelled { return e }
		defined := func(of func([]labelled) []labelled, x, y []float64, class int) []float64 {
			density := normals(of(kept), classes, nu, n, epsilon(kept, classes), x)[class]
			background := normals(of(one), 1, 1e12, n, epsilon(one, 1), x)[0]
			output := normals(of(left), classes, s.outputs.nu, n, epsilon(left, classes), y)[class]
			return []float64{density, density - background, slices.Max(y), output}
		}
		for i, e := range kept {
			others := func(e []labelled) []labelled { return without(e, i) }
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
			scores := s.scores([]labelled{e}, false)[0]
			y := direct(kept, classes, s.ridge.lambda, 0, e.x)
			check.NearAll(t, "scores", scores[:], defined(all, e.x, y, e.class), 1e-6)
		}
	})
}

// Scores ten times the log probabilities of the labels have the temperature 1/10, smaller ones have 1. The
// only example of a class has no part in it.
func TestTemper(t *testing.T) {
	const n = 20000
	for scale, want := range map[float64]float64{10: 0.1, 0.5: 1} {
		rnd := rand.New(rand.NewPCG(1, 2))
		scores, examples := matrix(n+1, 3), make([]labelled, n, n+1)
		for i := range examples {
			score := 4*rnd.Float64() - 2
			scores[i][1], scores[i][2], examples[i].weight = scale*score, math.Inf(-1), 1
			if rnd.Float64() < 1/(1+math.Exp(-score)) {
				examples[i].class = 1
			}
		}
		scores[n][2] = -1e9
		m := &moments{n: []float64{n / 2, n / 2, 1}, shares: make([]float64, 3)}
		g := gaussians{moments: m}
		loss := g.temper(scores, append(examples, labelled{class: 2, weight: 1}))
		check.Near(t, "τ", g.tau, want, 0.005)
		check.Near(t, "loss", g.temper(scores, examples), loss, 0)
	}
}

// The p-values of inputs like those that were learned are uniform, and small of others.
func TestPValues(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		rnd := rand.New(random.Source("tail"))
		draw := func() labelled {
			e := labelled{x: make([]float64, 6), class: rnd.IntN(2)}
			for j := range e.x {
				e.x[j] = random.Normal(rnd) + 3*float64(e.class)
			}
			return e
		}
		l, err := New(Config{Kind: kind, Inputs: 6, Classes: 2})
		check.OK(t, err)
		if p := familiarity(t, l, draw().x); !math.IsNaN(p) {
			t.Errorf("%g before the first example", p)
		}
		for range 400 {
			observe(t, l, []labelled{draw()})
		}
		const n = 4000
		for _, level := range []float64{0.05, 0.3} {
			below := 0.0
			for range n {
				if familiarity(t, l, draw().x) <= level {
					below += 1. / n
				}
			}
			check.Near(t, "share below", below, level, 0.035)
		}
		if p := familiarity(t, l, slices.Repeat([]float64{-9}, 6)); !(p < 1e-4) {
			t.Errorf("far away %g", p)
		}
		_, _, err = l.Familiarity([][]float64{{1}}, []int{0})
		check.Refuses(t, "Familiarity", err, "length 1")
		check.OK(t, l.AddClass())
		for n := 1; n <= 10; n++ {
			x := slices.Repeat([]float64{9}, 6)
			observe(t, l, []labelled{{x: x, class: 2}})
			if p, _, err := l.Familiarity([][]float64{x}, []int{2}); err != nil || math.IsNaN(p[0]) != (n < 10) {
				t.Errorf("%g of a class with %d examples, error %v", p, n, err)
			}
		}
	})
}

// familiarity returns the p-value of x.
func familiarity(t *testing.T, l *Layer, x []float64) float64 {
	t.Helper()
	var prediction bnn.Prediction
	check.OK(t, l.Predict(&prediction, x))
	p, density, err := l.Familiarity([][]float64{x}, []int{prediction.Class()})
	check.OK(t, err)
	check.True(t, math.IsNaN(density[0]) == (l.examples() == 0), "density %g of %d", density[0], l.examples())
	return p[0]
}

// A kept example is compared with the others of its class, not with itself.
func TestReferenceLeavesOut(t *testing.T) {
	kept, scores, others := make([]labelled, 12), make([][4]float64, 12), []float64{}
	for i := range kept {
		kept[i].count = 1
		distance := float64(i)
		if i == 11 {
			distance = 40
		} else {
			others = append(others, distance)
		}
		scores[i] = [4]float64{-distance, -distance, -distance, -distance}
	}
	sums := newReference(2, kept, scores).sums
	check.Near(t, "the farthest", sums[11], -4*math.Log(familiar.Tail(others, nil, 40)), 1e-12)
}
