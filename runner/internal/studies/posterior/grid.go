package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
)

// grid has the points of a task with inputs uniform on a square. Averages are integrals over the square by
// the trapezoidal rule: border points have half the weight, corners a quarter.
type grid struct {
	*data.Grid
	weight []float64   // of the points, adding up to 1
	truth  [][]float64 // probabilities of the classes; nil on a boundary, where there is none
}

func newGrid(task *data.Task, points int) *grid {
	s := &grid{Grid: task.Region.Grid(points)}
	part := slices.Repeat([]float64{1 / float64(points-1)}, points)
	part[0], part[points-1] = 0.5/float64(points-1), 0.5/float64(points-1)
	for i, x := range s.Points {
		truth := make([]float64, task.Classes)
		if !task.Probabilities(truth, x) {
			truth = nil
		}
		s.truth = append(s.truth, truth)
		s.weight = append(s.weight, part[i%points]*part[i/points])
	}
	return s
}

// error returns the expected error rate over labels of the true probabilities. Points on a boundary are left
// out, and ties broken at random.
func (s *grid) error(q [][]float64) float64 {
	var wrong, total float64
	for i, truth := range s.truth {
		if truth == nil {
			continue
		}
		total += s.weight[i]
		top := floats.Max(q[i])
		var right, ties float64
		for j, t := range truth {
			if q[i][j] == top {
				right += t
				ties++
			}
		}
		wrong += s.weight[i] * (1 - right/ties)
	}
	return wrong / total
}

// predict returns the predictive of the exact posterior from a sample, and its noise, the expected total
// variation ½ Σ_j E|N(0, e_j²)| of an exact rule, with standard errors e_j.
func (s *grid) predict(sample *laplace.Sample) (p [][]float64, noise float64, err error) {
	p, stderr, err := sample.Predict(s.Points)
	for i := range p {
		for _, e := range stderr[i] {
			noise += s.weight[i] * e / math.Sqrt(2*math.Pi)
		}
	}
	return p, noise, err
}

func (s *grid) distance(p, q [][]float64) (tv float64) {
	for i := range p {
		for j, pj := range p[i] {
			tv += s.weight[i] * math.Abs(pj-q[i][j]) / 2
		}
	}
	return tv
}

// probit has the probabilities of the classes at given logits by the probit with ρ = ½ and slope λ: with φ, Φ
// of N(0, 1) and μ_j = √2 λz_j, p_j = ∫ φ(t−μ_j) Π_{i≠j} Φ(t−μ_i) dt by a trapezoidal rule with common nodes
// t, with Φ and φ/Φ interpolated in tables. For at most ten classes the relative error is below 1e-4 for
// probabilities above 1e-7; softmax.Probit is slower and more accurate.
type probit struct {
	scale      float64   // √2 λ in gaps
	cdf, mills []float64 // row r: at first + r gap/rows, and from there in gaps

	// Of the distances of the other classes from the best, in gaps: place and weight between rows; and p.
	at   []int
	w, p []float64
}

const (
	nodes = 24
	first = -6.0 // node, from the largest μ_j
	gap   = 0.5  // between nodes
	rows  = 128
	reach = 80 // columns, up to 34
)

func newProbit(classes int) *probit {
	q := &probit{
		scale: math.Sqrt2 * softmax.SlopeLambda(classes, 0.5) / gap,
		at:    make([]int, classes), w: make([]float64, classes), p: make([]float64, classes),
	}
	for r := range rows + 1 {
		for k := range reach {
			x := first + gap*(float64(k)+float64(r)/rows)
			q.cdf, q.mills = append(q.cdf, gauss.CDF(x)), append(q.mills, gauss.InverseMills(x))
		}
	}
	return q
}

// normalise replaces logits by probabilities.
func (q *probit) normalise(z []float64) {
	best, n := 0, 0
	for j, zj := range z {
		if zj > z[best] {
			best = j
		}
	}
	for j, zj := range z {
		if j != best {
			column := min(q.scale*(z[best]-zj), reach-nodes-1)
			k := int(column)
			row := (column - float64(k)) * rows
			q.at[n], q.w[n] = int(row)*reach+k, row-math.Trunc(row)
			n++
		}
	}
	product := [nodes]float64(q.cdf) // Π_i Φ(t−μ_i)
	kernel.Interpolate(&product, q.cdf, q.at[:n], q.w, reach)
	kernel.DotBetween(q.p, &product, q.mills, q.at[:n], q.w, reach)
	n, z[best] = 0, 1
	for j := range z {
		if j != best {
			z[j] = gap * q.p[n]
			z[best] -= z[j]
			n++
		}
	}
}
