package bnn

import (
	"fmt"
	"math"
)

// Action says what Observe did with an example.
type Action int

const (
	Applied   Action = iota // the step was taken as printed
	Skipped                 // the network was left unchanged, as the policy Skip wants
	Projected               // the step was taken after a repair
	Refused                 // the network was left unchanged, and an error returned
)

func (a Action) String() string {
	switch a {
	case Applied:
		return "applied"
	case Skipped:
		return "skipped"
	case Projected:
		return "projected"
	case Refused:
		return "refused"
	}
	return fmt.Sprintf("Action(%d)", int(a))
}

// Update reports what one example did to the network.
type Update struct {
	// MinEigenvalue is the smallest eigenvalue of the covariance of the
	// innovation over the first n−1 classes: Σ_y for Joint, S for Total.
	MinEigenvalue float64

	// MinVariance is the smallest posterior variance ṽ_j of a logit that the
	// step as printed gives, before any repair.
	MinVariance float64

	// Indefinite says that the step as printed has no ground to stand on: for
	// Joint, Σ_y is not positive definite beyond its rounding error; for Total,
	// where S always is, the observed class is so improbable (below 1e-10)
	// that the digits of its moments are lost.
	Indefinite bool

	Action Action
}

// IndefiniteError is returned by Observe under the policy Fail for a step that
// cannot be taken as printed. The network is unchanged.
type IndefiniteError struct {
	Update Update
}

func (e *IndefiniteError) Error() string {
	return fmt.Sprintf("bnn: step not possible as printed: smallest eigenvalue of the innovation's covariance %.3g, smallest posterior variance %.3g",
		e.Update.MinEigenvalue, e.Update.MinVariance)
}

// Observe updates the weights of all layers by one example of the given class
// (from 0), as in the paper's Algorithm 2. It allocates nothing.
//
// On an error, which is an input that is not finite, a class out of range, an
// overflow, or an *IndefiniteError under the policy Fail, the network is
// unchanged. Observe panics if the length of x is not the number of inputs.
func (n *Network) Observe(x []float64, class int) (Update, error) {
	if class < 0 || class >= n.cfg.classes() {
		return Update{Action: Refused}, fmt.Errorf("bnn: class %d; the network has classes 0 to %d", class, n.cfg.classes()-1)
	}
	if err := n.forward(&n.pass, x); err != nil {
		return Update{Action: Refused}, err
	}
	m, v := n.pass.output()
	n.cfg.Softmax.Moments(n.step.moments, m, v)
	update, err := n.step.run(&n.cfg, m, v, class)
	if err != nil || update.Action == Skipped {
		return update, err
	}
	last := len(n.layers) - 1
	for l := range last {
		n.updateFrozen(l)
	}
	w, f := &n.layers[last], &n.pass.layers[last]
	for j, vj := range v {
		if vj > 0 { // else the logit is certain and has nothing to learn
			w.update(j, n.step.mean[j]-m[j], n.step.variance[j]/vj, vj, f.g[j*w.in:(j+1)*w.in])
		}
	}
	return update, nil
}

// updateFrozen conditions hidden layer l on its own mean output (hidden rule
// Frozen): with gain k = σ_zy/s the innovation is zero and ṽ = v − k²s.
func (n *Network) updateFrozen(l int) {
	w, f := &n.layers[l], &n.pass.layers[l]
	for j, vj := range f.v {
		if vj == 0 || f.s[j] == 0 {
			continue
		}
		k := f.cross[j] / f.s[j]
		ratio := math.Max(0, 1-k*f.cross[j]/vj) // not negative by Cauchy–Schwarz, but for rounding
		w.update(j, 0, ratio, vj, f.g[j*w.in:(j+1)*w.in])
	}
}
