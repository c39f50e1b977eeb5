package bnn

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

func TestBadInput(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 3}, Output: Joint, paper: true})
	var p Prediction
	for _, x := range [][]float64{{math.NaN(), 0}, {0, math.Inf(1)}, {1e200, 0}, {1}, {1, 2, 3}, nil} {
		check.Refuses(t, fmt.Sprint("predicting ", x), n.Predict(&p, x))
		check.Refuses(t, fmt.Sprint("learning ", x), check.Err(n.Observe(x, 0)))
	}
	for _, class := range []int{-1, 3} {
		check.Refuses(t, fmt.Sprint("class ", class), check.Err(n.Observe([]float64{1, 1}, class)))
	}
	for name, f := range map[string]func(){
		"no layer 1":    func() { n.Weights(1) },
		"2×2 means":     func() { n.SetWeights(0, mat.NewDense(2, 2, nil), nil) },
		"0 covariances": func() { n.SetWeights(0, mat.NewDense(3, 2, nil), nil) },
		"nil source":    func() { New(spec{Layers: []int{2, 3}, Output: Joint, paper: true}.config(), nil) },
	} {
		check.Panics(t, "bnn: ", name, f)
	}
}

func TestSetWeightsRefusesBadNumbers(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 2}, Output: Joint, paper: true})
	good := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	for _, s := range []*mat.SymDense{
		mat.NewSymDense(2, []float64{1, 2, 2, 1}),
		mat.NewSymDense(2, []float64{-1, 0, 0, 1}),
		mat.NewSymDense(2, []float64{math.Inf(1), 0, 0, 1}),
		mat.NewSymDense(2, []float64{1, 0, 0, -1e-11}),
	} {
		check.Refuses(t, fmt.Sprint("covariance ", s), n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, s}))
	}
	check.Refuses(t, "NaN mean", n.SetWeights(0, mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 0}), []mat.Symmetric{good, good}))
	singular := mat.NewSymDense(2, []float64{1, 1, 1, 1})
	check.OK(t, n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, singular}))
}

func TestWeightsAreCopies(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 2}, Output: Joint, paper: true})
	mean, cov := n.Weights(0)
	setWeights(t, n, 0, mean, cov)
	mean.Set(0, 0, 7)
	cov[0].(*mat.SymDense).SetSym(0, 0, 7)
	if m, c := n.Weights(0); m.At(0, 0) == 7 || c[0].At(0, 0) == 7 {
		t.Error("the network shares memory with its caller")
	}
}

// Every weight of a layer has the prior variance of the layer, and no covariance.
func TestPriorVar(t *testing.T) {
	for _, kind := range allKinds[:2] {
		c := Default(4, 3, 2)
		c.SetCovariance(kind)
		c.PriorVar = []float64{6, 0.5}
		n := check.Must(New(c, random.Source("prior")))
		for l, v := range c.PriorVar {
			mean, cov := n.Weights(l)
			checkLayer(t, string(kind), n, l, mean, addIdentity(cov, 0, v), 1e-15)
		}
	}
}

func TestPriorMeansAreScaledByFanIn(t *testing.T) {
	n := newNetwork(spec{Layers: []int{400, 50, 2}, Covariance: []Covariance{Diagonal}, PriorMeanVar: 2, Output: Joint, Hidden: Frozen, paper: true})
	mean, _ := n.Weights(0)
	near(t, "variance of the prior means × inputs", math.Pow(mat.Norm(mean, 2), 2)/20000*400, 2, 0.1)
}

// learned returns networks of every kind of layer, after some examples.
func learned() map[string]*Network {
	out := map[string]*Network{}
	for name, cfg := range map[string]spec{
		"full":     {Output: ADF},
		"diagonal": {Output: ADF, Covariance: []Covariance{Diagonal}},
		"shared":   {Output: ADF, Covariance: []Covariance{Shared}},
	} {
		cfg.Layers, cfg.Bias, cfg.PriorVar, cfg.PriorMeanVar, cfg.Hidden = []int{2, 4, 3}, true, 3, 2, Smooth
		n := newNetwork(cfg)
		for k := range 5 {
			observe(n, []float64{float64(k) - 2, 1}, k%3)
		}
		out[name] = n
	}
	return out
}

// Every variance grows by the fraction of the prior variance, no covariance and no mean changes.
func TestProcessNoise(t *testing.T) {
	for name, n := range learned() {
		before := copied(n)
		check.OK(t, n.AddProcessNoise(0.25))
		for l := range 2 {
			mean, cov := before.Weights(l)
			got, _ := n.Weights(l)
			check.NearMatrix(t, "means", got, mean, 0)
			checkLayer(t, name, n, l, mean, addIdentity(cov, 1, 0.25*3/float64([]int{3, 5}[l])), 1e-13)
		}
	}
}

// Adding to a certain network all of its prior variance is its prior.
func TestProcessNoiseCertain(t *testing.T) {
	n := learned()["full"]
	makeCertain(t, n, 1)
	check.OK(t, n.AddProcessNoise(1))
	mean, cov := n.Weights(1)
	checkLayer(t, "certain", n, 1, mean, addIdentity(cov, 0, 0.6), 1e-15)
}

func TestProcessNoiseErrors(t *testing.T) {
	for name, n := range learned() {
		for _, fraction := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
			check.Refuses(t, fmt.Sprint(name, fraction), n.AddProcessNoise(fraction))
		}
	}
}
