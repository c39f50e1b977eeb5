// Package approx measures the errors of approximations of the moments of the softmax: it draws random
// logits, compares the moments of an approximation with the exact ones, gathers relative errors with
// their standard errors, and knows the approximations that a manifest may name.
package approx

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// Logits are the independent Gaussian logits of one problem.
type Logits struct{ Mean, Variance []float64 }

// Problems is a distribution of logits: means N(0, Spread²), variances uniform on
// Variance·[1−Unequal, 1+Unequal].
type Problems struct {
	Classes                   int
	Spread, Variance, Unequal float64
}

// Draw draws the logits of a problem.
func (p Problems) Draw(rnd *rand.Rand) Logits {
	z := Logits{make([]float64, p.Classes), make([]float64, p.Classes)}
	for j := range p.Classes {
		z.Mean[j] = p.Spread * random.Normal(rnd)
		z.Variance[j] = p.Variance * (1 + p.Unequal*(2*rnd.Float64()-1))
	}
	return z
}

// Compare adds to all the errors at the first of the problems, to each as many as it has draws. The
// exact moments of a problem are worked out once.
func (p Problems) Compare(ctx context.Context, rnd *rand.Rand, all []*Errors) error {
	want, got, draws := newMoments(p.Classes), newMoments(p.Classes), 0
	for _, e := range all {
		draws = max(draws, e.Draws)
	}
	for k := range draws {
		z := p.Draw(rnd)
		want.compute(softmax.Exact{}, z)
		for _, e := range all {
			if err := ctx.Err(); err != nil {
				return err
			}
			if k < e.Draws {
				got.compute(e.of, z)
				e.add(got, want)
			}
		}
	}
	return nil
}

// moments are p, E, Σ_y and Σ_zy. Entries that a method does not give are NaN.
type moments struct {
	*softmax.Moments
	cov     *mat.SymDense
	cross   *mat.Dense
	largest float64 // variance of a logit, which bounds the error of Σ_zy in that of E
}

// newMoments returns room for the moments of n classes.
func newMoments(n int) *moments {
	return &moments{Moments: softmax.NewMoments(n), cov: mat.NewSymDense(n, nil), cross: mat.NewDense(n, n, nil)}
}

// compute fills m by a.
func (m *moments) compute(a softmax.Approximation, z Logits) {
	a.Moments(m.Moments, z.Mean, z.Variance)
	m.largest = floats.Max(z.Variance)
	if own, ok := a.(*meanfield.Method); ok {
		own.Covariances(m.cov, m.cross, z.Mean, z.Variance)
		return
	}
	m.Cov(m.cov)
	m.Cross(m.cross, z.Variance)
}

// methods are the approximations of the moments of the softmax that a manifest may
// name, but for the probits with ρ = ½, whose λ follows from the number of classes.
var methods = map[Method]softmax.Approximation{
	"exact": softmax.Exact{}, "exact-fast": softmax.Exact{Fast: true},
	"delta": meanfield.Delta, "taylor": meanfield.Taylor, "mackay": meanfield.MacKay,
	"lu-0": meanfield.PairwiseMean, "lu-1": meanfield.Pairwise, "daunizeau": meanfield.Daunizeau, "unscented": meanfield.Unscented,
	"laplace-bridge": meanfield.LaplaceBridge, "laplace-bridge-corrected": meanfield.LaplaceBridgeCorrected,
	"lognormal-normalised": meanfield.LogNormal, "normalised-probit": meanfield.NormalizedProbit,
}

// Rho is the correlation of the probits that have a name.
const Rho = 0.5

// Method is the name of an approximation.
type Method string

// prefix begins the names of the probits, which end with the criterion that chooses λ.
const prefix = "probit-"

// Methods returns all names, sorted.
func Methods() []Method {
	names := slices.Collect(maps.Keys(methods))
	for _, word := range softmax.Criteria {
		names = append(names, prefix+Method(word))
	}
	slices.Sort(names)
	return names
}

// Of returns the approximation for n classes. It panics if there is none of the name.
func (m Method) Of(n int) softmax.Approximation {
	if a, ok := methods[m]; ok {
		return a
	}
	lambda := probit.Lambda{Word: strings.TrimPrefix(string(m), prefix)}
	return softmax.Probit{Lambda: lambda.Value(n, Rho), Rho: Rho}
}

// fastError bounds the error of the fast setting of [softmax.Exact].
const fastError = 1e-8

// Errors gathers the errors of an approximation over many problems.
type Errors struct {
	of                softmax.Approximation
	Draws             int     // problems at which it is compared
	variation         ratio   // total variation of p, against 1
	worst             float64 // the largest of them
	excess            float64 // Σ |Σp − 1|
	asymmetry         float64 // mean of the largest |E_ij − E_ji|
	variances         ratio   // diagonal of Σ_y
	cov, cross        ratio
	indefinite, given int // of Σ_y: indefinite, and given at all

	reduced mat.SymDense
	factor  linalg.Cholesky
}

// NewErrors returns the errors of an approximation at so many problems, before there are any.
func NewErrors(of softmax.Approximation, draws int) *Errors { return &Errors{of: of, Draws: draws} }

// Asymmetry returns the largest |E_ij − E_ji|, mean over the problems; NaN if it is infinite.
func (e *Errors) Asymmetry() float64 { return table.Finite(e.asymmetry) }

// covError bounds the error of Σ_y = diag(p) − ppᵀ − L of n classes, in the spectral norm, where that of
// p and E is bounded by accuracy: a row of L has n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// add takes note of the moments got where want are right, to [softmax.MomentError].
func (e *Errors) add(got, want *moments) {
	var distance float64
	for j, p := range got.P {
		distance += 0.5 * math.Abs(p-want.P[j])
	}
	e.variation.add(distance, 1)
	e.worst = math.Max(e.worst, distance)
	e.excess += math.Abs(got.Excess())
	e.asymmetry += got.Asymmetry() / float64(e.Draws)

	n := len(got.P)
	noise := math.Sqrt(float64(n)) * covError(n, softmax.MomentError) // in the Frobenius norm
	e.variances.addMatrix(got.cov.DiagView(), want.cov.DiagView(), noise)
	e.cov.addMatrix(got.cov, want.cov, noise)
	e.cross.addMatrix(got.cross, want.cross, noise*want.largest)

	if sum := kernel.Sum(got.cov.RawSymmetric().Data); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		if e.negative(got.cov) {
			e.indefinite++
		}
	}
}

// negative reports whether Σ_y has an eigenvalue below zero by more than the error of the moments and
// the rounding of the test. As in the paper the last class is left out.
func (e *Errors) negative(cov *mat.SymDense) bool {
	const rounding = 1e-12 // of the trace
	n := cov.SymmetricDim() - 1
	if e.reduced.IsEmpty() {
		e.reduced.ReuseAsSym(n)
	}
	e.reduced.CopySym(cov)
	accuracy := softmax.MomentError // of p and E as what the approximation stands for, which need not be the softmax
	if e.of == (softmax.Exact{Fast: true}) {
		accuracy = fastError
	}
	slack := math.Max(covError(n+1, accuracy), rounding*math.Abs(mat.Trace(&e.reduced)))
	for i := range n {
		e.reduced.SetSym(i, i, cov.At(i, i)+slack)
	}
	return !e.factor.Factorize(&e.reduced)
}

// Columns returns the columns of [Errors.Row].
func Columns() []table.Column {
	return []table.Column{
		table.Num("tv", "total variation of p, Σ|p − p_exact|/2, mean over the problems"), table.Num("tv_se", "its standard error"),
		table.Num("tv_max", "the largest total variation"), table.Num("excess", "mean of |Σp − 1|"),
		table.Num("var_error", "relative error of the diagonal of Σ_y, in the Frobenius norm over all problems"), table.Num("var_se", "its standard error"),
		table.Num("cov_error", "relative error of Σ_y, in the same norm"), table.Num("cov_se", "its standard error"),
		table.Num("cross_error", "relative error of Σ_zy, in the same norm"), table.Num("cross_se", "its standard error"),
		table.Num("indefinite", "share of the problems where Σ_y without the last class is indefinite"),
	}
}

// Row returns the errors in the order of Columns. What the approximation does not
// give, or what is infinite, is NaN.
func (e *Errors) Row() []float64 {
	tv, tvErr := e.variation.value()
	row := []float64{tv, tvErr, e.worst, e.excess / float64(e.variation.count)}
	for _, r := range []ratio{e.variances, e.cov, e.cross} {
		x, err := r.root()
		row = append(row, x, err)
	}
	row = append(row, float64(e.indefinite)/float64(e.given))
	for i, x := range row {
		row[i] = table.Finite(x)
	}
	return row
}

// ratio is the quotient q = Σa/Σb over independent problems. Where one of the a
// is not a number, neither is q.
type ratio struct {
	count      int
	a, b       float64 // Σa and Σb
	aa, ab, bb float64 // Σa², Σab and Σb²
	noise      float64 // what of Σb may be error
}

func (r *ratio) add(a, b float64) {
	r.count++
	r.a += a
	r.b += b
	r.aa += a * a
	r.ab += a * b
	r.bb += b * b
}

// addMatrix takes note of a = ‖A−B‖² and b = ‖B‖² in the Frobenius norm, where ‖B‖ is
// known to the given error only.
func (r *ratio) addMatrix(got, want mat.Matrix, noise float64) {
	var a, b float64
	n, _ := want.Dims()
	for i := range n {
		for j := range n {
			x, y := got.At(i, j), want.At(i, j)
			a += (x - y) * (x - y)
			b += y * y
		}
	}
	r.add(a, b)
	r.noise += noise * noise
}

// value returns q and its standard error over the problems, by the delta method:
//
//	Var q ≈ Σ(a − qb)² / (N(N−1) b̄²).
//
// Both are NaN where Σb may be nothing but error. The standard error of a single problem is not finite.
func (r *ratio) value() (q, err float64) {
	if !(r.b > r.noise) {
		return math.NaN(), math.NaN()
	}
	q = r.a / r.b
	n, residual := float64(r.count), max(0, r.aa-2*q*r.ab+q*q*r.bb)
	return q, math.Sqrt(residual*n/(n-1)) / r.b
}

// root returns √q, a relative error in the Frobenius norm over all matrices, and its standard error.
func (r *ratio) root() (x, err float64) {
	q, err := r.value()
	if q == 0 {
		return 0, err
	}
	x = math.Sqrt(q)
	return x, err / (2 * x)
}
