// Package mvn computes the multivariate normal distribution function P(X ≤ x) of X ~ N(0, Σ) and its
// gradient, for any correlation matrix Σ of order d, also singular ones, by the first of these that applies:
//
//   - one common factor, ρ_ij = a_i a_j, or a Markov chain, ρ_ij the product of the correlations
//     of neighbours in some order, below 0.995: one-dimensional quadratures, error 1e-14;
//   - d ≤ 4: one-dimensional quadrature of the probabilities given one variable, error 1e-14;
//   - otherwise a randomly shifted lattice after separation of variables (Genz 1992; Genz and
//     Bretz 2009), with an error estimated from the shifts.
//
// Independent groups of variables are computed separately. All results are deterministic. [NewCDF] prepares a
// matrix for many limits; [CDF] and [Gradient] serve one.
package mvn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/internal/linalg"
)

const (
	epsilon    = 1.0 / (1 << 52) // distance of 1 from the next float64
	floor      = 1e-13           // error bound of the exact methods
	far        = 38.6            // Φ(−x) underflows from here on
	recognised = 1e-8            // largest difference from a matrix of simpler structure
	few        = 4               // largest number of variables integrated by conditioning on one
)

// rounding bounds the rounding error of eigenvalues and pivots of a d×d matrix.
func rounding(d int) float64 { return 32 * float64(d) * epsilon }

// Distribution is the distribution function of X ~ N(0, Σ). It is safe for concurrent use, copying arguments.
type Distribution struct{ problem } // a problem whose limits x are not set

// NewCDF copies corr and returns its distribution function. It returns an error unless corr is a correlation
// matrix to rounding error: unit diagonal, entries in [−1, 1], positive semi-definite.
func NewCDF(corr mat.Symmetric) (*Distribution, error) {
	if corr == nil || corr.SymmetricDim() == 0 {
		return nil, errors.New("mvn: no correlation matrix; need one of order at least 1")
	}
	n := corr.SymmetricDim()
	p, tol, shifted := newProblem(n), rounding(n), mat.NewSymDense(n, nil)
	for i := range n {
		if v := corr.At(i, i); !(math.Abs(v-1) <= tol) {
			return nil, fmt.Errorf("mvn: variance %d is %g; need a correlation matrix, with 1 on its diagonal",
				i, v)
		}
		p.r[i*n+i] = 1
		shifted.SetSym(i, i, 1+3*tol)
		for j := range i {
			r := corr.At(j, i)
			if !(math.Abs(r) <= 1+tol) {
				return nil, fmt.Errorf("mvn: correlation of %d and %d is %g; need a number in [−1, 1]", j, i, r)
			}
			r = max(-1, min(1, r))
			p.r[i*n+j], p.r[j*n+i] = r, r
			shifted.SetSym(i, j, r)
		}
	}
	if !new(linalg.Cholesky).Factorize(shifted) {
		return nil, fmt.Errorf("mvn: the %d×%[1]d matrix of correlations is indefinite; "+
			"need a positive semi-definite one", n)
	}
	return &Distribution{*p}, nil
}

// CDF is [Distribution.Prob] for a single x. It panics where [NewCDF] returns an error.
func CDF(x []float64, corr mat.Symmetric) (p, abserr float64) { return must(NewCDF(corr)).Prob(x) }

// Gradient is [Distribution.Gradient] for a single x. It panics where [NewCDF] returns an error.
func Gradient(dst, x []float64, corr mat.Symmetric) []float64 {
	return must(NewCDF(corr)).Gradient(dst, x)
}

func must(d *Distribution, err error) *Distribution {
	if err != nil {
		panic(err.Error())
	}
	return d
}

// Prob returns P(X ≤ x) and a bound of its absolute error. Limits may be infinite. The bound is between 1e-13
// and 1e-12, near a singular matrix 1e-8; for the lattice it is an estimate, 1e-6 or 1e-5 after at most 0.2
// s. Prob panics if the length of x is not the order of the matrix, or if a number is NaN.
func (d *Distribution) Prob(x []float64) (p, abserr float64) {
	q := d.limits(x)
	return q.cdf()
}

// Gradient sets dst to the gradient of [Distribution.Prob] in x,
//
//	∂_i P = φ(x_i) P(X_j ≤ x_j, j ≠ i | X_i = x_i),
//
// and returns it, with the accuracy of Prob for d−1 variables. A nil dst is allocated; otherwise its length
// must be that of x, and it may be x. Where |ρ_ij| = 1 and X_j is at its limit, P has a kink: the derivative
// is towards smaller x_i. Gradient panics where Prob does.
func (d *Distribution) Gradient(dst, x []float64) []float64 {
	p := d.limits(slices.Clone(x))
	if dst == nil {
		dst = make([]float64, d.n)
	} else if len(dst) != d.n {
		panic(fmt.Sprintf("mvn: gradient of %d entries into a slice of %d; need the same length", d.n, len(dst)))
	}
	for i, x := range p.x {
		dst[i] = 0
		if pdf := gauss.PDF(x); pdf > 0 {
			if q, possible := p.given(i, x); possible {
				value, _ := q.cdf()
				dst[i] = pdf * value
			}
		}
	}
	return dst
}

func (d *Distribution) limits(x []float64) problem {
	if len(x) != d.n {
		panic(fmt.Sprintf("mvn: %d limits and a %d×%[2]d correlation matrix; need the same order", len(x), d.n))
	}
	for i, xi := range x {
		if math.IsNaN(xi) {
			panic(fmt.Sprintf("mvn: limit %d is NaN", i))
		}
	}
	return problem{d.n, x, d.r}
}

type problem struct {
	n    int
	x, r []float64
}

func newProblem(n int) *problem {
	return &problem{n, make([]float64, n), make([]float64, n*n)}
}

func (p *problem) row(i int) []float64 { return p.r[i*p.n : (i+1)*p.n] }

func (p *problem) cdf() (value, abserr float64) {
	if p.n > 1 {
		if slices.Min(p.x) < -far {
			return 0, 0
		}
		group, rest := p.split()
		if rest != nil {
			v, e := p.sub(group).cdf()
			w, f := p.sub(rest).cdf()
			return v * w, e + f + floor
		}
		p = p.sub(group)
	}
	switch p.n {
	case 0:
		return 1, floor
	case 1:
		return gauss.CDF(p.x[0]), floor
	case 2:
		return p.bivariate(), floor
	}
	tol := floor
	if p.n > few {
		tol = recognised
	}
	if a, e := p.loadings(); e < tol {
		return p.oneFactor(a), e + floor
	}
	if order, e := p.chain(); e < tol {
		if v, ok := p.markov(order); ok {
			return v, e + floor
		}
	}
	if p.n <= few {
		return p.conditional()
	}
	return p.lattice(1e-6, 4e6)
}

// split returns the variables with limits that are connected by correlations to the first one, and the rest.
func (p *problem) split() (group, rest []int) {
	const negligible = 1e-14 // largest correlation that counts as zero
	done := make([]bool, p.n)
	for i, x := range p.x {
		if done[i] = x >= far; !done[i] && group == nil {
			group, done[i] = []int{i}, true
		}
	}
	for k := 0; k < len(group); k++ {
		for j, r := range p.row(group[k]) {
			if !done[j] && math.Abs(r) > negligible {
				group, done[j] = append(group, j), true
			}
		}
	}
	for j, d := range done {
		if !d {
			rest = append(rest, j)
		}
	}
	return group, rest
}

func (p *problem) sub(keep []int) *problem {
	q := newProblem(len(keep))
	for a, i := range keep {
		q.x[a] = p.x[i]
		for b, j := range keep {
			q.r[a*q.n+b] = p.r[i*p.n+j]
		}
	}
	return q
}

// given returns the problem of the other variables given X_i = t, with x'_j = (x_j − ρ_ij t)/√(1−ρ_ij²) and
// ρ'_jk = (ρ_jk − ρ_ij ρ_ik)/√((1−ρ_ij²)(1−ρ_ik²)), and whether variables with |ρ_ij| = 1, which t
// determines, meet their limits.
func (p *problem) given(i int, t float64) (q *problem, possible bool) {
	keep := make([]int, 0, p.n-1)
	rho, root := p.row(i), make([]float64, p.n)
	for j, r := range rho {
		// The fused multiply–add avoids cancellation.
		switch v := math.FMA(-r, r, 1); {
		case j == i:
		case v > rounding(p.n):
			keep = append(keep, j)
			root[j] = math.Sqrt(v)
		case r > 0 && t > p.x[j] || r < 0 && t < -p.x[j]:
			return nil, false
		}
	}
	q = p.sub(keep)
	for a, j := range keep {
		q.x[a] = math.FMA(-rho[j], t, q.x[a]) / root[j]
		row := q.row(a)
		for b, k := range keep {
			if b != a {
				row[b] = math.FMA(-rho[j], rho[k], row[b]) / (root[j] * root[k])
				if math.Abs(row[b]) > 1-2*epsilon/(root[j]*root[k]) { // ±1 up to rounding
					row[b] = math.Copysign(1, row[b])
				}
			}
		}
	}
	return q, true
}

// plackettBound bounds the change of P by a correlation from r to s: ∂P/∂ρ ≤ 1/(2π√(1−ρ²)) (Plackett 1954).
func plackettBound(r, s float64) float64 {
	return math.Abs(math.Asin(r)-math.Asin(s)) / (2 * math.Pi)
}
