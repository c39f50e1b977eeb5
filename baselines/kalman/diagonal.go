package kalman

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/kernel"
)

// diagonal is a root that is diagonal: standard deviations.
type diagonal struct {
	sd []float64

	// Of one step, with m reflections: the products f_l·f_k of the vectors that
	// make them, and of the last vector, for l < k at k(k−1)/2 + l; and how much
	// of each a weight takes.
	products []float64
	take     []float64
}

// newDiagonal returns the root of a covariance for steps of m reflections.
func newDiagonal(variance []float64, m int) *diagonal {
	r := &diagonal{sd: make([]float64, len(variance)), products: make([]float64, (m+1)*m/2), take: make([]float64, m)}
	for i, v := range variance {
		r.sd[i] = math.Sqrt(v)
	}
	return r
}

func (r *diagonal) whiten(dst, h [][]float64) {
	for k, f := range dst {
		floats.MulTo(f, r.sd, h[k])
	}
}

// step follows row i of the product T of the reflections, which starts as the
// unit vector e_i and becomes
//
//	u_k = u_{k−1} − c_k f_k,   c_k = β_k a_k,   a_k = u_{k−1}·f_k = f_ki − Σ_{l<k} c_l f_l·f_k
//	|u_k|² = |u_{k−1}|² − a_k²/(1+s_k),
//
// without forming it. The new variance is the old one times |u|², and the mean
// moves by sd_i u·b.
func (r *diagonal) step(mean []float64, white [][]float64, steps reflections) {
	m := len(steps.beta)
	for k, f := range white {
		for l := range k {
			r.products[k*(k-1)/2+l] = kernel.Dot(white[l], f)
		}
	}
	for i, sd := range r.sd {
		square := 1.0
		rest := r.products
		for k, beta := range steps.beta {
			a := white[k][i]
			for l, c := range r.take[:k] {
				a -= c * rest[l]
			}
			rest = rest[k:]
			r.take[k] = beta * a
			// Never below what the inequality of Cauchy and Schwarz leaves,
			// but for rounding.
			square = max(square-a*a/steps.shrink[k], square/steps.shrink[k])
		}
		move := white[m][i]
		for l, c := range r.take {
			move -= c * rest[l]
		}
		mean[i] += sd * move
		r.sd[i] = sd * math.Sqrt(square)
	}
}

func (r *diagonal) diffuse(variance []float64) bool {
	for i, v := range variance {
		r.sd[i] = math.Sqrt(r.sd[i]*r.sd[i] + v)
	}
	return true
}
