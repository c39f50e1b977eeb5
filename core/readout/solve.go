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
		s.inputs, _ = fitGaussians(m, l.sample(m.n), false)
	}
	if s.density == nil && all {
		s.background = m.shared([]float64{m.total}, [][]float64{m.center})
		if l.cfg.Kind == Gaussian {
			s.density, _ = fitGaussians(m, l.sample(m.n), true)
		} else {
			s.density = m.shared(m.n, m.mean)
		}
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

func (l *Layer) moments() *moments {
	squares := make([][]float64, len(l.squares))
	for i, s := range l.squares {
		s.flush(l.cfg.Inputs)
		squares[i] = s.sum
	}
	return newMoments(l.counts, l.sums, squares)
}

func newMoments(counts []int, sums, squares [][]float64) *moments {
	m := &moments{squares: squares, center: make([]float64, len(sums[0]))}
	for c, sum := range sums {
		n := float64(counts[c])
		mean := make([]float64, len(sum))
		if n > 0 {
			kernel.AddScaled(mean, 1/n, sum)
		}
		kernel.AddScaled(m.center, 1, sum)
		m.n, m.mean, m.total = append(m.n, n), append(m.mean, mean), m.total+n
	}
	for i := range m.center {
		m.center[i] /= m.total
	}
	m.shares = logShares(m.n)
	return m
}

// logShares returns log(n_c/Σn).
func logShares(n []float64) (shares []float64) {
	total := kernel.Sum(n)
	for _, n := range n {
		shares = append(shares, kernel.Log(n/total))
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

// labelled is a kept example. Those of a class weigh as much as all its examples.
type labelled struct {
	x      []float64
	class  int
	weight float64
}

// sample returns the kept examples.
func (l *Layer) sample(n []float64) (all []labelled) {
	for c, kept := range l.kept {
		for _, e := range kept {
			all = append(all, labelled{e.x, c, n[c] / float64(len(kept))})
		}
	}
	return all
}

// blocks calls do for blocks of examples, several at once, with the number of the first and L⁻¹ of all.
func blocks(root *linalg.Cholesky, examples []labelled, do func(first int, z []float64)) {
	const together = 32
	linalg.Parallel((len(examples)+together-1)/together, func(i int) {
		first := i * together
		part := examples[first:min(first+together, len(examples))]
		z := make([]float64, 0, len(part)*len(part[0].x))
		for _, e := range part {
			z = append(z, e.x...)
		}
		root.Solve(z)
		do(first, z)
	})
}
