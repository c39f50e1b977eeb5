package softmax

import (
	"fmt"
	"math"
)

// Posterior holds the mean and the variance of every logit given the class, and
// the scratch space of their computation.
type Posterior struct {
	LogP      float64   // logarithm of the probability of the class; NaN if numbers overflow
	Mean, Var []float64 // of the logits, length n

	probit probitWin
	gumbel gumbelWin

	start   []float64 // shift at the mode of W
	shift   []float64 // E[z_i | t] − m_i at one node
	within  []float64 // Var[z_i | t] at one node
	sum     []float64 // E_W of shift − start
	squares []float64 // E_W of (shift − start)²
	inner   []float64 // E_W of within
}

// NewPosterior returns a posterior for n classes. It panics if n < 2.
func NewPosterior(n int) *Posterior {
	if n < 2 {
		panic(fmt.Sprintf("softmax: %d classes; need at least 2", n))
	}
	buf := make([]float64, 11*n)
	next := func() []float64 {
		s := buf[:n:n]
		buf = buf[n:]
		return s
	}
	q := &Posterior{
		Mean: next(), Var: next(), start: next(), shift: next(), within: next(),
		sum: next(), squares: next(), inner: next(),
	}
	q.probit = probitWin{mu: next(), scale: next(), kappa: next(), shift: q.shift, within: q.within}
	q.gumbel = gumbelWin{shift: q.shift, within: q.within}
	return q
}

// Both likelihoods say that the class is the largest u_c of u_i = λz_i + ε_i with
// independent noise ε_i: a normal one, or Gumbel's, which is the softmax. Given
// u_c = t and hence u_i ≤ t for all other i, the logits are independent with
// moments that are known in t. Hence, with W the density of u_c given the class,
//
//	W(t) = f_c(t) Π_{i≠c} F_i(t) / p_c
//	m̃_i = E_W E[z_i | t],   ṽ_i = E_W Var[z_i | t] + Var_W E[z_i | t]
//
// and ṽ_i is a sum of positive terms. W is log-concave; the nodes are placed round
// its mode and weighted in the log domain, so that nothing is lost however
// improbable the class.

// posteriorRule says how finely W is integrated: where it is cut, the distance of
// the nodes in units of its scale at the lower end, and the distance over which
// they are nearly even (see sinhMesh).
type posteriorRule struct{ drop, step, spread float64 }

// integrate sets LogP, Mean and Var, or LogP to NaN if numbers overflow. at(t) is log f_c + Σ log F_i and sets shift
// and within.
func (q *Posterior) integrate(w logConcave, rule posteriorRule, mean []float64) {
	mode, top, curvature := findMode(w, 0)
	copy(q.start, q.shift)
	lo, hi, scale := cut(w, mode, top, curvature, rule.drop)
	if !(hi-lo <= math.MaxFloat64) || math.IsInf(top, -1) || !(scale > 0) {
		q.LogP = math.NaN() // overflow
		return
	}
	clear(q.sum)
	clear(q.squares)
	clear(q.inner)
	var total float64
	for nodes := sinhMesh(lo, hi, rule.spread*scale, rule.step/rule.spread); nodes.more(); {
		t, dt := nodes.next()
		log, _, _ := w.at(t)
		weight := dt * math.Exp(log-top)
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
	q.LogP = top + math.Log(total)
	if math.IsInf(q.LogP, 0) {
		q.LogP = math.NaN()
	}
	for i, m := range mean {
		d := q.sum[i] / total
		q.Mean[i] = m + (q.start[i] + d)
		q.Var[i] = q.inner[i]/total + math.Max(0, q.squares[i]/total-d*d)
	}
}

// cap lowers each ṽ to v where rounding has put it above.
func (q *Posterior) cap(variance []float64) {
	for i, v := range variance {
		q.Var[i] = math.Min(q.Var[i], v)
	}
}

// check panics unless the posterior of n logits given the class can be computed.
func (q *Posterior) check(mean, variance []float64, class int) {
	n := len(q.Mean)
	if class < 0 || class >= n {
		panic(fmt.Sprintf("softmax: posterior given class %d; need 0 to %d", class, n-1))
	}
	checkLogits(n, mean, variance)
}
