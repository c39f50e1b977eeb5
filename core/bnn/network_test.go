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
	if err := n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, singular}); err != nil {
		t.Errorf("semi-definite covariance: %v", err)
	}
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
			_, cov := n.Weights(l)
			for _, s := range cov {
				for a := range s.SymmetricDim() {
					near(t, "prior variance", s.At(a, a), v, 1e-15)
					if a > 0 && s.At(a, a-1) != 0 {
						t.Errorf("layer %d: covariance %g", l, s.At(a, a-1))
					}
				}
			}
		}
	}
}

func TestPriorMeansAreScaledByFanIn(t *testing.T) {
	n := newNetwork(spec{Layers: []int{400, 50, 2}, Covariance: []Covariance{Diagonal}, PriorMeanVar: 2, Output: Joint, Hidden: Frozen, paper: true})
	mean, _ := n.Weights(0)
	var sum float64
	for _, w := range mean.RawMatrix().Data {
		sum += w * w
	}
	near(t, "variance of the prior means × inputs", sum/20000*400, 2, 0.1)
}
