package mvn

import (
	"math"
	"slices"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// proposal is how the variables of a sequence are drawn: Y_k from a normal distribution
// below its bound b_k, with a mean linear in the values before and a standard deviation
// s_k, so that the weight of a draw is
//
//	exp ψ(y) = Π_k s_k Φ((b_k − m_k)/s_k) exp((y_k − m_k)²/(2s_k²) − y_k²/2).
//
// ψ would be constant for the distribution of Y_k given the values before and that all
// bounds hold. For that of the bounds to come, a normal density is put in the place of
// each bound, by expectation propagation (Minka 2001; Cunningham, Hennig and
// Lacoste-Julien 2011). Any proposal gives the right mean; a poor one gives a large
// variance.
type proposal struct {
	mean  []bound   // m_k = limit_k − Σ_j coef_kj Y_j
	sd    []float64 // s_k
	scale []float64 // 1/Φ at a typical point
	psi   float64   // ψ there
	// −Σ_k (y_k − m_k)²/(2s_k²) − y_k²/2 there
	offset float64
}

// proposal returns that of expectation propagation, or the standard normal
// distribution if there are extra bounds, if it fails, or if weights relative to those
// at the typical point overflow where they matter.
func (s *sequence) proposal() *proposal {
	n := len(s.own)
	if s.extra == nil && n > 1 {
		tau, nu, typical := s.sites()
		if p := s.drawn(tau, nu, typical); p.psi < underflow || slices.Max(p.scale) <= math.MaxFloat64 {
			return p
		}
	}
	none := make([]float64, n)
	p := s.drawn(none, none, none)
	p.psi, p.offset = 0, 0
	for k := range p.scale {
		p.scale[k] = 1
	}
	return p
}

// row returns the coefficients of Y in the variable that bounds Y_k, in its units.
func (s *sequence) row(k int) []float64 { return append(slices.Clone(s.own[k].coef), 1) }

// sites returns the precisions and precisions times means of the densities that stand
// for the bounds, and the mean of Y with all of them.
func (s *sequence) sites() (tau, nu, mean []float64) {
	const sweeps, enough = 10, 1e-3
	n := len(s.own)
	tau, nu, mean = make([]float64, n), make([]float64, n), make([]float64, n)
	// Means and covariances of the variables.
	m, cov, column := make([]float64, n), make([]float64, n*n), make([]float64, n)
	for i := range n {
		for j := range i + 1 {
			var v float64
			row := s.row(i)
			for l, c := range s.row(j) {
				v += c * row[l]
			}
			cov[i*n+j], cov[j*n+i] = v, v
		}
	}
	for sweep, change := 0, math.Inf(1); sweep < sweeps && change > enough; sweep++ {
		change = 0
		for l := range n {
			v := cov[l*n+l]
			// Without the site, and with the bound instead.
			cavity := 1 / (1/v - tau[l])
			at := cavity * (m[l]/v - nu[l])
			z := (s.own[l].limit - at) / math.Sqrt(cavity)
			h := gauss.InverseMills(z)
			left := gauss.TruncatedVar(z)
			dTau := (1/left-1)/cavity - tau[l]
			dNu := (at-math.Sqrt(cavity)*h)/(cavity*left) - at/cavity - nu[l]
			tau[l] += dTau
			nu[l] += dNu
			change = max(change, math.Abs(dTau)*v, math.Abs(dNu)*math.Sqrt(v))
			copy(column, cov[l*n:(l+1)*n])
			f := dTau / (1 + dTau*v)
			shift := dNu - f*(m[l]+v*dNu)
			for i, c := range column {
				m[i] += c * shift
				for j, d := range column {
					cov[i*n+j] -= f * c * d
				}
			}
		}
	}
	for k := range n {
		mean[k] = m[k]
		for j, c := range s.own[k].coef {
			mean[k] -= c * mean[j]
		}
	}
	return tau, nu, mean
}

// drawn returns the proposal with these sites: from the last variable to the first, the
// logarithm of the integral over those to come is −yᵀQy/2 + gᵀy.
func (s *sequence) drawn(tau, nu, typical []float64) *proposal {
	n := len(s.own)
	p := &proposal{mean: make([]bound, n), sd: make([]float64, n), scale: make([]float64, n)}
	q, g := make([]float64, n*n), make([]float64, n)
	for k := n - 1; k >= 0; k-- {
		precision := 1 + q[k*n+k]
		p.sd[k] = 1 / math.Sqrt(precision)
		p.mean[k] = bound{limit: g[k] / precision, coef: make([]float64, k)}
		for j := range k {
			p.mean[k].coef[j] = q[k*n+j] / precision
		}
		mean := p.mean[k].at(typical)
		z, w := (typical[k]-mean)/p.sd[k], (s.own[k].at(typical)-mean)/p.sd[k]
		p.scale[k] = 1 / gauss.CDF(w)
		e := 0.5 * (z - typical[k]) * (z + typical[k])
		p.psi += gauss.LogCDF(w) + e - 0.5*kernel.Log(precision)
		p.offset -= e
		c := s.row(k)
		for i, ci := range c {
			g[i] += nu[k] * ci
			for j, cj := range c {
				q[i*n+j] += tau[k] * ci * cj
			}
		}
		precision = 1 + q[k*n+k]
		for i := range k {
			f := q[k*n+i] / precision
			g[i] -= f * g[k]
			for j := range k {
				q[i*n+j] -= f * q[k*n+j]
			}
		}
	}
	return p
}

// at returns the bound given the values before.
func (b *bound) at(y []float64) float64 {
	v := b.limit
	for j, c := range b.coef {
		v -= c * y[j]
	}
	return v
}
