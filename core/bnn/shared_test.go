package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// One step from the same weights: the means of full covariances, and the mean of their covariances.
func TestSharedStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(92, 1))
	for _, rule := range []HiddenRule{Frozen, Smooth, SmoothMean} {
		t.Run(fmt.Sprint(rule), func(t *testing.T) {
			var networks [2]*Network
			for i, kind := range []Covariance{Full, Shared} {
				networks[i] = newNetwork(spec{Layers: []int{3, 5, 4, 3}, Bias: true, Output: ADF, Hidden: rule, Covariance: []Covariance{kind}, paper: true})
			}
			for l, out := range []int{5, 4, 3} {
				in := []int{4, 6, 5}[l]
				mean, root := mat.NewDense(out, in, nil), mat.NewDense(in, in, nil)
				mean.Apply(func(_, _ int, _ float64) float64 { return rnd.NormFloat64() }, mean)
				root.Apply(func(_, _ int, _ float64) float64 { return 0.4 * rnd.NormFloat64() }, root)
				one := mat.NewSymDense(in, nil)
				one.SymOuterK(1, root)
				cov := make([]mat.Symmetric, out)
				for j := range cov {
					cov[j] = one
				}
				for _, n := range networks {
					setWeights(t, n, l, mean, cov)
				}
			}
			var logP [2]float64
			for i, n := range networks {
				u := observe(n, []float64{0.5, -1, 0.2}, 1)
				logP[i] = u.LogP
			}
			near(t, "log p", logP[1], logP[0], 1e-12)
			for l := range 3 {
				mean, cov := networks[0].Weights(l)
				got, gotCov := networks[1].Weights(l)
				if !mat.EqualApprox(got, mean, 1e-11) {
					t.Errorf("layer %d: means\n%v\nwant\n%v", l, mat.Formatted(got), mat.Formatted(mean))
				}
				var want mat.Dense
				want.CloneFrom(cov[0])
				for _, s := range cov[1:] {
					want.Add(&want, s)
				}
				want.Scale(1/float64(len(cov)), &want)
				for j := range gotCov {
					if !mat.EqualApprox(gotCov[j], &want, 1e-11) {
						t.Errorf("layer %d, neuron %d: covariance\n%v\nwant\n%v", l, j, mat.Formatted(gotCov[j]), mat.Formatted(&want))
					}
				}
			}
		})
	}
}

func TestSharedRefusesDifferentCovariances(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 2}, Covariance: []Covariance{Shared}, Output: Joint, paper: true})
	mean, cov := n.Weights(0)
	for _, s := range []*mat.SymDense{
		mat.NewSymDense(2, []float64{1, 0, 0, 1.1}),
		mat.NewSymDense(2, []float64{1, 1e-6, 1e-6, 1}),
		mat.NewSymDense(2, []float64{1, 0, 0, math.NaN()}),
	} {
		check.Refuses(t, fmt.Sprint("covariance ", s), n.SetWeights(0, mean, []mat.Symmetric{cov[0], s}))
	}
}
