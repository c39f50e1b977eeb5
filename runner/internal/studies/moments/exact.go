package moments

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/baselines/moments/montecarlo"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/table"
)

// fits determines the λ of each word for one number of classes and ρ.
type fits struct {
	Classes int
	Rho     float64
}

// run computes each λ, and the errors of the probit over the box to which λ is fitted.
func (f fits) run(ctx context.Context) (table.Tables, error) {
	t := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Num("rho", "correlation ρ"),
		table.Text("criterion", "the word that chooses λ in manifests: slope matches the slope at the origin, "+
			"lsq minimises the mean square error, minimax the largest error"),
		table.Num("lambda", "slope λ of the probit"),
		table.Num("rms", "root mean square error of p, for logits uniform on [−3, 3] without variance"),
		table.Num("max", "largest error of a probability, for logits in [−3, 3] without variance"),
		table.Num("rms_ratio", "rms divided by the rms of slope matching"))
	var matched float64 // rms error for the first criterion, slope
	for _, word := range slope.Criteria {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lambda := slope.Lambda{Word: word}.Value(f.Classes, f.Rho)
		rms, largest := slope.BoxErrors(softmax.Probit{Lambda: lambda, Rho: f.Rho}, f.Classes)
		matched = cmp.Or(matched, rms)
		t.Add(f.Classes, f.Rho, word, lambda, rms, largest, rms/matched)
	}
	return table.Tables{t}, nil
}

// allMoments are p, Σ_y and Σ_zy, with NaN where a method does not give them.
type allMoments struct {
	*softmax.Moments
	cov     *mat.SymDense // Σ_y
	reduced *mat.SymDense // Σ_y without the last class, which the paper leaves out
	cross   *mat.Dense    // Σ_zy
	factor  linalg.Cholesky
}

func newMoments(n int) *allMoments {
	cov, reduced, cross := mat.NewSymDense(n, nil), mat.NewSymDense(n-1, nil), mat.NewDense(n, n, nil)
	return &allMoments{Moments: softmax.NewMoments(n), cov: cov, reduced: reduced, cross: cross}
}

// compute sets m to the moments of z by a [softmax.Approximation] or a closed form.
func (m *allMoments) compute(formula any, z logits) {
	switch f := formula.(type) {
	case meanfield.Method:
		f.Moments(m.P, m.cov, m.cross, z.Mean, z.Variance)
	case softmax.Approximation:
		f.Moments(m.Moments, z.Mean, z.Variance)
		m.derive(z)
	}
}

// sign returns −1 if an eigenvalue of Σ_y without the last class is negative by more than accuracy and the
// rounding error of sign, 1 if all eigenvalues are positive by more, and 0 otherwise.
func (m *allMoments) sign(accuracy float64) int {
	const rounding = 1e-12 // rounding error relative to the trace
	m.reduced.CopySym(m.cov)
	slack := math.Max(accuracy, rounding*math.Abs(mat.Trace(m.reduced)))
	for sign, shift := range []float64{slack, -slack} {
		for i := range m.reduced.SymmetricDim() {
			m.reduced.SetSym(i, i, m.cov.At(i, i)+shift)
		}
		if !m.factor.Factorize(m.reduced) {
			return sign - 1
		}
	}
	return 1
}

// exact compares all methods with the exact moments of the same logits, computed once. Monte Carlo counts as
// a method, with its own random numbers.
func (s spec) exact(ctx context.Context) (table.Tables, error) {
	if s.Problem.Given != nil {
		return s.given(ctx)
	}
	n, draws := s.Problem.Classes, s.Problem.Draws
	var methods []*momentErrors
	for _, m := range s.Methods {
		f := m.formula(n)
		methods = append(methods, &momentErrors{formula: f, draws: draws, key: s.row(m), accuracy: accuracy(f, n)})
	}
	sampled := min(draws, 20, max(2, 40_000/(n*n))) // the time of Monte Carlo grows with n²
	for _, samples := range s.Samples {
		a := montecarlo.Softmax{Samples: samples, Source: s.Stream(s.Problem.key(), "montecarlo", samples)}
		key := s.row(method{Name: fmt.Sprintf("monte-carlo-%d", samples)})
		methods = append(methods, &momentErrors{formula: a, draws: sampled, key: key, accuracy: accuracy(a, n)})
	}
	rnd, want, got := s.logits(), newMoments(n), newMoments(n)
	for k := range draws {
		z := s.Problem.draw(rnd)
		want.compute(softmax.Exact{}, z)
		for _, e := range methods {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if k < e.draws {
				got.compute(e.formula, z)
				e.add(got, want, floats.Max(z.Variance))
			}
		}
	}
	t := table.New("errors", append(keyColumns(), errorColumns()...)...)
	for _, e := range methods {
		t.Add(e.key, e.row())
	}
	return table.Tables{t}, nil
}

// momentErrors are the errors of a formula, summed over draws of logits.
type momentErrors struct {
	formula any
	key     []any // first columns of the formula's row
	draws   int   // number of the first draws at which the formula is compared

	accuracy float64 // bounds the spectral-norm error of Σ_y as the matrix that it stands for

	tv                float64 // sum of the total variation of p
	cov, cross        ratio
	given, indefinite float64 // number of draws with a Σ_y, and with an indefinite one
}

func errorColumns() []table.Column {
	return []table.Column{
		table.Int("draws", "number of random logits at which the formula is compared"),
		table.Num("tv", "total variation of p, Σ|p − p_exact|/2, mean over the draws"),
		table.Num("cov_error", "relative error of Σ_y, in the Frobenius norm over all draws"),
		table.Num("cross_error", "relative error of Σ_zy, in the Frobenius norm over all draws"),
		table.Num("indefinite", "share of the draws where Σ_y without the last class is indefinite"),
	}
}

func (e *momentErrors) row() []float64 {
	n := float64(e.draws)
	return []float64{
		n, table.Finite(e.tv / n), table.Finite(e.cov.root()), table.Finite(e.cross.root()), e.indefinite / e.given,
	}
}

// covError bounds the spectral-norm error of Σ_y = diag(p) − ppᵀ − L of n classes for p and E with errors up
// to accuracy: a row of L has n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// accuracy bounds the spectral-norm error of the Σ_y of n classes as the matrix that the formula stands for.
func accuracy(formula any, n int) float64 {
	switch f := formula.(type) {
	case softmax.Exact:
		if f.Fast {
			return covError(n, 1e-8)
		}
	case softmax.ProbitCorr:
		if n > 5 { // by the lattice of package mvn
			return covError(n, 1e-5)
		}
	}
	return covError(n, softmax.MomentError)
}

// add adds the errors of got, where want is accurate to [softmax.MomentError]. The error of Σ_zy is at most
// that of E times the largest variance of a logit.
func (e *momentErrors) add(got, want *allMoments, largest float64) {
	n := len(got.P)
	noise := math.Sqrt(float64(n)) * covError(n, softmax.MomentError) // bounds the Frobenius norm
	e.tv += metric.TotalVariation(got.P, want.P)
	e.cov.add(got.cov, want.cov, noise)
	e.cross.add(got.cross, want.cross, noise*largest)
	if sum := kernel.Sum(got.cov.RawSymmetric().Data); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		if got.sign(e.accuracy) < 0 {
			e.indefinite++
		}
	}
}

// ratio has the sums of ‖A−B‖² and ‖B‖² over pairs of matrices in the Frobenius norm, and the sum of the
// squared errors that ‖B‖ may have.
type ratio struct{ difference, size, noise float64 }

func (r *ratio) add(a, b mat.Matrix, noise float64) {
	var difference, size float64
	rows, columns := b.Dims()
	for i := range rows {
		for j := range columns {
			x, y := a.At(i, j), b.At(i, j)
			difference += (x - y) * (x - y)
			size += y * y
		}
	}
	r.difference, r.size, r.noise = r.difference+difference, r.size+size, r.noise+noise*noise
}

// root returns √(Σ‖A−B‖²/Σ‖B‖²), NaN where Σ‖B‖² may be all error.
func (r *ratio) root() float64 {
	if !(r.size > r.noise) {
		return math.NaN()
	}
	return math.Sqrt(r.difference / r.size)
}
