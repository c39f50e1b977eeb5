package study

import (
	"reflect"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
)

// Every word of [model] reaches the network.
func TestModelWords(t *testing.T) {
	plain := manifest.Model{
		Layers: []int{2, 4, 3}, Beta: 1, Rule: "joint", Hidden: "frozen", Rho: 0.5,
		Covariance: []string{"full"}, OutputCovariance: "per-neuron", Prior: "paper", PriorVar: 1,
		OnIndefinite: "fail", EigenvalueFloor: 1e-3, VarianceFloor: 1e-3,
	}
	for _, c := range []struct {
		name string
		set  func(*manifest.Model)
		want func(*bnn.Config)
	}{
		{"joint", func(*manifest.Model) {}, func(*bnn.Config) {}},
		{"total", func(m *manifest.Model) { m.Rule = "total" }, func(c *bnn.Config) { c.Output = bnn.Total }},
		{"adf", func(m *manifest.Model) { m.Rule = "adf" }, func(c *bnn.Config) { c.Output = bnn.ADF }},
		{"adf-exact", func(m *manifest.Model) { m.Rule = "adf-exact" }, func(c *bnn.Config) {
			c.Output, c.Softmax = bnn.ADFExact, softmax.Exact{Fast: true}
		}},
		{"joint neurons", func(m *manifest.Model) { m.Rule, m.OutputCovariance = "adf-exact", "joint" }, func(c *bnn.Config) {
			c.Output, c.Softmax, c.OutputCovariance = bnn.ADFExact, softmax.Exact{Fast: true}, bnn.JointNeurons
		}},
		{"smooth", func(m *manifest.Model) { m.Hidden = "smooth" }, func(c *bnn.Config) { c.Hidden = bnn.Smooth }},
		{"diagonal", func(m *manifest.Model) { m.Covariance = []string{"diagonal", "full"} }, func(c *bnn.Config) {
			c.Covariance = []bnn.Covariance{bnn.Diagonal, bnn.Full}
		}},
		{"smooth-mean", func(m *manifest.Model) { m.Hidden = "smooth-mean" }, func(c *bnn.Config) { c.Hidden = bnn.SmoothMean }},
		{"shared", func(m *manifest.Model) { m.Covariance = []string{"diagonal", "shared"} }, func(c *bnn.Config) {
			c.Covariance = []bnn.Covariance{bnn.Diagonal, bnn.Shared}
		}},
		{"replications", func(m *manifest.Model) { m.Replications = []float64{2, 3} }, func(c *bnn.Config) { c.Replications = []float64{2, 3} }},
		{"prior scale", func(m *manifest.Model) { m.PriorScale = []float64{2, 3} }, func(c *bnn.Config) { c.PriorScale = []float64{2, 3} }},
		{"scaled", func(m *manifest.Model) { m.Prior = "scaled" }, func(c *bnn.Config) { c.Prior = bnn.ScaledPrior }},
		{"skip", func(m *manifest.Model) { m.OnIndefinite = "skip" }, func(c *bnn.Config) { c.OnIndefinite = bnn.Skip }},
		{"project", func(m *manifest.Model) { m.OnIndefinite = "project" }, func(c *bnn.Config) { c.OnIndefinite = bnn.Project }},
	} {
		model := plain
		c.set(&model)
		want := bnn.Config{
			Layers: []int{2, 4, 3}, Beta: 1, Covariance: []bnn.Covariance{bnn.Full}, Softmax: softmax.Probit{Lambda: 0.3, Rho: 0.5},
			EigenvalueFloor: 1e-3, VarianceFloor: 1e-3, PriorVar: 1,
		}
		c.want(&want)
		network, err := newNetwork(model, 0.3, random.Source("words"))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := network.State().Config; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}
