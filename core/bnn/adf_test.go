package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

var allKinds = []Covariance{Full, Diagonal, Shared}

// Certain weights stay what they are, and the others learn.
func TestCertainWeights(t *testing.T) {
	for _, rule := range outputRules {
		for _, kind := range allKinds {
			n := newNetwork(spec{
				Layers: []int{2, 3, 3}, Output: rule, Hidden: Smooth, OnIndefinite: Skip,
				Covariance: []Covariance{kind}, paper: true,
			})
			for certain := range 2 { // the layer whose weights have zero variance; after layer 1 so have the logits
				makeCertain(t, n, certain)
				before := n.State()
				for k := range 5 {
					check.Must(n.Observe([]float64{1, 0.5}, k%3))
				}
				for l, layer := range n.State().Layers {
					same := mat.Equal(layer.Mean, before.Layers[l].Mean)
					check.Equal(t, fmt.Sprint(rule, kind, ": layer ", l, " stays"), same, l <= certain)
				}
			}
		}
	}
}

// A variance of 1e-200 is learned, one that may have no inverse is not.
func TestTinyVariances(t *testing.T) {
	for v, moves := range map[float64]bool{1e-200: true, 1e-300: false} {
		n := newNetwork(spec{Layers: []int{1, 2}, PriorVar: v, paper: true})
		check.Must(n.Observe([]float64{1}, 0))
		check.Equal(t, fmt.Sprint("moves with variance ", v), n.State().Layers[0].Mean.At(0, 0) > 0, moves)
	}
}

// One step, written as in the derivation: ỹ, s̃, gain, m̃, ṽ, with the logits moved by Eq. (w) of the paper.
// A frozen layer is conditioned on its own mean; a shared covariance is the mean of those of the neurons.
func TestStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(42, 1))
	for _, rule := range []HiddenRule{Smooth, SmoothMean, Frozen} {
		for _, kind := range allKinds {
			testStep(t, rnd, spec{
				Layers: []int{2, 4, 5, 3}, Output: ADF, Hidden: rule, Covariance: []Covariance{kind},
				Alpha: 0.1, Beta: 1,
			})
		}
	}
	for _, rule := range outputRules {
		cfg := spec{Output: rule, Hidden: Smooth, Covariance: []Covariance{Full}}
		if !rule.assumedDensity() {
			cfg.Softmax = softmax.Probit{Lambda: 0.2, Rho: 0.5}
		}
		for _, cfg.Layers = range [][]int{{3, 4}, {2, 2}, {2, 3}, {2, 5}, {2, 4, 3}} {
			for range 20 {
				testStep(t, rnd, cfg)
			}
		}
	}
}

// target returns the moments of logits with moments m and v given the class, and the logarithm of its
// probability, by the definition of the rule: for Joint and Total paper Eq. (z), with dense matrices.
func target(cfg *Config, m, v []float64, class int) (mean, variance []float64, logP float64) {
	c := len(m)
	if cfg.Output.assumedDensity() {
		post := softmax.NewPosterior(c)
		cfg.Softmax.(softmax.Likelihood).Posterior(post, m, v, class)
		return post.Mean, post.Free, post.LogP
	}
	k, moments := c-1, softmax.NewMoments(c)
	cfg.Softmax.Moments(moments, m, v)
	p := mat.NewVecDense(k, moments.P[:k])
	labelCov, allCross := mat.NewSymDense(c, nil), mat.NewDense(c, c, nil)
	moments.Cov(labelCov)
	moments.Cross(allCross, v)
	cross, innovation := allCross.Slice(0, c, 0, k), mat.DenseCopyOf(labelCov.SliceSym(0, k))
	if cfg.Output == Total { // diag(p) − ppᵀ
		innovation.Outer(-1, p, p)
		for j := range k {
			innovation.Set(j, j, innovation.At(j, j)+moments.P[j])
		}
	}
	label := mat.NewVecDense(k, nil)
	if class < k {
		label.SetVec(class, 1)
	}
	label.SubVec(label, p)
	var inverse, gain, reduction mat.Dense
	if err := inverse.Inverse(innovation); err != nil {
		panic(err)
	}
	gain.Mul(cross, &inverse)
	var step mat.VecDense
	step.MulVec(&gain, label)
	reduction.Mul(&gain, cross.T())
	change, sums := make([]float64, c), make([]float64, c) // ṽ − v
	for j := range c {
		change[j] = -reduction.At(j, j)
		sums[j] = -mat.Sum(reduction.RowView(j)) - change[j]
	}
	if cfg.Output == Total {
		softmax.FreeVariances(change, change, sums)
	}
	floats.Add(change, v)
	return floats.AddTo(make([]float64, c), m, step.RawVector().Data), change, math.Log(moments.P[class])
}

func testStep(t *testing.T, rnd *rand.Rand, cfg spec) {
	cfg.Bias, cfg.paper = true, true
	n, rule := newNetwork(cfg), cfg.Hidden
	if n.cfg.Covariance[0] != Diagonal {
		randomWeights(t, n, rnd, 0.6)
	}
	x, class := random.Normals(rnd, cfg.Layers[0]), rnd.IntN(n.cfg.classes())
	if len(x) > 2 {
		x[2] = 0
	}
	var p Prediction
	check.OK(t, n.Predict(&p, x))
	var mean []*mat.Dense
	var cov [][]mat.Symmetric
	for l := range n.layers {
		m, c := n.Weights(l)
		mean, cov = append(mean, m), append(cov, c)
	}
	y := [][]float64{append(slices.Clone(x), 1)}
	s := [][]float64{make([]float64, len(x)+1)}
	var m, v, cross [][]float64
	for l := range n.layers {
		out, in := mean[l].Dims()
		ml, vl, cl := make([]float64, out), make([]float64, out), make([]float64, out)
		yl, sl := make([]float64, out+1), make([]float64, out+1)
		yl[out] = 1
		for j := range out {
			vec := mat.NewVecDense(in, y[l])
			ml[j], vl[j] = mat.Dot(mean[l].RowView(j), vec), mat.Inner(vec, cov[l][j], vec)
			for i := range in {
				if rule != Smooth {
					break // the variances of the inputs are dropped
				}
				vl[j] += s[l][i] * (mean[l].At(j, i)*mean[l].At(j, i) + cov[l][j].At(i, i))
			}
			yl[j], sl[j], cl[j] = n.cfg.Unit.Moments(ml[j], vl[j])
		}
		check.NearAll(t, "means of the inputs", p.Layers[l].Input, y[l][:in-1], 1e-12)
		check.NearAll(t, "means", p.Layers[l].Mean, ml, 1e-12)
		check.NearAll(t, "variances", p.Layers[l].Variance, vl, 1e-11)
		m, v, y, s, cross = append(m, ml), append(v, vl), append(y, yl), append(s, sl), append(cross, cl)
	}
	last := len(m) - 1
	tm, tv, logP := target(&n.cfg, m[last], v[last], class)
	update := check.Must(n.Observe(x, class))
	check.Near(t, "log p", update.LogP, logP, 1e-9)
	check.True(t, !update.Indefinite, "%+v: %+v", cfg, update)
	if n.cfg.Output != Joint {
		(&outputStep{variance: tv}).limit(v[last]) // see TestLimit
	}
	for l := last; ; l-- {
		out := len(cov[l])
		d, e := make([]float64, out), make([]float64, out)
		for j := range out {
			d[j], e[j] = (tm[j]-m[l][j])/v[l][j], (tv[j]-v[l][j])/(v[l][j]*v[l][j])
		}
		wantMean, wantCov := stepped(mean[l], cov[l], y[l], d, e)
		if n.cfg.Covariance[l] == Shared {
			for _, c := range wantCov[1:] {
				wantCov[0].Add(wantCov[0], c)
			}
			wantCov[0].Scale(1/float64(out), wantCov[0])
			wantCov = slices.Repeat(wantCov[:1], out)
		}
		checkLayer(t, fmt.Sprint(cfg), n, l, wantMean, wantCov, 1e-8)
		if l == 0 {
			break
		}
		lower := len(m[l-1])
		next, nextVar := make([]float64, lower), make([]float64, lower)
		for i := range lower {
			ty, ts := y[l][i], s[l][i]
			for j := range out {
				mu := mean[l].At(j, i)
				ty += s[l][i] * mu * d[j]
				ts += s[l][i] * s[l][i] * mu * mu * e[j]
			}
			if rule == Frozen {
				ty, ts = y[l][i], 0
			}
			k := cross[l-1][i] / s[l][i]
			next[i] = m[l-1][i] + k*(ty-y[l][i])
			nextVar[i] = v[l-1][i] + k*k*(ts-s[l][i])
			if rule != Frozen || n.cfg.Covariance[l] != Diagonal {
				nextVar[i] = max(nextVar[i], v[l-1][i]/1000)
			}
		}
		tm, tv = next, nextVar
	}
}

// Many classes claim the variance of one hidden unit: the floor holds, and is counted.
func TestSmoothFloors(t *testing.T) {
	const classes = 200
	probit := softmax.Probit{Lambda: 3, Rho: 0.5}
	n := newNetwork(spec{Layers: []int{1, 1, classes}, Hidden: Smooth, Softmax: probit, paper: true})
	oneInput(t, n, 0, []float64{5}, []float64{1})
	oneInput(t, n, 1, slices.Repeat([]float64{20}, classes), slices.Repeat([]float64{1e-6}, classes))
	u := check.Must(ensemble(n, copied(n)).Observe([]float64{1}, 0))
	check.Equal(t, "variances floored, one of each member", u.Floored, 2)
	check.Equal(t, "wrong", wrong(n.State()), "")
	check.Near(t, "the floor", n.State().Layers[0].Spread.At(0, 0), math.Sqrt(1e-3), 1e-12)
}

// eachKind runs a test for each kind of covariance of all layers.
func eachKind(t *testing.T, test func(t *testing.T, kind []Covariance)) {
	for _, kind := range allKinds {
		t.Run(string(kind), func(t *testing.T) { test(t, []Covariance{kind}) })
	}
}

// An example changes the weights as without noise, whose caps the twin has. After every eighth example, in
// hidden layers every sixteenth, rows and columns of four inputs take the step of a round of examples, by which
// a covariance Σ becomes Σ₀ + (1 − q)ⁿ(Σ − Σ₀) after a round of n.
func TestNoiseStep(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		for _, c := range []spec{
			{Layers: []int{6, 9, 3}, Bias: true, Hidden: Smooth, PriorVar: 0.6, paper: true},
			{Layers: []int{4, 11, 2}, PriorVar: 0.4, Replications: []float64{3, 1}, paper: true},
			{Layers: []int{1, 9, 6, 2}, Bias: true},
		} {
			c.Covariance, c.Noise = kind, []float64{1e-3, 2e-3, 5e-4}[:len(c.Layers)-1]
			n, rnd := newNetwork(c), rand.New(random.Source("noise"))
			randomWeights(t, n, rnd, 0.25) // some variances are above the prior's
			for k := 1; k <= 100; k++ {
				s := n.State()
				s.Config.ProcessNoise = slices.Repeat([]float64{1e-300}, len(c.Noise))
				twin := check.Must(Restore(s))
				x, class := random.Normals(rnd, c.Layers[0]), k%2
				check.Must(n.Observe(x, class))
				check.Must(twin.Observe(x, class))
				for l, q := range c.Noise {
					every := 16
					if l == len(c.Noise)-1 {
						every = 8
					}
					mean, cov := twin.Weights(l)
					got, _ := n.Weights(l)
					check.NearMatrix(t, "means", got, mean, 0)
					want := addIdentity(cov, 1, 0)
					_, in := n.cfg.WeightDims(l)
					round := (in + 3) / 4
					first, keep := k/every%round*4, math.Pow(1-q, float64(every*round))
					for j := 0; j < len(want) && k%every == 0; j++ {
						s := want[j].(*mat.Dense)
						for i := first; i < min(in, first+4); i++ {
							row, column := s.RowView(i).(*mat.VecDense), s.ColView(i).(*mat.VecDense)
							row.ScaleVec(math.Sqrt(keep), row)
							column.ScaleVec(math.Sqrt(keep), column)
							s.Set(i, i, s.At(i, i)+(1-keep)*n.cfg.PriorVar[l])
						}
					}
					checkLayer(t, fmt.Sprint(c.Layers, k), n, l, mean, want, 1e-12)
				}
			}
		}
	})
}

// However long a stream, all covariances are positive definite, the variances of an input that is always zero
// are at most the prior's, and those of a class that never comes hardly more.
func TestNoiseForever(t *testing.T) {
	eachKind(t, func(t *testing.T, kind []Covariance) {
		c := spec{Layers: []int{3, 2, 3}, Covariance: kind, Bias: true, PriorVar: 4, Noise: []float64{1e-2}}
		n := newNetwork(c)
		rnd, x := rand.New(random.Source("for ever")), make([]float64, 3)
		for k := range 100_000 {
			x[0], x[2] = random.Normal(rnd)+float64(k%2), random.Normal(rnd)+2
			check.Must(n.Observe(x, k%2))
		}
		for l, most := range [][]float64{{1.1, 1 + 1e-12, 1.1, 1.1}, {1.1, 1.1, 1.1}} {
			_, cov := n.Weights(l)
			for j, s := range cov {
				var root mat.Cholesky
				check.True(t, root.Factorize(s), "covariance %d of layer %d is not definite", j, l)
				for i, most := range most {
					ratio := s.At(i, i) / n.cfg.PriorVar[l]
					check.True(t, ratio <= most, "neuron %d of layer %d: %g times the prior variance", j, l, ratio)
				}
			}
		}
	})
}
