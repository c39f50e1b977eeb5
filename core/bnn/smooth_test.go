package bnn

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// One step with two hidden layers, written with the moments of each layer as in
// the derivation: ỹ, s̃, gain, m̃, ṽ.
func TestSmoothStep(t *testing.T) {
	for _, rule := range []HiddenRule{Smooth, SmoothMean} {
		for _, kind := range []Covariance{Full, Diagonal} {
			t.Run(fmt.Sprintf("%v/%v", rule, kind), func(t *testing.T) { testSmoothStep(t, rule, kind) })
		}
	}
}

func testSmoothStep(t *testing.T, rule HiddenRule, kind Covariance) {
	rnd := rand.New(rand.NewPCG(42, 1))
	n := newNetwork(spec{Layers: []int{2, 4, 5, 3}, Bias: true, Output: ADF, Hidden: rule, Alpha: 0.1, Beta: 1, Covariance: []Covariance{kind}, PriorMeanVar: 1, paper: true})
	if kind == Full {
		randomWeights(t, n, rnd, 0.6)
	}
	x, class := []float64{0.7, -0.4}, 2
	var mean []*mat.Dense
	var cov [][]mat.Symmetric
	for l := range n.layers {
		m, c := n.Weights(l)
		mean, cov = append(mean, m), append(cov, c)
	}
	y := [][]float64{append(append([]float64(nil), x...), 1)}
	s := [][]float64{make([]float64, 3)}
	var m, v, cross [][]float64
	for l := range n.layers {
		out, in := mean[l].Dims()
		ml, vl, yl, sl, cl := make([]float64, out), make([]float64, out), make([]float64, out+1), make([]float64, out+1), make([]float64, out)
		yl[out] = 1
		for j := range out {
			vec := mat.NewVecDense(in, y[l])
			ml[j], vl[j] = mat.Dot(mean[l].RowView(j), vec), mat.Inner(vec, cov[l][j], vec)
			for i := range in {
				if rule == SmoothMean {
					break // the variances of the inputs are dropped
				}
				vl[j] += s[l][i] * (mean[l].At(j, i)*mean[l].At(j, i) + cov[l][j].At(i, i))
			}
			yl[j], sl[j], cl[j] = n.cfg.Unit.Moments(ml[j], vl[j])
		}
		m, v, y, s, cross = append(m, ml), append(v, vl), append(y, yl), append(s, sl), append(cross, cl)
	}
	post := softmax.NewPosterior(3)
	n.cfg.Softmax.(softmax.Probit).Posterior(post, m[2], v[2], class)
	observe(n, x, class)
	tm, tv := post.Mean, post.Free
	for l := 2; ; l-- {
		out := len(cov[l])
		d, e := make([]float64, out), make([]float64, out)
		for j := range out {
			d[j], e[j] = (tm[j]-m[l][j])/v[l][j], (tv[j]-v[l][j])/(v[l][j]*v[l][j])
		}
		wantMean, wantCov := stepped(mean[l], cov[l], y[l], d, e)
		checkLayer(t, fmt.Sprint(rule), n, l, wantMean, wantCov, 1e-9)
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
			k := cross[l-1][i] / s[l][i]
			next[i] = m[l-1][i] + k*(ty-y[l][i])
			nextVar[i] = v[l-1][i] + k*k*(ts-s[l][i])
		}
		tm, tv = next, nextVar
	}
}

// Many classes that claim the variance of one hidden unit together: the floor is
// used, counted, and leaves the covariances positive definite.
func TestSmoothFloors(t *testing.T) {
	const classes = 200
	n := newNetwork(spec{Layers: []int{1, 1, classes}, Output: ADF, Hidden: Smooth, Softmax: softmax.Probit{Lambda: 3, Rho: 0.5}, paper: true})
	mean, cov := n.Weights(0)
	mean.Set(0, 0, 5)
	setWeights(t, n, 0, mean, cov)
	mean, cov = n.Weights(1)
	for j := range classes {
		mean.Set(j, 0, 20)
		cov[j] = mat.NewDiagDense(1, []float64{1e-6})
	}
	setWeights(t, n, 1, mean, cov)
	u := observe(n, []float64{1}, 0)
	if u.Floored != 1 {
		t.Errorf("%d variances floored, want 1", u.Floored)
	}
	positiveDefinite(t, "floored", n)
}
