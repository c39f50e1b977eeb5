package jointgaussian

import (
	"math"

	"closedform/core/gauss"
	"closedform/core/mvn"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// orthant integrates the probability p of a class, and the derivatives of log p, over δ ~ N(m, S), the d
// differences of the other logits to that of the class. The variables are taken one after another, as Genz
// (1992) does: δ = m + Cy with S = CCᵀ and independent standard normal y. Both likelihoods are products of
// steps, each a function of y_k given the previous ones:
//
//	softmax:  1/(1 + Σ_j e^{δ_j}) = Π_k 1/(1 + e^{δ_k}/E_{k−1}),  E_k = 1 + Σ_{j≤k} e^{δ_j}
//	probit:   p = P(δ + ε < 0), ε ~ N(0, R/λ²), R_jj = 1, R_jk = ½: steps δ_k < 0, and S includes R/λ²
//
// At each point of a lattice, y_k is drawn given the previous ones and the step: exactly for the probit; for
// the softmax from a split normal distribution, with weights that correct for it. For standard deviations of δ
// up to 4 and up to ten classes, the error of a step is at most a few per cent of a standard deviation, and
// typically a thousandth. Four times the points in every step move the total variations of the study posterior
// by .0003 on average and by .0014 at most.
type orthant struct {
	exact       bool
	noise       float64   // 1/λ²
	few, many   []float64 // points of the unit cube, for predictions and for steps
	c           []float64 // C, d×d
	y, delta    []float64 // y and, of the softmax, δ of a point
	sum, square []float64 // Σ of weights times y or s, and its outer product
	splits      []split   // by variable
}

const (
	fewPoints  = 8  // binary logarithm of the number of points of a prediction
	manyPoints = 11 // and of a step
	wide       = 4  // mean variance of the differences above which derivatives are found from y
)

func newOrthant(l Likelihood, d int) *orthant {
	vector := func(n int) []float64 { return make([]float64, n) }
	lambda := softmax.SlopeLambda(d+1, 0.5)
	return &orthant{
		exact: l == Exact, noise: 1 / (lambda * lambda), few: mvn.Lattice(d, fewPoints),
		many: mvn.Lattice(d, manyPoints), c: vector(d * d), y: vector(d), delta: vector(d),
		sum: vector(d), square: vector(d * d), splits: make([]split, d),
	}
}

// probability returns p, NaN if the differences are too large.
func (o *orthant) probability(m, s []float64) (p float64) {
	if !o.factorise(s) || !kernel.Finite(m...) {
		return math.NaN()
	}
	for u := o.few; len(u) > 0; u = u[len(m):] {
		w, _ := o.weight(m, u, true)
		p += w
	}
	return p * float64(len(m)) / float64(len(o.few))
}

// derivatives sets g and h to the gradient and the Hessian of log p in m, and reports whether p is a positive
// number. With E and Cov given the class,
//
//	g = C⁻ᵀ E y,   H = C⁻ᵀ (Cov y − I) C⁻¹,
//
// and for the softmax, more accurately where S is small, with s_j = e^{δ_j}/(1 + Σ_i e^{δ_i}),
//
//	g = −E s,      H = 2 E ssᵀ − diag(E s) − ggᵀ.
func (o *orthant) derivatives(g, h, m, s []float64) bool {
	d := len(m)
	if !o.factorise(s) || !kernel.Finite(m...) {
		return false
	}
	var trace, total float64
	for j := range d {
		trace += s[j*d+j]
	}
	soft := o.exact && trace < float64(wide*d)
	clear(o.sum)
	clear(o.square)
	for u := o.many; len(u) > 0; u = u[d:] {
		w, last := o.weight(m, u, false)
		x := o.y
		if soft {
			x = o.delta
			for j, z := range x {
				x[j] = kernel.Exp(z - last)
			}
		}
		total += w
		for j, xj := range x {
			o.sum[j] += float64(w * xj)
			kernel.AddScaled(o.square[j*d:][:d], w*xj, x)
		}
	}
	if !(total > 0) || !kernel.Finite(total) {
		return false
	}
	for j := range d {
		g[j] = o.sum[j] / total
	}
	for j := range d {
		for k := range d {
			h[j*d+k] = o.square[j*d+k]/total - float64(g[j]*g[k])
			if soft {
				h[j*d+k] += o.square[j*d+k] / total
			}
		}
		if soft {
			h[j*d+j] -= g[j]
		} else {
			h[j*d+j]--
		}
	}
	if soft {
		for j := range g {
			g[j] = -g[j]
		}
		return true
	}
	o.solve(g, 1)
	for j := range d {
		o.solve(h[j:], d) // C⁻ᵀ times column j
	}
	for j := range d {
		o.solve(h[j*d:][:d], 1) // and times row j of the result
	}
	return true
}

// factorise sets c to C, and the splits to those of its diagonal. S may be zero. It reports whether no standard
// deviation is above 1e6.
func (o *orthant) factorise(s []float64) bool {
	d := len(o.y)
	for i := range d {
		ci := o.c[i*d:][:d]
		for j := range i + 1 {
			cj, a := o.c[j*d:][:d], s[i*d+j]
			if !o.exact {
				a += o.noise / 2
				if i == j {
					a += o.noise / 2
				}
			}
			a -= kernel.Dot(ci[:j], cj[:j])
			switch {
			case i == j:
				if ci[j] = math.Sqrt(max(0, a)); !(ci[j] <= 1e6) {
					return false
				}
			case cj[j] > 0:
				ci[j] = a / cj[j]
			default:
				ci[j] = 0
			}
		}
		if o.exact {
			o.splits[i].set(ci[i])
		}
	}
	return true
}

// solve replaces x, with entries a stride apart, by C⁻ᵀ x.
func (o *orthant) solve(x []float64, stride int) {
	d := len(o.y)
	for i := d - 1; i >= 0; i-- {
		a := x[i*stride]
		for k := i + 1; k < d; k++ {
			a -= float64(o.c[k*d+i] * x[k*stride])
		}
		x[i*stride] = a / o.c[i*d+i]
	}
}

// weight returns the weight of a point u of the unit cube and, of the softmax, log E_d. It sets y and delta,
// unless brief.
func (o *orthant) weight(m, u []float64, brief bool) (w, last float64) {
	d, log := len(m), 0.0
	w = 1
	for k, mk := range m {
		row := o.c[k*d:][:k+1]
		for l, y := range o.y[:k] {
			mk += float64(row[l] * y)
		}
		if !o.exact {
			mass := gauss.CDF(-mk / row[k])
			if w *= mass; w == 0 || brief && k == d-1 {
				return w, 0
			}
			o.y[k] = gauss.Quantile(clip(u[k] * mass))
			continue
		}
		t, x, scale := o.splits[k].draw(last-mk, u[k])
		o.y[k], o.delta[k] = t, mk+float64(row[k]*t)
		last = softplus(o.delta[k]-last) + last
		w *= scale
		log += float64((x - t) * (x + t))
	}
	if o.exact {
		w *= kernel.Exp(log/2 - last)
	}
	return w, last
}

// softplus returns log(1 + eˣ).
func softplus(x float64) float64 { return max(x, 0) + kernel.Log(1+kernel.Exp(-math.Abs(x))) }

func clip(u float64) float64 { return max(1e-300, min(u, 1-1e-16)) }

// split has split normal distributions near those of t ~ N(0, 1) given a step 1/(1 + e^{σt−b}), for bounds b
// on a grid: the mode, and on each of its sides the larger of the scales at which the density has fallen by e^−½
// and by e⁻⁸ (Geweke 1989). The grid is even in z, where b = (σ+1)z for z ≥ 0 and b = (σ+1)(z − bend z²) below,
// down to b < −σ², where the mode is near −σ.
type split struct {
	sigma, bend       float64
	mode, left, right [bounds]float64
}

const (
	bounds = 24
	most   = 8.0 // largest |z|
)

func (s *split) set(sigma float64) {
	s.sigma, s.bend = sigma, sigma*sigma/(most*most*(sigma+1))
	for i := range bounds {
		z := float64(float64(i)*(2*most/(bounds-1))) - most
		b := (sigma + 1) * z
		if z < 0 {
			b *= 1 - float64(s.bend*z)
		}
		fall := func(t float64) float64 { // the log density, but for its sign
			return float64(t*t)/2 + softplus(float64(sigma*t)-b)
		}
		lo, t := -sigma, 0.0
		for range 14 { // bisection: the slope is t + σ/(1 + e^{b−σt})
			mid := (lo + t) / 2
			if mid+sigma/(1+kernel.Exp(b-float64(sigma*mid))) > 0 {
				t = mid
			} else {
				lo = mid
			}
		}
		top, sides := fall(t), [2]float64{}
		for side, sign := range []float64{-1, 1} {
			for _, level := range []float64{0.5, 8} {
				scale := 1.0
				for range 4 { // at most 1, as the density falls faster than the normal one
					scale *= math.Sqrt(level / (fall(t+float64(sign*scale*math.Sqrt(2*level))) - top))
				}
				sides[side] = max(sides[side], scale)
			}
		}
		s.mode[i], s.left[i], s.right[i] = t, sides[0], sides[1]
	}
}

// draw returns t for u in the unit interval with the bound b, the standard normal x that it is made of, and the
// ratio of their densities, that of x over that of t.
func (s *split) draw(b, u float64) (t, x, scale float64) {
	z := b / (s.sigma + 1)
	if z < 0 {
		z *= 2 / (1 + math.Sqrt(1-float64(4*s.bend*z)))
	}
	place := max(0, min((z+most)*((bounds-1)/(2*most)), bounds-1.000001))
	i := int(place)
	w := place - float64(i)
	between := func(a *[bounds]float64) float64 { return a[i] + float64(w*(a[i+1]-a[i])) }
	left, right := between(&s.left), between(&s.right)
	scale = (left + right) / 2
	if v := u * scale / left; v < 0.5 {
		x = gauss.Quantile(clip(v))
		t = float64(left * x)
	} else {
		x = -gauss.Quantile(clip((1 - u) * scale / right))
		t = float64(right * x)
	}
	return between(&s.mode) + t, x, scale
}
