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
	cdf, mills []float64 // rows/gap rows of Φ and φ/Φ at columns a gap apart, each a bit later

	// Of the distances of the other classes from the best: place, and weight of the next row.
	offset []int
	weight []float64
}

const (
	nodes   = 24   // a gap apart
	first   = -6.0 // node, from the largest μ_j
	gap     = 0.5
	rows    = 128
	columns = 80 // up to 34
)

func newProbit(classes int) *probit {
	q := &probit{
		scale:  math.Sqrt2 * softmax.SlopeLambda(classes, 0.5) / gap,
		offset: make([]int, classes-1), weight: make([]float64, classes-1),
	}
	for i := range (rows + 1) * columns {
		x := first + gap*(float64(i%columns)+float64(i/columns)/rows)
		q.cdf, q.mills = append(q.cdf, gauss.CDF(x)), append(q.mills, gauss.InverseMills(x))
	}
	return q
}

// normalise is a [laplace.Link].
func (q *probit) normalise(all [][]float64) {
	z := make([]float64, len(all))
	for i := range all[0] {
		best := 0
		for j, row := range all {
			if z[j] = row[i]; z[j] > z[best] {
				best = j
			}
		}
		z[0], z[best] = z[best], z[0]
		product := [nodes]float64(q.cdf) // of Φ(t−μ_i) of all classes
		for k, zk := range z[1:] {
			column := min(q.scale*(z[0]-zk), columns-nodes-1)
			row := (column - math.Trunc(column)) * rows
			o, w := int(row)*columns+int(column), row-math.Trunc(row)
			q.offset[k], q.weight[k] = o, w
			for i, low := range q.cdf[o:][:nodes] {
				product[i] *= low + w*(q.cdf[o+columns+i]-low)
			}
		}
		z[0] = 1
		for k, o := range q.offset {
			low, high := kernel.Dot(product[:], q.mills[o:]), kernel.Dot(product[:], q.mills[o+columns:])
			z[k+1] = gap * ((1-q.weight[k])*low + q.weight[k]*high)
			z[0] -= z[k+1]
		}
		z[0], z[best] = z[best], z[0]
		for j, row := range all {
			row[i] = z[j]
		}
	}
}
