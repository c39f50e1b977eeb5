package mvn

import (
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/core/kernel"
)

// tilt is the exponential tilting of Botev (2017) for a sequence: Y_k is drawn
// with mean μ_k instead of 0 below its bound b_k(Y), and the weight of a draw is
// exp ψ(Y; μ) with
//
//	ψ(y; μ) = Σ_k μ_k²/2 − μ_k y_k + log Φ(b_k(y) − μ_k).
//
// μ minimises the maximum of ψ over y, where its gradient in both vanishes. The
// last μ is 0 and the last y does not matter. Any μ gives the right mean; a poor
// one gives a large variance.
type tilt struct {
	mean   []float64 // μ
	centre []float64 // y at the saddle point
	scale  []float64 // 1/Φ(b_k − μ_k) at the saddle point, 1 without tilting
	psi    float64   // ψ at the saddle point, 0 without tilting
}

// tilt returns that of the saddle point, or μ = 0 if there are extra bounds, if the
// saddle point is not found, or if weights relative to it overflow where they matter:
// exp ψ is a bound of the probability.
func (s *sequence) tilt() *tilt {
	if v := s.saddle(); v != nil {
		if t := s.tiltAt(v); t.psi < underflow || slices.Max(t.scale) <= math.MaxFloat64 {
			return t
		}
	}
	return s.untilted()
}

// saddle returns the saddle point v = (y, μ) by Newton's method with step halving from
// the origin, or nil.
func (s *sequence) saddle() []float64 {
	const steps, tol = 50, 1e-8
	m := len(s.own) - 1 // unknowns y_0…y_{m−1}, μ_0…μ_{m−1}
	if s.extra != nil || m == 0 {
		return nil
	}
	v, trial := make([]float64, 2*m), make([]float64, 2*m)
	g, hessian := make([]float64, 2*m), make([]float64, 4*m*m)
	norm := s.gradient(g, hessian, v)
	for k := 0; k < steps && norm > tol; k++ {
		solve(hessian, g) // g becomes the step
		step := slices.Clone(g)
		next := math.Inf(1)
		for size := 1.0; size > 1e-6 && !(next < norm); size *= 0.5 {
			for i := range trial {
				trial[i] = v[i] - size*step[i]
			}
			next = s.gradient(g, hessian, trial)
		}
		if !(next < norm) {
			break
		}
		norm = next
		v, trial = trial, v
	}
	if !(norm <= tol) {
		return nil
	}
	return v
}

// solve replaces b by A⁻¹b, and A, row by row, by what elimination with the largest
// pivot of each column leaves. What comes of a singular matrix is not finite.
func solve(a, b []float64) {
	n := len(b)
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(a[i*n+k]) > math.Abs(a[best*n+k]) {
				best = i
			}
		}
		b[k], b[best] = b[best], b[k]
		top := a[k*n : (k+1)*n]
		for j, v := range a[best*n : (best+1)*n] {
			a[best*n+j], top[j] = top[j], v
		}
		for i := k + 1; i < n; i++ {
			if f := a[i*n+k] / top[k]; f != 0 {
				b[i] -= f * b[k]
				kernel.AddScaled(a[i*n+k:(i+1)*n], -f, top[k:])
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		b[k] /= a[k*n+k]
		for i := range k {
			b[i] -= a[i*n+k] * b[k]
		}
	}
}

// untilted returns μ = 0.
func (s *sequence) untilted() *tilt {
	n := len(s.own)
	t := &tilt{mean: make([]float64, n), centre: make([]float64, n), scale: make([]float64, n)}
	for k := range t.scale {
		t.scale[k] = 1
	}
	return t
}

// tiltAt returns the tilt of the saddle point v = (y, μ).
func (s *sequence) tiltAt(v []float64) *tilt {
	t, m := s.untilted(), len(v)/2
	copy(t.centre, v[:m])
	copy(t.mean, v[m:])
	for k := range s.own {
		w := s.own[k].at(t.centre) - t.mean[k]
		t.scale[k] = 1 / gauss.CDF(w)
		t.psi += 0.5*t.mean[k]*t.mean[k] - t.mean[k]*t.centre[k] + gauss.LogCDF(w)
	}
	return t
}

// at returns the bound given the values before.
func (b *bound) at(y []float64) float64 {
	v := b.limit
	for j, c := range b.coef {
		v -= c * y[j]
	}
	return v
}

// gradient sets g and hessian to the derivatives of ψ in (y, μ) = v and returns the
// Euclidean norm of g. With h_k = φ/Φ at b_k − μ_k and h'_k = −h_k(b_k − μ_k + h_k)
//
//	∂ψ/∂y_j = −μ_j − Σ_{k>j} coef_kj h_k,   ∂ψ/∂μ_k = μ_k − y_k − h_k.
func (s *sequence) gradient(g, hessian, v []float64) float64 {
	n := len(v)
	m := n / 2
	y, mu := v[:m], v[m:]
	clear(hessian)
	for j := range m {
		g[j] = -mu[j]
		hessian[j*n+m+j] = -1
		hessian[(m+j)*n+j] = -1
	}
	for k := range s.own {
		own := &s.own[k]
		w := own.at(y)
		if k < m {
			w -= mu[k]
		}
		h := gauss.InverseMills(w)
		dh := -h * (w + h) // h'_k
		for j, c := range own.coef {
			g[j] -= c * h
			kernel.AddScaled(hessian[j*n:j*n+k], c*dh, own.coef)
		}
		if k < m {
			g[m+k] = mu[k] - y[k] - h
			hessian[(m+k)*n+m+k] = 1 + dh
			for j, c := range own.coef {
				hessian[(m+k)*n+j] += c * dh
				hessian[j*n+m+k] += c * dh
			}
		}
	}
	return kernel.Norm(g)
}
