package softmax

import (
	"math"
	"sync"
)

// gumbelTable holds log F of the normal–Gumbel distribution as Chebyshev series
// in two variables: ξ = x/√(1+s²) on each of several pieces, and s or, from 1
// on, 1/s in each of several bands. The error of F and of its density is below
// 1e-10; the logarithm keeps the digits of the tails and of products.
type gumbelTable [2 * len(gumbelBands)][gumbelPieces][gumbelTerms][gumbelTerms]float64

const (
	gumbelTerms  = 12 // of the series in either variable
	gumbelPieces = len(gumbelEdges) - 1
)

// gumbelEdges are the ends of the pieces of ξ, one apart up to gumbelEven: from
// reach·s below gumbelLow, which is ξ > −8.5 for every s, to where 1 − F < 1e-14.
var gumbelEdges = [...]float64{
	-8.5, -7.5, -6.5, -5.5, -4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5,
	6.5, 8.5, 12.5, 16.5, 24.5, 32.5,
}

const gumbelEven = 13

// gumbelBands are the ends of the bands of s and of 1/s.
var gumbelBands = [...][2]float64{{0, 0.25}, {0.25, 0.5}, {0.5, 1}}

// tabulated returns the table, which takes some 20 ms to make at its first use.
var tabulated = sync.OnceValue(func() *gumbelTable {
	// Far below what is ever asked for, F underflows.
	const least = -700
	var t gumbelTable
	var d normalGumbel
	for b := range t {
		for q := range gumbelTerms {
			s := between(gumbelBands[b%len(gumbelBands)], chebyshevNode(q))
			if b >= len(gumbelBands) {
				s = 1 / s
			}
			d.set(s)
			for i := range t[b] {
				for k := range t[b][i] {
					xi := between([2]float64{gumbelEdges[i], gumbelEdges[i+1]}, chebyshevNode(k))
					log, _ := d.logCDF(xi * math.Hypot(1, s))
					t[b][i][k][q] = max(log, least)
				}
			}
		}
		for i, value := range t[b] {
			t[b][i] = chebyshev(value)
		}
	}
	return &t
})

// between maps [−1, 1] to an interval.
func between(ends [2]float64, u float64) float64 {
	return 0.5*(ends[0]+ends[1]) + 0.5*(ends[1]-ends[0])*u
}

func chebyshevNode(i int) float64 {
	return math.Cos(math.Pi * (float64(i) + 0.5) / gumbelTerms)
}

// chebyshev returns the coefficients of the series that takes the given values
// at the Chebyshev nodes.
func chebyshev(value [gumbelTerms][gumbelTerms]float64) (c [gumbelTerms][gumbelTerms]float64) {
	basis := func(k, i int) float64 { // T_k at node i, normalised
		if k == 0 {
			return 1.0 / gumbelTerms
		}
		return math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/gumbelTerms) * 2 / gumbelTerms
	}
	var half [gumbelTerms][gumbelTerms]float64
	for k := range half {
		for i := range value {
			for q, v := range value[i] {
				half[k][q] += basis(k, i) * v
			}
		}
	}
	for k := range c {
		for m := range c[k] {
			for q, h := range half[k] {
				c[k][m] += h * basis(m, q)
			}
		}
	}
	return c
}

// gumbelSeries is the row of the table for one scale s.
type gumbelSeries struct {
	perScale float64 // ξ/x
	c        [gumbelPieces][gumbelTerms]float64
}

// set makes d the distribution with scale s ≥ 0.
func (d *gumbelSeries) set(s float64) {
	d.perScale = 1 / math.Hypot(1, s)
	band, u := 0, s
	if s > 1 {
		band, u = len(gumbelBands), 1/s
	}
	ends := gumbelBands[0]
	for i := 1; u > ends[1]; i++ {
		ends = gumbelBands[i]
		band++
	}
	u = (2*u - ends[0] - ends[1]) / (ends[1] - ends[0])
	var t [gumbelTerms]float64 // T_k(u)
	t[0], t[1] = 1, u
	for k := 2; k < gumbelTerms; k++ {
		t[k] = 2*u*t[k-1] - t[k-2]
	}
	table := &tabulated()[band]
	for i := range table {
		for k := range table[i] {
			c := &table[i][k]
			d.c[i][k] = (c[0]*t[0] + c[1]*t[1] + c[2]*t[2] + c[3]*t[3]) +
				(c[4]*t[4] + c[5]*t[5] + c[6]*t[6] + c[7]*t[7]) +
				(c[8]*t[8] + c[9]*t[9] + c[10]*t[10] + c[11]*t[11])
		}
	}
}

// logCDF returns log F(x) and its derivative, the ratio f(x)/F(x), by
// Clenshaw's recurrences for the series and for its derivative. Far in the right
// tail, where the error is larger than the value, they keep the sign that they
// must have.
func (d *gumbelSeries) logCDF(x float64) (log, ratio float64) {
	xi := x * d.perScale
	i := int(xi - gumbelEdges[0])
	switch {
	case xi >= gumbelEdges[gumbelPieces]:
		return 0, 0
	case xi < gumbelEdges[0]:
		i = 0
	case i >= gumbelEven:
		for i = gumbelEven; xi > gumbelEdges[i+1]; i++ {
		}
	}
	stretch := 2 / (gumbelEdges[i+1] - gumbelEdges[i])
	u := (xi-gumbelEdges[i])*stretch - 1
	c := &d.c[i]
	var b1, b2, d1, d2 float64
	for k := gumbelTerms - 1; k >= 1; k-- {
		d1, d2 = 2*(b1+u*d1)-d2, d1
		b1, b2 = c[k]+2*u*b1-b2, b1
	}
	return min(0, c[0]+u*b1-b2), max(0, (b1+u*d1-d2)*stretch*d.perScale)
}
