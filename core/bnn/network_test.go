package bnn

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	check "closedform/internal/checktest"
)

// What a caller gets wrong is an error of no member, changes nothing, and is predicted as unknown, whatever
// was predicted before.
func TestBadInput(t *testing.T) {
	network := newNetwork(spec{Layers: []int{2, 3}, Output: Joint, paper: true})
	cfg := spec{Layers: []int{2, 8, 3}}
	atOnce := ensemble(members(cfg, 3)...)
	atOnce.parallel = true
	for _, m := range []Model{network, ensemble(members(cfg, 3)...), atOnce, bank(bankMembers()...)} {
		var before []State
		for _, n := range networksOf(m) {
			before = append(before, n.State())
		}
		var p, want Prediction
		check.OK(t, errors.Join(m.Predict(&p, []float64{1, 2}), m.Predict(&want, []float64{1, 2})))
		for _, c := range []struct {
			x     []float64
			class int
		}{
			{[]float64{math.NaN(), 0}, 0},
			{[]float64{0, math.Inf(1)}, 0},
			{[]float64{1}, 0},
			{[]float64{1, 2, 3}, 0},
			{nil, 0},
			{[]float64{1, 2}, -1},
			{[]float64{1, 2}, 3},
		} {
			u, err := m.Observe(c.x, c.class)
			if err == nil || strings.Contains(err.Error(), "member") || u.Action != Refused {
				t.Errorf("%T: %v of class %d: %+v, error %v", m, c.x, c.class, u, err)
			}
			if c.class != 0 {
				continue
			}
			if err := m.Predict(&p, c.x); err == nil || strings.Contains(err.Error(), "member") {
				t.Errorf("%T: %v is predicted; error %v", m, c.x, err)
			}
			if p.Class() != Unknown || !math.IsNaN(p.Mean[0]) {
				t.Errorf("%T: %v is of class %d", m, c.x, p.Class())
			}
		}
		for k, n := range networksOf(m) {
			if !sameState(n.State(), before[k]) {
				t.Errorf("%T: member %d has changed", m, k)
			}
		}
		if err := m.Predict(&p, []float64{1, 2}); err != nil || !samePrediction(&p, &want) {
			t.Errorf("%T: after errors %v, %v; want %v", m, p.P, err, want.P)
		}
	}
	check.Refuses(t, "overflow", check.Err(network.Observe([]float64{1e200, 0}, 0)))
	check.Refuses(t, "overflow", network.Predict(new(Prediction), []float64{1e200, 0}))
	if zero := new(Prediction); zero.Class() != Unknown {
		t.Error("no prediction decides a class")
	}
	n := network
	for name, f := range map[string]func(){
		"2×2 means":     func() { n.SetWeights(0, mat.NewDense(2, 2, nil), nil) },
		"0 covariances": func() { n.SetWeights(0, mat.NewDense(3, 2, nil), nil) },
	} {
		check.Panics(t, "bnn: ", name, f)
	}
}

func TestSetWeightsRefusesBadNumbers(t *testing.T) {
	n := newNetwork(spec{Layers: []int{2, 2}, Output: Joint, paper: true})
	good := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	nan := math.NaN()
	for _, s := range [][]float64{
		{1, 2, 2, 1},
		{-1, 0, 0, 1},
		{math.Inf(1), 0, 0, 1},
		{1, 0, 0, -1e-11},
		{1, nan, nan, 1},
		{nan, 0, 0, 1},
		{1e308, 0, 0, 1e308},
	} {
		err := n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, mat.NewSymDense(2, s)})
		check.Refuses(t, fmt.Sprint("covariance ", s), err)
	}
	bad := mat.NewDense(2, 2, []float64{nan, 0, 0, 0})
	check.Refuses(t, "NaN mean", n.SetWeights(0, bad, []mat.Symmetric{good, good}))
	singular := mat.NewSymDense(2, []float64{1, 1, 1, 1})
	check.OK(t, n.SetWeights(0, mat.NewDense(2, 2, nil), []mat.Symmetric{good, singular}))
	n = newNetwork(spec{Layers: []int{2, 2}, Covariance: []Covariance{Shared}, paper: true})
	mean, cov := n.Weights(0)
	for _, other := range [][]float64{{1, 0, 0, 1.1}, {1, 1e-6, 1e-6, 1}, {1, 0, 0, math.NaN()}} {
		err := n.SetWeights(0, mean, []mat.Symmetric{cov[0], mat.NewSymDense(2, other)})
		check.Refuses(t, "a covariance that is not shared", err)
	}
}

// Every variance grows by the fraction of the prior variance, no covariance and no mean changes. Adding to a
// certain layer all of its prior variance makes its prior.
func TestProcessNoise(t *testing.T) {
	for _, kind := range allKinds {
		cfg := spec{Layers: []int{2, 4, 3}, Bias: true, PriorVar: 3, PriorMeanVar: 2, Hidden: Smooth}
		cfg.Covariance = []Covariance{kind}
		n, name := newNetwork(cfg), string(kind)
		for k := range 5 {
			observe(n, []float64{float64(k) - 2, 1}, k%3)
		}
		before := copied(n)
		check.OK(t, n.AddProcessNoise(0.25))
		for l := range 2 {
			mean, cov := before.Weights(l)
			got, _ := n.Weights(l)
			check.NearMatrix(t, "means", got, mean, 0)
			checkLayer(t, name, n, l, mean, addIdentity(cov, 1, 0.25*3/float64([]int{3, 5}[l])), 1e-13)
		}
		for _, fraction := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
			check.Refuses(t, fmt.Sprint(name, fraction), n.AddProcessNoise(fraction))
		}
		makeCertain(t, n, 1)
		check.OK(t, n.AddProcessNoise(1))
		mean, cov := n.Weights(1)
		checkLayer(t, name, n, 1, mean, addIdentity(cov, 0, 0.6), 1e-15)
	}
}
