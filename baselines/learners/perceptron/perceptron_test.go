package perceptron

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// one returns a perceptron of one weight with an activation N(m, v) at x = 1.
func one(cfg Config, m, v float64) *Perceptron {
	return check.Must(New(cfg, []float64{m}, mat.NewDiagDense(1, []float64{v})))
}

// activations calls f with means and variances.
func activations(count int, f func(lambda, m, v float64)) {
	rnd := rand.New(random.Source("activations"))
	for range count {
		f(math.Exp(0.5*rnd.NormFloat64()-0.5), 3*rnd.NormFloat64(), math.Exp(2*rnd.NormFloat64()))
	}
}

// Huber's step is the Kalman step with his moments of the logistic function.
func TestHuberIsAKalmanStep(t *testing.T) {
	refused := 0
	activations(300, func(lambda, m, v float64) {
		for _, positive := range []bool{true, false} {
			name := fmt.Sprintf("λ = %g, m = %g, v = %g, %t:", lambda, m, v, positive)
			spread := math.Sqrt(1 + lambda*lambda*v)
			p := gauss.CDF(lambda * m / spread)
			variance := p * gauss.CDF(-lambda*m/spread) * (1 - 1/spread)
			cross := lambda * v / spread * gauss.PDF(lambda*m/spread)
			y := 0.0
			if positive {
				y = 1
			}
			want := v - cross*cross/variance
			q := one(Config{Lambda: lambda}, m, v)
			prediction := check.Must(q.Predict([]float64{1}))
			check.Near(t, name+" p", prediction.Positive, p, 1e-14)
			if want := gauss.CDF(-lambda * m / spread); !scalar.EqualWithinRel(prediction.Negative, want, 1e-9) {
				t.Errorf("%s 1 − p = %g, want %g", name, prediction.Negative, want)
			}
			update, err := q.Observe([]float64{1}, positive)
			check.Near(t, name+" Var y", update.MinEigenvalue, variance, 1e-9)
			check.Near(t, name+" ṽ of the report", update.MinVariance, want, 1e-7*v)
			check.Near(t, name+" log p", update.LogP, math.Log(gauss.CDF((2*y-1)*lambda*m/spread)), 1e-12)
			mean, cov := q.Weights()
			if want < -1e-7*v {
				refused++
				var indefinite *bnn.IndefiniteError
				if !errors.As(err, &indefinite) || update.Action != bnn.Refused || mean[0] != m || cov.At(0, 0) != v {
					t.Errorf("%s error %v, %v, N(%g, %g)", name, err, update.Action, mean[0], cov.At(0, 0))
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s %v", name, err)
			}
			check.Near(t, name+" m̃", mean[0], m+cross/variance*(y-p), 1e-7)
			check.Near(t, name+" ṽ", cov.At(0, 0), want, 1e-7*v)
		}
	})
	if refused < 20 || refused > 580 {
		t.Errorf("%d of 600 steps refused", refused)
	}
}

// The weights follow the activation: the update of all of them is that of w·x,
// and what is orthogonal to x in Σ stays.
func TestWeightsFollow(t *testing.T) {
	cov := mat.NewSymDense(2, []float64{2, 0.5, 0.5, 1})
	for _, rule := range []Rule{Huber, ADF} {
		p := check.Must(New(Config{Rule: rule}, []float64{0.5, -1}, cov))
		x := []float64{3, 2}
		predict := func(x []float64) (m, v float64) {
			got := check.Must(p.Predict(x))
			return got.Mean, got.Variance
		}
		m, v := predict(x)
		scalar := one(Config{Rule: rule}, m, v)
		for _, o := range []struct {
			p *Perceptron
			x []float64
		}{{p, x}, {scalar, []float64{1}}} {
			check.Must(o.p.Observe(o.x, true))
		}
		m, v = predict(x)
		wantMean, wantCov := scalar.Weights()
		check.Near(t, string(rule)+" mean", m, wantMean[0], 1e-12)
		check.Near(t, string(rule)+" variance", v, wantCov.At(0, 0), 1e-12)
		// Along u with uᵀΣx = 0 nothing changes.
		u := []float64{-(0.5*3 + 1*2), 2*3 + 0.5*2}
		m, v = predict(u)
		check.Near(t, string(rule)+" mean across", m, 0.5*u[0]-u[1], 1e-12)
		check.Near(t, string(rule)+" variance across", v, 2*u[0]*u[0]+u[0]*u[1]+u[1]*u[1], 1e-12)
	}
}

// However improbable the label and however small the variance, ADF stays sound.
func TestExtremes(t *testing.T) {
	for _, m := range []float64{0, -1, 40, -1e8} {
		for _, v := range []float64{0, 1e-300, 1e-8, 1, 1e12} {
			for _, positive := range []bool{true, false} {
				p := one(Config{Rule: ADF}, m, v)
				update, err := p.Observe([]float64{1}, positive)
				mean, cov := p.Weights()
				if err != nil || !(cov.At(0, 0) >= 0 && cov.At(0, 0) <= v) || math.IsNaN(mean[0]) || !(update.LogP <= 0) {
					t.Errorf("m = %g, v = %g, %t: N(%g, %g), log p = %g, %v",
						m, v, positive, mean[0], cov.At(0, 0), update.LogP, err)
				}
			}
		}
	}
	// An overflow is an error.
	p := one(Config{}, 1, 1)
	if update, err := p.Observe([]float64{1e200}, true); err == nil || update.Action != bnn.Refused {
		t.Errorf("an input of 1e200: %v, %v", update, err)
	}
	p = one(Config{OnIndefinite: bnn.Project}, 0, 1e-310)
	if update, err := p.Observe([]float64{1}, true); err == nil || update.Action != bnn.Refused {
		t.Errorf("a step that overflows was taken: %v, %v", update, err)
	}
	if mean, cov := p.Weights(); mean[0] != 0 || cov.At(0, 0) != 1e-310 {
		t.Errorf("an error moved the weights to N(%g, %g)", mean[0], cov.At(0, 0))
	}
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
		p := one(Config{Lambda: 1, OnIndefinite: c.policy, VarianceFloor: 0.25}, 0, 1)
		update, err := p.Observe([]float64{1}, true)
		mean, cov := p.Weights()
		if (err != nil) != (c.policy == bnn.Fail) || update.Action != c.action || !(update.MinVariance < 0) {
			t.Errorf("%v: %+v, %v", c.policy, update, err)
		}
		check.Near(t, "mean", mean[0], c.mean, 1e-12)
		check.Near(t, "variance", cov.At(0, 0), c.v, 1e-12)
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"rule": {Rule: "mine"}, "on_indefinite": {OnIndefinite: "stop"},
		"lambda": {Lambda: math.NaN()}, "variance_floor": {VarianceFloor: 1},
	})
	check.AllPanic(t, map[string]func(){
		"covariance": func() { _, _ = New(Config{}, []float64{0, 1}, mat.NewDiagDense(1, []float64{1})) },
	})
	check.Refuses(t, "input", check.Err(one(Config{}, 0, 1).Predict([]float64{1, 2})), "length 2")
	check.Near(t, "default λ", one(Config{}, 0, 1).cfg.Lambda, softmax.SlopeLambda(2, 0.5), 1e-15)
}
