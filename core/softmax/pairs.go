package softmax

import "gonum.org/v1/gonum/blas/blas64"

// block is the number of nodes whose contributions to E are added together, so
// that each number of E is loaded and stored once for all of them.
const block = 4

// addPairs adds Σ_b weight_b f_bj g_bi to E_ji for a block of nodes b, where f
// and g are tables, node × class. With upper it does so for i > j only.
func addPairs(e blas64.General, weight [block]float64, f, g []float64, upper bool) {
	n := e.Rows
	f0, f1, f2, f3 := f[:n], f[n:2*n], f[2*n:3*n], f[3*n:4*n]
	g0, g1, g2, g3 := g[:n], g[n:2*n], g[2*n:3*n], g[3*n:4*n]
	for j := range n {
		a0, a1, a2, a3 := weight[0]*f0[j], weight[1]*f1[j], weight[2]*f2[j], weight[3]*f3[j]
		first := 0
		if upper {
			first = j + 1
		}
		row := e.Data[j*e.Stride+first : j*e.Stride+n]
		h0, h1, h2, h3 := g0[first:n], g1[first:n], g2[first:n], g3[first:n]
		for i := range row {
			row[i] += a0*h0[i] + a1*h1[i] + a2*h2[i] + a3*h3[i]
		}
	}
}

// mirror copies the upper triangle of E to the lower.
func mirror(e blas64.General) {
	for j := range e.Rows {
		for i := range j {
			e.Data[j*e.Stride+i] = e.Data[i*e.Stride+j]
		}
	}
}
