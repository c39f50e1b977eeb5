package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/runner/internal/data"
)

// grid has the points of a task whose inputs are uniform on a square. Averages over it are integrals over
// the square by the trapezoidal rule: points on its border have half the weight, corners a quarter.
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

// error returns the error rate of predictions, in expectation over labels of the true probabilities.
// Points on a boundary are left out. A decision between equal probabilities is made by lot.
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

// predict returns the predictive of the exact posterior from a sample, and its noise: with standard
// errors e_j, the total variation ½ Σ_j E|N(0, e_j²)| that a rule that is exact would be away from it.
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

// distance returns the total variation ½ Σ_j |P_j − Q_j| of predictions, averaged over the square.
func (s *grid) distance(p, q [][]float64) (tv float64) {
	for i := range p {
		for j, pj := range p[i] {
			tv += s.weight[i] * math.Abs(pj-q[i][j]) / 2
		}
	}
	return tv
}

// agreement compares a network of two classes with Huber's perceptron. It returns the total
// variation between the predictions of the two, each with what it has learned, averaged over the
// square; and with the beliefs of the network, the largest difference of p, and those of Cov(a, y)
// and Var y, averaged over the square and relative to Huber's. A network that has broken down has none.
func (m method) agreement(ours [][]float64, huber *method, s *grid) []float64 {
	var tv, pGap, crossGap, cross, varianceGap, variance float64
	theirs, lambda := huber.Probabilities(s.Points), m.network().Config().Softmax.(softmax.Probit).Lambda
	var own bnn.Prediction
	for i, x := range s.Points {
		w := s.weight[i]
		tv += w * math.Abs(ours[i][0]-theirs[i][0])
		if m.Steps().Failed || m.network().Predict(&own, x) != nil {
			pGap = math.NaN()
			continue
		}
		v := own.Variance[0] + own.Variance[1]
		p, huberCross, huberVariance := huberMoments(lambda, own.Mean[0]-own.Mean[1], v)
		pGap = max(pGap, math.Abs(own.P[0]-p))
		crossGap += w * math.Abs(v*own.Moments.E.At(0, 1)-huberCross)
		cross += w * huberCross
		varianceGap += w * math.Abs(own.Cov.At(0, 0)-huberVariance)
		variance += w * huberVariance
	}
	return []float64{tv, pGap, crossGap / cross, varianceGap / variance}
}

// huberMoments returns the moments that Huber's perceptron takes a step by, p,
// Cov(a, y) and Var y, for an activation a ~ N(m, v): see package perceptron.
func huberMoments(lambda, m, v float64) (p, cross, variance float64) {
	t := math.Sqrt(1 + lambda*lambda*v)
	xi := lambda * m / t
	p = gauss.CDF(xi)
	return p, v * lambda / t * gauss.PDF(xi), p * gauss.CDF(-xi) * (1 - 1/t)
}
