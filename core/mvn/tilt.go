package mvn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
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
		if t := s.tiltAt(v); t.psi < underflow || floats.Max(t.scale) <= math.MaxFloat64 {
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
	g, step := mat.NewVecDense(2*m, nil), mat.NewVecDense(2*m, nil)
	hessian := mat.NewDense(2*m, 2*m, nil)
	var lu mat.LU
	norm := s.gradient(g, hessian, v)
	for k := 0; k < steps && norm > tol; k++ {
		lu.Factorize(hessian)
		if err := lu.SolveVecTo(step, false, g); err != nil {
			break // too close to singular for a step
		}
		next := math.Inf(1)
		for size := 1.0; size > 1e-6 && !(next < norm); size *= 0.5 {
			for i := range trial {
				trial[i] = v[i] - size*step.AtVec(i)
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
func (s *sequence) gradient(g *mat.VecDense, hessian *mat.Dense, v []float64) float64 {
	m := len(v) / 2
	y, mu := v[:m], v[m:]
	hessian.Zero()
	for j := range m {
		g.SetVec(j, -mu[j])
		hessian.Set(j, m+j, -1)
		hessian.Set(m+j, j, -1)
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
			g.SetVec(j, g.AtVec(j)-c*h)
			for i, ci := range own.coef {
				hessian.Set(i, j, hessian.At(i, j)+ci*c*dh)
			}
		}
		if k < m {
			g.SetVec(m+k, mu[k]-y[k]-h)
			hessian.Set(m+k, m+k, 1+dh)
			for j, c := range own.coef {
				hessian.Set(m+k, j, hessian.At(m+k, j)+c*dh)
				hessian.Set(j, m+k, hessian.At(j, m+k)+c*dh)
			}
		}
	}
	return mat.Norm(g, 2)
}
