package readout

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/internal/check"
)

// without returns the examples but one.
func without(all []labelled, i int) []labelled {
	return append(append([]labelled(nil), all[:i]...), all[i+1:]...)
}

// direct is a ridge regression with λ by its definition.
func direct(examples []labelled, classes int, lambda float64, x []float64) []float64 {
	n, d := len(examples), len(x)
	mean, share := make([]float64, d), make([]float64, classes)
	for _, e := range examples {
		share[e.class] += 1 / float64(n)
		for j, v := range e.x {
			mean[j] += v / float64(n)
		}
	}
	z, y := mat.NewDense(n, d, nil), mat.NewDense(n, classes, nil)
	for i, e := range examples {
		y.Set(i, e.class, 1)
		for j, v := range e.x {
			z.Set(i, j, v-mean[j])
		}
	}
	var g, b, w mat.Dense
	g.Mul(z.T(), z)
	for j := range d {
		g.Set(j, j, g.At(j, j)+lambda)
	}
	b.Mul(z.T(), y)
	if err := w.Solve(&g, &b); err != nil {
		panic(err)
	}
	out := make([]float64, classes)
	for c := range out {
		out[c] = share[c]
		for j, v := range x {
			out[c] += (v - mean[j]) * w.At(j, c)
		}
	}
	return out
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

// The ridge regression is that of the normal equations, with the λ of the grid for which really leaving out
// each example gives the least squared error.
func TestRidge(t *testing.T) {
	const n, d, classes = 70, 12, 3
	examples := rounded(drawn(n, d, classes))
	var trace float64
	for j := range d {
		var sum, square float64
		for _, e := range examples {
			sum, square = sum+e.x[j], square+e.x[j]*e.x[j]
		}
		trace += square - sum*sum/n
	}
	best, lambda := math.Inf(1), 0.0
	for scale := 1e-7; scale < 1e3; scale *= 10 {
		with, loss := scale*trace/d+n*math.Pow(2, -18)/12, 0.0
		for i, e := range examples {
			for c, v := range direct(without(examples, i), classes, with, e.x) {
				if c == e.class {
					v--
				}
				loss += v * v
			}
		}
		if loss < best {
			best, lambda = loss, with
		}
	}
	if lambda < 0.01*trace/d {
		t.Fatalf("λ = %g is near the start of the search", lambda)
	}
	l := learned(t, Config{Ridge, d, classes}, examples)
	for _, e := range drawn(3, d, classes) {
		x := rounded([]labelled{e})[0].x
		var s Scores
		check.OK(t, l.Scores(&s, x))
		check.NearAll(t, "outputs", s.Ridge, direct(examples, classes, lambda, x), 1e-9)
	}
}

// normals returns log densities of Gaussians by their definition, where N in S̄ is total and epsilon is given.
func normals(examples []labelled, classes int, nu, total, epsilon float64, x []float64) []float64 {
	d := len(x)
	n, mean, scatters := make([]float64, classes), mat.NewDense(classes, d, nil), make([]*mat.SymDense, classes)
	for _, e := range examples {
		n[e.class]++
		for j, v := range e.x {
			mean.Set(e.class, j, mean.At(e.class, j)+v)
		}
	}
	pooled := mat.NewSymDense(d, nil)
	for c := range classes {
		for j := range d {
			mean.Set(c, j, mean.At(c, j)/n[c])
		}
		scatters[c] = mat.NewSymDense(d, nil)
		for _, e := range examples {
			if e.class == c {
				var r mat.VecDense
				r.SubVec(mat.NewVecDense(d, e.x), mean.RowView(c))
				scatters[c].SymRankOne(scatters[c], 1, &r)
			}
		}
		pooled.AddSym(pooled, scatters[c])
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

// The Gaussians have the densities of their definition, also with each example really left out.
func TestGaussians(t *testing.T) {
	const n, d, classes = 60, 5, 3
	examples := rounded(drawn(n, d, classes))
	l := learned(t, Config{Gaussian, d, classes}, examples)
	m := l.moments()
	_, epsilon := m.within()
	g := l.solve(false).inputs
	x := rounded(drawn(2, d, classes))[1].x
	want := normals(examples, classes, g.nu, n, epsilon, x)
	var s Scores
	check.OK(t, l.Scores(&s, x))
	check.NearAll(t, "densities", s.Density, want, 1e-10)

	l = learned(t, Config{Ridge, d, classes}, examples)
	check.OK(t, l.Scores(&s, x))
	check.NearAll(t, "densities with one covariance", s.Density, normals(examples, classes, 1e12, n, epsilon, x), 1e-8)
	one := append([]labelled(nil), examples...)
	for i := range one {
		one[i].class = 0
	}
	total := moments{n: []float64{n}, mean: [][]float64{m.center}, center: m.center, squares: m.squares, total: n}
	_, epsilon1 := total.within()
	check.NearAll(t, "background", []float64{s.Background}, normals(one, 1, 1e12, n, epsilon1, x), 1e-8)

	for _, g.nu = range []float64{0.1, 3, 200} {
		for c := range classes {
			each := scatter(m.squares[c:c+1], m.n[c:c+1], m.mean[c:c+1])
			pooled, _ := m.within()
			root := factorize(d, 1/(m.n[c]+g.nu), each, g.nu/(m.n[c]+g.nu)/n, pooled, g.nu/(m.n[c]+g.nu)*epsilon)
			g.set(c, root, root.LogDet(), m.mean[c])
			got := make([]float64, n)
			g.leftOut(got, c, m, examples)
			for i, e := range examples {
				want := normals(without(examples, i), classes, g.nu, n, epsilon, e.x)[c]
				check.Near(t, "left out", got[i]-0.5*d*log2Pi, want, 1e-8)
			}
		}
	}
}
