package softmax

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/kernel"
)

// Posterior is what is known of the logits given the class: the mean and the
// variance of each. Computing into the same one again allocates nothing.
type Posterior struct {
	LogP      float64   // logarithm of the probability of the class; NaN if numbers overflow
	Mean, Var []float64 // of the logits, length n
}

// NewPosterior returns a posterior for n classes. It panics if n < 2.
func NewPosterior(n int) *Posterior {
	checkClasses(n)
	return &Posterior{Mean: make([]float64, n), Var: make([]float64, n)}
}

// JointPosterior is the posterior of correlated logits z ~ N(m, V) given the
// class. By Stein's lemma E z = m + V·Gradient and Cov z = V + V·Hessian·V.
type JointPosterior struct {
	Posterior
	Gradient []float64  // ∂ log p/∂m, length n
	Hessian  *mat.Dense // ∂² log p/∂m², n×n, symmetric to rounding
}

// NewJointPosterior returns a posterior for n classes. It panics if n < 2.
func NewJointPosterior(n int) *JointPosterior {
	return &JointPosterior{*NewPosterior(n), make([]float64, n), mat.NewDense(n, n, nil)}
}

// Both likelihoods say that the class has the largest u_c of u_i = λz_i + ε_i with
// independent noise ε_i: normal, or Gumbel's, which is the softmax. Given u_c = t,
// hence u_i ≤ t for all other i, the logits are independent with known moments. So,
// with W the density of u_c given the class,
//
//	W(t) = f_c(t) Π_{i≠c} F_i(t) / p_c
//	m̃_i = E_W E[z_i | t],   ṽ_i = E_W Var[z_i | t] + Var_W E[z_i | t]
//
// and ṽ_i is a sum of positive terms. W is log-concave; the nodes are placed round
// its mode and weighted in the log domain, however improbable the class.

// posteriorTable is the scratch space of a posterior.
type posteriorTable struct {
	conditional           // at one node
	start       []float64 // shift at the mode of W
	sum         []float64 // E_W of shift − start
	squares     []float64 // E_W of (shift − start)²
	inner       []float64 // E_W of within

	probit probitWin
	gumbel gumbelWin
}

// conditional is what is known of each logit given t.
type conditional struct {
	shift  []float64 // E[z_i | t] − m_i
	within []float64 // Var[z_i | t]
}

// posteriorRule says how finely W is integrated: where it is cut, the distance of
// the nodes in units of its scale at the lower end, and the distance over which
// they are nearly even (see sinhMesh).
type posteriorRule struct{ drop, step, spread float64 }

// forClasses makes all of it fit n classes and returns what w.at has to set.
func (q *posteriorTable) forClasses(n int) *conditional {
	fit(n, &q.shift, &q.within, &q.start, &q.sum, &q.squares, &q.inner)
	return &q.conditional
}

// integrate sets dst, or LogP to NaN if numbers overflow. w.at(t) is log f_c +
// Σ log F_i and sets the conditional moments.
func (q *posteriorTable) integrate(dst *Posterior, w logConcave, rule posteriorRule, mean []float64) {
	mode, top, curvature := findMode(w, 0)
	copy(q.start, q.shift)
	lo, hi, scale := cut(w, mode, top, curvature, rule.drop)
	if !(hi-lo <= math.MaxFloat64) || math.IsInf(top, -1) || !(scale > 0) {
		dst.LogP = math.NaN() // overflow
		return
	}
	clear(q.sum)
	clear(q.squares)
	clear(q.inner)
	var total float64
	for nodes := sinhMesh(lo, hi, rule.spread*scale, rule.step/rule.spread); nodes.more(); {
		t, dt := nodes.next()
		log, _, _ := w.at(t)
		weight := dt * kernel.Exp(log-top)
		if weight == 0 {
			continue
		}
		total += weight
		for i, x := range q.shift {
			// From the value at the mode: a variance that is small against the
			// squared mean keeps its digits.
			x -= q.start[i]
			q.sum[i] += weight * x
			q.squares[i] += weight * x * x
			q.inner[i] += weight * q.within[i]
		}
	}
	dst.LogP = top + kernel.Log(total)
	if math.IsInf(dst.LogP, 0) {
		dst.LogP = math.NaN()
	}
	for i, m := range mean {
		d := q.sum[i] / total
		dst.Mean[i] = m + (q.start[i] + d)
		dst.Var[i] = q.inner[i]/total + math.Max(0, q.squares[i]/total-d*d)
	}
}

// cap lowers each ṽ to v where rounding has put it above.
func (q *Posterior) cap(variance []float64) {
	for i, v := range variance {
		q.Var[i] = math.Min(q.Var[i], v)
	}
}

// check panics unless the posterior of these logits given the class can be
// computed.
func (q *Posterior) check(mean, variance []float64, class int) {
	checkClass(len(q.Mean), class)
	checkLogits(len(q.Mean), mean, variance)
}

func checkClass(n, class int) {
	if class < 0 || class >= n {
		panic(fmt.Sprintf("softmax: posterior given class %d; need 0 to %d", class, n-1))
	}
}
