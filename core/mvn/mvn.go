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
// All of it is deterministic and free of seeds.
package mvn

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// epsilon is the distance of 1 from the next float64.
const epsilon = 1.0 / (1 << 52)

// floor is the bound of the error of the quadratures. The univariate, bivariate and
// trivariate ones are better, but a reference value may not be.
const floor = 1e-13

// underflow is a logarithm below which a probability is taken for 0.
const underflow = -700

// rounding returns what is taken for the rounding error of a correlation matrix
// of dimension d: entries, and eigenvalues as seen by the pivots of a Cholesky
// factor, may break a rule by that much.
func rounding(d int) float64 { return 32 * float64(d) * epsilon }

// CDF returns P(X ≤ x) for X ~ N(0, corr), where corr is a correlation matrix of
// the order of len(x), and a bound of its absolute error. The limits x may be
// infinite, corr may be singular. More than 100 variables need a structure named in
// the package comment.
//
// The error is below 1e-14 for d ≤ 3 and some 1e-14 for independent variables, one
// common factor, Markov chains and d = 4; abserr is then between 1e-13 and 1e-12.
// Otherwise abserr is statistical, six standard errors over independent shifts of
// the lattice. The points double until it is below 1e-7, or, once they have taken
// 1e7/d points (up to 0.2 s), below 1e-6; at the latest before they take 1.2e8/d
// (some 2 s). On random problems with two factors and 8 ≤ d ≤ 30 the error is then
// below 1e-6, and abserr below 1e-6 for 19 of 20, else up to 5e-6; for d = 50 the
// error is up to 2e-6 and abserr up to 1e-5.
//
// Correlations near ±1 act through √(1−ρ²): an error of 1e-16 in such an entry is
// one of up to 1e-8 in P. The bound is that for corr as given. Where a conditional
// variance cannot be told from zero (less than 32·d times the machine epsilon,
// positive or negative, in d > 3), it is taken for zero, and if rounding has made
// the matrix indefinite, it is moved; the bound includes the consequence.
//
// CDF panics if corr has not the order of x, is not a correlation matrix (unit
// diagonal, entries in [−1, 1], positive semi-definite, each to rounding error),
// if there is none, or if a number is NaN.
func CDF(x []float64, corr mat.Symmetric) (p, abserr float64) {
	switch order(x, corr) {
	case 1:
		return gauss.CDF(x[0]), floor
	case 2:
		return bivariate(x[0], x[1], two(corr)), floor
	case 3:
		r12, r13, r23 := three(corr)
		p, abserr = trivariate(x[0], x[1], x[2], r12, r13, r23)
		return p, abserr + floor
	}
	return newProblem(x, corr).cdf()
}

// Validate returns an error that says why corr is not a correlation matrix, one
// that [CDF] and [Gradient] take: unit diagonal, entries in [−1, 1], positive
// semi-definite, each to rounding error.
func Validate(corr mat.Symmetric) error {
	if corr == nil {
		return errMissing
	}
	d := corr.SymmetricDim()
	if d == 0 {
		return errMissing
	}
	if err := unitDiagonal(corr); err != nil {
		return err
	}
	return allocProblem(d).read(corr)
}

var errMissing = errors.New("mvn: no correlation matrix; need one of order at least 1")

// order returns the dimension. It panics unless corr has the order of x and a unit
// diagonal, and the limits are numbers.
func order(x []float64, corr mat.Symmetric) int {
	if corr == nil {
		panic(errMissing.Error())
	}
	d := len(x)
	if n := corr.SymmetricDim(); n != d || d == 0 {
		panic(fmt.Sprintf("mvn: %d limits and a %d×%[2]d correlation matrix; need the same order, at least 1", d, n))
	}
	for i, xi := range x {
		if math.IsNaN(xi) {
			panic(fmt.Sprintf("mvn: limit %d is NaN", i))
		}
	}
	if err := unitDiagonal(corr); err != nil {
		panic(err.Error())
	}
	return d
}

func unitDiagonal(corr mat.Symmetric) error {
	d := corr.SymmetricDim()
	for i := range d {
		if v := corr.At(i, i); !(math.Abs(v-1) <= rounding(d)) {
			return fmt.Errorf("mvn: variance %d is %g; need a correlation matrix, with 1 on its diagonal", i, v)
		}
	}
	return nil
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

// two returns the correlation of two variables. It panics unless it is one.
func two(corr mat.Symmetric) float64 {
	r, err := correlation(corr, 0, 1)
	if err != nil {
		panic(err.Error())
	}
	return r
}

// three returns the correlations of three variables. It panics unless they are
// those of a positive semi-definite matrix.
func three(corr mat.Symmetric) (r12, r13, r23 float64) {
	r12, err12 := correlation(corr, 0, 1)
	r13, err13 := correlation(corr, 0, 2)
	r23, err23 := correlation(corr, 1, 2)
	err := cmp.Or(err12, err13, err23)
	// The determinant is at most three times the smallest eigenvalue in size.
	if err == nil && determinant(r12, r13, r23) < -3*rounding(3) {
		err = indefinite(3)
	}
	if err != nil {
		panic(err.Error())
	}
	return r12, r13, r23
}
