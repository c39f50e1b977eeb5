package manifest

import (
	"bytes"
	"fmt"
)

// Resolved returns m as TOML with every key spelled out; sweep.lambda and
// sweep.rho only where they are swept, since no value of them means that. Parse
// makes the same Manifest of it.
func (m *Manifest) Resolved() []byte {
	var b bytes.Buffer
	set := func(key string, v any) { fmt.Fprintf(&b, "%s = %s\n", key, literal(v)) }
	head := func(header string) { fmt.Fprintf(&b, "\n%s\n", header) }

	set("name", m.Name)
	set("study", m.Study)
	set("seed", m.Seed)
	set("overrides", m.Overrides)

	head("[data]")
	set("generator", m.Data.Generator)
	set("train", m.Data.Train)

	model := func(m *Model) {
		set("layers", m.Layers)
		set("bias", m.Bias)
		set("alpha", m.Alpha)
		set("beta", m.Beta)
		set("rule", m.Rule)
		set("hidden", m.Hidden)
		set("lambda", m.Lambda)
		set("rho", m.Rho)
		set("prior_mean", m.PriorMean)
		set("prior_var", m.PriorVar)
		set("prior_mean_var", m.PriorMeanVar)
		set("on_indefinite", m.OnIndefinite)
		set("eigenvalue_floor", m.EigenvalueFloor)
		set("variance_floor", m.VarianceFloor)
	}
	head("[model]")
	model(&m.Model)

	head("[evaluate]")
	set("snapshots", m.Evaluate.Snapshots)
	set("grid", m.Evaluate.Grid)

	head("[monte_carlo]")
	set("samples", m.MonteCarlo.Samples)
	set("stride", m.MonteCarlo.Stride)

	head("[sweep]")
	fmt.Fprintf(&b, "seed = %s\n", seedsLiteral(m.Seeds))
	if m.Lambda != nil {
		set("lambda", m.Lambda)
	}
	if m.Rho != nil {
		set("rho", m.Rho)
	}

	for i := range m.Variants {
		head("[[variant]]")
		set("name", m.Variants[i].Name)
		model(&m.Variants[i])
	}
	for _, c := range m.Claims {
		head("[[claim]]")
		set("claim", c.Claim)
		set("statistic", c.Statistic)
		set("threshold", c.Threshold)
	}
	for _, f := range m.Figures {
		head("[[figure]]")
		set("kind", f.Kind)
		set("variant", f.Variant)
		set("single", f.Single)
	}
	return b.Bytes()
}
