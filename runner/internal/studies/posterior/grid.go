package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/mlp"
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
	for i, x := range s.Points {
		q, stderr, err := sample.Predict(x)
		if err != nil {
			return nil, 0, err
		}
		p = append(p, q)
		for _, e := range stderr {
			noise += s.weight[i] * e / math.Sqrt(2*math.Pi)
		}
	}
	return p, noise, nil
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
	scale      float64     // √2 λ
	cdf, mills [][]float64 // row r: at first + r gap/rows, and from there in gaps

	z       []float64 // logits
	places  []place   // in the tables
	product []float64 // gap Π_i Φ(t−μ_i) at the nodes
}

// place is between two rows.
type place struct {
	row, column int
	part        float64 // of the second row
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
		scale: math.Sqrt2 * softmax.SlopeLambda(classes, 0.5),
		z:     make([]float64, classes), places: make([]place, classes), product: make([]float64, nodes),
	}
	for r := range rows + 1 {
		q.cdf, q.mills = append(q.cdf, make([]float64, reach)), append(q.mills, make([]float64, reach))
		for k := range reach {
			x := first + gap*(float64(k)+float64(r)/rows)
			q.cdf[r][k], q.mills[r][k] = gauss.CDF(x), gauss.InverseMills(x)
		}
	}
	return q
}

func (q *probit) setLogits(weights, x []float64) {
	per := len(weights) / len(q.z)
	for j := range q.z {
		w := weights[j*per : (j+1)*per]
		q.z[j] = kernel.Dot(w[:len(x)], x)
		if len(x) < per { // a bias
			q.z[j] += w[len(x)]
		}
	}
	q.integrate()
}

func (q *probit) integrate() {
	for b := range q.product {
		q.product[b] = gap
	}
	top := slices.Max(q.z)
	for j, z := range q.z {
		column := min(q.scale*(top-z)/gap, reach-nodes-1)
		k := int(column)
		row := (column - float64(k)) * rows
		r := int(row)
		part := row - float64(r)
		q.places[j] = place{r, k, part}
		low, product := q.cdf[r][k:][:nodes], q.product[:nodes]
		for b, x := range q.cdf[r+1][k:][:nodes] {
			product[b] *= low[b] + part*(x-low[b])
		}
	}
}

func (q *probit) probability(class int) float64 {
	s := q.places[class]
	p := kernel.Dot(q.product, q.mills[s.row][s.column:])
	return p + s.part*(kernel.Dot(q.product, q.mills[s.row+1][s.column:])-p)
}

// byProbit returns the predictive on the grid of the posterior with the probit likelihood, from the same
// draws, and its effective sample size. There is no predictive if an eighth of the draws or less is effective.
func (c *cell) byProbit(sample *laplace.Sample, x [][]float64, class []int) (p [][]float64, ess float64) {
	q, weights := newProbit(c.task.Classes), slices.Clone(sample.LogRatios)
	for i := range weights {
		likelihood := 1.0
		for k, x := range x {
			q.setLogits(sample.Draws.RawRowView(i), x)
			likelihood *= q.probability(class[k])
			if likelihood < 1e-100 || k == len(class)-1 {
				weights[i] += kernel.Log(likelihood)
				likelihood = 1
			}
		}
	}
	_, sum := mlp.Exponentials(weights)
	floats.Scale(1/sum, weights)
	if ess = 1 / kernel.Dot(weights, weights); !(ess > float64(c.Draws)/8) {
		return nil, ess
	}
	for _, x := range c.grid.Points {
		mean := make([]float64, c.task.Classes)
		for i, w := range weights {
			q.setLogits(sample.Draws.RawRowView(i), x)
			for j := range mean {
				mean[j] += w * q.probability(j)
			}
		}
		p = append(p, mean)
	}
	return p, ess
}
