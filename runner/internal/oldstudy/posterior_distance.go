package study

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/posterior"
)

// reference is the predictive of the exact posterior at the points of a plane.
type reference struct {
	p                [][]float64
	tvNoise, klNoise float64
}

// newReference predicts from a sample. Its own noise is, with standard errors e_j
// of the P_j, in the total variation ½ Σ_j E|N(0, e_j²)|, and in the divergence
// ½ Σ_j e_j²/P_j: what a rule that is exact would be away from it.
func newReference(s *posterior.Sample, points *plane) (*reference, error) {
	var r reference
	var dst posterior.Prediction
	for i, x := range points.x {
		if err := s.Predict(&dst, x); err != nil {
			return nil, err
		}
		p := make([]float64, len(dst.P))
		copy(p, dst.P)
		r.p = append(r.p, p)
		for j, e := range dst.Err {
			r.tvNoise += points.weight[i] * e / math.Sqrt(2*math.Pi)
			if p[j] > 0 {
				r.klNoise += points.weight[i] * e * e / (2 * p[j])
			}
		}
	}
	return &r, nil
}

// distance returns the total variation ½ Σ_j |P_j − Q_j| and the Kullback–Leibler
// divergence Σ_j P_j log(P_j/Q_j), in nats, of predictions Q from the exact ones
// P, averaged over the plane. The latter is infinite where a Q_j is 0 and P_j is
// not.
func (r *reference) distance(q [][]float64, points *plane) (tv, kl float64) {
	for i, p := range r.p {
		var sum float64
		for j, pj := range p {
			tv += points.weight[i] * math.Abs(pj-q[i][j]) / 2
			if pj > 0 {
				sum += pj * math.Log(pj/q[i][j])
			}
		}
		kl += points.weight[i] * max(0, sum) // below 0 only by rounding
	}
	return tv, kl
}

// scores returns the error rate, the mean logarithmic loss in nats and the
// expected calibration error of predictions for labels that are drawn from the
// true probabilities, in expectation: no label is drawn. Points on a boundary
// take no part. A decision between equal probabilities is made by lot.
func (p *plane) scores(q [][]float64) (error, logLoss, calibration float64) {
	gap := make([]float64, calibrationBins) // Σ (right − confidence) in a bin
	var total float64
	for i, truth := range p.truth {
		if truth == nil {
			continue
		}
		w := p.weight[i]
		total += w
		top := floats.Max(q[i])
		var right, ties float64
		for j, t := range truth {
			if q[i][j] == top {
				right += t
				ties++
			}
			if t > 0 {
				logLoss -= w * t * math.Log(q[i][j])
			}
		}
		right /= ties
		error += w * (1 - right)
		gap[min(calibrationBins-1, int(top*calibrationBins))] += w * (right - top)
	}
	for _, g := range gap {
		calibration += math.Abs(g)
	}
	return error / total, logLoss / total, calibration / total
}
