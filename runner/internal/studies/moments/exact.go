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
	for _, word := range slope.Criteria {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lambda := slope.Lambda{Word: word}.Value(n, rho)
		rms, largest := slope.BoxErrors(softmax.Probit{Lambda: lambda, Rho: rho}, n)
		matched = cmp.Or(matched, rms) // of slope, the first
		t.Add(n, rho, word, lambda, rms, largest, rms/matched)
	}
	return table.Set{t}, nil
}

// allMoments are p, Σ_y and Σ_zy, with NaN where a method does not give them.
type allMoments struct {
	*softmax.Moments
	cov     *mat.SymDense // Σ_y, whose data have both triangles
	reduced *mat.SymDense // Σ_y without the last class, which the paper leaves out
	cross   *mat.Dense
	factor  linalg.Cholesky
}

func newMoments(n int) *allMoments {
	cov, reduced, cross := mat.NewSymDense(n, nil), mat.NewSymDense(n-1, nil), mat.NewDense(n, n, nil)
	return &allMoments{Moments: softmax.NewMoments(n), cov: cov, reduced: reduced, cross: cross}
}

func (m *allMoments) compute(a softmax.Approximation, z logits) {
	if other, ok := a.(*meanfield.Method); ok {
		other.Covariances(m.P, m.cov, m.cross, z.Mean, z.Variance)
	} else {
		a.Moments(m.Moments, z.Mean, z.Variance)
		m.Cov(m.cov)
		m.Cross(m.cross, z.Variance)
	}
	all, n := m.cov.RawSymmetric().Data, len(m.P)
	for i := range n {
		for j := range i {
			all[i*n+j] = all[j*n+i]
		}
	}
}

// sign returns −1 if an eigenvalue of Σ_y without the last class is negative by more than the error of Σ_y or
// the rounding of this test, 1 if all are positive by more, and 0 in between.
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

// exact compares all methods with the exact moments of the same logits, computed once. Monte Carlo counts as
// a method, with its own random numbers.
func (s spec) exact(ctx context.Context) (table.Set, error) {
	n, draws := s.Problem.Classes, s.Problem.Draws
	var all []*momentErrors
	for _, m := range s.Methods {
		all = append(all, &momentErrors{formula: m.approximation(n), draws: draws, key: s.row(m)})
	}
	sampled := min(draws, 20, max(2, 40_000/(n*n))) // the time of Monte Carlo grows with n²
	for _, samples := range s.Samples {
		a := montecarlo.Softmax{Samples: samples, Source: s.Stream(s.Problem.key(), "montecarlo", samples)}
		key := s.row(method{Name: fmt.Sprintf("monte-carlo-%d", samples)})
		all = append(all, &momentErrors{formula: a, draws: sampled, key: key})
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
				got.compute(e.formula, z)
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

type momentErrors struct {
	formula softmax.Approximation
	key     []any // of its row
	draws   int   // at which it is compared

	tv                float64 // sum of the total variation of p
	cov, cross        ratio
	given, indefinite float64 // how many Σ_y there are, and indefinite ones
}

func errorColumns() []table.Column {
	return []table.Column{
		table.Int("draws", "random logits"),
		table.Num("tv", "total variation of p, Σ|p − p_exact|/2, mean over the draws"),
		table.Num("cov_error", "relative error of Σ_y, in the Frobenius norm over all draws"),
		table.Num("cross_error", "relative error of Σ_zy, there"),
		table.Num("indefinite", "share of the draws where Σ_y without the last class is indefinite"),
	}
}

func (e *momentErrors) row() []float64 {
	n := float64(e.draws)
	row := []float64{n, e.tv / n, e.cov.root(), e.cross.root(), e.indefinite / e.given}
	for i, x := range row {
		row[i] = table.Finite(x)
	}
	return row
}

// covError bounds the spectral-norm error of Σ_y = diag(p) − ppᵀ − L of n classes for p and E with errors up
// to accuracy: a row of L has n−1 entries E_ij, and their sum on the diagonal.
func covError(n int, accuracy float64) float64 { return float64(2*n+1) * accuracy }

// add adds the errors of got, where want is accurate to [softmax.MomentError]. The error of Σ_zy is at most
// that of E times the largest variance of a logit.
func (e *momentErrors) add(got, want *allMoments, largest float64) {
	n := len(got.P)
	noise := math.Sqrt(float64(n)) * covError(n, softmax.MomentError) // in the Frobenius norm
	e.tv += metric.TotalVariation(got.P, want.P)
	e.cov.add(got.cov.RawSymmetric().Data, want.cov.RawSymmetric().Data, noise)
	e.cross.add(got.cross.RawMatrix().Data, want.cross.RawMatrix().Data, noise*largest)
	if sum := kernel.Sum(got.cov.RawSymmetric().Data); !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		e.given++
		accuracy := softmax.MomentError
		if e.formula == (softmax.Exact{Fast: true}) {
			accuracy = 1e-8
		}
		if got.sign(covError(n, accuracy)) < 0 {
			e.indefinite++
		}
	}
}

// ratio is Σ‖A−B‖² and Σ‖B‖² in the Frobenius norm, and the part of the latter that may be error.
type ratio struct{ a, b, noise float64 }

func (r *ratio) add(got, want []float64, noise float64) {
	var a, b float64
	for i, y := range want {
		a += (got[i] - y) * (got[i] - y)
		b += y * y
	}
	r.a, r.b, r.noise = r.a+a, r.b+b, r.noise+noise*noise
}

// root returns √(Σ‖A−B‖²/Σ‖B‖²), NaN where Σ‖B‖² may be all error.
func (r *ratio) root() float64 {
	if !(r.b > r.noise) {
		return math.NaN()
	}
	return math.Sqrt(r.a / r.b)
}
