package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// indefinite is a step of the paper's rule that cannot be taken as printed.
func indefinite(t *testing.T, policy Policy, rule OutputRule) (n *Network, x []float64) {
	probit := softmax.Probit{Lambda: 2, Rho: 0.5}
	n = newNetwork(spec{Layers: []int{2, 3}, Output: rule, OnIndefinite: policy, Softmax: probit, paper: true})
	n.cfg.Paper.EigenvalueFloor, n.cfg.Paper.VarianceFloor = 0.02, 0.01
	mean := mat.NewDense(3, 2, []float64{3, 0, 0, 3, 3, 3})
	tenth := mat.NewDiagDense(2, []float64{0.1, 0.1})
	check.OK(t, n.SetWeights(0, mean, []mat.Symmetric{tenth, tenth, tenth}))
	return n, []float64{1, 0.2}
}

func TestPolicies(t *testing.T) {
	n, x := indefinite(t, Fail, Joint)
	before := copied(n)
	failed, err := n.Observe(x, 1)
	var e *IndefiniteError
	refused := errors.As(err, &e) && e.Update == failed && failed.Action == Refused && failed.MinEigenvalue < 0
	check.True(t, refused, "fail: %+v, %v", failed, err)
	check.Equal(t, "the same after fail", sameState(n.State(), before.State()), true)
	for policy, action := range map[Policy]Action{Skip: Skipped, Project: Projected} {
		n, _ = indefinite(t, policy, Joint)
		want := failed
		want.Action = action
		check.Equal(t, policy, check.Must(n.Observe(x, 1)), want)
		if policy == Skip {
			check.Equal(t, "the same after skip", sameState(n.State(), before.State()), true)
			continue
		}
		check.Equal(t, "smallest eigenvalue, set to the floor", n.step.innovation.Values[0], 0.02)
		var p Prediction
		check.OK(t, n.Predict(&p, x))
		for j, v := range p.Variance {
			check.True(t, v >= 0.01*n.flows[0].v[j]*(1-1e-9), "project: ṽ_%d = %g, below the floor", j, v)
		}
	}
	// Small eigenvalues are floored also where only a variance is negative: the mean must not be left to an
	// unprotected step.
	probit := softmax.Probit{Lambda: 1, Rho: 0.5}
	n = newNetwork(spec{Layers: []int{1, 3}, OnIndefinite: Project, Softmax: probit, Output: Joint, paper: true})
	m, v := []float64{1.5, 0, -1}, []float64{4, 1, 2}
	n.cfg.Softmax.Moments(n.step.moments, m, v)
	u := check.Must(n.step.run(&n.cfg, m, v, 1))
	lowest := n.step.innovation.Values[0]
	floored := 0 < u.MinEigenvalue && u.MinEigenvalue < lowest && lowest == 1e-3
	check.True(t, u.Action == Projected && floored, "%+v with the smallest eigenvalue %g in the solve", u, lowest)
	// The same step is no trouble for rule Total.
	n, x = indefinite(t, Fail, Total)
	check.Equal(t, "total", check.Must(n.Observe(x, 1)).Action, Applied)
}

// Within bounds the ṽ are the best fit: no derivative of the sum over all pairs of the squared errors of
// ṽ_i + ṽ_j says that a move within bounds would be better.
func TestLimit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	bounded := 0
	for trial := range 2000 {
		n := 2 + trial%6
		v, fit := make([]float64, n), make([]float64, n)
		for j := range n {
			v[j] = math.Exp(4 * rnd.NormFloat64())
			fit[j] = v[j] * (1 + rnd.NormFloat64())
		}
		if trial%3 == 0 {
			v[0] = 0
		}
		s := outputStep{variance: slices.Clone(fit)}
		floored, capped := s.limit(v)
		bounded += floored + capped
		sum, scale := floats.Sum(s.variance)-floats.Sum(fit), floats.Sum(v)
		for j, x := range s.variance {
			g, low, high := float64(n-2)*(x-fit[j])+sum, 1e-3*v[j], 2*v[j]
			best := low <= x && x <= high && !(x > low && g > 1e-9*scale) && !(x < high && g < -1e-9*scale)
			check.True(t, best, "fit %v, prior %v: limited %v; derivative %g by %d", fit, v, s.variance, g, j)
			if x == low && v[j] > 0 {
				floored--
			}
			if x == high && v[j] > 0 {
				capped--
			}
		}
		check.Equal(t, "at bounds and not counted", [2]int{floored, capped}, [2]int{})
	}
	check.True(t, bounded >= 100, "%d at bounds", bounded)
}

// Two wide logits and a narrow one: the variance of their difference is fitted, and the report is of before. A
// variance that grows does so once, however often the example counts. With noise a step raises the variance of
// a logit at most to σ₀²|ŷ|², here 0.0125, and leaves what is above.
func TestLimitedStep(t *testing.T) {
	for _, kind := range []Covariance{Full, Diagonal} {
		for _, c := range []struct {
			noise                []float64
			times, narrow, after float64
			counts               [2]int // floored and capped
		}{
			{nil, 1, 0.01, 0.02, [2]int{0, 1}},
			{nil, 2.5, 0.01, 0.02, [2]int{2, 1}},
			{[]float64{}, 1, 0.01, 0.02, [2]int{0, 1}},
			{[]float64{0}, 1, 0.01, 0.02, [2]int{0, 1}},
			{[]float64{1e-3}, 1, 0.01, 0.0125, [2]int{0, 2}},
			{[]float64{1e-3}, 1, 0.015, 0.015, [2]int{0, 2}},
		} {
			n := newNetwork(spec{
				Layers: []int{1, 3}, Covariance: []Covariance{kind}, PriorVar: 0.0125 / 4, Noise: c.noise,
				Replications: []float64{c.times},
			})
			oneInput(t, n, 0, make([]float64, 3), []float64{25, 25, c.narrow / 4})
			update := check.Must(n.Observe([]float64{2}, 0))
			_, after := n.Weights(0)
			if c.times == 1 {
				check.Near(t, "variance of z_0", 4*after[0].At(0, 0), 31.6, 0.1) // 27.3 if only z_2 is limited
			}
			check.Near(t, fmt.Sprintf("variance of z_2, %+v", c), 4*after[2].At(0, 0), c.after, 1e-12)
			check.Near(t, "smallest ṽ", update.MinVariance, 13.06, 0.01)
			check.Equal(t, "counts", [2]int{update.Floored, update.Capped}, c.counts)
		}
	}
}

// Total takes the step where other classes are below the resolution of an eigensolver or underflow, and
// applies the policy where the observed one is too improbable for its moments to have digits.
func TestTotalWithImprobableClasses(t *testing.T) {
	for _, gap := range []float64{5, 6.1, 6.3, 6.5, 6.7, 10, 20, 30, 50, 200} {
		for class := range 3 {
			probit := softmax.Probit{Lambda: 1, Rho: 0.5}
			n := newNetwork(spec{Layers: []int{1, 3}, Output: Total, Softmax: probit, paper: true})
			oneInput(t, n, 0, []float64{0, -gap, -gap}, []float64{0.01, 0.01, 0.01})
			var p Prediction
			check.OK(t, n.Predict(&p, []float64{1}))
			u, err := n.Observe([]float64{1}, class)
			check.True(t, u.MinVariance > 0, "gap %g, class %d: %+v", gap, class, u)
			var indefinite *IndefiniteError
			taken := err == nil && u.Action == Applied && !u.Indefinite
			refused := errors.As(err, &indefinite) && u.Action == Refused && u.Indefinite
			likely := p.P[class] > 1e-10
			check.True(t, taken == likely && refused != likely, "gap %g, class %d: %+v, %v", gap, class, u, err)
		}
	}
}

// given is an approximation for two classes of which the first has the probability p, and Σ_y is rest where
// p = ½.
type given struct{ p, rest float64 }

func (g given) Moments(dst *softmax.Moments, _, _ []float64) {
	dst.P[0], dst.P[1] = g.p, 1-g.p
	dst.E.Set(0, 1, 0.25-g.rest)
	dst.E.Set(1, 0, 0.25-g.rest)
}

// Moments that cannot be are refused, as is an eigenvalue within the rounding error of Σ_y.
func TestBrokenApproximation(t *testing.T) {
	for _, rule := range []OutputRule{Joint, Total} {
		for _, p := range []float64{math.NaN(), math.Inf(1), -0.1} {
			n := newNetwork(spec{Layers: []int{2, 2}, Output: rule, Softmax: given{p, 1e-17}, paper: true})
			u, err := n.Observe([]float64{1, 1}, 0)
			check.True(t, err != nil && u.Action == Refused, "%v: p = %g: %+v, %v", rule, p, u, err)
		}
	}
	for rest, indefinite := range map[float64]bool{0x1p-54: true, 1e-14: false} {
		n := newNetwork(spec{Layers: []int{1, 2}, Softmax: given{0.5, rest}, Output: Joint, paper: true})
		u, _ := n.Observe([]float64{1}, 0)
		check.True(t, u.MinEigenvalue > 0 && u.Indefinite == indefinite, "Σ_y = %g: %+v", rest, u)
	}
}
