// Package mvn is the multivariate normal distribution function and its gradient
// for variables of unit variance and any correlation matrix, singular ones too.
//
// For X ~ N(0, Σ) of dimension d it computes P(X ≤ x) by what suits Σ:
//
//   - d ≤ 3: one-dimensional quadrature, to 1e-14 (Drezner and Wesolowsky 1990;
//     Genz 2004), with nothing allocated for a limit;
//   - independent groups of variables: the product of their probabilities;
//   - one common factor, ρ_ij = a_i a_j: one-dimensional quadrature;
//   - a Markov chain, ρ_ij = Π of the correlations of neighbours in some order:
//     one-dimensional quadrature for each step;
//   - d ≤ 10, and somewhat more if correlations are small: one-dimensional quadrature of
//     probabilities of d−2 variables (Plackett 1954), unless Σ is nearly singular;
//   - d = 4, nearly singular: one-dimensional quadrature of the trivariate function;
//   - otherwise, for d ≤ 100, separation of variables (Genz 1992), ordered so that
//     the most decisive variable comes first, drawn with what expectation propagation
//     expects of those to come, on a shifted lattice.
//
// All of it is deterministic and free of seeds. [NewCDF] reads and checks a matrix
// once for any number of limits; [CDF] and [Gradient] are for a single one.
package mvn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
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
type Distribution struct{ problem } // without limits

// NewCDF copies the matrix and returns its distribution function, or an error that
// says why corr is not a correlation matrix: unit diagonal, entries in [−1, 1],
// positive semi-definite, each to rounding error.
func NewCDF(corr mat.Symmetric) (*Distribution, error) {
	if corr == nil || corr.SymmetricDim() == 0 {
		return nil, errors.New("mvn: no correlation matrix; need one of order at least 1")
	}
	d := &Distribution{*newProblem(corr.SymmetricDim())}
	if err := d.read(corr); err != nil {
		return nil, err
	}
	return d, nil
}

// CDF is [Distribution.Prob] for a single x. It panics where NewCDF gives an error.
func CDF(x []float64, corr mat.Symmetric) (p, abserr float64) { return must(NewCDF(corr)).Prob(x) }

// Gradient is [Distribution.Gradient] for a single x. It panics where NewCDF gives an
// error.
func Gradient(dst, x []float64, corr mat.Symmetric) []float64 {
	return must(NewCDF(corr)).Gradient(dst, x)
}

func must(d *Distribution, err error) *Distribution {
	if err != nil {
		panic(err.Error())
	}
	return d
}

// Prob returns P(X ≤ x) and a bound of its absolute error. Limits may be infinite.
// More than 100 variables need a structure named in the package comment.
//
// The error is some 1e-14 for d ≤ 4, independent variables, one common factor and
// Markov chains; abserr is then between 1e-13 and 1e-12. Where no conditional variance
// is below 1e-3, it is typically 1e-11 and at most 1e-7 for d ≤ 7, in 0.1 ms for d = 5
// and 5 ms for d = 7, and at most 1e-6, typically 1e-9, for d ≤ 10, in 0.1 s. Otherwise
// abserr is statistical, six standard errors over independent shifts of the lattice. The
// points double until it is below 1e-7, or, once they have taken 1e7/d points (up to
// 0.05 s), below 1e-6; at the latest before they take 1.2e8/d (some 0.6 s). On random
// problems with two factors the error is then below 1e-6 for d ≤ 30 and up to 2e-6
// for d = 50, abserr up to 5e-6 and 1e-5.
//
// Correlations near ±1 act through √(1−ρ²): an error of 1e-16 in such an entry is
// one of up to 1e-8 in P. Where a conditional variance cannot be told from zero, it
// is taken for zero, and where rounding has made the matrix indefinite, it is moved;
// the bound includes the consequence. Prob panics if x has not the order of the
// matrix or a number is NaN.
func (d *Distribution) Prob(x []float64) (p, abserr float64) {
	q := d.at(x)
	if q.n > 3 {
		return q.cdf()
	}
	p, abserr = q.few()
	return p, abserr + floor
}

// at returns the problem with these limits. It panics unless there are as many as
// variables, all of them numbers.
func (d *Distribution) at(x []float64) problem {
	if len(x) != d.n {
		panic(fmt.Sprintf("mvn: %d limits and a %d×%[2]d correlation matrix; need the same order", len(x), d.n))
	}
	for i, xi := range x {
		if math.IsNaN(xi) {
			panic(fmt.Sprintf("mvn: limit %d is NaN", i))
		}
	}
	p := d.problem
	p.x = x
	return p
}
