package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const (
	step  = 1.0 / 512        // rounded inputs are multiples of it
	limit = 32               // largest absolute value of rounded inputs
	floor = step * step / 12 // variance of the rounding
	block = 32               // number of examples that are added to Σxxᵀ at once
)

// round sets dst to x, limited to ±32 and rounded to multiples of 2⁻⁹, and reports whether a number was
// limited.
func round(dst, x []float64) (limited bool) {
	for i, v := range x {
		limited = limited || math.Abs(v) > limit
		dst[i] = math.RoundToEven(max(-limit, min(limit, v))/step)*step + 0 // + 0 turns −0 into 0
	}
	return limited
}

// totals are the sums over the examples. Products of rounded inputs are multiples of 2⁻¹⁸ up to 2¹⁰, so that
// sums over up to 2²⁵ examples have 53 bits: they are exact, in any order.
type totals struct {
	inputs  int
	pooled  bool              // one Σxxᵀ for all classes
	counts  []float64         // number of examples of each class
	sums    [][]float64       // Σx of each class
	squares []linalg.Triangle // Σxxᵀ, one for all classes or one for each class
	waiting [][]float64       // for each Σxxᵀ, the examples that are not yet added
}

func (t *totals) addClass() {
	t.sums, t.counts = append(t.sums, make([]float64, t.inputs)), append(t.counts, 0)
	if !t.pooled || t.squares == nil {
		t.squares, t.waiting = append(t.squares, linalg.NewTriangle(t.inputs)), append(t.waiting, nil)
	}
}

// add adds count examples of a class with the inputs x. It is exact for rounded inputs and a count of 1.
func (t *totals) add(x []float64, class int, count float64) {
	t.counts[class] += count
	kernel.AddScaled(t.sums[class], count, x)
	k := class % len(t.squares)
	waiting := append(t.waiting[k], x...)
	if count != 1 {
		floats.Scale(math.Sqrt(count), waiting[len(waiting)-t.inputs:])
	}
	if t.waiting[k] = waiting; len(waiting) == block*t.inputs {
		t.flush(k)
	}
}

// flush adds the waiting examples to square k. As sums of rounded inputs are exact, it does not matter when.
func (t *totals) flush(k int) {
	t.squares[k].AddOuter(1, t.waiting[k])
	t.waiting[k] = t.waiting[k][:0]
}

func (t *totals) clone() totals {
	c := *t
	c.counts, c.sums, c.squares, c.waiting = slices.Clone(t.counts), slices.Clone(t.sums), nil, nil
	for i, sum := range t.sums {
		c.sums[i] = slices.Clone(sum)
	}
	for k := range t.squares {
		t.flush(k)
		c.squares, c.waiting = append(c.squares, slices.Clone(t.squares[k])), append(c.waiting, nil)
	}
	return c
}

func (t *totals) examples() int { return int(kernel.Sum(t.counts)) }

// moments are what the Gaussians and the ridge regression need to know of all examples.
type moments struct {
	n       []float64   // n_c, the number of examples of each class
	mean    [][]float64 // mean m_c of each class; 0 without examples
	total   float64     // number N of all examples
	center  []float64   // mean x̄ of all examples
	squares []linalg.Triangle
}

func (t *totals) moments() *moments {
	m := &moments{squares: t.squares, center: make([]float64, t.inputs)}
	for k := range t.squares {
		t.flush(k)
	}
	for c, sum := range t.sums {
		n, mean := t.counts[c], make([]float64, t.inputs)
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

// divided returns the moments with all numbers of examples divided.
func (m *moments) divided(by float64) *moments {
	d := &moments{slices.Clone(m.n), m.mean, m.total / by, m.center, nil}
	for c := range d.n {
		d.n[c] /= by
	}
	for _, s := range m.squares {
		s = slices.Clone(s)
		floats.Scale(1/by, s)
		d.squares = append(d.squares, s)
	}
	return d
}

// merged returns the moments of all examples as those of one class.
func (m *moments) merged() *moments {
	return &moments{[]float64{m.total}, [][]float64{m.center}, m.total, m.center, m.squares}
}

func (m *moments) only(c int) *moments {
	return &moments{m.n[c : c+1], m.mean[c : c+1], m.n[c], m.mean[c], m.squares[c : c+1]}
}

// scatter returns Σ_c S_c, where S_c = Σ(x − m_c)(x − m_c)ᵀ = Σxxᵀ − n_c m_c m_cᵀ.
func (m *moments) scatter() linalg.Triangle {
	sum := linalg.NewTriangle(len(m.center))
	for _, s := range m.squares {
		kernel.AddScaled(sum, 1, s)
	}
	for i := range m.center {
		for c, mean := range m.mean {
			if m.n[c] > 0 {
				kernel.AddScaled(sum.Row(i), -m.n[c]*mean[i], mean)
			}
		}
	}
	return sum
}
