// Package kernel has portable exp and log, and the vector loops that dominate the run time.
//
// Each function gives the same bits on every processor: the Go code here defines the order of summation. With
// AVX2, the hot loops run the same operations four at a time in assembly, unless the build tag noasm is set.
// Where the compiler would fuse multiplications and additions, as for arm64 or GOAMD64=v3, the same bits need
// the flag -gcflags=all=-d=fmahash=qn, in all packages.
// A loop panics if one of its arguments is shorter than those that set the length.
package kernel

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// few is the length below which a call of assembly takes longer than a loop.
const few = 4

// Dot returns Σ x_i y_i. The products are added to eight sums in turn, which are then added in pairs; the
// last products, beyond a multiple of four, are added one by one.
func Dot(x, y []float64) (sum float64) {
	y = y[:len(x)]
	n := len(x) &^ 3
	switch {
	case n == 0:
	case vector:
		sum = dotVector(x, y)
	default:
		var s [8]float64
		for i, x := range x[:n] {
			s[i%8] += x * y[i]
		}
		sum = pairs(&s)
	}
	for i := n; i < len(x); i++ {
		sum += x[i] * y[i]
	}
	return sum
}

func pairs(s *[8]float64) float64 {
	return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]))
}

// Sum returns Σ x_i, added in order.
func Sum(x []float64) (sum float64) {
	for _, x := range x {
		sum += x
	}
	return sum
}

// Finite reports whether all numbers are finite.
func Finite(x ...float64) bool {
	return !slices.ContainsFunc(x, func(x float64) bool { return x-x != 0 })
}

// Norm returns √(Σ x_i²). The squares may overflow.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

// Products sets dst_{4k+l} to the product of row k of x, which has two rows, and row l of y, which has four.
// The rows have one length, a multiple of four.
func Products(dst *[8]float64, x, y []float64) {
	n := len(x) / 2
	y = y[:4*n]
	if vector {
		productsVector(dst, x, y)
		return
	}
	for k := range dst {
		a, b := x[k/4*n:][:n], y[k%4*n:][:n]
		var s [4]float64
		for i := range a {
			s[i%4] += a[i] * b[i]
		}
		dst[k] = (s[0] + s[1]) + (s[2] + s[3])
	}
}

// AddScaled adds a·x to y.
func AddScaled(y []float64, a float64, x []float64) {
	x = x[:len(y)]
	if len(y) >= few {
		floats.AddScaled(y, a, x)
		return
	}
	for i, x := range x {
		y[i] += a * x
	}
}

// AddScaled4 adds ((a₀x₀ + a₁x₁) + a₂x₂) + a₃x₃ to y.
func AddScaled4(y []float64, a *[4]float64, x0, x1, x2, x3 []float64) {
	n := len(y)
	x0, x1, x2, x3 = x0[:n], x1[:n], x2[:n], x3[:n]
	first := 0
	if vector {
		addScaled4Vector(y, a, x0, x1, x2, x3)
		first = n &^ 3
	}
	for i := first; i < n; i++ {
		y[i] += a[0]*x0[i] + a[1]*x1[i] + a[2]*x2[i] + a[3]*x3[i]
	}
}

// AddRows adds u_i times row i of a to y, for all u_i that are not zero. Rows are as long as y. Four are
// added at a time, as by [AddScaled4], and the last ones one by one.
func AddRows(y, u, a []float64) {
	var start [4]int
	var f [4]float64
	k, n := 0, len(y)
	for i, u := range u {
		if u == 0 {
			continue
		}
		start[k], f[k] = i*n, u
		if k++; k < 4 {
			continue
		}
		if k = 0; n >= few {
			AddScaled4(y, &f, a[start[0]:], a[start[1]:], a[start[2]:], a[start[3]:])
			continue
		}
		for j := range y {
			y[j] += f[0]*a[start[0]+j] + f[1]*a[start[1]+j] + f[2]*a[start[2]+j] + f[3]*a[start[3]+j]
		}
	}
	for i, first := range start[:k] {
		AddScaled(y, f[i], a[first:first+n])
	}
}

// Dot4 sets dst_k to the [Dot] of x and the beginning of row k of a, which has four rows.
func Dot4(dst *[4]float64, a, x []float64) {
	n, length := len(x), len(a)/4
	_ = a[:length:length][:n]
	if n == few { // four of the eight sums of Dot are 0
		for k := range dst {
			row := a[k*length:][:few]
			dst[k] = ((0 + x[0]*row[0]) + (0 + x[2]*row[2])) + ((0 + x[1]*row[1]) + (0 + x[3]*row[3]))
		}
		return
	}
	if !vector {
		for k := range dst {
			dst[k] = Dot(x, a[k*length:])
		}
		return
	}
	dot4Vector(dst, a, x)
	for i := n &^ 3; i < n; i++ {
		for k := range dst {
			dst[k] += x[i] * a[k*length+i]
		}
	}
}

// Rows sets dst_i to the [Dot] of x and row i of a. Rows are as long as x.
func Rows(dst, a, x []float64) {
	n, i := len(x), 0
	if n < few {
		for i := range dst {
			sum, row := 0.0, a[i*n:(i+1)*n]
			for k, x := range x {
				sum += x * row[k]
			}
			dst[i] = sum
		}
		return
	}
	for ; i+4 <= len(dst); i += 4 {
		Dot4((*[4]float64)(dst[i:]), a[i*n:(i+4)*n], x)
	}
	for ; i < len(dst); i++ {
		dst[i] = Dot(a[i*n:(i+1)*n], x)
	}
}

// AddOuter adds u_i x to row i of a. Rows are as long as x.
func AddOuter(a, u, x []float64) {
	for i, u := range u {
		row := a[i*len(x) : (i+1)*len(x)]
		if len(x) >= few {
			floats.AddScaled(row, u, x)
			continue
		}
		for k, x := range x {
			row[k] += u * x
		}
	}
}
