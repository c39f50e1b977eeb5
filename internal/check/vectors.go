package check

import "slices"

// Permuted returns y with y_i = x_perm(i).
func Permuted[T any](x []T, perm []int) []T {
	y := make([]T, len(x))
	for i, k := range perm {
		y[i] = x[k]
	}
	return y
}

// Derivative returns the central difference (f(x+h) − f(x−h))/2h, whose error is
// h²/6 times the third derivative.
func Derivative(f func(x float64) float64, x, h float64) float64 {
	return (f(x+h) - f(x-h)) / (2 * h)
}

// Gradient returns the central differences of f in each coordinate of x.
func Gradient(f func(x []float64) float64, x []float64, h float64) []float64 {
	g, y := make([]float64, len(x)), slices.Clone(x)
	for i := range x {
		g[i] = Derivative(func(v float64) float64 {
			y[i] = v
			defer func() { y[i] = x[i] }()
			return f(y)
		}, x[i], h)
	}
	return g
}
