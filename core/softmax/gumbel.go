package softmax

import (
	"math"
	"sync"

	"closedform/internal/kernel"
)

// gumbelTable approximates log F of z + g for independent z ~ N(0, s²), g ~ Gumbel(0, 1), F(x) = ∫ N(y; −x,
// s²) exp(−e^y) dy, by polynomials on pieces of ξ = x/√(1+s²). Their coefficients are Chebyshev series in s
// or, for s > 1, in 1/s, in several bands. The error of F is below 2e-14, of its density below 1e-13, and of
// s² (log F)″, which lies between −1 and 0, below 1e-11.
type gumbelTable [2 * len(gumbelBands)][gumbelScales]gumbelRow

// gumbelRow has, for each piece, the coefficients of the powers of u, which runs from −1 to 1.
type gumbelRow [gumbelPieces * gumbelTerms]float64

const (
	gumbelTerms  = 16 // terms of a polynomial in ξ
	gumbelScales = 16 // terms of a series in s
	gumbelPieces = len(gumbelEdges) - 1
)

// The Gumbel distribution is cut where F = 4e-19 and where 1 − F = 1e-14.
const (
	gumbelLow  = -3.75
	gumbelHigh = 32
)

// gumbelEdges are the ends of the pieces of ξ, one apart up to gumbelEven: from reach·s below gumbelLow,
// which is ξ > −8.5 for every s, to where 1 − F < 1e-14.
var gumbelEdges = [...]float64{
	-8.5, -7.5, -6.5, -5.5, -4.5, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5,
	6.5, 8.5, 12.5, 16.5, 24.5, 32.5,
}

const gumbelEven = 13

var gumbelBands = [...][2]float64{{0, 0.1}, {0.1, 0.25}, {0.25, 0.5}, {0.5, 1}}

// tabulated returns the table, which takes some 150 ms to make at its first use.
var tabulated = sync.OnceValue(func() *gumbelTable {
	var t gumbelTable
	var d tiltedNormal
	var value [gumbelScales][gumbelTerms]float64
	for b := range t {
		for i := range gumbelPieces {
			for q := range value {
				s := between(gumbelBands[b%len(gumbelBands)], chebyshevNode(q, gumbelScales))
				if b >= len(gumbelBands) {
					s = 1 / s
				}
				for k := range value[q] {
					xi := between([2]float64{gumbelEdges[i], gumbelEdges[i+1]}, chebyshevNode(k, gumbelTerms))
					d.integrate(-xi*kernel.Hypot(1, s), s*s, 0, tableRule)
					value[q][k] = d.log
				}
				chebyshev(value[q][:])
				value[q] = powers(value[q])
			}
			for k := range gumbelTerms {
				var column [gumbelScales]float64
				for q := range value {
					column[q] = value[q][k]
				}
				chebyshev(column[:])
				for q, c := range column {
					t[b][q][i*gumbelTerms+k] = c
				}
			}
		}
	}
	return &t
})

func between(ends [2]float64, u float64) float64 {
	return 0.5*(ends[0]+ends[1]) + 0.5*(ends[1]-ends[0])*u
}

func chebyshevNode(i, n int) float64 {
	return math.Cos(math.Pi * (float64(i) + 0.5) / float64(n))
}

func chebyshev(value []float64) {
	n := float64(len(value))
	c := make([]float64, len(value))
	for k := range c {
		for i, v := range value {
			c[k] += v * math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/n) * 2 / n
		}
	}
	c[0] /= 2
	copy(value, c)
}

func powers(c [gumbelTerms]float64) (sum [gumbelTerms]float64) {
	t, next := [gumbelTerms]float64{1}, [gumbelTerms]float64{0, 1} // T_k and T_k+1
	for _, c := range c {
		var after [gumbelTerms]float64
		for m, x := range t {
			sum[m] += c * x
			after[m] = -x
			if m > 0 {
				after[m] += 2 * next[m-1]
			}
		}
		t, next = next, after
	}
	return sum
}

// gumbelSeries is log F for one s.
type gumbelSeries struct {
	perScale float64 // ξ/x
	end      float64 // the ξ from which F counts as 1
	c        gumbelRow
}

// set makes the polynomials for arguments from lo to hi.
func (d *gumbelSeries) set(s, lo, hi float64) {
	d.perScale = 1 / kernel.Hypot(1, s)
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
	t := [gumbelScales]float64{1, u} // T_k(u)
	for k := 2; k < len(t); k++ {
		t[k] = 2*u*t[k-1] - t[k-2]
	}
	table := &tabulated()[band]
	first, last := pieceAt(lo*d.perScale), pieceAt(hi*d.perScale)
	d.end = gumbelEdges[last+1]
	from, to := first*gumbelTerms, (last+1)*gumbelTerms
	c := d.c[from:to]
	clear(c)
	for k := 0; k < len(t); k += 4 {
		rows := table[k : k+4]
		row := func(i int) []float64 { return rows[i][from:to] }
		kernel.AddScaled4(c, (*[4]float64)(t[k:]), row(0), row(1), row(2), row(3))
	}
}

func pieceAt(xi float64) int {
	switch {
	case xi < gumbelEdges[0]:
		return 0
	case xi < gumbelEdges[gumbelEven]:
		return int(xi - gumbelEdges[0])
	}
	i := gumbelEven
	for i < gumbelPieces-1 && xi > gumbelEdges[i+1] {
		i++
	}
	return i
}

func (d *gumbelSeries) polynomial(xi float64) (c []float64, u, stretch float64) {
	i := pieceAt(xi)
	stretch = 2 / (gumbelEdges[i+1] - gumbelEdges[i])
	return d.c[i*gumbelTerms:][:gumbelTerms], (xi-gumbelEdges[i])*stretch - 1, stretch * d.perScale
}

// logCDF returns log F(x) and its derivative f(x)/F(x). Far in the right tail, where the error exceeds the
// value, the signs are forced to be right.
func (d *gumbelSeries) logCDF(x float64) (log, ratio float64) {
	xi := x * d.perScale
	if xi >= d.end {
		return 0, 0
	}
	c, u, stretch := d.polynomial(xi)
	_ = c[gumbelTerms-1]
	u2 := u * u
	u4 := u2 * u2
	u8 := u4 * u4
	log = ((c[0] + c[1]*u) + (c[2]+c[3]*u)*u2) + ((c[4]+c[5]*u)+(c[6]+c[7]*u)*u2)*u4 +
		(((c[8]+c[9]*u)+(c[10]+c[11]*u)*u2)+((c[12]+c[13]*u)+(c[14]+c[15]*u)*u2)*u4)*u8
	ratio = ((c[1] + 2*c[2]*u) + (3*c[3]+4*c[4]*u)*u2) + ((5*c[5]+6*c[6]*u)+(7*c[7]+8*c[8]*u)*u2)*u4 +
		(((9*c[9]+10*c[10]*u)+(11*c[11]+12*c[12]*u)*u2)+((13*c[13]+14*c[14]*u)+15*c[15]*u2)*u4)*u8
	return min(0, log), max(0, ratio*stretch)
}

func (d *gumbelSeries) second(x float64) float64 {
	xi := x * d.perScale
	if xi >= d.end {
		return 0
	}
	c, u, stretch := d.polynomial(xi)
	_ = c[gumbelTerms-1]
	u2 := u * u
	u4 := u2 * u2
	value := ((2*c[2] + 6*c[3]*u) + (12*c[4]+20*c[5]*u)*u2) + ((30*c[6]+42*c[7]*u)+(56*c[8]+72*c[9]*u)*u2)*u4 +
		(((90*c[10]+110*c[11]*u)+(132*c[12]+156*c[13]*u)*u2)+(182*c[14]+210*c[15]*u)*u4)*(u4*u4)
	return min(0, value*stretch*stretch)
}
