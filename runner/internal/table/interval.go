package table

import (
	"math"

	"closedform/internal/kernel"
)

// Mean returns the mean of x.
func Mean(x []float64) float64 { return kernel.Sum(x) / float64(len(x)) }

// MeanVariance returns the mean of x and its unbiased variance, NaN for a single value,
// without the first effect of rounding the mean (Chan, Golub and LeVeque, "Algorithms for
// computing the sample variance", The American Statistician 1983).
func MeanVariance(x []float64) (mean, variance float64) {
	mean = Mean(x)
	var square, rest float64
	for _, x := range x {
		square += (x - mean) * (x - mean)
		rest += x - mean
	}
	n := float64(len(x))
	return mean, (square - rest*rest/n) / (n - 1)
}

// MeanSD returns the mean of x and its standard deviation, the root of [MeanVariance].
func MeanSD(x []float64) (mean, sd float64) {
	mean, variance := MeanVariance(x)
	return mean, math.Sqrt(variance)
}

// Student returns the mean of x and the ends of its two-sided 95 % confidence
// interval by Student's t. With a single value the ends are ±Inf.
func Student(x []float64) (mean, low, high float64) {
	if len(x) < 2 {
		return Mean(x), math.Inf(-1), math.Inf(1)
	}
	mean, sd := MeanSD(x)
	half := StudentQuantile(len(x)-1, 0.95) * sd / math.Sqrt(float64(len(x)))
	return mean, mean - half, mean + half
}

// StudentQuantile returns t with P(|T| < t) = p for Student's T with ν degrees of freedom. As p is
// concave in θ, see student, Newton's method from 0 approaches θ from below.
func StudentQuantile(nu int, p float64) float64 {
	for theta := 0.0; ; {
		at, slope := student(nu, theta)
		step := (p - at) / slope
		if !(step > 1e-15*theta) {
			sin, cos := math.Sincos(theta)
			return math.Sqrt(float64(nu)) * sin / cos
		}
		theta += step
	}
}

// StudentWithin returns P(|T| < t) for Student's T with ν degrees of freedom, and t ≥ 0.
func StudentWithin(nu int, t float64) float64 {
	p, _ := student(nu, math.Atan(t/math.Sqrt(float64(nu))))
	return min(1, p)
}

// student returns p = P(|T| < √ν tan θ) and dp/dθ. With the sum over k = 0, 2, …, ν−2 or
// 1, 3, …, ν−2 (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4),
//
//	A(θ) = sin θ Σ_k c_k cosᵏ θ,   c_0 = c_1 = 1,   c_{k+2} = c_k (k+1)/(k+2),
//	p = A for even ν, (2/π)(θ + A) for odd ν,   dp/dθ = ν c_ν cos^{ν−1} θ, 2/π of it.
func student(nu int, theta float64) (p, slope float64) {
	sin, cos := math.Sincos(theta)
	odd := nu % 2
	sum, power := 0.0, 1.0
	if odd == 1 {
		power = cos
	}
	for k := odd; k < nu; k += 2 {
		sum += power
		power *= cos * cos * float64(k+1) / float64(k+2)
	}
	p, slope = sin*sum, float64(nu)*power/cos
	if odd == 1 {
		p, slope = (theta+p)*(2/math.Pi), slope*(2/math.Pi)
	}
	return p, slope
}
