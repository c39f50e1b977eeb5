package readout

import (
	"math"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

type solution struct {
	moments    *moments
	kept       []labelled
	classes    *gaussians // what predictions are made by, on the inputs or on the outputs
	ridge      *ridge
	outputs    *gaussians // on the outputs of the ridge regression
	density    *gaussians // on the inputs, with ν for their densities
	background *gaussians // one of all examples
	reference  *reference // of Familiarity
}

func (l *Layer) solve(complete bool) solution {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, onInputs := &l.solved, l.cfg.Kind == Gaussian
	if s.moments == nil {
		s.moments, s.kept = l.moments(l.counts), l.sample()
	}
	m := s.moments
	if s.ridge == nil && (complete || !onInputs) {
		s.ridge, s.outputs = fitRidge(m, s.kept, l.counts)
	}
	if s.classes == nil {
		if s.classes = s.outputs; onInputs {
			s.classes, _ = fitGaussians(m, s.kept, false)
		}
	}
	if s.reference == nil && complete {
		one := *m
		one.n, one.mean = []float64{m.total}, [][]float64{m.center}
		s.background = one.shared()
		if onInputs {
			s.density, _ = fitGaussians(m, s.kept, true)
		} else {
			s.density = m.shared()
		}
		s.reference = newReference(len(m.n), s.kept, s.scores(s.kept, true))
	}
	return *s
}

type moments struct {
	n       []float64 // of each class
	mean    [][]float64
	squares []triangle // of each class, or of all
	total   float64
	center  []float64 // the mean of all
	shares  []float64 // logarithms of the shares of the classes, −∞ without examples
}

func (t *totals) moments(counts []int) *moments {
	m, total := &moments{squares: t.squares, center: make([]float64, t.inputs)}, 0
	for k := range t.squares {
		t.flush(k)
	}
	for c, sum := range t.sums {
		n, mean := float64(t.counts[c]), make([]float64, t.inputs)
		if n > 0 {
			kernel.AddScaled(mean, 1/n, sum)
		}
		kernel.AddScaled(m.center, 1, sum)
		m.n, m.mean, m.total = append(m.n, n), append(m.mean, mean), m.total+n
		total += counts[c]
	}
	for _, n := range counts {
		m.shares = append(m.shares, kernel.Log(float64(n)/float64(total)))
	}
	for i := range m.center {
		m.center[i] /= m.total
	}
	return m
}

type triangle []float64

func (t triangle) row(i int) []float64 { return t[i*(i+1)/2:][:i+1] }

// add adds sign·xxᵀ for each row of x, d numbers, column by column such that they stay in the fastest cache.
func (t triangle) add(sign float64, x []float64, d int) {
	const columns = 128
	for from := 0; from < d; from += columns {
		for i := from; i < d; i++ {
			row, x := t.row(i)[from:min(i+1, from+columns)], x
			for ; len(x) >= 4*d; x = x[4*d:] {
				a, b, c, e := x[:d], x[d:], x[2*d:], x[3*d:]
				factors := [4]float64{sign * a[i], sign * b[i], sign * c[i], sign * e[i]}
				kernel.AddScaled4(row, &factors, a[from:], b[from:], c[from:], e[from:])
			}
			for ; len(x) > 0; x = x[d:] {
				kernel.AddScaled(row, sign*x[i], x[from:])
			}
		}
	}
}

func (t triangle) times(dst, x []float64) {
	d := len(dst)
	clear(dst)
	for i := range d {
		row, first := t.row(i), i&^3
		dst[i] = kernel.Dot(row, x)
		if first+4 > d {
			first = 0
		}
		kernel.AddScaled(dst[first:i], x[i], row[first:])
		if first > 0 && i%4 == 3 {
			factors := [4]float64(x[first:])
			kernel.AddScaled4(dst[:first], &factors, t.row(first), t.row(first+1), t.row(first+2), row)
		}
	}
}

func (t triangle) trace(d int) (sum float64) {
	for i := range d {
		sum += t.row(i)[i]
	}
	return sum
}

// scatter returns Σxxᵀ of the squares less Σ_c n_c m_c m_cᵀ.
func scatter(squares []triangle, n []float64, mean [][]float64) triangle {
	sum := make(triangle, len(squares[0]))
	for _, s := range squares {
		kernel.AddScaled(sum, 1, s)
	}
	for i := range mean[0] {
		for c, m := range mean {
			if n[c] > 0 {
				kernel.AddScaled(sum.row(i), -n[c]*m[i], m)
			}
		}
	}
	return sum
}

func factorize(d int, x float64, a triangle, y float64, b triangle, z float64) *linalg.Cholesky {
	lower := make([]float64, d*d)
	for i := range d {
		row, b := lower[i*d:], b.row(i)
		for j, a := range a.row(i) {
			row[j] = float64(x*a) + float64(y*b[j])
		}
		row[i] += z
	}
	root := new(linalg.Cholesky)
	if !root.FactorizeLower(lower, d) {
		return nil
	}
	return root
}

// descend returns the fit of smallest loss among those at start times powers of the factor, while each power
// improves on the one before, or no loss before was finite.
func descend[T any](start, factor float64, fit func(x float64) (T, float64)) (best T, lowest float64) {
	best, lowest = fit(start)
	for _, f := range []float64{factor, 1 / factor} {
		first := lowest
		for x := start * f; x > 1e-9 && x < 1e9; x *= f {
			next, loss := fit(x)
			if loss < lowest {
				best, lowest = next, loss
			} else if !math.IsInf(lowest, 1) {
				break
			}
		}
		if lowest < first {
			break
		}
	}
	return best, lowest
}

func blocks(n int, do func(first, last int)) {
	const together = 32
	if n <= together {
		do(0, n)
		return
	}
	linalg.Parallel((n+together-1)/together, func(k int) { do(k*together, min(n, (k+1)*together)) })
}

func matrix(rows, columns int) [][]float64 {
	all, numbers := make([][]float64, rows), make([]float64, rows*columns)
	for i := range all {
		all[i] = numbers[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return all
}
