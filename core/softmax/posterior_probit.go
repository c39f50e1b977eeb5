package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
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
	kappa     []float64
}

func (w *probitWin) set(lambda float64, mean, variance []float64, class int) {
	w.class = class
	fit(len(mean), &w.mu, &w.scale, &w.kappa)
	for j, v := range variance {
		w.mu[j] = lambda * (mean[j] - mean[class])
		s := scale(0.5, lambda, v)
		w.scale[j] = s
		w.kappa[j] = lambda * (v / s) / s
	}
	w.norm = -math.Log(w.scale[class] * math.Sqrt(2*math.Pi))
}

// at implements logConcave, and sets shift, and within to the part of Var[z_i | t]
// that depends on t.
func (w *probitWin) at(t float64) (log, gradient, curvature float64) {
	// Up to here the plain formula of the variance loses no more than two digits.
	const far = -5
	// Of the factors that are left to multiply.
	const least = 1e-200
	product := 1.0
	for i, mu := range w.mu {
		s, kappa := w.scale[i], w.kappa[i]
		if i == w.class {
			a := t / s
			log += w.norm - 0.5*a*a
			gradient -= a / s
			curvature += 1 / s / s
			w.shift[i], w.within[i] = kappa*t, 0
			continue
		}
		a := (t - mu) / s
		var h, rest float64
		if a > far {
			pdf, cdf := gauss.PDFCDF(a)
			h = pdf / cdf
			rest = 1 - h*(a+h)
			if product *= cdf; product < least {
				log += math.Log(product)
				product = 1
			}
		} else {
			h, rest = gauss.InverseMills(a), gauss.TruncatedVar(a)
			log += gauss.LogCDF(a)
		}
		k := kappa * s
		w.shift[i], w.within[i] = -k*h, k*k*rest
		gradient += h / s
		curvature += (1 - rest) / s / s
	}
	return log + math.Log(product), gradient, curvature
}
