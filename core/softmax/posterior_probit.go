package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/core/kernel"
)

// probitRule keeps the relative error below 1e-10 (TestPosteriorRuleIsFineEnough).
var probitRule = posteriorRule{drop: 30, step: 0.7, spread: 17}

// Posterior sets dst to the moments of independent logits z_j ~ N(m_j, v_j)
// given the class under the likelihood of the probit with ρ = ½: u_c = λz_c + ε_c
// is the largest of all u_j, ε_j ~ N(0, ½). It is the exact answer to a label
// (assumed-density filtering; Opper 1998, Minka 2001). With μ_i = λm_i, s_i² = ½
// + λ²v_i, κ_i = λv_i/s_i², a_i = (t − μ_i)/s_i and h = φ/Φ at a_i,
//
//	E[z_c | t] = m_c + κ_c (t − μ_c)    Var[z_c | t] = v_c/(2 s_c²)
//	E[z_i | t] = m_i − κ_i s_i h        Var[z_i | t] = v_i/(2 s_i²) + κ_i² s_i² (1 − a_i h − h²)
//
//	p_c W(t) = N(t; μ_c, s_c²) Π_{i≠c} Φ(a_i)
//
// and the rest is one integral over t. Each ṽ_i is positive where v_i is, and
// below it. The relative error is below 1e-9, that of the mean relative to √ṽ_i, for
// any probability down to e^−10000. Posterior panics as [Probit.Moments] does, and
// if ρ ≠ ½ or there is no such class.
func (p Probit) Posterior(dst *Posterior, mean, variance []float64, class int) {
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	if p.Rho != 0.5 {
		panic(fmt.Sprintf("softmax: posterior of the probit with ρ = %g; need ρ = ½", p.Rho))
	}
	dst.check(mean, variance, class)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.posterior.normal(dst, p.Lambda, mean, variance, class, probitRule)
	dst.cap(variance)
}

func (q *posteriorTable) normal(dst *Posterior, lambda float64, mean, variance []float64, class int, rule posteriorRule) {
	w := &q.probit
	w.conditional = q.forClasses(len(mean))
	w.set(lambda, mean, variance, class)
	q.integrate(dst, w, rule, mean)
	// The part of Var[z_i | t] that is the same for all t.
	for i, v := range variance {
		s := w.scale[i]
		dst.Var[i] += 0.5 * (v / s) / s
	}
}

// probitWin is p_c W as a function of t − μ_c: only differences matter.
type probitWin struct {
	*conditional
	class     int
	norm      float64   // −log(s_c √(2π))
	mu, scale []float64 // μ_i − μ_c; s_i
	perScale  []float64 // 1/s_i, but 0 for the class: nothing then comes of its factor but Φ(0) = ½
	kappa     []float64
	a, h, cdf []float64 // a_i, h and Φ there
}

func (w *probitWin) set(lambda float64, mean, variance []float64, class int) {
	w.class = class
	fit(len(mean), &w.mu, &w.scale, &w.perScale, &w.kappa, &w.a, &w.h, &w.cdf)
	for j, v := range variance {
		w.mu[j] = lambda * (mean[j] - mean[class])
		s := scale(0.5, lambda, v)
		w.scale[j], w.perScale[j] = s, 1/s
		w.kappa[j] = lambda * (v / s) / s
	}
	w.perScale[class] = 0
	w.norm = -kernel.Log(w.scale[class] * math.Sqrt(2*math.Pi))
}

// at implements logConcave, and sets shift, and within to the part of Var[z_i | t] that
// depends on t.
func (w *probitWin) at(t float64) (log, gradient, curvature float64) {
	const far = -37 // where Φ is no longer a normal number
	n := len(w.mu)
	a, h, cdf, perScale, kappa := w.a[:n], w.h[:n], w.cdf[:n], w.perScale[:n], w.kappa[:n]
	shift, within := w.shift[:n], w.within[:n]
	for i, mu := range w.mu {
		a[i] = (t - mu) * perScale[i]
	}
	kernel.Truncated(h, within, cdf, a)
	cdf[w.class] = 1
	for i, x := range a {
		if x < far {
			h[i], within[i], cdf[i] = gauss.InverseMills(x), gauss.TruncatedVar(x), 1
			log += gauss.LogCDF(x)
		}
		r, k := perScale[i], kappa[i]*w.scale[i]
		gradient += h[i] * r
		curvature += (1 - within[i]) * r * r
		shift[i] = -k * h[i]
		within[i] *= k * k
	}
	r := 1 / w.scale[w.class]
	x := t * r
	shift[w.class], within[w.class] = w.kappa[w.class]*t, 0
	return log + logProduct(cdf) + w.norm - 0.5*x*x, gradient - x*r, curvature + r*r
}
