package study

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/baselines/bayesbackprop"
	"closedform/baselines/dropout"
	"closedform/baselines/kalman"
	"closedform/baselines/laplace"
	"closedform/baselines/majority"
	"closedform/baselines/mlp"
	"closedform/baselines/neighbours"
	"closedform/baselines/tagi"
	"closedform/baselines/variational"
	"closedform/runner/internal/manifest"
)

// learned returns a model, or fails the test.
func learned[M classifier](t *testing.T) func(M, error) classifier {
	return func(m M, err error) classifier {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

// Every key of every rival reaches its configuration: what it predicts is what the
// method predicts that is called by hand.
func TestRivalsByHand(t *testing.T) {
	train, test := scaled(t, clusters(30), clusters(40)[30:])
	src := func() rand.Source { return rand.NewPCG(3, 4) }
	all := func(m online) classifier {
		for i, x := range train.X {
			if err := m.Observe(x, train.Class[i]); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	linear, hidden := []int{2, 3}, []int{2, 4, 3}
	descent := mlp.Descent{Step: 0.02, Epochs: 7}
	for _, c := range []struct {
		keys string
		want classifier
	}{
		{"kind = \"kalman\"\nhidden_layers = [4]\ncovariance = \"diagonal\"\nprior_var = 2\nprior_mean_var = 3\nprocess_noise = 0.1", all(learned[*kalman.Model](t)(kalman.New(
			kalman.Config{Layers: hidden, Covariance: kalman.Diagonal, PriorVar: 2, PriorMeanVar: 3, ProcessNoise: 0.1}, src())).(online))},
		{"kind = \"kalman\"", all(learned[*kalman.Model](t)(kalman.New(kalman.Config{Layers: linear}, src())).(online))},
		{"kind = \"tagi\"\nhidden_layers = [4]\nprior_var = 2\nprior_mean_var = 3\nsigma_v = 0.5", all(learned[*tagi.Model](t)(tagi.New(
			tagi.Config{Layers: hidden, Unit: tagi.Mixture, SigmaV: 0.5, PriorVar: 2, PriorMeanVar: 3}, src())).(online))},
		{"kind = \"majority\"", all(learned[*majority.Model](t)(majority.New(majority.Config{Classes: 3}, src())).(online))},
		{"kind = \"neighbours\"\nneighbours = 4", learned[*neighbours.Model](t)(neighbours.Fit(neighbours.Config{Classes: 3, Neighbours: 4}, train.X, train.Class, src()))},
		{"kind = \"neighbours\"\nneighbours = 400", learned[*neighbours.Model](t)(neighbours.Fit(neighbours.Config{Classes: 3, Neighbours: 30}, train.X, train.Class, src()))},
		{"kind = \"laplace\"\nprior_var = 2\nlaplace_var = 0.3", learned[*laplace.Model](t)(laplace.Fit(
			laplace.Config{Layers: linear, PriorVar: 2, LaplaceVar: 0.3, Covariance: laplace.Full, Predictive: laplace.Probit}, train.X, train.Class, src()))},
		{"kind = \"laplace\"\nhidden_layers = [4]\ncovariance = \"last-layer\"\npredictive = \"monte-carlo\"", learned[*laplace.Model](t)(laplace.Fit(
			laplace.Config{Layers: hidden, PriorVar: 1, Covariance: laplace.LastLayer, Predictive: laplace.MonteCarlo}, train.X, train.Class, src()))},
		{"kind = \"laplace\"\ncovariance = \"diagonal\"\npredictive = \"pairwise\"", learned[*laplace.Model](t)(laplace.Fit(
			laplace.Config{Layers: linear, PriorVar: 1, Covariance: laplace.Diagonal, Predictive: laplace.Pairwise}, train.X, train.Class, src()))},
		{"kind = \"laplace\"\npredictive = \"plug-in\"", learned[*laplace.Model](t)(laplace.Fit(
			laplace.Config{Layers: linear, PriorVar: 1, Covariance: laplace.Full, Predictive: laplace.PlugIn}, train.X, train.Class, src()))},
		{"kind = \"variational\"\nprior_var = 6", learned[*variational.Model](t)(variational.Fit(variational.Config{Inputs: 2, Classes: 3, PriorVar: 6, Bound: variational.Bohning}, train.X, train.Class, src()))},
		{"kind = \"variational\"\nprior_var = 3\nbound = \"bohning-joint\"", learned[*variational.Model](t)(variational.Fit(variational.Config{Inputs: 2, Classes: 3, PriorVar: 3, Bound: variational.BohningJoint}, train.X, train.Class, src()))},
		{"kind = \"variational\"\nprior_var = 3\nbound = \"probit\"", learned[*variational.Model](t)(variational.Fit(variational.Config{Inputs: 2, Classes: 3, PriorVar: 3, Bound: variational.Probit}, train.X, train.Class, src()))},
		{"kind = \"backprop\"\nhidden_layers = [4]\nprior_var = 2\nstep = 0.02\nepochs = 7", learned[*bayesbackprop.Model](t)(bayesbackprop.Fit(
			bayesbackprop.Config{Layers: hidden, PriorVar: 2, Descent: descent}, train.X, train.Class, src()))},
		{"kind = \"dropout\"\nhidden_layers = [4]\nrate = 0.4\ndecay = 0.01\nstep = 0.02\nepochs = 7", learned[*dropout.Model](t)(dropout.Fit(
			dropout.Config{Layers: hidden, Rate: 0.4, Decay: 0.01, Descent: descent}, train.X, train.Class, src()))},
	} {
		text := "name = \"r\"\nstudy = \"compare\"\nseed = 1\n[compare]\nbudget = 1\nreference = \"m\"\n" +
			"[[set]]\nname = \"s\"\ngenerator = \"rings\"\ntrain = 9\ntest = 9\n[[method]]\nname = \"m\"\n" + c.keys
		method := &parse(t, text).Compare.Methods[0]
		p, err := enrol(method, method.Hyper, 2, 3, src())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := c.want.(online); ok != method.Online() {
			t.Errorf("%s: online %v", method.Kind, method.Online())
		}
		for i, x := range train.X {
			buffer := slices.Clone(x) // studies have one for all examples
			p.observe(buffer, train.Class[i])
			clear(buffer)
		}
		q := make([]float64, 3)
		for i, got := range p.labels(test.X) {
			if err := c.want.Predict(q, test.X[i]); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, q) {
				t.Errorf("%s\npredicts %v, by hand %v", strings.ReplaceAll(c.keys, "\n", ", "), got, q)
				break
			}
		}
		if p.done().failed {
			t.Errorf("%s: failed", c.keys)
		}
	}
	if _, err := enrol(&manifest.Method{Kind: "oracle"}, nil, 2, 3, src()); err == nil {
		t.Error("a kind that is not there")
	}
}

// A rival that refuses to learn says that all classes are equally probable.
func TestRivalFails(t *testing.T) {
	for _, kind := range []string{"kalman", "neighbours"} {
		p, err := enrol(&manifest.Method{Kind: kind}, map[string]float64{"neighbours": 1}, 1, 2, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			p.observe([]float64{1}, 7) // no such class
		}
		if got := p.labels([][]float64{{1}, {2}}); !p.done().failed || got[0][0] != 0.5 || got[1][1] != 0.5 {
			t.Errorf("%s: failed %v, %v", kind, p.done().failed, got)
		}
	}
}

// The hyper-parameters of a candidate are those of the closed-form network's prior,
// and no others.
func TestEnrolClosedForm(t *testing.T) {
	method := &manifest.Method{
		Kind: "closed-form", HiddenLayers: []int{4}, Hyper: map[string]float64{"prior_var": 1, "prior_mean_var": 0},
		Model: manifest.Model{Bias: true, Beta: 1, Rule: "adf", Hidden: "smooth", Rho: 0.5, Prior: "scaled", Covariance: []string{"diagonal"}, Lambda: manifest.Lambda{Word: "slope"}, EigenvalueFloor: 1e-3, VarianceFloor: 1e-3},
	}
	for _, c := range []struct{ variance, meanVariance float64 }{{6, 0}, {0.3, 2}} {
		p, err := enrol(method, map[string]float64{"prior_var": c.variance, "prior_mean_var": c.meanVariance}, 2, 3, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		for l, fanIn := range []float64{3, 5} {
			mean, cov := p.(*learner).network.Weights(l)
			near(t, "prior variance", cov[0].At(0, 0), c.variance/fanIn, 1e-12)
			if zero := mean.At(0, 0) == 0; zero != (c.meanVariance == 0) {
				t.Errorf("prior mean %g", mean.At(0, 0))
			}
		}
	}
}
