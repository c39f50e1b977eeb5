package table

import (
	"math"
	"slices"

	"closedform/internal/kernel"
)

// RuleColumn returns a column for the words of [Rule].
func RuleColumn() Column {
	return Text("interval", "how the 95 % intervals are computed, and over what the means are: Student's t, or "+
		"its correction by Nadeau and Bengio for random splits of one table, whose training parts overlap")
}

// Rule names how the interval of an [Estimate] is computed: over seeds or, with an overlap, over splits.
func Rule(overlap float64) string {
	if overlap > 0 {
		return "corrected t, splits"
	}
	return "t, seeds"
}

// Estimate is a mean of N numbers, and the variance of the mean.
type Estimate struct {
	Mean, Variance float64
	N              int
}

// NewEstimate returns the mean of x, which may be infinite. The overlap is 0 for independent numbers and
// n_test/n_train for random splits of one table, whose training parts overlap: the variance of the mean is
// (1/N + n_test/n_train) s² (Nadeau and Bengio, "Inference for the generalization error", 2003).
//
// The variance is corrected for rounding of the mean (Chan, Golub and LeVeque, "Algorithms for computing the
// sample variance", 1983).
func NewEstimate(x []float64, overlap float64) Estimate {
	n, mean := float64(len(x)), Mean(x)
	var square, rest float64
	for _, x := range x {
		square += (x - mean) * (x - mean)
		rest += x - mean
	}
	variance := (square - rest*rest/n) / (n - 1)
	return Estimate{mean, variance * (1/n + overlap), len(x)}
}

// Interval returns the mean and the ends of its 95 % interval by Student's t. The ends are NaN for fewer than
// three numbers, and where they are not finite.
func (e Estimate) Interval() []float64 {
	half := math.NaN()
	if e.N >= 3 {
		half = studentQuantile(e.N-1, 0.95) * math.Sqrt(e.Variance)
	}
	return []float64{e.Mean, Finite(e.Mean - half), Finite(e.Mean + half)}
}

// P returns the two-sided p-value of the mean 0 by Student's t, NaN for fewer than three numbers.
func (e Estimate) P() float64 {
	if e.N < 3 {
		return math.NaN()
	}
	t, root := math.Abs(e.Mean)/math.Sqrt(e.Variance), math.Sqrt(float64(e.N-1))
	p, _ := student(e.N-1, math.Atan(t/root))
	return 1 - min(1, p)
}

// Wilson returns the share of ones among n zeros and ones, and the ends of its 95 % interval (Wilson,
// "Probable inference, the law of succession, and statistical inference", JASA 1927), NaN for n < 3.
func Wilson(ones, n float64) []float64 {
	const z = 1.959963984540054
	p := ones / n
	if n < 3 {
		return []float64{p, math.NaN(), math.NaN()}
	}
	middle, scale := p+z*z/(2*n), 1+z*z/n
	half := z * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return []float64{p, max(0, (middle-half)/scale), min(1, (middle+half)/scale)}
}

// Mean returns the mean of x.
func Mean(x []float64) float64 { return kernel.Sum(x) / float64(len(x)) }

// Median returns the median of x, which may be infinite.
func Median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(len(x)-1)/2] + sorted[len(x)/2]) / 2
}

// studentQuantile returns t with P(|T| < t) = p for Student's T with ν degrees of freedom. As p is concave in
// θ, see student, Newton's method from 0 approaches θ from below.
func studentQuantile(nu int, p float64) float64 {
	for theta := 0.0; ; {
		q, slope := student(nu, theta)
		step := (p - q) / slope
		if !(step > 1e-15*theta) {
			sin, cos := math.Sincos(theta)
			return math.Sqrt(float64(nu)) * sin / cos
		}
		theta += step
	}
}

// student returns p = P(|T| < √ν tan θ) and dp/dθ. With the sum over k = 0, 2, …, ν−2 or 1, 3, …, ν−2
// (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and 26.7.4),
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
