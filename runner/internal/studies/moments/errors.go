package moments

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/table"
)

// momentErrors are the errors of an approximation over many draws.
type momentErrors struct {
	of                softmax.Approximation
	key               []any   // of its row
	draws             int     // at which it is compared
	variation         ratio   // total variation of p, against 1
	variances         ratio   // diagonal of Σ_y
	cov, cross        ratio   // Σ_y and Σ_zy
	worst             float64 // the largest total variation
	excess, asymmetry float64 // means of |Σp − 1|, and of the largest |E_ij − E_ji|
	indefinite, given int     // of Σ_y: indefinite, and given at all
	reduced           reduced
}

func errorColumns() []table.Column {
	return []table.Column{
		table.Int("draws", "random logits"),
		table.Num("tv", "total variation of p, Σ|p − p_exact|/2, mean over the draws"),
		table.Num("tv_se", "its standard error"),
		table.Num("var_error", "relative error of the diagonal of Σ_y, in the Frobenius norm over all draws"),
		table.Num("var_se", "its standard error"),
		table.Num("cov_error", "relative error of Σ_y, in the same norm"),
		table.Num("cov_se", "its standard error"),
		table.Num("cross_error", "relative error of Σ_zy, in the same norm"),
		table.Num("cross_se", "its standard error"),
		table.Num("tv_max", "the largest total variation"),
		table.Num("excess", "mean of |Σp − 1|"),
		table.Num("asymmetry", "mean of the largest |E_ij − E_ji|"),
		table.Num("indefinite", "share of the draws where Σ_y without the last class is indefinite"),
	}
}

// row returns the values of errorColumns. What the approximation does not give, or what is infinite, is NaN.
func (e *momentErrors) row() []float64 {
	tv, tvErr := e.variation.value()
	row := []float64{float64(e.draws), tv, tvErr}
	for _, r := range []ratio{e.variances, e.cov, e.cross} {
		q, err := r.value()
		if q > 0 {
			err /= 2 * math.Sqrt(q)
		}
		row = append(row, math.Sqrt(q), err)
	}
	row = append(row, e.worst, e.excess/float64(e.draws), e.asymmetry, float64(e.indefinite)/float64(e.given))
	for i, x := range row {
		row[i] = table.Finite(x)
	}
	return row
}

// covError bounds the error of Σ_y = diag(p) − ppᵀ − L of n classes, in the spectral norm, where that of
// p and E is bounded by accuracy: a row of L has n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// add adds the errors of the moments got where want are right, to [softmax.MomentError].
func (e *momentErrors) add(got, want *allMoments) {
	var distance float64
	for j, p := range got.P {
		distance += 0.5 * math.Abs(p-want.P[j])
	}
	e.variation.add(distance, 1)
	e.worst = math.Max(e.worst, distance)
	e.excess += math.Abs(got.Excess())
	e.asymmetry += got.Asymmetry() / float64(e.draws)

	n := len(got.P)
	noise := math.Sqrt(float64(n)) * covError(n, softmax.MomentError) // in the Frobenius norm
	e.variances.addMatrix(got.cov.DiagView(), want.cov.DiagView(), noise)
	e.cov.addMatrix(got.cov, want.cov, noise)
	e.cross.addMatrix(got.cross, want.cross, noise*want.largest)

	if sum := kernel.Sum(got.cov.RawSymmetric().Data); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		accuracy := softmax.MomentError // of p and E as what the approximation stands for
		if e.of == (softmax.Exact{Fast: true}) {
			accuracy = 1e-8
		}
		if e.reduced.sign(got.cov, covError(n, accuracy)) < 0 {
			e.indefinite++
		}
	}
}

// ratio is the quotient q = Σa/Σb over independent draws. Where one of the a is not a number, neither is q.
type ratio struct {
	count      int
	a, b       float64 // Σa and Σb
	aa, ab, bb float64 // Σa², Σab and Σb²
	noise      float64 // what of Σb may be error
}

func (r *ratio) add(a, b float64) {
	r.count++
	r.a, r.b = r.a+a, r.b+b
	r.aa, r.ab, r.bb = r.aa+a*a, r.ab+a*b, r.bb+b*b
}

// addMatrix adds a = ‖A−B‖² and b = ‖B‖² in the Frobenius norm, where ‖B‖ is known to the given error only.
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

// value returns q and its standard error over the draws, by the delta method:
//
//	Var q ≈ Σ(a − qb)² / (N(N−1) b̄²).
//
// Both are NaN where Σb may be nothing but error. The standard error of a single draw is not finite.
func (r *ratio) value() (q, err float64) {
	if !(r.b > r.noise) {
		return math.NaN(), math.NaN()
	}
	q = r.a / r.b
	n, residual := float64(r.count), max(0, r.aa-2*q*r.ab+q*q*r.bb)
	return q, math.Sqrt(residual*n/(n-1)) / r.b
}

// reduced is a Σ_y without the last class, which the paper leaves out.
type reduced struct {
	cov    mat.SymDense
	factor linalg.Cholesky
}

// sign returns −1 if an eigenvalue of Σ_y without the last class is below zero by more than the error of Σ_y
// or the rounding of this test, 1 if all are above zero by more, and 0 if these decide.
func (r *reduced) sign(cov *mat.SymDense, accuracy float64) int {
	const rounding = 1e-12 // of the trace
	if r.cov.IsEmpty() {
		r.cov.ReuseAsSym(cov.SymmetricDim() - 1)
	}
	r.cov.CopySym(cov)
	slack := math.Max(accuracy, rounding*math.Abs(mat.Trace(&r.cov)))
	for sign, shift := range []float64{slack, -slack} {
		for i := range r.cov.SymmetricDim() {
			r.cov.SetSym(i, i, cov.At(i, i)+shift)
		}
		if !r.factor.Factorize(&r.cov) {
			return sign - 1
		}
	}
	return 1
}
