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

	check "closedform/internal/checktest"
)

// without returns the examples but one.
func without(all []labelled, i int) []labelled {
	return slices.Concat(all[:i], all[i+1:])
}

// direct returns the outputs for x of a regression of the one-hot labels by its definition, with the penalty
// lambda on each weight and another one on the bias.
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

// The ridge regression is that of the normal equations. The Gaussians on its outputs are those of the
// examples that were really left out.
func TestRidge(t *testing.T) {
	const n, d, classes = 70, 12, 3
	examples := rounded(drawn(n, d, classes))
	l := learned(t, Config{Kind: Ridge, Inputs: d, Classes: classes}, examples)
	lambda, g := l.solve(false).ridge.lambda, l.solve(false).outputs
	var left []labelled
	for i, e := range examples {
		left = append(left, labelled{x: direct(without(examples, i), classes, lambda, 0, e.x), class: e.class})
	}
	for _, e := range drawn(3, d, classes) {
		x := rounded([]labelled{e})[0].x
		outputs := direct(examples, classes, lambda, 0, x)
		largest := slices.Repeat([]float64{slices.Max(outputs)}, classes)
		check.NearAll(t, "largest output", scores(l, x, 2), largest, 1e-9)
		want := normals(left, classes, g.nu, n, epsilon(left, classes), outputs)
		check.NearAll(t, "densities", scores(l, x, 3), want, 1e-6)
	}
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

// scores returns score k of each of the three classes at x.
func scores(l *Layer, x []float64, k int) (all []float64) {
	for _, of := range check.Must(l.scores([][]float64{x, x, x}, []int{0, 1, 2})) {
		all = append(all, of[k])
	}
	return all
}

// The Gaussians have the densities of their definition.
func TestGaussians(t *testing.T) {
	const n, d, classes = 60, 5, 3
	examples := rounded(drawn(n, d, classes))
	l := learned(t, Config{Kind: Gaussian, Inputs: d, Classes: classes}, examples)
	eps := epsilon(examples, classes)
	x := rounded(drawn(2, d, classes))[1].x
	want := normals(examples, classes, l.solve(true).density.nu, n, eps, x)
	check.NearAll(t, "densities", scores(l, x, 0), want, 1e-10)

	l = learned(t, Config{Kind: Ridge, Inputs: d, Classes: classes}, examples)
	density, ratio := scores(l, x, 0), scores(l, x, 1)
	want = normals(examples, classes, 1e12, n, eps, x)
	check.NearAll(t, "densities with one covariance", density, want, 1e-8)
	one := slices.Clone(examples)
	for i := range one {
		one[i].class = 0
	}
	want = normals(one, 1, 1e12, n, epsilon(one, 1), x)
	check.NearAll(t, "background", []float64{density[0] - ratio[0]}, want, 1e-8)
}

// The scores of kept examples are those by the definitions, with each example really left out.
func TestKeptScores(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		const n, d, classes = 60, 5, 3
		l := learned(t, Config{Kind: kind, Inputs: d, Classes: classes}, rounded(drawn(n, d, classes)))
		s := l.solve(true)
		kept, scores := l.keptScores(&s)
		one, nu := slices.Clone(kept), s.density.nu
		for i := range one {
			one[i].class = 0
		}
		left := make([]labelled, n) // outputs
		for i, e := range kept {
			left[i] = labelled{x: direct(without(kept, i), classes, s.ridge.lambda, 0, e.x), class: e.class}
		}
		for i, e := range kept {
			density := normals(without(kept, i), classes, nu, n, epsilon(kept, classes), e.x)[e.class]
			background := normals(without(one, i), 1, 1e12, n, epsilon(one, 1), e.x)[0]
			y := left[i].x
			output := normals(without(left, i), classes, s.outputs.nu, n, epsilon(left, classes), y)[e.class]
			want := []float64{density, density - background, slices.Max(y), output}
			check.NearAll(t, "scores", scores[i][:], want, 1e-5)
		}
	})
}

// Scores that are ten times as large as the log probabilities of the labels have the temperature 1/10, and
// smaller ones have 1. The only example of a class has no part in it.
func TestTemper(t *testing.T) {
	const n = 20000
	for scale, want := range map[float64]float64{10: 0.1, 0.5: 1} {
		rnd := rand.New(rand.NewPCG(1, 2))
		scores, examples := make([][]float64, 3), make([]labelled, n, n+1)
		for c := range scores {
			scores[c] = make([]float64, n+1)
		}
		for i := range examples {
			score := 4*rnd.Float64() - 2
			scores[1][i], scores[2][i], examples[i].weight = scale*score, math.Inf(-1), 1
			if rnd.Float64() < 1/(1+math.Exp(-score)) {
				examples[i].class = 1
			}
		}
		scores[2][n] = -1e9
		g := gaussians{shares: make([]float64, 3)}
		loss := g.temper(scores, []float64{n / 2, n / 2, 1}, append(examples, labelled{class: 2, weight: 1}))
		check.Near(t, "τ", g.tau, want, 0.005)
		check.Near(t, "loss", g.temper(scores, []float64{n / 2, n / 2, 0}, examples), loss, 0)
	}
}

// The only examples of classes have no part in the choice of ν for densities, and their outputs are those
// with them.
func TestOnlyExamples(t *testing.T) {
	const d, classes = 4, 14
	examples := drawn(60, d, 2)
	for i, e := range drawn(classes-2, d, 2) {
		examples = append(examples, labelled{x: e.x, class: 2 + i})
	}
	rounded(examples)
	l := learned(t, Config{Kind: Gaussian, Inputs: d, Classes: classes}, examples)
	n, eps, s := float64(len(examples)), epsilon(examples, classes), l.solve(true)
	loss := func(nu float64) (sum float64) {
		for i, e := range examples[:60] {
			sum -= normals(without(examples, i), classes, nu, n, eps, e.x)[e.class]
		}
		return sum
	}
	nu := s.density.nu
	if less, same, more := loss(nu/4), loss(nu), loss(4*nu); !(same < less && same < more) {
		t.Errorf("ν = %g has the loss %g, a quarter and four times that %g and %g", nu, same, less, more)
	}
	for i, e := range s.ridge.kept[60:] {
		want := direct(examples, classes, s.ridge.lambda, 0, l.kept[e.class][0].x)
		check.NearAll(t, fmt.Sprint("outputs of example ", i), e.x, want, 1e-9)
	}
}
