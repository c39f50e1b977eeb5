package kernel

// The loops over the weights of a layer.

import "math"

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

// Backward returns Σ mean_j d_j and Σ mean_j² e_j, both added up as by [Dot].
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

// Image sets g_j to Σ_i a_ji y_i and returns Σ_ji a_ji² s_i, row by row as [Backward]. a is the upper
// triangle of a square matrix, in blocks of four: rows 0 to 3 begin with column 0, rows 4 to 7 with column 4,
// and so on. The number of rows is the length of g, a multiple of four.
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

// Update moves the independent weights of one input y: with u = variance_j y, mean_j += d_j u and
// variance_j *= max(lowest, 1 + e_j u replications).
func Update(mean, variance, d, e []float64, y, replications, lowest float64) {
	n := len(mean)
	variance, d, e = variance[:n], d[:n], e[:n]
	first := 0
	if vector {
		updateVector(mean, variance, d, e, y, replications, lowest)
		first = n &^ 3
	}
	for j := first; j < n; j++ {
		x := variance[j]
		u := x * y
		mean[j] += d[j] * u
		variance[j] = x * max(lowest, 1+e[j]*u*replications)
	}
}

// Carlson has the factors of Carlson's update of a triangular root. It sets tau_j to √τ_j with
// τ_j = τ_{j+1} + loss h_j², keep_j to √(τ_{j+1}/τ_j), and mix_j to −loss h_j/√(τ_j τ_{j+1}). tau is one
// longer than h, and its last number is the last τ > 0. The length of h is a multiple of four.
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

// Carlson4 updates four rows of a triangular root by the factors of [Carlson]: for k from 3 down to 0,
// x = a_ki becomes keep_k x + mix_k sum_i, and then sum_i grows by h_k x. Rows are as long as sum, a multiple
// of four.
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

// Reflect makes entry k of four vectors w_0 to w_3 zero, by a Householder reflection of x_i and the four w_ai for
// each i, and then changes the sign of x. The vectors are as long as x, a multiple of four, and start stride
// numbers apart. If the squares of the entries k of w add up to less than 1e-305, nothing changes.
func Reflect(x, w []float64, k, stride int) {
	w = w[:3*stride+len(x)]
	h := [5]float64{x[k], w[k], w[stride+k], w[2*stride+k], w[3*stride+k]}
	square := float64(h[1]*h[1]) + float64(h[2]*h[2]) + float64(h[3]*h[3]) + float64(h[4]*h[4])
	if square < 1e-305 {
		return
	}
	h[0] += math.Copysign(math.Sqrt(float64(h[0]*h[0])+square), h[0])
	factor := 2 / (float64(h[0]*h[0]) + square)
	if vector {
		reflectVector(x, w, stride, &h, factor)
	} else {
		for i, xi := range x {
			w0, w1, w2, w3 := &w[i], &w[stride+i], &w[2*stride+i], &w[3*stride+i]
			sum := float64(h[0]*xi) + float64(h[1]**w0) + float64(h[2]**w1) + float64(h[3]**w2)
			sum = factor * (sum + float64(h[4]**w3))
			x[i] = float64(h[0]*sum) - xi
			*w0 -= float64(h[1] * sum)
			*w1 -= float64(h[2] * sum)
			*w2 -= float64(h[3] * sum)
			*w3 -= float64(h[4] * sum)
		}
	}
	w[k], w[stride+k], w[2*stride+k], w[3*stride+k] = 0, 0, 0, 0
}
