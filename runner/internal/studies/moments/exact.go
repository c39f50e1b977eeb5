package moments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/moments/meanfield"
	"closedform/baselines/moments/montecarlo"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/internal/linalg"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// lambda returns the λ of each word, and its errors over a box of logits. Nothing is random.
func (s spec) lambda(ctx context.Context) (table.Set, error) {
	n, rho := s.Problem.Classes, s.Methods[0].Rho
	t := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Num("rho", "correlation ρ"),
		table.Text("criterion", "what chooses λ, as a word in manifests: "+
			"the slope at the origin, the mean square error (lsq) or the largest (minimax)"),
		table.Num("lambda", "slope λ of the probit"),
		table.Num("rms", "root mean square error of p, for logits uniform on [−3, 3] without variance"),
		table.Num("max", "largest error of a probability there"),
		table.Num("rms_ratio", "rms divided by the rms of slope matching"))
	var matched float64
	for _, word := range softmax.Criteria {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lambda := probit.Lambda{Word: word}.Value(n, rho)
		rms, largest := softmax.Probit{Lambda: lambda, Rho: rho}.BoxErrors(n)
		if word == "slope" {
			matched = rms
		}
		t.Add(n, rho, word, lambda, rms, largest, rms/matched)
	}
	return table.Set{t}, nil
}

// allMoments are p, E, Σ_y and Σ_zy. Entries that a method does not give are NaN.
type allMoments struct {
	*softmax.Moments
	cov, reduced *mat.SymDense // Σ_y, and Σ_y without the last class, which the paper leaves out
	cross        *mat.Dense
	factor       linalg.Cholesky
}

// newMoments returns room for the moments of n classes.
func newMoments(n int) *allMoments {
	cov, reduced, cross := mat.NewSymDense(n, nil), mat.NewSymDense(n-1, nil), mat.NewDense(n, n, nil)
	return &allMoments{Moments: softmax.NewMoments(n), cov: cov, reduced: reduced, cross: cross}
}

// compute fills m by a.
func (m *allMoments) compute(a softmax.Approximation, z logits) {
	a.Moments(m.Moments, z.Mean, z.Variance)
	if other, ok := a.(*meanfield.Method); ok {
		other.Covariances(m.cov, m.cross, z.Mean, z.Variance)
		return
	}
	m.Cov(m.cov)
	m.Cross(m.cross, z.Variance)
}

// sign returns −1 if an eigenvalue of Σ_y without the last class is below zero by more than the error of Σ_y
// or the rounding of this test, 1 if all are above zero by more, and 0 if these decide.
func (m *allMoments) sign(accuracy float64) int {
	const rounding = 1e-12 // of the trace
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

// exact compares all methods with the exact moments of the same logits, which are computed once. Monte Carlo
// is a method with random numbers of its own.
func (s spec) exact(ctx context.Context) (table.Set, error) {
	n, draws := s.Problem.Classes, s.Problem.Draws
	var all []*momentErrors
	for _, m := range s.Methods {
		all = append(all, &momentErrors{of: m.approximation(n), draws: draws, key: s.row(m)})
	}
	sampled := min(draws, 20, max(2, 40_000/(n*n))) // the time of Monte Carlo grows with n²
	for _, samples := range s.Samples {
		a := montecarlo.Softmax{Samples: samples, Source: s.Stream(s.Problem.key(), "montecarlo", samples)}
		key := s.row(method{Name: fmt.Sprintf("monte-carlo-%d", samples)})
		all = append(all, &momentErrors{of: a, draws: sampled, key: key})
	}
	rnd, want, got := s.logits(), newMoments(n), newMoments(n)
	for k := range draws {
		z := s.Problem.draw(rnd)
		want.compute(softmax.Exact{}, z)
		for _, e := range all {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if k < e.draws {
				got.compute(e.of, z)
				e.add(got, want, floats.Max(z.Variance))
			}
		}
	}
	t := table.New("errors", append(keyColumns(), errorColumns()...)...)
	for _, e := range all {
		t.Add(e.key, e.row())
	}
	return table.Set{t}, nil
}

// momentErrors are the errors of an approximation over many draws.
type momentErrors struct {
	of     softmax.Approximation
	key    []any // of its row
	draws  int   // at which it is compared
	ratios [5]ratio

	asymmetry float64 // mean of the largest |E_ij − E_ji|
}

func errorColumns() []table.Column {
	return []table.Column{
		table.Int("draws", "random logits"),
		table.Num("tv", "total variation of p, Σ|p − p_exact|/2, mean over the draws"),
		table.Num("tv_se", "its standard error"),
		table.Num("cov_error", "relative error of Σ_y, in the Frobenius norm over all draws"),
		table.Num("cov_se", "its standard error"),
		table.Num("cross_error", "relative error of Σ_zy, there"), table.Num("cross_se", "its standard error"),
		table.Num("excess", "mean of |Σp − 1|"),
		table.Num("asymmetry", "mean of the largest |E_ij − E_ji|"),
		table.Num("indefinite", "share of the draws where Σ_y without the last class is indefinite"),
	}
}

// row returns the values of errorColumns. What the approximation does not give, or what is infinite, is NaN.
func (e *momentErrors) row() []float64 {
	row := []float64{float64(e.draws)}
	for i, r := range e.ratios {
		q, err := r.value()
		if (i == 1 || i == 2) && q > 0 {
			q = math.Sqrt(q)
			err /= 2 * q
		}
		if row = append(row, table.Finite(q)); i < 3 {
			row = append(row, table.Finite(err))
		}
	}
	return slices.Insert(row, len(row)-1, table.Finite(e.asymmetry))
}

// covError bounds the error of Σ_y = diag(p) − ppᵀ − L of n classes, in the spectral norm, where that of
// p and E is bounded by accuracy: a row of L has n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// add adds the errors of the moments got where want are right, to [softmax.MomentError]. The error of Σ_zy is
// at most that of E times the largest variance of a logit.
func (e *momentErrors) add(got, want *allMoments, largest float64) {
	n, distance := len(got.P), 0.0
	for j, p := range got.P {
		distance += 0.5 * math.Abs(p-want.P[j])
	}
	noise := math.Sqrt(float64(n)) * covError(n, softmax.MomentError) // in the Frobenius norm
	e.ratios[0].add(distance, 1)
	e.ratios[1].addMatrix(got.cov, want.cov, noise)
	e.ratios[2].addMatrix(got.cross, want.cross, noise*largest)
	e.ratios[3].add(math.Abs(got.Excess()), 1)
	e.asymmetry += got.Asymmetry() / float64(e.draws)
	if sum := kernel.Sum(got.cov.RawSymmetric().Data); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		accuracy, indefinite := softmax.MomentError, 0.0
		if e.of == (softmax.Exact{Fast: true}) {
			accuracy = 1e-8
		}
		if got.sign(covError(n, accuracy)) < 0 {
			indefinite = 1
		}
		e.ratios[4].add(indefinite, 1)
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
