package posterior

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
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

// scores returns the error rate, the mean log loss in nats and the expected calibration error of
// predictions, in expectation over labels of the true probabilities. Points on a boundary are left
// out. A decision between equal probabilities is made by lot.
func (s *grid) scores(q [][]float64) (error, logLoss, ece float64) {
	const bins = 15
	var gap [bins]float64 // Σ (right − confidence) in a bin
	var total float64
	for i, truth := range s.truth {
		if truth == nil {
			continue
		}
		w := s.weight[i]
		total += w
		top := floats.Max(q[i])
		var right, ties float64
		for j, t := range truth {
			if q[i][j] == top {
				right += t
				ties++
			}
			if t > 0 {
				logLoss -= w * t * kernel.Log(q[i][j])
			}
		}
		right /= ties
		error += w * (1 - right)
		gap[min(bins-1, int(top*bins))] += w * (right - top)
	}
	for _, g := range gap {
		ece += math.Abs(g)
	}
	return error / total, logLoss / total, ece / total
}

// predict returns the predictive of the exact posterior from a sample. Its own noise
// is, with standard errors e_j of the P_j, in the total variation ½ Σ_j E|N(0, e_j²)|,
// and in the divergence ½ Σ_j e_j²/P_j: what a rule that is exact would be away from it.
func (s *grid) predict(sample *laplace.Sample) (p [][]float64, tvNoise, klNoise float64, err error) {
	for i, x := range s.Points {
		q, stderr, err := sample.Predict(x)
		if err != nil {
			return nil, 0, 0, err
		}
		p = append(p, q)
		for j, e := range stderr {
			tvNoise += s.weight[i] * e / math.Sqrt(2*math.Pi)
			if q[j] > 0 {
				klNoise += s.weight[i] * e * e / (2 * q[j])
			}
		}
	}
	return p, tvNoise, klNoise, nil
}

// distance returns the total variation ½ Σ_j |P_j − Q_j| and the Kullback–Leibler
// divergence Σ_j P_j log(P_j/Q_j), in nats, of predictions Q from the exact ones P,
// averaged over the square. The latter is infinite where a Q_j is 0 and P_j is not.
func (s *grid) distance(p, q [][]float64) (tv, kl float64) {
	for i := range p {
		var sum float64
		for j, pj := range p[i] {
			tv += s.weight[i] * math.Abs(pj-q[i][j]) / 2
			if pj > 0 {
				sum += pj * kernel.Log(pj/q[i][j])
			}
		}
		kl += s.weight[i] * max(0, sum) // below 0 only by rounding
	}
	return tv, kl
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
