package bnn

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
)

// Invalid values, and values that are not set, are refused by the key of their field.
func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	names := map[string]string{"prior_var": "PriorVar", "alpha": "Unit.Alpha", "rule": "Output"} // in Go
	ofThree := softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})}    // classes
	for key, all := range map[string][]func(c *Config){
		"layers": {
			func(c *Config) { c.Layers = nil }, func(c *Config) { c.Layers = []int{2} },
			func(c *Config) { c.Layers[2] = 1 }, func(c *Config) { c.Layers[0] = 0 },
		},
		"alpha": {func(c *Config) { c.Unit.Alpha = -0.5 }, func(c *Config) { c.Unit.Alpha = nan }},
		"beta": {
			func(c *Config) { c.Unit.Alpha, c.Unit.Beta = 0.5, 0.1 }, func(c *Config) { c.Unit.Beta = inf },
			func(c *Config) { c.Unit.Beta = 0 },
		},
		"rule": {
			func(c *Config) { c.Output = "" }, func(c *Config) { c.Output = "other" },
			func(c *Config) { c.Softmax = softmax.Exact{} }, func(c *Config) { c.Output = ADFExact },
			func(c *Config) {
				c.Output, c.Softmax = ADFExact, softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(1, []float64{1})}
			},
		},
		"lambda": {func(c *Config) { c.Layers[2] = 10 }},
		"rho":    {func(c *Config) { c.Softmax = softmax.Probit{Lambda: 1, Rho: 0.4} }},
		"hidden": {func(c *Config) { c.Hidden = "" }, func(c *Config) { c.Hidden = "other" }},
		"covariance": {
			func(c *Config) { c.Covariance = nil }, func(c *Config) { c.Covariance[1] = "" },
			func(c *Config) { c.Covariance = c.Covariance[:1] }, func(c *Config) { c.Covariance[1] = "block" },
		},
		"prior_var": {
			func(c *Config) { c.PriorVar = nil }, func(c *Config) { c.PriorVar = []float64{1} },
			func(c *Config) { c.PriorVar[0] = 0 }, func(c *Config) { c.PriorVar[1] = nan },
		},
		"prior_mean_var": {func(c *Config) { c.PriorMeanVar = inf }, func(c *Config) { c.PriorMeanVar = 0 }},
		"prior_draw":     {func(c *Config) { c.PriorDraw = "" }},
		"replications": {
			func(c *Config) { c.Replications = nil }, func(c *Config) { c.Replications[0] = -1 },
			func(c *Config) { c.Replications[1] = inf },
		},
		"on_indefinite": {func(c *Config) { c.Output, c.Paper.OnIndefinite = Joint, "" }},
		"variance_floor": {
			func(c *Config) { c.Output, c.Paper.VarianceFloor = Total, 1 },
			func(c *Config) { c.Output, c.Paper.VarianceFloor = Joint, 0 },
		},
		"eigenvalue_floor": {func(c *Config) { c.Output, c.Paper.EigenvalueFloor = Joint, nan }},
		"": {
			func(c *Config) { c.Softmax = softmax.Probit{} }, func(c *Config) { c.Output, c.Softmax = Joint, nil },
			func(c *Config) { c.Output, c.Softmax = Total, ofThree },
		},
	} {
		for i, change := range all {
			c := Default(2, 3, 2)
			change(&c)
			_, err := New(c, random.Source())
			var bad *FieldError
			if err == nil || key != "" && (!errors.As(err, &bad) || bad.Key != key) {
				t.Errorf("%s, %d: error %v", key, i, err)
			}
			if name := names[key]; name != "" && !strings.HasPrefix(err.Error(), "bnn: "+name+": ") {
				t.Errorf("%v does not name %s, as in Go", err, name)
			}
		}
	}
}
