package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
)

func newNetwork(t testing.TB, cfg Config) *Network {
	t.Helper()
	n, err := New(cfg, random.Source("bnn", "test"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// randomWeights gives every neuron a random mean and a random full covariance.
func randomWeights(t testing.TB, n *Network, rnd *rand.Rand, size float64) {
	t.Helper()
	for l := range n.layers {
		out, in := n.layers[l].out, n.layers[l].in
		mean := mat.NewDense(out, in, nil)
		var cov []mat.Symmetric
		for j := range out {
			a := mat.NewDense(in, in, nil)
			for i := range in {
				mean.Set(j, i, size*rnd.NormFloat64())
				for k := range in {
					a.Set(i, k, size*rnd.NormFloat64())
				}
			}
			s := mat.NewSymDense(in, nil)
			s.SymOuterK(1, a)
			cov = append(cov, s)
		}
		if err := n.SetWeights(l, mean, cov); err != nil {
			t.Fatal(err)
		}
	}
}

func near(t *testing.T, name string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}

// textbook is one step of a network with a single layer, written with dense
// matrices straight from the formulas: paper Eqs. (z) and (w).
func textbook(n *Network, x []float64, class int) (mean []*mat.VecDense, cov []*mat.Dense) {
	c := n.cfg.classes()
	y := mat.NewVecDense(n.layers[0].in, nil)
	y.SetVec(y.Len()-1, 1)
	for i, xi := range x {
		y.SetVec(i, xi)
	}
	mu, sigma := n.Weights(0)
	m, v := make([]float64, c), make([]float64, c)
	u := make([]*mat.VecDense, c)
	for j := range c {
		u[j] = mat.NewVecDense(y.Len(), nil)
		u[j].MulVec(sigma[j], y)
		m[j], v[j] = mat.Dot(mu.RowView(j), y), mat.Dot(y, u[j])
	}
	moments := softmax.NewMoments(c)
	n.cfg.Softmax.Moments(moments, m, v)
	k := c - 1
	p := mat.NewVecDense(k, moments.P[:k])
	innovation := mat.NewDense(k, k, nil)
	cross := mat.NewDense(c, k, nil)
	for i := range c {
		for j := range k {
			e := 0.5 * (moments.E.At(i, j) + moments.E.At(j, i))
			l := -e
			if i == j {
				l = 0
				for q := range c {
					l += 0.5 * (moments.E.At(i, q) + moments.E.At(q, i))
				}
			}
			cross.Set(i, j, v[i]*l)
			if i < k {
				s := -p.AtVec(i) * p.AtVec(j)
				if i == j {
					s += p.AtVec(i)
				}
				if n.cfg.Output == Joint {
					s -= l
				}
				innovation.Set(i, j, s)
			}
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
	for j := range c {
		d := step.AtVec(j) / v[j]
		e := -reduction.At(j, j) / (v[j] * v[j])
		w := mat.VecDenseCopyOf(mu.RowView(j))
		w.AddScaledVec(w, d, u[j])
		mean = append(mean, w)
		s := mat.DenseCopyOf(sigma[j])
		var outer mat.Dense
		outer.Outer(e, u[j], u[j])
		s.Add(s, &outer)
		cov = append(cov, s)
	}
	return mean, cov
}

func TestObserveIsTheTextbookStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, rule := range []OutputRule{Joint, Total} {
		for _, classes := range []int{2, 3, 5} {
			for trial := range 40 {
				n := newNetwork(t, Config{
					Layers: []int{2, classes}, Bias: true, Output: rule,
					Softmax: softmax.Probit{Lambda: 0.2, Rho: 0.5},
				})
				randomWeights(t, n, rnd, 0.7)
				x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, trial%classes
				mean, cov := textbook(n, x, class)
				update, err := n.Observe(x, class)
				if err != nil || update.Action != Applied || !(update.MinEigenvalue > 0) || !(update.MinVariance > 0) {
					t.Fatalf("%v, %d classes: %+v, %v", rule, classes, update, err)
				}
				gotMean, gotCov := n.Weights(0)
				for j := range classes {
					for a := range 3 {
						near(t, fmt.Sprintf("%v μ_%d[%d]", rule, j, a), gotMean.At(j, a), mean[j].AtVec(a), 1e-8)
						for b := range 3 {
							near(t, fmt.Sprintf("%v Σ_%d[%d,%d]", rule, j, a, b), gotCov[j].At(a, b), cov[j].At(a, b), 1e-8)
						}
					}
				}
			}
		}
	}
}

// With two classes the network is Huber's Bayesian perceptron (2020): in
// a = z_1 − z_2 the update is a scalar Kalman step with the closed-form p, Var y
// and Cov(a, y).
func TestBinaryNetworkIsHubersPerceptron(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	lambda := math.Sqrt(2*math.Pi) / 4
	for _, rule := range []OutputRule{Joint, Total} {
		for trial := range 50 {
			n := newNetwork(t, Config{Layers: []int{2, 2}, Output: rule})
			randomWeights(t, n, rnd, 0.5)
			x := []float64{rnd.NormFloat64(), rnd.NormFloat64()}
			var before, after Prediction
			if err := n.Predict(&before, x); err != nil {
				t.Fatal(err)
			}
			m, v := before.Mean[0]-before.Mean[1], before.Variance[0]+before.Variance[1]
			s := math.Sqrt(1 + lambda*lambda*v)
			p := gauss.CDF(lambda * m / s)
			cross := v * lambda / s * gauss.PDF(lambda*m/s) // Cov(a, y)
			noise := p * (1 - p)
			near(t, "p", before.P[0], p, 1e-11)
			near(t, "Var y", before.Cov.At(0, 0), noise-cross/v, 1e-11)
			if rule == Joint {
				noise -= cross / v
			}
			y := float64(1 - trial%2)
			wantMean := m + cross/noise*(y-p)
			wantVariance := v - cross*cross/noise

			class := trial % 2
			m0, v0 := append([]float64(nil), before.Mean...), append([]float64(nil), before.Variance...)
			update, err := n.Observe(x, class)
			if err != nil {
				continue // Σ_y is not positive: counted elsewhere
			}
			near(t, "smallest eigenvalue", update.MinEigenvalue, noise, 1e-10)
			if err := n.Predict(&after, x); err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprintf("%v: mean of a", rule), after.Mean[0]-after.Mean[1], wantMean, 1e-9)
			// Each weight vector takes its share: ṽ_j = v_j − (v_j/v)² (v − ṽ).
			for j := range 2 {
				share := v0[j] / v
				near(t, fmt.Sprintf("%v: ṽ_%d", rule, j), after.Variance[j], v0[j]-share*share*(v-wantVariance), 1e-9)
				sign := 1 - 2*float64(j)
				near(t, fmt.Sprintf("%v: m̃_%d", rule, j), after.Mean[j], m0[j]+sign*share*(wantMean-m), 1e-9)
			}
		}
	}
}

// For Total the m̃ of the classes average to m, and their spread is what ṽ
// lacks to v: the laws of total expectation and variance.
func TestTotalObeysTheLawsOfTotalMoments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		const classes = 4
		n := newNetwork(t, Config{Layers: []int{3, classes}, Output: Total, Softmax: softmax.Probit{Lambda: 1, Rho: 0.5}})
		randomWeights(t, n, rnd, 1)
		x := []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
		if err := n.forward(&n.pass, x); err != nil {
			t.Fatal(err)
		}
		m, v := n.pass.output()
		n.cfg.Softmax.Moments(n.step.moments, m, v)
		mean, spread := make([]float64, classes), make([]float64, classes)
		for class, p := range n.step.moments.P {
			if _, err := n.step.run(&n.cfg, m, v, class); err != nil {
				t.Fatal(err)
			}
			for j := range m {
				mean[j] += p * n.step.mean[j]
				spread[j] += p * (n.step.mean[j] - m[j]) * (n.step.mean[j] - m[j])
			}
		}
		for j := range m {
			near(t, "E m̃", mean[j], m[j], 1e-9)
			near(t, "ṽ + Var m̃", n.step.variance[j]+spread[j], v[j], 1e-9)
			if !(n.step.variance[j] > 0) {
				t.Errorf("ṽ_%d = %g", j, n.step.variance[j])
			}
		}
	}
}

// The classes have no order: permuting neurons and labels permutes the update,
// although the formulas single out the last class.
func TestObserveIsEquivariant(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	perm := []int{2, 0, 3, 1}
	for _, rule := range []OutputRule{Joint, Total} {
		for class := range 4 {
			cfg := Config{Layers: []int{2, 4}, Output: rule, Softmax: softmax.Probit{Lambda: 0.15, Rho: 0.5}}
			a, b := newNetwork(t, cfg), newNetwork(t, cfg)
			randomWeights(t, a, rnd, 0.8)
			mean, cov := a.Weights(0)
			permuted, permutedCov := mat.NewDense(4, 2, nil), make([]mat.Symmetric, 4)
			for j := range 4 {
				permuted.SetRow(perm[j], mean.RawRowView(j))
				permutedCov[perm[j]] = cov[j]
			}
			if err := b.SetWeights(0, permuted, permutedCov); err != nil {
				t.Fatal(err)
			}
			x := []float64{1.3, -0.4}
			if _, err := a.Observe(x, class); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Observe(x, perm[class]); err != nil {
				t.Fatal(err)
			}
			am, ac := a.Weights(0)
			bm, bc := b.Weights(0)
			for j := range 4 {
				for i := range 2 {
					near(t, "mean", bm.At(perm[j], i), am.At(j, i), 1e-8)
					near(t, "covariance", bc[perm[j]].At(0, i), ac[j].At(0, i), 1e-8)
				}
			}
		}
	}
}

// The prediction of a network with one layer, against sampled weights and the
// labels they give under the probit with ρ = ½.
func TestPredictMonteCarlo(t *testing.T) {
	const samples = 40000
	rnd := rand.New(rand.NewPCG(9, 10))
	const lambda = 0.6
	n := newNetwork(t, Config{Layers: []int{2, 3}, Bias: true, Softmax: softmax.Probit{Lambda: lambda, Rho: 0.5}})
	randomWeights(t, n, rnd, 1)
	x := []float64{0.7, -1.1}
	var got Prediction
	if err := n.Predict(&got, x); err != nil {
		t.Fatal(err)
	}
	mean, cov := n.Weights(0)
	y := []float64{x[0], x[1], 1}
	var root [3]mat.TriDense
	for j, s := range cov {
		var chol mat.Cholesky
		if !chol.Factorize(s) {
			t.Fatal("covariance is not positive definite")
		}
		chol.LTo(&root[j])
	}
	count := make([]float64, 3)
	for range samples {
		best, top := 0, math.Inf(-1)
		for j := range 3 {
			e := []float64{rnd.NormFloat64(), rnd.NormFloat64(), rnd.NormFloat64()}
			u := math.Sqrt(0.5) * rnd.NormFloat64()
			for a := range 3 {
				w := mean.At(j, a)
				for b := 0; b <= a; b++ {
					w += root[j].At(a, b) * e[b]
				}
				u += lambda * w * y[a]
			}
			if u > top {
				best, top = j, u
			}
		}
		count[best]++
	}
	for j, p := range got.P {
		if z := (count[j] - samples*p) / math.Sqrt(samples*p*(1-p)); !(math.Abs(z) < 5) {
			t.Errorf("class %d: %g of %d samples, %.1f standard errors from p = %g", j, count[j], samples, z, p)
		}
	}
}

// Hidden rule Frozen: the first layer hands on E f(z), its means never move and
// Σ shrinks along Σŷ to ṽ = v − σ_zy²/s, whatever the label.
func TestFrozenHiddenLayer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	cfg := Config{Layers: []int{2, 4, 3, 3}, Bias: true, Alpha: 0.1, Beta: 1, Output: Total}
	a := newNetwork(t, cfg)
	randomWeights(t, a, rnd, 0.6)
	x := []float64{0.5, -1.5}

	mean, cov := a.Weights(0)
	y := mat.NewVecDense(3, []float64{x[0], x[1], 1})
	want := make([]float64, 4)
	for j := range 4 {
		var u mat.VecDense
		u.MulVec(cov[j], y)
		m, v := mat.Dot(mean.RowView(j), y), mat.Dot(y, &u)
		_, s, cross := a.unit.Moments(m, v)
		want[j] = v - cross*cross/s
	}
	for class := range 3 {
		b := newNetwork(t, cfg)
		for l := range 3 {
			m, c := a.Weights(l)
			if err := b.SetWeights(l, m, c); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := b.Observe(x, class); err != nil {
			t.Fatal(err)
		}
		for l := range 2 {
			before, _ := a.Weights(l)
			after, _ := b.Weights(l)
			if !mat.Equal(before, after) {
				t.Errorf("means of hidden layer %d moved", l)
			}
		}
		_, after := b.Weights(0)
		for j := range 4 {
			var u mat.VecDense
			u.MulVec(after[j], y)
			near(t, fmt.Sprintf("class %d: ṽ of hidden neuron %d", class, j), mat.Dot(y, &u), want[j], 1e-10)
		}
	}
}

// A hidden layer with one slope is linear: the network predicts as if its
// product with the mean of the next layer were one layer.
func TestLinearHiddenLayer(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	deep := newNetwork(t, Config{Layers: []int{2, 2, 3}, Alpha: 1, Beta: 1})
	randomWeights(t, deep, rnd, 1)
	m0, _ := deep.Weights(0)
	m1, cov := deep.Weights(1)
	flat := newNetwork(t, Config{Layers: []int{2, 3}})
	if err := flat.SetWeights(0, m1, cov); err != nil {
		t.Fatal(err)
	}
	x := []float64{0.3, 2}
	var h mat.VecDense
	h.MulVec(m0, mat.NewVecDense(2, x))
	var a, b Prediction
	if err := deep.Predict(&a, x); err != nil {
		t.Fatal(err)
	}
	if err := flat.Predict(&b, h.RawVector().Data); err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		near(t, "p", a.P[j], b.P[j], 1e-12)
		near(t, "variance", a.Variance[j], b.Variance[j], 1e-12)
	}
}

// indefinite is a step of the paper's rule that cannot be taken as printed.
func indefinite(t *testing.T, policy Policy, rule OutputRule) (n *Network, x []float64) {
	n = newNetwork(t, Config{
		Layers: []int{2, 3}, Output: rule, OnIndefinite: policy,
		Softmax: softmax.Probit{Lambda: 2, Rho: 0.5}, EigenvalueFloor: 0.02, VarianceFloor: 0.01,
	})
	mean := mat.NewDense(3, 2, []float64{3, 0, 0, 3, 3, 3})
	var cov []mat.Symmetric
	for range 3 {
		cov = append(cov, mat.NewDiagDense(2, []float64{0.1, 0.1}))
	}
	if err := n.SetWeights(0, mean, cov); err != nil {
		t.Fatal(err)
	}
	return n, []float64{1, 0.2}
}

func TestPolicies(t *testing.T) {
	n, x := indefinite(t, Fail, Joint)
	before, beforeCov := n.Weights(0)
	unchanged := func(n *Network) bool {
		after, afterCov := n.Weights(0)
		same := mat.Equal(before, after)
		for j := range afterCov {
			same = same && mat.Equal(beforeCov[j], afterCov[j])
		}
		return same
	}
	failed, err := n.Observe(x, 1)
	var e *IndefiniteError
	if !errors.As(err, &e) || e.Update != failed || failed.Action != Refused || !failed.Indefinite || !(failed.MinEigenvalue < 0) || math.IsNaN(failed.MinVariance) {
		t.Errorf("fail: %+v, %v", failed, err)
	}
	if !unchanged(n) {
		t.Error("fail: the weights changed")
	}

	n, x = indefinite(t, Skip, Joint)
	skipped, err := n.Observe(x, 1)
	if err != nil || skipped.Action != Skipped || skipped.MinEigenvalue != failed.MinEigenvalue || skipped.MinVariance != failed.MinVariance {
		t.Errorf("skip: %+v, %v", skipped, err)
	}
	if !unchanged(n) {
		t.Error("skip: the weights changed")
	}

	n, x = indefinite(t, Project, Joint)
	projected, err := n.Observe(x, 1)
	if err != nil || projected.Action != Projected || projected.MinEigenvalue != failed.MinEigenvalue || projected.MinVariance != failed.MinVariance {
		t.Errorf("project: %+v, %v", projected, err)
	}
	if unchanged(n) {
		t.Error("project: the weights did not change")
	}
	if got := n.step.values[0]; got != 0.02 {
		t.Errorf("project: smallest eigenvalue raised to %g, want the floor", got)
	}
	var p Prediction
	if err := n.Predict(&p, x); err != nil {
		t.Fatal(err)
	}
	for j, v := range p.Variance {
		if !(v >= 0.01*n.pass.layers[0].v[j]*(1-1e-9)) {
			t.Errorf("project: ṽ_%d = %g, below the floor", j, v)
		}
	}

	// The same step is no trouble for rule Total.
	n, x = indefinite(t, Fail, Total)
	if u, err := n.Observe(x, 1); err != nil || u.Action != Applied {
		t.Errorf("total: %+v, %v", u, err)
	}
}

// Total takes the step where other classes are far below the resolution of an
// eigensolver or underflow, and applies the policy where the observed one is too
// improbable for its moments to have digits.
func TestTotalWithImprobableClasses(t *testing.T) {
	for _, gap := range []float64{5, 10, 20, 30, 50, 200} {
		for class := range 3 {
			n := newNetwork(t, Config{Layers: []int{1, 3}, Output: Total, Softmax: softmax.Probit{Lambda: 1, Rho: 0.5}})
			mean := mat.NewDense(3, 1, []float64{0, -gap, -gap})
			tiny := mat.NewDiagDense(1, []float64{0.01})
			if err := n.SetWeights(0, mean, []mat.Symmetric{tiny, tiny, tiny}); err != nil {
				t.Fatal(err)
			}
			var p Prediction
			if err := n.Predict(&p, []float64{1}); err != nil {
				t.Fatal(err)
			}
			u, err := n.Observe([]float64{1}, class)
			if !(u.MinEigenvalue > 0) || !(u.MinVariance > 0) {
				t.Errorf("gap %g, class %d: %+v", gap, class, u)
			}
			var indefinite *IndefiniteError
			if p.P[class] > 1e-10 && (err != nil || u.Action != Applied || u.Indefinite) {
				t.Errorf("gap %g, class %d of probability %g: %+v, %v", gap, class, p.P[class], u, err)
			} else if p.P[class] < 1e-10 && (!errors.As(err, &indefinite) || u.Action != Refused || !u.Indefinite) {
				t.Errorf("gap %g, class %d of probability %g: %+v, %v", gap, class, p.P[class], u, err)
			}
		}
	}
}

// At any ρ, m̃ = m + v ∂ log p_c/∂m (Stein's lemma): finite differences.
func TestTotalIsTheGradientOfTheLogLikelihood(t *testing.T) {
	const h = 1e-4
	for _, rho := range []float64{0, 0.2, 0.5, 0.8} {
		cfg := Config{Layers: []int{1, 3}, Output: Total, OnIndefinite: Project, Softmax: softmax.Probit{Lambda: 0.6, Rho: rho}}
		m, v := []float64{-1, 2, 0.5}, []float64{0.05, 0.25, 4}
		moments := softmax.NewMoments(3)
		logP := func(m []float64, c int) float64 {
			cfg.Softmax.Moments(moments, m, v)
			return math.Log(moments.P[c])
		}
		for class := range 3 {
			n := newNetwork(t, cfg)
			cfg.Softmax.Moments(n.step.moments, m, v)
			if _, err := n.step.run(&n.cfg, m, v, class); err != nil {
				t.Fatal(err)
			}
			for j := range m {
				x := append([]float64(nil), m...)
				x[j] = m[j] + h
				up := logP(x, class)
				x[j] = m[j] - h
				want := m[j] + v[j]*(up-logP(x, class))/(2*h)
				near(t, fmt.Sprintf("ρ = %g, class %d: m̃_%d", rho, class, j), n.step.mean[j], want, 1e-6)
			}
		}
	}
}

func TestSmallestLabelEigenvalue(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	for range 200 {
		n := 2 + rnd.IntN(6)
		p := make([]float64, n)
		var sum float64
		for j := range p {
			p[j] = rnd.ExpFloat64()
			sum += p[j]
		}
		s := mat.NewSymDense(n-1, nil)
		for j := range p {
			p[j] /= sum
		}
		for i := range n - 1 {
			for j := i; j < n-1; j++ {
				s.SetSym(i, j, -p[i]*p[j])
			}
			s.SetSym(i, i, p[i]*(1-p[i]))
		}
		var eigen mat.EigenSym
		eigen.Factorize(s, false)
		near(t, "smallest eigenvalue", smallestLabelEigenvalue(p), eigen.Values(nil)[0], 1e-9)
	}
	// Perturbation theory: two equal large classes and a tiny last one,
	// λ_min = p_3/2 to first order.
	near(t, "tiny", smallestLabelEigenvalue([]float64{0.5, 0.5, 1e-40})*1e40, 0.5, 1e-9)
	// Classes without probability are left out, and p is normalised.
	near(t, "with zeros", smallestLabelEigenvalue([]float64{0, 0.6, 0, 0.2, 0}), 0.1875, 1e-12)
	if got := smallestLabelEigenvalue([]float64{0, 1, 0}); !math.IsInf(got, 1) {
		t.Errorf("one class: %g", got)
	}
}

// Project raises small eigenvalues also where only a variance is negative: the
// mean must not be left to an unprotected step.
func TestProjectRaisesPositiveEigenvalues(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{1, 3}, OnIndefinite: Project, Softmax: softmax.Probit{Lambda: 1, Rho: 0.5}})
	m, v := []float64{1.5, 0, -1}, []float64{4, 1, 2}
	n.cfg.Softmax.Moments(n.step.moments, m, v)
	u, err := n.step.run(&n.cfg, m, v, 1)
	if err != nil || u.Action != Projected || !(u.MinEigenvalue > 0 && u.MinEigenvalue < 1e-3) || !(u.MinVariance < 0) {
		t.Fatalf("%+v, %v: not the case that is wanted", u, err)
	}
	if got := n.step.values[0]; got != 1e-3 {
		t.Errorf("smallest eigenvalue %g in the solve, want the floor", got)
	}
}

// A Prediction may serve networks of the same shape in turn.
func TestPredictionServesSeveralNetworks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(19, 20))
	biased := newNetwork(t, Config{Layers: []int{2, 3}, Bias: true})
	plain := newNetwork(t, Config{Layers: []int{3, 3}})
	randomWeights(t, biased, rnd, 1)
	randomWeights(t, plain, rnd, 1)
	var fresh, used Prediction
	if err := biased.Predict(&fresh, []float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	if err := plain.Predict(&used, []float64{5, 6, 7}); err != nil {
		t.Fatal(err)
	}
	if err := biased.Predict(&used, []float64{1, 2}); err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		near(t, "p", used.P[j], fresh.P[j], 0)
	}
}

// broken is an approximation that returns what it should not.
type broken float64

func (b broken) Moments(dst *softmax.Moments, _, _ []float64) {
	for j := range dst.P {
		dst.P[j] = float64(b)
	}
}

func TestBrokenApproximation(t *testing.T) {
	for _, rule := range []OutputRule{Joint, Total} {
		for _, p := range []float64{math.NaN(), math.Inf(1), -0.1} {
			n := newNetwork(t, Config{Layers: []int{2, 3}, Output: rule, Softmax: broken(p)})
			if u, err := n.Observe([]float64{1, 1}, 0); err == nil || u.Action != Refused {
				t.Errorf("%v: p = %g: %+v, %v", rule, p, u, err)
			}
		}
	}
}

func TestNewKeepsItsOwnLayers(t *testing.T) {
	layers := []int{2, 3}
	n := newNetwork(t, Config{Layers: layers})
	layers[1] = 4
	var p Prediction
	if err := n.Predict(&p, []float64{1, 1}); err != nil || len(p.P) != 3 {
		t.Errorf("p = %v, %v", p.P, err)
	}
}

// Nothing can be learned from an input without weight.
func TestZeroInput(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{2, 3}, Output: Total})
	before, _ := n.Weights(0)
	if u, err := n.Observe([]float64{0, 0}, 2); err != nil || u.Action != Applied {
		t.Errorf("%+v, %v", u, err)
	}
	if after, _ := n.Weights(0); !mat.Equal(before, after) {
		t.Error("the weights moved")
	}
}

func TestBadInput(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{2, 3}})
	var p Prediction
	for _, x := range [][]float64{{math.NaN(), 0}, {0, math.Inf(1)}, {1e200, 0}} {
		if err := n.Predict(&p, x); err == nil {
			t.Errorf("Predict(%v) succeeded", x)
		}
		if _, err := n.Observe(x, 0); err == nil {
			t.Errorf("Observe(%v) succeeded", x)
		}
	}
	for _, class := range []int{-1, 3} {
		if _, err := n.Observe([]float64{1, 1}, class); err == nil {
			t.Errorf("class %d accepted", class)
		}
	}
	for name, f := range map[string]func(){
		"input":  func() { n.Predict(&p, []float64{1}) },
		"layer":  func() { n.Weights(1) },
		"shape":  func() { n.SetWeights(0, mat.NewDense(2, 2, nil), nil) },
		"number": func() { n.SetWeights(0, mat.NewDense(3, 2, nil), nil) },
		"source": func() { New(Config{Layers: []int{2, 3}}, nil) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); len(r) < 5 || r[:5] != "bnn: " {
					t.Errorf("%s: recovered %q", name, r)
				}
			}()
			f()
		}()
	}
}

func TestSetWeightsRefusesBadNumbers(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{2, 2}})
	good := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	for _, s := range []*mat.SymDense{
		mat.NewSymDense(2, []float64{1, 2, 2, 1}),
		mat.NewSymDense(2, []float64{-1, 0, 0, 1}),
		mat.NewSymDense(2, []float64{math.Inf(1), 0, 0, 1}),
		mat.NewSymDense(2, []float64{1, 0, 0, -1e-11}),
	} {
		if err := n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, s}); err == nil {
			t.Errorf("covariance %v accepted", mat.Formatted(s))
		}
	}
	if err := n.SetWeights(0, mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 0}), []mat.Symmetric{good, good}); err == nil {
		t.Error("NaN mean accepted")
	}
	singular := mat.NewSymDense(2, []float64{1, 1, 1, 1})
	if err := n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, singular}); err != nil {
		t.Errorf("semi-definite covariance: %v", err)
	}
}

func TestWeightsAreCopies(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{2, 2}})
	mean, cov := n.Weights(0)
	if err := n.SetWeights(0, mean, cov); err != nil {
		t.Fatal(err)
	}
	mean.Set(0, 0, 7)
	cov[0].(*mat.SymDense).SetSym(0, 0, 7)
	if m, c := n.Weights(0); m.At(0, 0) == 7 || c[0].At(0, 0) == 7 {
		t.Error("the network shares memory with its caller")
	}
}

func TestConfigErrors(t *testing.T) {
	for _, cfg := range []Config{
		{},
		{Layers: []int{2}},
		{Layers: []int{2, 1}},
		{Layers: []int{0, 2}},
		{Layers: []int{2, 2}, Alpha: 0.5, Beta: 0.1},
		{Layers: []int{2, 2}, Output: 9},
		{Layers: []int{2, 2}, Hidden: 9},
		{Layers: []int{2, 2}, OnIndefinite: 9},
		{Layers: []int{2, 2}, PriorVar: -1},
		{Layers: []int{2, 2}, PriorMeanVar: math.Inf(1)},
		{Layers: []int{2, 2}, VarianceFloor: 1},
		{Layers: []int{2, 2}, EigenvalueFloor: math.NaN()},
		{Layers: []int{2, 2}, Softmax: softmax.Probit{}},
	} {
		if _, err := New(cfg, random.Source()); err == nil {
			t.Errorf("%+v accepted", cfg)
		}
	}
}

func TestPriorMeansAreScaledByFanIn(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{400, 50, 2}, PriorMeanVar: 2})
	mean, _ := n.Weights(0)
	var sum float64
	for _, w := range mean.RawMatrix().Data {
		sum += w * w
	}
	near(t, "variance of the prior means × inputs", sum/20000*400, 2, 0.1)
}

// Streams of arbitrary examples: no NaN, and every covariance positive
// semi-definite to rounding, under the policies that go on.
func TestLongStreams(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	for _, rule := range []OutputRule{Joint, Total} {
		for _, policy := range []Policy{Skip, Project} {
			n := newNetwork(t, Config{Layers: []int{3, 5, 4}, Bias: true, Output: rule, OnIndefinite: policy, PriorMeanVar: 1})
			for k := range 2000 {
				x := []float64{rnd.NormFloat64(), 10 * rnd.NormFloat64(), float64(k % 2)}
				if _, err := n.Observe(x, rnd.IntN(4)); err != nil {
					t.Fatalf("%v, %v, example %d: %v", rule, policy, k, err)
				}
			}
			for l := range n.layers {
				mean, cov := n.Weights(l)
				if err := n.SetWeights(l, mean, cov); err != nil {
					t.Errorf("%v, %v: after 2000 examples %v", rule, policy, err)
				}
			}
		}
	}
}

func TestPredictIsSafeForConcurrentReaders(t *testing.T) {
	n := newNetwork(t, Config{Layers: []int{2, 8, 3}, PriorMeanVar: 1})
	var want Prediction
	x := []float64{1, -2}
	if err := n.Predict(&want, x); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var p Prediction
			for range 50 {
				if err := n.Predict(&p, x); err != nil || p.P[0] != want.P[0] {
					t.Errorf("p = %v, %v", p.P, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestObserveAndPredictDoNotAllocate(t *testing.T) {
	for _, rule := range []OutputRule{Joint, Total} {
		n := newNetwork(t, Config{Layers: []int{4, 6, 5}, Bias: true, Output: rule, OnIndefinite: Project, PriorMeanVar: 1})
		x := []float64{0.1, -0.2, 0.3, 1}
		var p Prediction
		if err := n.Predict(&p, x); err != nil {
			t.Fatal(err)
		}
		class := 0
		if allocs := testing.AllocsPerRun(50, func() {
			n.Observe(x, class%5)
			n.Predict(&p, x)
			class++
		}); allocs > 0 {
			t.Errorf("%v: %g allocations", rule, allocs)
		}
	}
}

func FuzzObserve(f *testing.F) {
	f.Add(1.0, -1.0, uint8(0), uint8(0))
	f.Add(1e150, 1e-150, uint8(2), uint8(3))
	f.Add(0.0, 0.0, uint8(1), uint8(5))
	f.Fuzz(func(t *testing.T, a, b float64, class, variant uint8) {
		cfg := Config{
			Layers: []int{2, 3}, Bias: variant&1 > 0, Output: OutputRule(variant >> 1 & 1),
			OnIndefinite: Policy(variant >> 2 % 3), PriorMeanVar: 1,
		}
		if variant&32 > 0 {
			cfg.Layers = []int{2, 4, 3}
		}
		n := newNetwork(t, cfg)
		for k := range 3 {
			if _, err := n.Observe([]float64{a, b}, (int(class)+k)%3); err != nil {
				break
			}
		}
		for l := range n.layers {
			for _, w := range append(append([]float64(nil), n.layers[l].mean...), n.layers[l].root...) {
				if math.IsNaN(w) || math.IsInf(w, 0) {
					t.Fatalf("layer %d holds %g", l, w)
				}
			}
		}
	})
}

func BenchmarkObserve(b *testing.B) {
	for _, c := range []struct {
		name   string
		layers []int
	}{{"2-3", []int{2, 3}}, {"64-50-10", []int{64, 50, 10}}} {
		for _, rule := range []OutputRule{Joint, Total} {
			b.Run(fmt.Sprintf("%s/%v", c.name, rule), func(b *testing.B) {
				n := newNetwork(b, Config{Layers: c.layers, Output: rule, OnIndefinite: Skip, PriorMeanVar: 1, Softmax: softmax.Probit{Lambda: 0.2, Rho: 0.5}})
				rnd := rand.New(rand.NewPCG(1, 2))
				x := make([]float64, c.layers[0])
				for i := range x {
					x[i] = rnd.NormFloat64()
				}
				classes := c.layers[len(c.layers)-1]
				k := 0
				b.ReportAllocs()
				for b.Loop() {
					x[0] = float64(k%7) - 3
					if _, err := n.Observe(x, k%classes); err != nil {
						b.Fatal(err)
					}
					k++
				}
			})
		}
	}
}
