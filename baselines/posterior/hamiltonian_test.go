package posterior

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

// The flow can be run backwards, which is what makes the acceptance right, and
// its energy error falls with the square of the step size.
func TestTrajectory(t *testing.T) {
	m := Model{Layers: []int{2, 3}, Bias: true} // smooth, without kinks
	x, class := wedges(20, random.Source("trajectory"))
	c := newChain(problem(t, m, x, class), rand.New(random.Source("trajectory")))
	draws := mat.NewDense(200, 9, nil)
	for i := range 200 {
		c.p.drawPrior(draws.RawRowView(i), c.rnd)
	}
	c.learnMetric(draws)
	start, log := slices.Clone(c.w), c.log
	energy := func(eps float64, steps int) float64 {
		c.rnd = rand.New(random.Source("momentum"))
		_, ratio := c.propose(eps, steps)
		return math.Abs(ratio)
	}
	coarse, fine := energy(0.02, 50), energy(0.005, 200)
	if ratio := coarse / fine; !(ratio > 8 && ratio < 32) {
		t.Errorf("energy error %g with step 0.02, %g with 0.005; want about 16 times", coarse, fine)
	}
	copy(c.w, c.next)
	copy(c.grad, c.nextGrad)
	c.log = c.p.LogDensity(nil, c.w)
	for range 200 { // the same steps backwards, the momentum kept
		c.kick(-0.0025)
		c.drift(-0.005)
		c.p.LogDensity(c.nextGrad, c.next)
		c.kick(-0.0025)
	}
	for i, w := range c.next {
		if !scalar.EqualWithinAbs(w, start[i], 1e-9) {
			t.Errorf("weight %d comes back to %g, from %g", i, w, start[i])
		}
	}
	if got := c.p.LogDensity(nil, c.next); !scalar.EqualWithinAbs(got, log, 1e-8) {
		t.Errorf("log density comes back to %g, from %g", got, log)
	}
}

// A trajectory that blows up is divergent and leaves the chain where it was.
func TestDivergence(t *testing.T) {
	x, class := wedges(100, random.Source("divergence"))
	c := newChain(problem(t, Model{Layers: []int{2, 4, 3}}, x, class), rand.New(random.Source("divergence")))
	c.metric = priorMetric(c.p.model)
	for _, eps := range []float64{50, 1e100, 1e200} {
		start := slices.Clone(c.w)
		if accept, diverged := c.step(eps, 10); accept != 0 || !diverged || !slices.Equal(c.w, start) {
			t.Errorf("step size %g: acceptance %g, divergent %t", eps, accept, diverged)
		}
	}
	if accept, diverged := c.step(1e-4, 10); !(accept > 0.99) || diverged {
		t.Errorf("small steps: acceptance %g, divergent %t", accept, diverged)
	}
}

// The first guess scales with the metric.
func TestReasonableStep(t *testing.T) {
	for _, scale := range []float64{1e-6, 1, 1e6} {
		c := newChain(problem(t, Model{Layers: []int{3, 4}}, nil, nil), rand.New(random.Source("reasonable")))
		c.metric = priorMetric(c.p.model)
		for i := range 12 {
			c.metric.Data[i*c.metric.Stride+i] = scale
		}
		if eps := c.reasonableStep() * scale; !(eps >= 0.5 && eps < 5) {
			t.Errorf("metric %g: step size %g times that of the metric", scale, eps)
		}
	}
}

// Trajectories last for ½ to 3/2 times the path length, up to maxSteps.
func TestSteps(t *testing.T) {
	rnd := rand.New(random.Source("steps"))
	least, most, mean := math.MaxInt, 0, 0.0
	for range 1000 {
		k := steps(0.01, rnd)
		least, most, mean = min(least, k), max(most, k), mean+float64(k)/1000
	}
	if least < 79 || least > 81 || most < 233 || most > 236 || !(math.Abs(mean-157) < 8) {
		t.Errorf("from %d to %d steps, mean %g; want 79 to 236", least, most, mean)
	}
	if k := steps(1e-9, rnd); k != maxSteps {
		t.Errorf("%d steps, want no more than maxSteps", k)
	}
	if k := steps(1e9, rnd); k != 1 {
		t.Errorf("%d steps, want at least one", k)
	}
}

// Batches are as many as long, or fewer and longer, and do not straddle chains.
func TestBatch(t *testing.T) {
	for draws, want := range map[int]int{100: 10, 1000: 40, 1024: 32, 998: 499} {
		if got := (Hamiltonian{Draws: draws}).batch(); got != want {
			t.Errorf("%d draws: batches of %d, want %d", draws, got, want)
		}
	}
}

// Dual averaging solves acceptance(ε) = target, here for acceptance e^{−ε}.
func TestStepSize(t *testing.T) {
	for _, start := range []float64{1e-3, 0.2, 30} {
		s := newStepSize(start, 0.8)
		for range 2000 {
			s.add(math.Exp(-math.Exp(s.log)))
		}
		if got, want := math.Exp(s.averaged), -math.Log(0.8); !scalar.EqualWithinRel(got, want, 0.05) {
			t.Errorf("from %g: step size %g, want %g", start, got, want)
		}
	}
}

// The metric of many draws is the Cholesky factor of their covariance, and that
// of draws that are all the same is made of the local information alone.
func TestLearnMetric(t *testing.T) {
	m := Model{Layers: []int{1, 2}, PriorVar: []float64{4, 9}}
	c := newChain(problem(t, m, nil, nil), rand.New(random.Source("metric")))
	draws := mat.NewDense(20000, 2, nil)
	for i := range 20000 {
		a, b := c.rnd.NormFloat64(), c.rnd.NormFloat64()
		draws.SetRow(i, []float64{3 * a, 1 + a + 0.1*b})
	}
	check := func(name string, want [3]float64) {
		for i, at := range [][2]int{{0, 0}, {1, 0}, {1, 1}} {
			if got := c.metric.Data[at[0]*c.metric.Stride+at[1]]; !scalar.EqualWithinRel(got, want[i], 0.06) {
				t.Errorf("%s: L%v = %g, want about %g", name, at, got, want[i])
			}
		}
	}
	c.learnMetric(draws)
	check("many draws", [3]float64{3, 1, 0.1})
	c.learnMetric(mat.NewDense(2, 2, nil)) // n = d: half the covariance 0, half that of the prior
	for i, want := range []float64{math.Sqrt2, 0, 0, 3 / math.Sqrt2} {
		if got := c.metric.Data[i]; i != 1 && !scalar.EqualWithinAbs(got, want, 1e-12) {
			t.Errorf("equal draws: L[%d] = %g, want %g", i, got, want)
		}
	}
}

// The metric that is learned makes steps long, although the posterior is far
// narrower than the prior and its weights have different scales.
func TestWarmUp(t *testing.T) {
	x, class := wedges(100, random.Source("adapts"))
	for _, at := range x {
		at[0] *= 30
	}
	p := problem(t, Model{Layers: []int{2, 3}}, x, class)
	h, err := Hamiltonian{Warmup: 400}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	c := newChain(p, rand.New(random.Source("adapts")))
	eps := h.warmUp(c)
	if !(eps > 0.3 && eps < 2) {
		t.Errorf("step size %g in the metric of the posterior", eps)
	}
	var mean float64
	for range 200 {
		a, diverged := c.step(eps, steps(eps, c.rnd))
		mean += a / 200
		if diverged {
			t.Error("divergent")
		}
	}
	if !(mean > 0.65 && mean < 0.97) {
		t.Errorf("acceptance %g, aim %g", mean, accept)
	}
}

// The diagnostics are those of the draws.
func TestHamiltonianDiagnostics(t *testing.T) {
	c := twoModes()
	h := Hamiltonian{Chains: 8, Warmup: 200, Draws: 200, MaxRHat: 100, MinESS: 1}
	p := problem(t, c.model, c.x, c.class)
	s := sample(t, h, p, "two modes", 0)
	column := func(x []float64) (rhat, ess float64) {
		chains := slices.Collect(slices.Chunk(x, 200))
		return rHat(chains), bulkESS(chains)
	}
	x := make([]float64, 1600)
	for i := range x {
		x[i] = p.LogDensity(nil, s.Draws.RawRowView(i))
	}
	rhat, ess := column(x)
	for k, at := range c.x {
		for i := range x {
			w := s.Draws.RawRowView(i)
			x[i] = 1 / (1 + math.Exp((w[2]-w[1])*max(0, w[0]*at[0]))) // all of class 0
		}
		if k < 2 { // the others are the same
			r, e := column(x)
			rhat, ess = max(rhat, r), min(ess, e)
		}
	}
	if !scalar.EqualWithinRel(s.RHat, rhat, 1e-9) || !scalar.EqualWithinRel(s.ESS, ess, 1e-6) {
		t.Errorf("R̂ %g, want %g; effective sample size %g, want %g", s.RHat, rhat, s.ESS, ess)
	}
}
