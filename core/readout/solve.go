package readout

import (
	"math"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// solution is what follows from the sums. What it refers to does not change.
type solution struct {
	moments    *moments
	ridge      *ridge
	outputs    *gaussians // on the outputs of the ridge regression
	inputs     *gaussians
	density    *gaussians // on the inputs, with ν for their densities
	background *gaussians // one of all examples
	reference  *reference // of Familiarity
}

// solve returns the solution, with what predictions need or with all.
func (l *Layer) solve(all bool) solution {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := &l.solved
	if s.moments == nil {
		s.moments = l.moments()
	}
	m := s.moments
	if s.ridge == nil && (all || l.cfg.Kind == Ridge) {
		s.ridge, s.outputs = l.fitRidge(m)
	}
	if s.inputs == nil && l.cfg.Kind == Gaussian {
		s.inputs, _ = fitGaussians(m, l.sample(), false)
	}
	if s.density == nil && all {
		s.background = m.shared([]float64{m.total}, [][]float64{m.center})
		if l.cfg.Kind == Gaussian {
			s.density, _ = fitGaussians(m, l.sample(), true)
		} else {
			s.density = m.shared(m.n, m.mean)
		}
		s.reference = l.newReference(l.keptScores(s))
	}
	return *s
}

// moments are the sums of examples with their means.
type moments struct {
	n       []float64 // of each class
	mean    [][]float64
	squares [][]float64 // of each class, or of all
	total   float64
	center  []float64 // the mean of all
	shares  []float64 // logarithms of the shares of the classes, −∞ without examples
}

func (t *totals) moments() *moments {
	m := &moments{center: make([]float64, t.inputs), shares: logShares(t.counts)}
	for _, s := range t.squares {
		s.flush(t.inputs)
		m.squares = append(m.squares, s.sum)
	}
	for c, sum := range t.sums {
		n, mean := float64(t.counts[c]), make([]float64, t.inputs)
		if n > 0 {
			kernel.AddScaled(mean, 1/n, sum)
		}
		kernel.AddScaled(m.center, 1, sum)
		m.n, m.mean, m.total = append(m.n, n), append(m.mean, mean), m.total+n
	}
	for i := range m.center {
		m.center[i] /= m.total
	}
	return m
}

// logShares returns log(n_c/Σn).
func logShares(n []int) (shares []float64) {
	total := 0
	for _, n := range n {
		total += n
	}
	for _, n := range n {
		shares = append(shares, kernel.Log(float64(n)/float64(total)))
	}
	return shares
}

// scatter returns Σxxᵀ of the squares less Σ_c n_c m_c m_cᵀ, as an upper triangle.
func scatter(squares [][]float64, n []float64, mean [][]float64) []float64 {
	sum := make([]float64, len(squares[0]))
	for _, s := range squares {
		kernel.AddScaled(sum, 1, s)
	}
	rest := sum
	for i := range mean[0] {
		row := rest[:len(mean[0])-i]
		for c, m := range mean {
			if n[c] > 0 {
				kernel.AddScaled(row, -n[c]*m[i], m[i:])
			}
		}
		rest = rest[len(row):]
	}
	return sum
}

// trace returns that of an upper triangle of d rows.
func trace(a []float64, d int) (sum float64) {
	for i := range d {
		sum += a[0]
		a = a[d-i:]
	}
	return sum
}

// factorize factorises x·a + y·b + z·I of upper triangles of d rows; it returns nil if that is not
// positive definite.
func factorize(d int, x float64, a []float64, y float64, b []float64, z float64) *linalg.Cholesky {
	lower := make([]float64, d*d)
	for i := range d {
		for j := range d - i {
			lower[(i+j)*d+i] = float64(x*a[j]) + float64(y*b[j])
		}
		a, b = a[d-i:], b[d-i:]
		lower[i*d+i] += z
	}
	root := new(linalg.Cholesky)
	if !root.FactorizeLower(lower, d) {
		return nil
	}
	return root
}

// descend returns the fit of the smallest loss of those at start times powers of the factor, as long as each
// power is better than the one before, or no loss before was finite, and its loss.
func descend[T any](start, factor float64, fit func(x float64) (T, float64)) (best T, lowest float64) {
	best, lowest = fit(start)
	for _, f := range []float64{factor, 1 / factor} {
		moved := false
		for x := start * f; x > 1e-9 && x < 1e9; x *= f {
			next, loss := fit(x)
			if !(loss < lowest) {
				if math.IsInf(lowest, 1) {
					continue
				}
				break
			}
			best, lowest, moved = next, loss, true
		}
		if moved {
			break
		}
	}
	return best, lowest
}

// blocks calls do for 0 to n−1, several at once, with L⁻¹ of the d numbers that set sets.
func blocks(root *linalg.Cholesky, d, n int, set, do func(i int, z []float64)) {
	const together = 32
	linalg.Parallel((n+together-1)/together, func(block int) {
		first := block * together
		z := make([]float64, min(together, n-first)*d)
		each := func(do func(i int, z []float64)) {
			for i := range len(z) / d {
				do(first+i, z[i*d:][:d])
			}
		}
		each(set)
		root.Solve(z)
		each(do)
	})
}
