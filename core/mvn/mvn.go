// Package mvn is the multivariate normal distribution function and its gradient
// for variables of unit variance and any correlation matrix, singular ones too.
//
// For X ~ N(0, Σ) of dimension d it computes P(X ≤ x) by what suits Σ:
//
//   - d ≤ 3: one-dimensional quadrature, to 1e-14 (Drezner and Wesolowsky 1990;
//     Genz 2004), without allocation;
//   - independent groups of variables: the product of their probabilities;
//   - one common factor, ρ_ij = a_i a_j: one-dimensional quadrature;
//   - a Markov chain, ρ_ij = Π of the correlations of neighbours in some order:
//     one-dimensional quadrature for each step;
//   - d = 4: one-dimensional quadrature of the trivariate function;
//   - otherwise, for d ≤ 100, separation of variables (Genz 1992), ordered so that
//     the most decisive variable comes first, with exponential tilting (Botev
//     2017), on a shifted lattice.
//
// All of it is deterministic and free of seeds. [NewCDF] reads and checks a matrix
// once for any number of limits; [CDF] and [Gradient] are for a single one.
package mvn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// epsilon is the distance of 1 from the next float64.
const epsilon = 1.0 / (1 << 52)

// floor is the bound of the error of the quadratures; a reference value may have it.
const floor = 1e-13

// underflow is a logarithm below which a probability is taken for 0.
const underflow = -700

// rounding returns by how much entries of a correlation matrix of dimension d, and
// pivots of its Cholesky factor, may break a rule.
func rounding(d int) float64 { return 32 * float64(d) * epsilon }

// Distribution is the distribution function of X ~ N(0, Σ) for one correlation
// matrix, which may be singular. It may be used concurrently.
type Distribution struct {
	small [3]float64 // ρ12, ρ13, ρ23 of up to three variables
	problem
}

// NewCDF copies the matrix and returns its distribution function, or an error that
// says why corr is not a correlation matrix: unit diagonal, entries in [−1, 1],
// positive semi-definite, each to rounding error.
func NewCDF(corr mat.Symmetric) (*Distribution, error) {
	d, err := read(corr)
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// CDF is [Distribution.Prob] for a single x. It panics where NewCDF gives an error.
func CDF(x []float64, corr mat.Symmetric) (p, abserr float64) {
	d := must(corr)
	return d.Prob(x)
}

// Gradient is [Distribution.Gradient] for a single x. It panics where NewCDF gives an
// error.
func Gradient(dst, x []float64, corr mat.Symmetric) []float64 {
	d := must(corr)
	return d.Gradient(dst, x)
}

func must(corr mat.Symmetric) Distribution {
	d, err := read(corr)
	if err != nil {
		panic(err.Error())
	}
	return d
}

// Prob returns P(X ≤ x) and a bound of its absolute error. Limits may be infinite.
// More than 100 variables need a structure named in the package comment.
//
// The error is some 1e-14 for d ≤ 4, independent variables, one common factor and
// Markov chains; abserr is then between 1e-13 and 1e-12. Otherwise abserr is
// statistical, six standard errors over independent shifts of the lattice. The
// points double until it is below 1e-7, or, once they have taken 1e7/d points (up to
// 0.2 s), below 1e-6; at the latest before they take 1.2e8/d (some 2 s). On random
// problems with two factors the error is then below 1e-6 for d ≤ 30 and up to 2e-6
// for d = 50, abserr up to 5e-6 and 1e-5.
//
// Correlations near ±1 act through √(1−ρ²): an error of 1e-16 in such an entry is
// one of up to 1e-8 in P. Where a conditional variance cannot be told from zero, it
// is taken for zero, and where rounding has made the matrix indefinite, it is moved;
// the bound includes the consequence. Prob panics if x has not the order of the
// matrix or a number is NaN.
func (d *Distribution) Prob(x []float64) (p, abserr float64) {
	d.check(x)
	if d.n > 3 {
		return d.at(x).cdf()
	}
	p, abserr = few(x, d.small[0], d.small[1], d.small[2])
	return p, abserr + floor
}

// few returns P(X ≤ x) for at most three variables, and a bound of what had to be
// moved; see [trivariate].
func few(x []float64, r12, r13, r23 float64) (value, moved float64) {
	switch len(x) {
	case 0:
		return 1, 0
	case 1:
		return gauss.CDF(x[0]), 0
	case 2:
		return bivariate(x[0], x[1], r12), 0
	}
	return trivariate(x[0], x[1], x[2], r12, r13, r23)
}

// at returns the problem with these limits.
func (d *Distribution) at(x []float64) *problem {
	return &problem{n: d.n, x: x, r: d.r, noise: d.noise}
}

// check panics unless there are as many limits as variables, all of them numbers.
func (d *Distribution) check(x []float64) {
	if len(x) != d.n {
		panic(fmt.Sprintf("mvn: %d limits and a %d×%[2]d correlation matrix; need the same order", len(x), d.n))
	}
	for i, xi := range x {
		if math.IsNaN(xi) {
			panic(fmt.Sprintf("mvn: limit %d is NaN", i))
		}
	}
}

// read copies corr, or says why it is not a correlation matrix.
func read(corr mat.Symmetric) (d Distribution, err error) {
	if corr == nil || corr.SymmetricDim() == 0 {
		return d, errors.New("mvn: no correlation matrix; need one of order at least 1")
	}
	n := corr.SymmetricDim()
	d.n = n
	for i := range n {
		if v := corr.At(i, i); !(math.Abs(v-1) <= rounding(n)) {
			return d, fmt.Errorf("mvn: variance %d is %g; need a correlation matrix, with 1 on its diagonal", i, v)
		}
	}
	if n > 3 {
		d.problem = *newProblem(n)
		return d, d.read(corr)
	}
	next := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			if d.small[next], err = correlation(corr, i, j); err != nil {
				return d, err
			}
			next++
		}
	}
	// The determinant is at most three times the smallest eigenvalue in size.
	if n == 3 && determinant(d.small[0], d.small[1], d.small[2]) < -3*rounding(3) {
		return d, indefinite(3)
	}
	return d, nil
}

// correlation returns the entry of variables i and j.
func correlation(corr mat.Symmetric, i, j int) (float64, error) {
	r := corr.At(i, j)
	if a := math.Abs(r); !(a <= 1) {
		if !(a <= 1+rounding(corr.SymmetricDim())) {
			return 0, fmt.Errorf("mvn: correlation of %d and %d is %g; need a number in [−1, 1]", i, j, r)
		}
		r = math.Copysign(1, r)
	}
	return r, nil
}

func indefinite(d int) error {
	return fmt.Errorf("mvn: the %d×%[1]d matrix of correlations is indefinite; need a positive semi-definite one", d)
}
