package mvn

import (
	"math"

	"closedform/core/gauss"
)

// sequence is a problem in the form X = C Y, C lower triangular and Y
// independent standard normal, in which the variables are integrated one after
// the other: X_k ≤ x_k is a bound of Y_k given Y_0, …, Y_{k−1},
//
//	Y_k ≤ limit_k − Σ_{j<k} coef_kj Y_j.
//
// If the matrix has rank r < n, the n−r variables that depend on others bound one
// of the r values of Y once more (Genz and Kwong 2000).
type sequence struct {
	own    []bound   // of Y_k, k < r
	extra  [][]bound // further bounds of Y_k
	abserr float64   // what taking variances for zero may have changed
}

// bound is the bound limit − Σ_j coef_j Y_j of the next Y, from above or below.
type bound struct {
	limit float64
	coef  []float64
	below bool
}

// sequence chooses the order of the variables and factorises: next comes the
// variable whose bound is the least probable given the means of those before
// (Gibson, Glasbey and Elston 1994; Genz and Bretz 2009, Sec. 4.1.3). It is the
// pivoted Cholesky factorisation with that choice of the pivot. A pivot below the
// noise is zero.
func (p *problem) sequence() *sequence {
	n := p.n
	index := make([]int, n)
	left := make([]float64, n)  // variances given those chosen
	shift := make([]float64, n) // Σ_j c_ij E[Y_j | Y_j ≤ its bound]
	c := make([][]float64, n)   // rows of C, by variable
	for i := range n {
		index[i], left[i], c[i] = i, 1, make([]float64, 0, n)
	}
	noise := append([]float64(nil), p.noise...)
	s := &sequence{}
	for k := 0; k < n; k++ {
		best, smallest := -1, math.Inf(1)
		for a := k; a < n; a++ {
			i := index[a]
			if left[i] <= noise[i] {
				continue
			}
			if b := (p.x[i] - shift[i]) / math.Sqrt(left[i]); b < smallest {
				best, smallest = a, b
			}
		}
		if best < 0 {
			s.determined(p.x, noise, index[k:], c, left)
			break
		}
		index[k], index[best] = index[best], index[k]
		i := index[k]
		pivot := math.Sqrt(left[i])
		mean := -gauss.InverseMills(smallest)
		for _, j := range index[k+1:] {
			dot := p.r[i*n+j]
			for l, v := range c[i] {
				dot = math.FMA(-v, c[j][l], dot)
			}
			dot /= pivot
			c[j] = append(c[j], dot)
			left[j] -= dot * dot
			// An error of the pivot moves left by (c_j/c_i)² as much.
			noise[j] += noise[i] * (dot / pivot) * (dot / pivot)
			shift[j] += dot * mean
		}
		s.own = append(s.own, scaled(p.x[i], c[i], pivot))
	}
	return s
}

// scaled returns the bound of Y in Σ_j c_j Y_j + pivot·Y ≤ limit.
func scaled(limit float64, c []float64, pivot float64) bound {
	b := bound{limit: limit / pivot, coef: make([]float64, len(c)), below: pivot < 0}
	for j, v := range c {
		b.coef[j] = v / pivot
	}
	return b
}

// determined turns the variables that depend on those chosen into extra bounds of
// the last Y they depend on.
func (s *sequence) determined(x, noise []float64, index []int, c [][]float64, left []float64) {
	s.extra = make([][]bound, len(s.own))
	for _, i := range index {
		// A constraint moved by δ changes the probability by at most φ(0)δ.
		moved := math.Sqrt(math.Abs(left[i]))
		last := len(c[i]) - 1
		for ; last > 0 && math.Abs(c[i][last]) <= math.Sqrt(noise[i]); last-- {
			moved += math.Abs(c[i][last])
		}
		s.abserr += gauss.PDF(0) * moved
		s.extra[last] = append(s.extra[last], scaled(x[i], c[i][:last], c[i][last]))
	}
}
