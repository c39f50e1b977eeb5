package bnn

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/check"
)

func correlations(n int, rho float64) *mat.SymDense {
	corr := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i {
			corr.SetSym(i, j, rho)
		}
		corr.SetSym(i, i, 1)
	}
	return corr
}

// An approximation that cannot serve is refused when the network is made.
func TestUnusableSoftmaxIsRefused(t *testing.T) {
	for _, test := range []struct {
		softmax softmax.Approximation
		want    string
	}{
		{softmax.ProbitCorr{Lambda: 0.5, Corr: correlations(3, 0.2)}, "need 2×2"},
		{&softmax.ProbitCorr{Lambda: 0.5, Corr: correlations(1, 0.2)}, "need 2×2"},
		{softmax.ProbitCorr{Lambda: 0.5}, "without correlations"},
		{(*softmax.Probit)(nil), "nil *softmax.Probit"},
		{(*softmax.ProbitCorr)(nil), "nil *softmax.ProbitCorr"},
		{(*softmax.Exact)(nil), "nil *softmax.Exact"},
	} {
		cfg := spec{Layers: []int{2, 3}, Output: Total, Softmax: test.softmax}
		check.Refuses(t, fmt.Sprintf("%T", test.softmax), check.Err(New(cfg.config(), random.Source())), test.want)
	}
}

// What the caller does to the matrix of a ProbitCorr does not change the network.
func TestCorrelationsAreCopied(t *testing.T) {
	for _, pointer := range []bool{false, true} {
		p := softmax.ProbitCorr{Lambda: 0.5, Corr: correlations(2, 0.2)}
		cfg := spec{Layers: []int{2, 3}, Output: Total, Softmax: p}
		if pointer {
			cfg.Softmax = &p
		}
		n := check.Must(New(cfg.config(), random.Source()))
		var before, after Prediction
		check.OK(t, n.Predict(&before, []float64{1, 2}))
		p.Corr.SetSym(0, 1, 0.9)
		p.Lambda = 5
		check.OK(t, n.Predict(&after, []float64{1, 2}))
		for j, q := range before.P {
			if after.P[j] != q {
				t.Errorf("pointer %v: p = %v has become %v", pointer, before.P, after.P)
			}
		}
	}
}
