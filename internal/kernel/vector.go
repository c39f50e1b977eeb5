// Package kernel has portable exp and log, and the vector loops that dominate the run time.
//
// Each function gives the same bits on every processor: the Go code here defines the order of summation. With
// AVX2, the hot loops run the same operations four at a time in assembly, unless the build tag noasm is set.
// A loop panics if one of its arguments is shorter than those that set the length.
package kernel

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// few numbers are not worth a call of assembly.
const few = 4

// Dot returns Σ x_i y_i: eight sums of every eighth product, added in pairs, and the rest one by one.
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

// Norm returns √(Σ x_i²), which may overflow where it need not.
func Norm(x []float64) float64 { return math.Sqrt(Dot(x, x)) }

// Products sets dst to the products of two rows x (outer) and four rows y of one length, a multiple of four.
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

// AddRows adds to y the rows of a, as long as y, times the nonzero numbers of u: four at a time as
// [AddScaled4], the rest one by one.
func AddRows(y, u, a []float64) {
	var at [4]int
	var f [4]float64
	k, n := 0, len(y)
	for i, u := range u {
		if u == 0 {
			continue
		}
		at[k], f[k] = i*n, u
		if k++; k < 4 {
			continue
		}
		if k = 0; n >= few {
			AddScaled4(y, &f, a[at[0]:], a[at[1]:], a[at[2]:], a[at[3]:])
			continue
		}
		for j := range y {
			y[j] += f[0]*a[at[0]+j] + f[1]*a[at[1]+j] + f[2]*a[at[2]+j] + f[3]*a[at[3]+j]
		}
	}
	for i, at := range at[:k] {
		AddScaled(y, f[i], a[at:at+n])
	}
}

// Dot4 sets dst_k to the [Dot] of x and the first numbers of row k of a, which has four rows.
func Dot4(dst *[4]float64, a, x []float64) {
	n, length := len(x), len(a)/4
	_ = a[:length:length][:n]
	if n == few { // the sums of eight, of which four are 0
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

// Rows sets dst to the [Dot]s of x and the rows of a, which are as long as x.
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

// AddOuter adds u_i x to row i of a, whose rows are as long as x.
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

// Carlson sets tau_j to √τ_j with τ_j = τ_{j+1} + loss h_j², keep_j to √(τ_{j+1}/τ_j), and mix_j to
// −loss h_j/√(τ_j τ_{j+1}). tau has the last τ > 0, and is one longer than h, whose length is a multiple of
// four.
func Carlson(keep, mix, tau, h []float64, loss float64) {
	n := len(h)
	keep, mix, tau = keep[:n], mix[:n], tau[:n+1]
	sum := tau[n]
	tau[n] = math.Sqrt(sum)
	for j := n - 1; j >= 0; j-- {
		sum += float64(loss * float64(h[j]*h[j]))
		tau[j] = sum
	}
	if vector {
		carlsonVector(keep, mix, tau, h, -loss)
		return
	}
	for j, x := range tau[:n] {
		tau[j] = math.Sqrt(x)
	}
	for j, x := range h {
		keep[j] = tau[j+1] / tau[j]
		mix[j] = float64(-loss*x) * (1 / tau[j+1]) / tau[j]
	}
}

// Carlson4 is four rows of Carlson's update of a triangular root, each as long as sum, a multiple of four:
// for k from 3 down to 0, x = a_ki becomes keep_k x + mix_k sum_i, and sum_i grows by h_k x.
func Carlson4(a, sum []float64, h, keep, mix *[4]float64) {
	n := len(sum)
	a = a[:4*n]
	if vector {
		carlson4Vector(sum, a, h, keep, mix)
		return
	}
	for k := 3; k >= 0; k-- {
		row := a[k*n : (k+1)*n]
		for i, x := range row {
			row[i] = keep[k]*x + mix[k]*sum[i]
			sum[i] += h[k] * x
		}
	}
}

// Forward adds y·mean to m and square·variance + s·mean² to v, for one input of independent pre-activations.
func Forward(m, v []float64, y, square, s float64, mean, variance []float64) {
	v, mean, variance = v[:len(m)], mean[:len(m)], variance[:len(m)]
	first := 0
	if vector {
		forwardVector(m, v, y, square, s, mean, variance)
		first = len(m) &^ 3
	}
	for j := first; j < len(m); j++ {
		mu := mean[j]
		m[j] += y * mu
		v[j] += square*variance[j] + s*(mu*mu)
	}
}

// Backward returns Σ mean_j d_j and Σ mean_j² e_j, summed as Dot does.
func Backward(mean, d, e []float64) (first, second float64) {
	d, e = d[:len(mean)], e[:len(mean)]
	n := len(mean) &^ 3
	if vector {
		first, second = backwardVector(mean, d, e)
	} else {
		var a, b [8]float64
		for j, mu := range mean[:n] {
			a[j%8] += mu * d[j]
			b[j%8] += mu * mu * e[j]
		}
		first, second = pairs(&a), pairs(&b)
	}
	for j := n; j < len(mean); j++ {
		first += mean[j] * d[j]
		second += mean[j] * mean[j] * e[j]
	}
	return first, second
}

// Image sets g_j to Σ_i a_ji y_i and returns Σ_ji a_ji² s_i, summed as [Backward] does row by row. a has rows
// 0 to 3 from column 0 on, rows 4 to 7 from column 4 on, …, and as many as g has numbers, a multiple of four.
func Image(g, a, y, s []float64) (noise float64) {
	n := len(g)
	a, y, s = a[:n*(n+4)/2], y[:n], s[:n]
	if vector {
		return imageVector(g, a, y, s)
	}
	for j := range g {
		first := j &^ 3
		sum, square := Backward(a[:n-first], y[first:], s[first:])
		g[j], a = sum, a[n-first:]
		noise += square
	}
	return noise
}

// Update moves independent weights of one input y: with u = variance_j y, mean_j += d_j u and variance_j *=
// max(least, 1 + e_j u often).
func Update(mean, variance, d, e []float64, y, often, least float64) {
	n := len(mean)
	variance, d, e = variance[:n], d[:n], e[:n]
	first := 0
	if vector {
		updateVector(mean, variance, d, e, y, often, least)
		first = n &^ 3
	}
	for j := first; j < n; j++ {
		x := variance[j]
		u := x * y
		mean[j] += d[j] * u
		variance[j] = x * max(least, 1+e[j]*u*often)
	}
}

// Between24 multiplies a copy of x by one row of factors after another, and sets dst to the [Dot]s of the
// product and the same rows of rows. Row k is interpolated between two rows of 24 numbers, from offset_k on
// with the weight 1 − w_k, and a step further with the weight w_k.
func Between24(
	dst []float64, x *[24]float64, factors, rows []float64, offset []int, w []float64, step int,
) {
	offset, w = offset[:len(dst)], w[:len(dst)]
	product := *x
	for k, o := range offset {
		low, high := factors[o:][:24], factors[o+step:][:24]
		for i := 0; i < 24 && !vector; i++ {
			product[i] *= low[i] + w[k]*(high[i]-low[i])
		}
	}
	for k, o := range offset {
		low, high := rows[o:][:24], rows[o+step:][:24]
		if !vector {
			dst[k] = (1-w[k])*Dot(product[:], low) + w[k]*Dot(product[:], high)
		}
	}
	if vector {
		between24Vector(dst, x, factors, rows, offset, w, step)
	}
}

// Powers returns the sums of e, e² and e⁴, where e_i = x_i y_i − shift: four of every fourth, and the rest.
func Powers(x, y []float64, shift float64) (sum, square, fourth float64) {
	y = y[:len(x)]
	n := len(x) &^ 3
	if vector {
		sum, square, fourth = powersVector(x, y, shift)
	} else {
		var s [3][4]float64
		for i, x := range x[:n] {
			e := x*y[i] - shift
			s[0][i%4] += e
			s[1][i%4] += e * e
			s[2][i%4] += (e * e) * (e * e)
		}
		for k, all := range []*float64{&sum, &square, &fourth} {
			*all = (s[k][0] + s[k][2]) + (s[k][1] + s[k][3])
		}
	}
	for i := n; i < len(x); i++ {
		e := x[i]*y[i] - shift
		sum += e
		square += e * e
		fourth += (e * e) * (e * e)
	}
	return sum, square, fourth
}

// ExpAll sets dst_i to [Exp] of x_i.
func ExpAll(dst, x []float64) {
	dst = dst[:len(x)]
	for i := 0; i < len(x); {
		if vector && len(x)-i >= 4 {
			i += expVector(dst[i:], x[i:])
		}
		for end := min(i+4, len(x)); i < end; i++ {
			dst[i] = Exp(x[i])
		}
	}
}
