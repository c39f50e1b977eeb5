package study

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/montecarlo"
	"closedform/core/bnn"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
)

// square is the grid of points at which networks are looked at: row by row, the
// first coordinate changing fastest.
type square struct {
	x           [][]float64
	class       []int // true classes, dataset.NoClass on a boundary
	all, coarse []int // indices of all points, and of those on every stride-th line
}

func newSquare(g dataset.Generator, points, stride int) *square {
	axis := g.Axis(points)
	s := &square{}
	for j, x2 := range axis {
		for i, x1 := range axis {
			if i%stride == 0 && j%stride == 0 {
				s.coarse = append(s.coarse, len(s.x))
			}
			s.all = append(s.all, len(s.x))
			x := []float64{x1, x2}
			s.x = append(s.x, x)
			s.class = append(s.class, g.Label(x))
		}
	}
	return s
}

// prediction is what a network says at one point of the square.
type prediction struct {
	point           int       // index into the square
	p, variance     []float64 // of the class probabilities
	label           []float64 // p/Σp, the distribution of the label that is scored
	logit, logitVar []float64 // means and variances of the logits
	excess          float64   // Σp − 1
	asymmetry       float64   // largest |E_ij − E_ji|
	check           *estimate // by Monte Carlo, nil where not checked
}

// estimate is the Monte Carlo counterpart of the moments of a prediction.
type estimate struct{ p, pErr, variance, varianceErr []float64 }

// momentError bounds the error of the moments of the probit, and of those of
// [softmax.Exact]: a variance this little below zero is zero.
const momentError = 1e-11

// negative reports whether a variance is negative beyond the accuracy of the
// moments.
func negative(variance float64) bool { return variance < -momentError }

// predict returns the predictions at the given points.
func (s *square) predict(n *bnn.Network, points []int) ([]prediction, error) {
	var out []prediction
	var got bnn.Prediction
	for _, i := range points {
		if err := n.Predict(&got, s.x[i]); err != nil {
			return nil, err
		}
		variance, label := make([]float64, len(got.P)), make([]float64, len(got.P))
		for j, p := range got.P {
			variance[j] = got.Cov.At(j, j)
			label[j] = p / (1 + got.Moments.Excess())
		}
		out = append(out, prediction{
			point: i, p: slices.Clone(got.P), variance: variance, label: label,
			logit: slices.Clone(got.Mean), logitVar: slices.Clone(got.Variance),
			excess: got.Moments.Excess(), asymmetry: got.Moments.Asymmetry(),
		})
	}
	return out, nil
}

// sample estimates the moments of the softmax by Monte Carlo at those of the
// given points that are among the predictions.
func sample(ctx context.Context, predictions []prediction, points []int, samples int, src rand.Source) error {
	e := montecarlo.NewEstimate(len(predictions[0].p))
	for i := range predictions {
		f := &predictions[i]
		if _, chosen := slices.BinarySearch(points, f.point); !chosen {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		e.Sample(f.logit, f.logitVar, samples, src)
		f.check = &estimate{slices.Clone(e.P), slices.Clone(e.PErr), slices.Clone(e.Var), slices.Clone(e.VarErr)}
	}
	return nil
}

// meanEntropy returns the predictive entropy, averaged over the predictions.
func meanEntropy(predictions []prediction) float64 {
	var sum float64
	for _, f := range predictions {
		sum += metric.Entropy(f.label)
	}
	return sum / float64(len(predictions))
}

// totalVariances returns Σ_j Var y_j of every prediction. Some of those of an
// approximation may be negative.
func totalVariances(predictions []prediction) []float64 {
	var total []float64
	for _, f := range predictions {
		total = append(total, floats.Sum(f.variance))
	}
	return total
}

// deviation summarises |approximation − Monte Carlo| over checked predictions
// and classes.
type deviation struct{ largest, sum, err, square, count float64 }

func (d *deviation) add(approximation, check, standardError []float64) {
	for j, a := range approximation {
		gap := math.Abs(a - check[j])
		d.largest = max(d.largest, gap)
		d.sum += gap
		d.err += standardError[j]
		d.square += gap*gap - standardError[j]*standardError[j]
		d.count++
	}
}

func (d *deviation) mean() float64 { return d.sum / d.count }

// meanErr returns the mean standard error of the Monte Carlo estimates, the
// noise in mean and largest.
func (d *deviation) meanErr() float64 { return d.err / d.count }

// rms returns the root mean square of approximation − truth: the variance of the
// Monte Carlo estimates, which is known, is taken off.
func (d *deviation) rms() float64 { return math.Sqrt(max(0, d.square/d.count)) }
