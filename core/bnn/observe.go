package bnn

import (
	"fmt"
	"math"

	"closedform/internal/kernel"
)

// Action is what Observe did with an example.
type Action int

const (
	Applied   Action = iota // the step was taken without repair
	Skipped                 // the network was left unchanged, by the policy Skip
	Projected               // the step was repaired, then taken
	Refused                 // the network was left unchanged, and an error returned
)

func (a Action) String() string {
	return [...]string{"applied", "skipped", "projected", "refused"}[a]
}

// Update reports what one example did to the network.
type Update struct {
	// MinEigenvalue is the smallest eigenvalue of Σ_y over the first n−1 classes for Joint, else NaN.
	MinEigenvalue float64

	// MinVariance is the smallest ṽ_j of a logit before repairs, floors and caps; it may be negative.
	MinVariance float64

	// Indefinite reports that the paper's step is not defined. For Joint, Σ_y is not positive definite; for
	// Total, the probability of the class is below 1e-10, where its moments have no correct digits.
	Indefinite bool

	LogP float64 // logarithm of the probability of the class, before the step

	// Floored counts raised variances: ṽ of logits and hidden pre-activations, to v/1000 or
	// PaperRule.VarianceFloor·v, and of diagonal weights, to a thousandth, where Replications count an example
	// more than once. Capped counts ṽ lowered to 2v, in all layers, and with process noise to σ₀²|ŷ|².
	Floored, Capped int

	Action Action
}

// IndefiniteError is the error of Observe under the policy Fail for a step that cannot be taken as printed.
type IndefiniteError struct{ Update Update }

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("bnn: step not possible as printed: smallest eigenvalue of the innovation's covariance "+
		"%.3g, smallest posterior variance %.3g, log probability of the class %.3g; "+
		"OnIndefinite (in manifests on_indefinite) Skip or Project goes on",
		e.Update.MinEigenvalue, e.Update.MinVariance, e.Update.LogP)
}

// Observe updates the weights of all layers by one example of the given class (from 0): the paper's Algorithm
// 2 for the rules Joint and Frozen. The output rule gives the posterior means m̃ and variances ṽ of the
// logits, Eq. (z), the hidden rule those of the hidden pre-activations. With d_j = (m̃_j − m_j)/v_j and e_j =
// (ṽ_j − v_j)/v_j² every neuron moves by Eq. (w),
//
//	μ_j += d_j Σ_jŷ,   Σ_j += e_j (Σ_jŷ)(Σ_jŷ)ᵀ.
//
// Errors change nothing: an input of wrong length or not finite, a class out of range, overflow,
// *IndefiniteError.
func (n *Network) Observe(x []float64, class int) (Update, error) {
	update, err := n.prepare(x, class)
	if err == nil && update.Action != Skipped {
		n.move()
	}
	return update, err
}

// Condition is Observe for a likelihood other than the softmax. The function likelihood sets the steps d_j =
// (m̃_j − m_j)/v_j and e_j = (ṽ_j − v_j)/v_j² of the logits.
func (n *Network) Condition(x []float64, likelihood func(d, e []float64, logits Layer)) error {
	_, err := n.steps(x, func(f *flow) (Update, error) {
		likelihood(f.d, f.e, n.layerOf(n.flows, len(n.flows)-1))
		return Update{}, nil
	})
	if err == nil {
		n.move()
	}
	return err
}

func (n *Network) prepare(x []float64, class int) (Update, error) {
	if err := checkExample(n, x, class); err != nil {
		return Update{Action: Refused}, err
	}
	return n.steps(x, func(f *flow) (Update, error) { return n.observeLogits(f, class) })
}

func (n *Network) steps(x []float64, observe func(f *flow) (Update, error)) (Update, error) {
	if err := n.pass(x); err != nil {
		return Update{Action: Refused}, err
	}
	last := len(n.layers) - 1
	update, err := observe(&n.flows[last])
	if err != nil {
		update.Action = Refused
	}
	if err != nil || update.Action == Skipped {
		return update, err
	}
	update.Capped += n.limit(last)
	for l := last - 1; l >= 0; l-- {
		if n.cfg.Hidden == Frozen {
			n.freeze(l)
		} else {
			update.Floored += n.smooth(l)
		}
		update.Capped += n.limit(l)
	}
	for l := range n.layers {
		update.Floored += n.replicate(l)
		if !n.flows[l].bounded() {
			update.Action = Refused
			return update, errOverflow
		}
	}
	return update, nil
}

func (n *Network) move() {
	n.current = false
	for l, w := range n.layers {
		w.update(&n.flows[l])
	}
	n.learned++
	for l := range n.cfg.ProcessNoise {
		n.addNoise(l)
	}
}

// addNoise adds process noise to the weights of layer l from four inputs, whose turn comes after every eighth
// example, in hidden layers, which change more slowly, after every sixteenth. A round over all inputs is the
// step Σ_j += s(Σ₀ − Σ_j), whose share s is that of as many steps of share q as the round has examples.
func (n *Network) addNoise(l int) {
	every := 8
	if l < len(n.layers)-1 {
		every = 16
	}
	if q := n.cfg.ProcessNoise[l]; q > 0 && n.learned%every == 0 {
		_, in := n.cfg.WeightDims(l)
		round := (in + 3) / 4
		share := 1 - kernel.Exp(float64(every*round)*kernel.Log(1-q))
		n.layers[l].forget(n.learned/every%round*4, n.cfg.PriorVar[l], share)
	}
}

// bounded reports whether the steps keep all weights finite. A mean μ_ji moves by at most |d_j| √v_j
// √Σ_ji,ii, whose last factor is below 1.4e154; no finite number plus 1e291 rounds to infinity.
func (f *flow) bounded() bool {
	for j, d := range f.d {
		if !(math.Abs(d)*math.Sqrt(f.v[j]) < 1e136) || math.IsNaN(f.e[j]) {
			return false
		}
	}
	return true
}

// certain is the largest variance of a pre-activation that is not updated, as its inverse may overflow.
const certain = 1e-290

func (n *Network) observeLogits(f *flow, class int) (Update, error) {
	update, err := n.step.run(&n.cfg, f.m, f.v, class)
	if err != nil || update.Action == Skipped {
		return update, err
	}
	for j, vj := range f.v {
		f.d[j], f.e[j] = 0, 0
		if vj > certain {
			f.d[j], f.e[j] = (n.step.mean[j]-f.m[j])/vj, (n.step.variance[j]/vj-1)/vj
		}
	}
	return update, nil
}

// freeze conditions hidden layer l on its own mean output: with gain k = σ_zy/s, ṽ = v − k²s.
func (n *Network) freeze(l int) {
	f := &n.flows[l]
	for j, vj := range f.v {
		f.d[j], f.e[j] = 0, 0
		if vj > certain && f.outVar[j] > 0 {
			k := f.cross[j] / f.outVar[j]
			f.e[j] = -math.Min(1, k*f.cross[j]/vj) / vj // k·cross/v ≤ 1 by Cauchy–Schwarz, except for rounding
		}
	}
}

// limit caps the steps e_j that would more than double v_j, and counts them. With process noise no step raises
// v_j above σ₀²|ŷ|²: the steps of a class that never comes would add up without end.
func (n *Network) limit(l int) (capped int) {
	f, prior := &n.flows[l], math.Inf(1)
	if len(n.cfg.ProcessNoise) > 0 && n.cfg.ProcessNoise[l] > 0 {
		prior = n.cfg.PriorVar[l] * kernel.Dot(f.y, f.y)
	}
	for j, vj := range f.v {
		highest := min(maxRatio-1, max(0, prior/vj-1)) / vj
		if vj > certain && f.e[j] > highest {
			f.e[j] = highest
			capped++
		}
	}
	return capped
}

// replicate multiplies the negative e_j of layer l by Replications, and counts the variances at their floor.
// A diagonal layer's update multiplies all e_j, so positive ones are divided before.
func (n *Network) replicate(l int) (floored int) {
	count, f := n.cfg.Replications[l], &n.flows[l]
	if w, ok := n.layers[l].(*diagonal); ok {
		for j, e := range f.e {
			if e > 0 {
				f.e[j] = e / count
			}
		}
		return w.floored(f)
	}
	for j, vj := range f.v {
		if vj > certain && f.e[j] < 0 {
			lowest := (minRatio - 1) / vj
			if count*f.e[j] < lowest && f.e[j] > lowest {
				floored++
			}
			f.e[j] = math.Max(count*f.e[j], lowest)
		}
	}
	return floored
}

// smooth computes the steps of hidden layer l from those of layer l+1 (hidden rules Smooth and SmoothMean).
// With the output moments (ŷ_i, s_i) of unit i, σ_i = Cov(z_i, y_i) and the mean gradient a_i = σ_i/v_i,
//
//	ỹ_i = ŷ_i + s_i Σ_j μ_ji d_j,      s̃_i = s_i + s_i² Σ_j μ_ji² e_j
//	m̃_i = m_i + (σ_i/s_i) (ỹ_i − ŷ_i),  ṽ_i = v_i + (σ_i/s_i)² (s̃_i − s_i)
//	d_i = a_i Σ_j μ_ji d_j,             e_i = a_i² Σ_j μ_ji² e_j.
//
// Summed over many neurons j, ṽ_i may fall below its floor, is then raised to the floor, and counted.
func (n *Network) smooth(l int) (floored int) {
	f := &n.flows[l]
	n.layers[l+1].backward(f.d, f.e, &n.flows[l+1])
	for i, vi := range f.v {
		if vi <= certain {
			f.d[i], f.e[i] = 0, 0
			continue
		}
		a := f.cross[i] / vi
		f.d[i] *= a
		f.e[i] *= a * a
		if lowest := (minRatio - 1) / vi; f.e[i] < lowest {
			f.e[i] = lowest
			floored++
		}
	}
	return floored
}
