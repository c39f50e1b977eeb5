package perceptron

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// one returns a perceptron of one weight with an activation N(m, v) at x = 1.
func one(cfg Config, m, v float64) *Perceptron {
	return New(cfg, []float64{m}, mat.NewDiagDense(1, []float64{v}))
}

// Huber's step is the Kalman step with his moments of the logistic function.
func TestHuberIsAKalmanStep(t *testing.T) {
	rnd, refused := rand.New(random.Source("activations")), 0
	for k := range 600 {
		lambda, m := math.Exp(0.5*rnd.NormFloat64()-0.5), 3*rnd.NormFloat64()
		v, y := math.Exp(2*rnd.NormFloat64()), float64(k%2)
		name := fmt.Sprintf("λ = %g, m = %g, v = %g, %g:", lambda, m, v, y)
		spread := math.Sqrt(1 + lambda*lambda*v)
		p, q := gauss.CDF(lambda*m/spread), gauss.CDF(-lambda*m/spread)
		variance, cross := p*q*(1-1/spread), lambda*v/spread*gauss.PDF(lambda*m/spread)
		want := v - cross*cross/variance
		huber := one(Config{Rule: Huber, Lambda: lambda, OnIndefinite: bnn.Fail}, m, v)
		prediction := check.Must(huber.Predict([]float64{1}))
		check.NearAll(t, name+" p", []float64{prediction.Positive, prediction.Negative}, []float64{p, q}, 1e-13)
		update, err := huber.Observe([]float64{1}, y == 1)
		check.Near(t, name+" ṽ of the report", update.MinVariance, want, 1e-7*v)
		check.Near(t, name+" log p", update.LogP, math.Log(gauss.CDF((2*y-1)*lambda*m/spread)), 1e-12)
		mean, cov := huber.Weights()
		if want < -1e-7*v {
			refused++
			_, indefinite := errors.AsType[*bnn.IndefiniteError](err)
			same := mean[0] == m && cov.At(0, 0) == v
			check.True(t, indefinite && update.Action == bnn.Refused && same, "%s error %v, %+v", name, err, update)
			continue
		}
		check.OK(t, err)
		check.Near(t, name+" m̃", mean[0], m+cross/variance*(y-p), 1e-7)
		check.Near(t, name+" ṽ", cov.At(0, 0), want, 1e-7*v)
	}
	check.True(t, refused >= 20 && refused <= 580, "%d of 600 steps refused", refused)
}

// The weights follow the activation: the update of all of them is that of w·x,
// and what is orthogonal to x in Σ stays.
func TestWeightsFollow(t *testing.T) {
	x, u := []float64{3, 2}, []float64{-(0.5*3 + 1*2), 2*3 + 0.5*2} // uᵀΣx = 0
	for _, rule := range []Rule{Huber, ADF} {
		cfg := Config{Rule: rule, Lambda: 0.6}
		p := New(cfg, []float64{0.5, -1}, mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1}))
		before, across := check.Must(p.Predict(x)), check.Must(p.Predict(u))
		scalar := one(cfg, before.Mean, before.Variance)
		check.Must(p.Observe(x, true))
		check.Must(scalar.Observe([]float64{1}, true))
		got, still := check.Must(p.Predict(x)), check.Must(p.Predict(u))
		mean, cov := scalar.Weights()
		check.NearAll(t, string(rule), []float64{got.Mean, got.Variance, still.Mean, still.Variance},
			[]float64{mean[0], cov.At(0, 0), across.Mean, across.Variance}, 1e-12)
	}
}

// However improbable the label and however small the variance, ADF stays sound.
func TestExtremes(t *testing.T) {
	for _, m := range []float64{0, -1, 40, -1e8} {
		for _, v := range []float64{0, 1e-300, 1e-8, 1, 1e12} {
			for _, positive := range []bool{true, false} {
				p := one(Config{Rule: ADF, Lambda: 0.6}, m, v)
				update, err := p.Observe([]float64{1}, positive)
				mean, cov := p.Weights()
				sound := cov.At(0, 0) >= 0 && cov.At(0, 0) <= v && !math.IsNaN(mean[0]) && update.LogP <= 0
				check.True(t, err == nil && sound, "N(%g, %g), %t: N(%g, %g), %v", m, v, positive, mean, cov.At(0, 0), err)
			}
		}
	}
	// An overflow is an error, which leaves the weights.
	for x, v := range map[float64]float64{1e200: 1, 1: 1e-310} {
		p := one(Config{Rule: Huber, Lambda: 0.6, OnIndefinite: bnn.Project}, 0, v)
		update, err := p.Observe([]float64{x}, true)
		check.True(t, err != nil && update.Action == bnn.Refused, "an input of %g: %v, %v", x, update, err)
		mean, cov := p.Weights()
		check.Equal(t, "weights after an error", [2]float64{mean[0], cov.At(0, 0)}, [2]float64{0, v})
	}
	check.Refuses(t, "input", check.Err(one(Config{}, 0, 1).Predict([]float64{1, 2})), "length 2")
	check.Panics(t, "", "", func() { New(Config{}, []float64{0, 1}, mat.NewDiagDense(1, []float64{1})) })
}

func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		policy  bnn.Policy
		action  bnn.Action
		mean, v float64
	}{
		{bnn.Fail, bnn.Refused, 0, 1},
		{bnn.Skip, bnn.Skipped, 0, 1},
		{bnn.Project, bnn.Projected, math.Sqrt(2/math.Pi) * (math.Sqrt2 + 1), 0.25},
	} {
		p := one(Config{Rule: Huber, Lambda: 1, OnIndefinite: c.policy, VarianceFloor: 0.25}, 0, 1)
		update, err := p.Observe([]float64{1}, true)
		mean, cov := p.Weights()
		check.Equal(t, "error", err != nil, c.policy == bnn.Fail)
		check.True(t, update.Action == c.action && update.MinVariance < 0, "%v: %+v", c.policy, update)
		check.NearAll(t, "N(m̃, ṽ)", []float64{mean[0], cov.At(0, 0)}, []float64{c.mean, c.v}, 1e-12)
	}
}
