package bnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/check"
)

// jointCov returns the covariance of all weights of the output layer.
func jointCov(n *Network) *mat.SymDense {
	w := n.layers[len(n.layers)-1].(*correlated)
	size := w.in * w.out
	cov := mat.NewSymDense(size, nil)
	cov.SymOuterK(1, mat.NewDense(size, size, w.root))
	return cov
}

// Steps of a joint output layer, written with dense matrices: the logits are z =
// Aᵀw with the columns e_j⊗ŷ of A, and Gaussian conditioning sends the moments of
// z given the class back to w.
func TestJointNeuronsStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(61, 1))
	for classes := 2; classes <= softmax.MostCorrelated; classes++ {
		n := newNetwork(t, spec{Layers: []int{2, classes}, Bias: true, Output: ADFExact, joint: true, PriorVar: 0.5, PriorMeanVar: 1, paper: true})
		q := softmax.NewJointPosterior(classes)
		steps := 12
		if classes == 4 {
			steps = 3
		}
		for range steps {
			x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64()}, rnd.IntN(classes)
			size := 3 * classes
			a := mat.NewDense(size, classes, nil)
			for j := range classes {
				for i, y := range []float64{x[0], x[1], 1} {
					a.Set(j*3+i, j, y)
				}
			}
			mean, _ := n.Weights(0)
			mu, sigma := mat.NewVecDense(size, mean.RawMatrix().Data), jointCov(n)
			var m mat.VecDense
			m.MulVec(a.T(), mu)
			var sa, v mat.Dense
			sa.Mul(sigma, a)
			v.Mul(a.T(), &sa)
			cov := mat.NewSymDense(classes, nil)
			for i := range classes {
				for j := range i + 1 {
					cov.SetSym(i, j, v.At(i, j))
				}
			}
			softmax.Cubature{}.Posterior(q, m.RawVector().Data, cov, class)
			var wantMean mat.VecDense
			wantMean.MulVec(&sa, mat.NewVecDense(classes, q.Gradient))
			wantMean.AddVec(&wantMean, mu)
			var half, want mat.Dense
			half.Mul(&sa, q.Hessian)
			want.Mul(&half, sa.T())
			want.Add(&want, sigma)

			u, err := n.Observe(x, class)
			if err != nil {
				t.Fatal(err)
			}
			near(t, "log p", u.LogP, q.LogP, 1e-12)
			got, _ := n.Weights(0)
			for i := range size {
				near(t, "mean", got.RawMatrix().Data[i], wantMean.AtVec(i), 1e-10)
			}
			if !mat.EqualApprox(jointCov(n), &want, 1e-9) {
				t.Errorf("%d classes: covariance\n%.4g\nwant\n%.4g", classes, mat.Formatted(jointCov(n)), mat.Formatted(&want))
			}
		}
	}
}

// The first example, before anything is correlated, moves the means of all
// layers as with one covariance for each neuron.
func TestJointNeuronsFirstStep(t *testing.T) {
	var networks [2]*Network
	for o, joint := range []bool{false, true} {
		networks[o] = newNetwork(t, spec{Layers: []int{2, 4, 3}, Bias: true, Output: []OutputRule{ADFExactMarginal, ADFExact}[o], Hidden: Smooth, joint: joint, PriorMeanVar: 1, paper: true})
		makeCertain(t, networks[o], 0) // which leaves the logits uncorrelated
		observe(t, networks[o], []float64{1, -0.5}, 2)
	}
	sameWeights(t, "joint", networks[1], networks[0], 1e-7)
}

// A long stream leaves the covariance positive definite, predictions normalised
// and correlated logits.
func TestJointNeuronsStream(t *testing.T) {
	n := newNetwork(t, spec{Layers: []int{2, 4, 3}, Bias: true, Output: ADFExact, Hidden: Smooth, joint: true, PriorMeanVar: 1, paper: true})
	rnd := rand.New(rand.NewPCG(62, 1))
	var p Prediction
	for k := range 300 {
		x := []float64{rnd.NormFloat64(), rnd.NormFloat64()}
		if err := n.Predict(&p, x); err != nil {
			t.Fatal(err)
		}
		u, err := n.Observe(x, k%3)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "log p", u.LogP, math.Log(p.P[k%3]), 1e-7)
		near(t, "Σp", p.P[0]+p.P[1]+p.P[2], 1, 1e-12)
	}
	var svd mat.SVD
	w := n.layers[1].(*correlated)
	svd.Factorize(mat.NewDense(15, 15, w.root), mat.SVDNone)
	if values := svd.Values(nil); !(values[14] > 0) {
		t.Errorf("singular values of the root %v", values)
	}
	if x := jointCov(n).At(0, 5); x == 0 {
		t.Error("the neurons are not correlated")
	}
	x := []float64{0.5, 0.1}
	check.NoAllocs(t, "Observe and Predict", func() { n.Observe(x, 1); n.Predict(&p, x) })
}

// A step through a hidden layer after the output neurons have become correlated,
// written with dense matrices.
func TestJointNeuronsSmooth(t *testing.T) {
	const hidden, classes = 3, 3
	n := newNetwork(t, spec{Layers: []int{2, hidden, classes}, Bias: true, Output: ADFExact, Hidden: Smooth, joint: true, PriorMeanVar: 1, paper: true})
	rnd := rand.New(rand.NewPCG(63, 1))
	for k := range 10 {
		if _, err := n.Observe([]float64{rnd.NormFloat64(), rnd.NormFloat64()}, k%classes); err != nil {
			t.Fatal(err)
		}
	}
	x, class := []float64{0.8, -0.3}, 1
	mean0, cov0 := n.Weights(0)
	mean1, _ := n.Weights(1)
	joint := jointCov(n)

	// Forward.
	in := mat.NewVecDense(3, []float64{x[0], x[1], 1})
	var m, v, y, s, cross [hidden + 1]float64
	for i := range hidden {
		m[i], v[i] = mat.Dot(mean0.RowView(i), in), mat.Inner(in, cov0[i], in)
		y[i], s[i], cross[i] = n.cfg.Unit.Moments(m[i], v[i])
	}
	y[hidden] = 1
	at := func(j, i int) int { return j*(hidden+1) + i }
	logits, cov := make([]float64, classes), mat.NewSymDense(classes, nil)
	for j := range classes {
		for i, yi := range y {
			logits[j] += mean1.At(j, i) * yi
		}
		for k := range j + 1 {
			var sum float64
			for a := range y {
				for b := range y {
					sum += y[a] * y[b] * joint.At(at(j, a), at(k, b))
				}
				sum += s[a] * (mean1.At(j, a)*mean1.At(k, a) + joint.At(at(j, a), at(k, a)))
			}
			cov.SetSym(j, k, sum)
		}
	}
	q := softmax.NewJointPosterior(classes)
	softmax.Cubature{}.Posterior(q, logits, cov, class)

	u, err := n.Observe(x, class)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "log p", u.LogP, q.LogP, 1e-10)
	got, gotCov := n.Weights(0)
	for i := range hidden {
		var d, e float64
		for j := range classes {
			d += mean1.At(j, i) * q.Gradient[j]
			for k := range classes {
				e += mean1.At(j, i) * q.Hessian.At(j, k) * mean1.At(k, i)
			}
		}
		d *= cross[i] / v[i]
		e *= cross[i] / v[i] * cross[i] / v[i]
		var step mat.VecDense
		step.MulVec(cov0[i], in)
		for a := range 3 {
			near(t, "hidden mean", got.At(i, a), mean0.At(i, a)+d*step.AtVec(a), 1e-9)
			for b := range 3 {
				near(t, "hidden covariance", gotCov[i].At(a, b), cov0[i].At(a, b)+e*step.AtVec(a)*step.AtVec(b), 1e-9)
			}
		}
	}
}

// Features so large that the cubature cannot resolve the softmax are skipped, and counted,
// and nothing changes.
func TestJointNeuronsTooWide(t *testing.T) {
	n := newNetwork(t, spec{Layers: []int{2, 4}, Output: ADFExact, joint: true, paper: true})
	for _, size := range []float64{1, 100, 1e100} {
		before := copied(t, n)
		u, err := n.Observe([]float64{size, -size}, 2)
		if err != nil {
			t.Errorf("size %g: %v", size, err)
		}
		if size < 2 {
			if u.Action != Applied || !(u.MinVariance > 0) {
				t.Errorf("size %g: %v, variance %g", size, u.Action, u.MinVariance)
			}
			continue
		}
		if u.Action != Skipped {
			t.Errorf("size %g: %v", size, u.Action)
		}
		mean, _ := n.Weights(0)
		old, _ := before.Weights(0)
		if !mat.Equal(mean, old) {
			t.Errorf("size %g: a skipped step has changed the weights", size)
		}
		var p Prediction
		if err := n.Predict(&p, []float64{size, -size}); err == nil {
			t.Errorf("size %g: predicted %v", size, p.P)
		}
		if p.Decide(Probability, 0) != Unknown || !math.IsNaN(p.P[0]) {
			t.Errorf("size %g: after an error the prediction is %v", size, p.P)
		}
	}
}
