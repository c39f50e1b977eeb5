package study

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/softmax"
)

// learner is a network that may break down: at a step that it refuses, or that
// overflows. From then on it says that all classes are equally probable, and is
// scored for that; none is left out.
type learner struct {
	network *bnn.Network
	classes int
	steps

	// The weights forget: their variances gain share of their prior's after every
	// so many examples.
	share       float64
	every, seen int
}

// forget lets the weights gain a share of their prior variance before each
// example. Where covariances are full, a step of this costs several times as much
// as an example (for 2-32-2 neurons nine times as much as to predict and learn
// one), so they gain ten times the share before every tenth example, or as often
// as the share allows: what they gain in one step is at most the prior variance.
func (l *learner) forget(share float64, full bool) {
	l.share, l.every = share, 1
	if full && share > 0 {
		l.every = max(1, min(10, int(1/share)))
		l.share = min(1, float64(l.every)*share)
	}
}

func (l *learner) done() steps { return l.steps }

// observe shows the network an example.
func (l *learner) observe(x []float64, class int) {
	if l.failed {
		return
	}
	if l.share > 0 {
		if l.seen++; l.seen%l.every == 0 && l.network.AddProcessNoise(l.share) != nil {
			l.failed = true
			return
		}
	}
	update, err := l.network.Observe(x, class)
	if update.Indefinite {
		l.indefinite++
	}
	switch update.Action {
	case bnn.Skipped:
		l.skipped++
	case bnn.Projected:
		l.projected++
	}
	l.raised += update.Floored
	l.failed = err != nil
}

// labels returns the distributions of the labels, p/Σp, at the inputs.
func (l *learner) labels(inputs [][]float64) [][]float64 {
	all := make([]float64, len(inputs)*l.classes)
	out := slices.Collect(slices.Chunk(all, l.classes))
	var p bnn.Prediction
	for i, x := range inputs {
		l.failed = l.failed || l.network.Predict(&p, x) != nil
		if l.failed {
			for j := range all {
				all[j] = 1 / float64(l.classes)
			}
			break
		}
		for j, pj := range p.P {
			out[i][j] = pj / (1 + p.Moments.Excess())
		}
	}
	return out
}

// variances returns Σ_j Var y_j at the inputs, by the moments that the network
// predicts with and by those of the softmax itself. Where it has broken down they
// are not numbers.
func (l *learner) variances(inputs [][]float64) (own, exact []float64) {
	gaps := slices.Repeat([]float64{math.NaN()}, len(inputs))
	var p bnn.Prediction
	moments := softmax.NewMoments(l.classes)
	var cov mat.SymDense
	for _, x := range inputs {
		if l.failed = l.failed || l.network.Predict(&p, x) != nil; l.failed {
			return gaps, gaps
		}
		softmax.Exact{Fast: true}.Moments(moments, p.Mean, p.Variance)
		moments.Cov(&cov)
		own, exact = append(own, mat.Trace(p.Cov)), append(exact, mat.Trace(&cov))
	}
	return own, exact
}

var _ pupil = (*learner)(nil)
