package posterior

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
)

// warmUp brings the chain to the posterior and returns its step size. The first
// eighth learns the step size in the metric of the prior; windows up to a
// quarter, a half and seven eighths learn a new metric each; the last eighth
// learns the step size for good.
func (h Hamiltonian) warmUp(c *chain) (eps float64) {
	c.metric = priorMetric(c.p.model)
	ends := []int{h.Warmup / 8, h.Warmup / 4, h.Warmup / 2, h.Warmup * 7 / 8, h.Warmup}
	start := 0
	for k, end := range ends {
		size := newStepSize(c.reasonableStep(), accept)
		draws := mat.NewDense(end-start, len(c.w), nil)
		for i := range end - start {
			eps = math.Exp(size.log)
			a, _ := c.step(eps, steps(eps, c.rnd))
			size.add(a)
			draws.SetRow(i, c.w)
		}
		start = end
		eps = math.Exp(size.averaged)
		if k > 0 && k < len(ends)-1 {
			c.learnMetric(draws)
		}
	}
	return eps
}

// monitored is the largest number of examples whose probabilities are monitored.
const monitored = 50

// judge sets the diagnostics of the sample; log is the log density of the draws.
func (h Hamiltonian) judge(p *Problem, out *Sample, log []float64) {
	chains := func(x []float64) [][]float64 {
		var c [][]float64
		for k := range h.Chains {
			c = append(c, x[k*h.Draws:(k+1)*h.Draws])
		}
		return c
	}
	quantity := chains(log)
	out.RHat, out.ESS = rHat(quantity), bulkESS(quantity)
	take := func(x []float64) {
		quantity := chains(x)
		out.RHat, out.ESS = max(out.RHat, rHat(quantity)), min(out.ESS, bulkESS(quantity))
	}
	x := make([]float64, len(log))
	out.RHatWeights = 1
	for a := range p.model.PriorMean {
		mat.Col(x, a, out.Draws)
		out.RHatWeights = max(out.RHatWeights, rHat(chains(x)))
		if len(p.data.Class) == 0 {
			take(x)
		}
	}
	stride := (len(p.data.Class) + monitored - 1) / monitored
	for k := 0; k < len(p.data.Class); k += stride {
		for i := range x {
			p.network.Forward(p.pass, out.Draws.RawRowView(i), p.example(k))
			mlp.Normalise(p.pass.Logit)
			x[i] = p.pass.Logit[p.data.Class[k]]
		}
		take(x)
	}
}
