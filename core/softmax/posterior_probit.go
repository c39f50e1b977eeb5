package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// probitRule keeps the relative error below 1e-10 (TestPosteriorRuleIsFineEnough).
var probitRule = posteriorRule{drop: 30, step: 0.7, spread: 17}

// Posterior sets dst to the moments of independent logits z_j ~ N(m_j, v_j) given the class under the probit
// likelihood with ρ = ½: u_c = λz_c + ε_c is the largest of all u_j, ε_j ~ N(0, ½) (assumed-density
// filtering; Opper 1998, Minka 2001). Each Var_i is positive where v_i is, and at most v_i. The relative
// error is below 1e-9, that of the mean relative to √Var_i, for any probability down to e^−10000. Posterior
// panics as [Probit.Moments] does, and if ρ ≠ ½ or the class is out of range. With μ_i = λm_i, s_i² = ½ +
// λ²v_i, κ_i = λv_i/s_i², a_i = (t − μ_i)/s_i, h = φ/Φ at a_i, and W the density of u_c given the class,
//
//	E[z_c | t] = m_c + κ_c (t − μ_c)    Var[z_c | t] = v_c/(2 s_c²)
//	E[z_i | t] = m_i − κ_i s_i h        Var[z_i | t] = v_i/(2 s_i²) + κ_i² s_i² (1 − a_i h − h²)
//	W(t) = N(t; μ_c, s_c²) Π_{i≠c} Φ(a_i) / p_c
func (p Probit) Posterior(dst *Posterior, mean, variance []float64, class int) {
	if err := p.Validate(len(mean)); err != nil {
		panic(err.Error())
	}
	if p.Rho != 0.5 {
		panic(fmt.Sprintf("softmax: posterior of the probit with ρ = %g; need ρ = ½", p.Rho))
	}
	dst.check(mean, variance, class)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	w.probitWinner.posterior(dst, p.Lambda, mean, variance, class, probitRule)
}

// tabulate implements winnerDensity: a_i, h, 1 − a_i h − h² and p_c W. The class itself has h = −(t−μ_c)/s_c.
func (w *probitWinner) tabulate(node, weight, log []float64) {
	const smallest = 1e-300 // below it the logarithm of the product is moved to log
	q := len(node)
	size := len(w.mu) * q
	a, h, cdf := w.a[:size], w.h[:size], w.cdf[:size]
	for i, mu := range w.mu {
		r, row := w.perScale[i], a[i*q:(i+1)*q]
		for b, t := range node {
			row[b] = (t - mu) * r
		}
	}
	kernel.Truncated(h, w.within[:size], cdf, a)
	winner := w.class * q
	for i := 0; i < size; i += q {
		if i == winner {
			continue
		}
		for b := range q {
			if x := a[i+b]; x < far {
				h[i+b], w.within[i+b], cdf[i+b] = gauss.InverseMills(x), gauss.TruncatedVar(x), 1
				log[b] += gauss.LogCDF(x)
			}
			if weight[b]*cdf[i+b] < smallest {
				log[b] += kernel.Log(weight[b])
				weight[b] = 1
			}
			weight[b] *= cdf[i+b]
		}
	}
	r := w.perScale[w.class]
	for b, t := range node {
		x := t * r
		log[b] += w.norm - 0.5*x*x
		h[winner+b], w.within[winner+b] = -x, 0 // t is relative to μ_c
	}
}

// probitWinner is p_c W as a function of t − μ_c, as only differences matter.
type probitWinner struct {
	posteriorTable
	class    int
	norm     float64   // −log(s_c √(2π))
	mu       []float64 // μ_i − μ_c
	perScale []float64 // 1/s_i
	a, cdf   []float64 // a_i and Φ(a_i), class × node
}

// far is an argument below which Φ is not a normal float64.
const far = -37

func (w *probitWinner) posterior(
	dst *Posterior, lambda float64, mean, variance []float64, class int, rule posteriorRule,
) {
	n := len(mean)
	w.forClasses(n)
	fit(n, &w.mu, &w.perScale)
	fit(n*mostNodes, &w.a, &w.cdf)
	w.class = class
	for i, v := range variance {
		s := scale(0.5, lambda, v)
		w.mu[i], w.perScale[i] = lambda*(mean[i]-mean[class]), 1/s
		w.k[i], w.always[i] = lambda*(v/s), 0.5*(v/s)/s
	}
	w.norm = kernel.Log(w.perScale[class] / math.Sqrt(2*math.Pi))
	w.integrate(dst, w, rule, mean, variance)
}

func (w *probitWinner) eval(t float64) (log, gradient, curvature float64) {
	w.room[0], w.room[1], w.log[0] = t, 1, 0
	w.tabulate(w.room[:1], w.room[1:2], w.log[:1])
	for i, r := range w.perScale {
		gradient += w.h[i] * r
		curvature += (1 - w.within[i]) * r * r
	}
	return w.log[0] + kernel.Log(w.room[1]), gradient, curvature
}
