package mvn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// generator is the generating vector of embedded lattice rules: coordinate j of point k of 2^m, m ≤ 20, is
// the fractional part of k·generator_j/2^m. It was constructed component by component (Cools, Kuo and Nuyens
// 2006) in the Korobov space of smoothness 1 with weights 0.7/(1+j).
var generator = [...]int{
	1, 617615, 798247, 503509, 939425, 24527, 916799, 766911, 612245, 671467, 160759, 471229,
	861705, 467623, 1043835, 446555, 600357, 530475, 722389, 231845, 768029, 992527, 55329, 142041,
}

// Lattice returns 2^m points of the open unit cube of order d, one after another: a lattice rule of the vector
// generator with a fixed shift, in the periodic form |2u − 1| (Hickernell 2002). It panics unless 1 ≤ d ≤ 24
// and 0 ≤ m ≤ 20.
func Lattice(d, m int) []float64 {
	if d < 1 || d > len(generator) || m < 0 || m > 20 {
		panic(fmt.Sprintf("mvn: lattice of 2^%d points in %d dimensions; need 2^20 and 24 at most", m, d))
	}
	size, rnd := 1<<m, rand.New(rand.NewPCG(2301, 13401))
	points, shift := make([]float64, 0, size*d), make([]float64, d)
	for j := range shift {
		shift[j] = rnd.Float64()
	}
	for k := range size {
		for j, v := range shift {
			v += float64(k*generator[j]&(size-1)) / float64(size)
			points = append(points, math.Abs(2*math.Abs(v-1)-1))
		}
	}
	return points
}

// lattice returns P(X ≤ x) by separation of variables (Genz 1992): with X = C Y, C lower triangular and Y
// independent standard normal, X ≤ x means Y_k ≤ b_k(Y) = (x_k − Σ_{j<k} c_kj Y_j)/c_kk. With Y_k = Φ⁻¹(u_k
// Φ(b_k)), u uniform in the unit cube, P is the mean of Π_k Φ(b_k), over random shifts of a lattice in the
// periodic form |2u − 1| (Hickernell 2002). The error estimate is eight standard errors of the shifts plus
// the change by [problem.factorise]. The points double until the estimate is below tol or they exceed most.
func (p *problem) lattice(tol, most float64) (value, abserr float64) {
	const shifts = 12
	limit, coef, moved := p.factorise()
	rnd := rand.New(rand.NewPCG(2301, 13401))
	var shift [shifts][]float64
	for i := range shifts * p.n {
		shift[i%shifts] = append(shift[i%shifts], rnd.Float64())
	}
	var sum [shifts]float64
	scatter, u := 0.0, make([]float64, p.n)
	for size, odd := 1<<12, 0; ; size, odd = 2*size, 1 { // the even points are those of the previous lattice
		for k := odd; k < size; k += 1 + odd {
			for i := range shift {
				for j, v := range shift[i] {
					v += float64(k*generator[j%len(generator)]&(size-1)) / float64(size)
					u[j] = math.Abs(2*math.Abs(v-1) - 1)
				}
				sum[i] += weight(limit, coef, u)
			}
		}
		mean, square := kernel.Sum(sum[:])/shifts, 0.0
		for _, v := range sum {
			square += (v - mean) * (v - mean)
		}
		sd := math.Sqrt(square / (shifts - 1))
		// Shifts may agree by chance, so the scatter falls by at most 4 when points double.
		scatter = max(scatter/4, sd/math.Sqrt(shifts)/float64(size))
		abserr = moved + 8*scatter + floor
		if abserr < tol || float64(2*size*shifts*p.n) > most || size == 1<<20 {
			return min(1, mean/float64(size)), abserr
		}
	}
}

func weight(limit []float64, coef [][]float64, u []float64) float64 {
	w := 1.0
	for k, b := range limit {
		for j, c := range coef[k] {
			b -= c * u[j]
		}
		mass := gauss.CDF(b)
		if w *= mass; w == 0 || k == len(limit)-1 {
			break
		}
		u[k] = gauss.Quantile(max(1e-300, min(u[k]*mass, 1-epsilon/2)))
	}
	return w
}

// factorise returns the limits x_k/c_kk and coefficients c_kj/c_kk of the bounds b_k. Variables are ordered
// by the least probable bound given the means of those before (Genz and Bretz 2009, Sec. 4.1.3). A pivot
// below the rounding error is raised to it, which adds a variance δ² to X_k; moved bounds the change of P, at
// most φ(0)δ each.
func (p *problem) factorise() (limit []float64, coef [][]float64, moved float64) {
	n, floored := p.n, rounding(p.n)
	index := make([]int, n)
	left := make([]float64, n)  // variances given the variables chosen so far
	shift := make([]float64, n) // Σ_j c_ij E[Y_j | Y_j ≤ its bound]
	c := make([][]float64, n)   // rows of C, by variable
	for i := range n {
		index[i], left[i] = i, 1
	}
	for k := range n {
		best, smallest := k, math.Inf(1)
		for a, i := range index[k:] {
			if b := (p.x[i] - shift[i]) / math.Sqrt(max(left[i], floored)); b < smallest {
				best, smallest = k+a, b
			}
		}
		index[k], index[best] = index[best], index[k]
		i := index[k]
		if left[i] < floored {
			moved += gauss.PDF(0) * math.Sqrt(floored-left[i])
		}
		pivot, mean := math.Sqrt(max(left[i], floored)), -gauss.InverseMills(smallest)
		for _, j := range index[k+1:] {
			dot := p.r[i*n+j]
			for l, v := range c[i] {
				dot = math.FMA(-v, c[j][l], dot)
			}
			dot /= pivot
			c[j] = append(c[j], dot)
			left[j] -= dot * dot
			shift[j] += dot * mean
		}
		for l := range c[i] {
			c[i][l] /= pivot
		}
		limit, coef = append(limit, p.x[i]/pivot), append(coef, c[i])
	}
	return limit, coef, moved
}
