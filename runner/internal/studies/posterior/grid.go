package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/runner/internal/data"
)

// grid has the points of a task with inputs uniform on a square. Averages are integrals over the square by
// the trapezoidal rule: border points have half the weight, corners a quarter.
type grid struct {
	*data.Grid
	weight []float64   // weights of the points; their sum is 1
	truth  [][]float64 // true probabilities of the classes; nil for a point on a boundary
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

// errorRate returns the expected error rate of q outside of boundaries. Ties are broken at random.
func (s *grid) errorRate(q [][]float64) float64 {
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

// distance returns the total variation of p and q, averaged over the square.
func (s *grid) distance(p, q [][]float64) (tv float64) {
	for i := range p {
		for j, pj := range p[i] {
			tv += s.weight[i] * math.Abs(pj-q[i][j]) / 2
		}
	}
	return tv
}
