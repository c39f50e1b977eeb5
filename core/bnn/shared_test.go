package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
				mean, one := mat.NewDense(out, in, normals(rnd, out*in)), mat.NewSymDense(in, nil)
				one.SymOuterK(0.16, mat.NewDense(in, in, normals(rnd, in*in)))
				for _, n := range networks {
					setWeights(t, n, l, mean, slices.Repeat([]mat.Symmetric{one}, out))
				}
			}
			x := []float64{0.5, -1, 0.2}
			near(t, "log p", observe(networks[1], x, 1).LogP, observe(networks[0], x, 1).LogP, 1e-12)
			for l := range 3 {
				mean, cov := networks[0].Weights(l)
				var want mat.Dense
				want.CloneFrom(cov[0])
				for _, s := range cov[1:] {
					want.Add(&want, s)
				}
				want.Scale(1/float64(len(cov)), &want)
				checkLayer(t, "shared", networks[1], l, mean, slices.Repeat([]*mat.Dense{&want}, len(cov)), 1e-11)
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
