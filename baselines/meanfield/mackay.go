package meanfield

import (
	"math"

	"closedform/core/softmax"
)

// probitSlope is λ² = π/8: Φ(λx) has the slope of the logistic function at zero.
const probitSlope = math.Pi / 8

// MacKay is the multi-class probit approximation: each logit is shrunk as in the
// binary case, on its own,
//
//	p = softmax(m_j / √(1 + πv_j/8))
//
// (MacKay 1992, "The evidence framework applied to classification networks", for
// two classes; Gibbs 1997, thesis, for more; Lu, Ie and Sha 2020, arXiv
// 2006.07584; Daxberger et al. 2021, "Laplace redux"). Σp = 1. It depends on the
// origin of the logits unless all variances are equal.
type MacKay struct {
	noCov
	noCross
}

// Moments implements [softmax.Approximation]; E is NaN.
func (MacKay) Moments(dst *softmax.Moments, mean, variance []float64) {
	checkLogits(len(dst.P), mean, variance)
	for j, v := range variance {
		dst.P[j] = mean[j] / math.Sqrt(1+probitSlope*v)
	}
	normalise(dst.P)
	setGaps(dst.E)
}
