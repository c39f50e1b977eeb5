package study

import "math"

// chance bounds, for a score that is not trusted, the probability of an estimate
// that is at least as far on its side of the value, if the value is right, and of
// one as far on the other. It needs no standard error, only that the samples are
// in [0, most], and is Hoeffding's (1963, Theorem 1): for the mean x of N
// independent samples in [0, 1] with expectation μ,
//
//	P(mean ≥ x) ≤ exp(−N K(x, μ)),   K(x, μ) = x ln(x/μ) + (1−x) ln((1−x)/(1−μ)).
//
// An event that never happened in N samples has (1−μ)^N. It is NaN for scores
// that are trusted or not bounded.
func (s mcScore) chance() float64 {
	if s.trusted() || s.most == 0 {
		return math.NaN()
	}
	// The value is known to momentError, and the mean may be off by rounding.
	unit := func(x float64) float64 { return min(max(x, 0), 1) }
	x, tolerance := unit(s.mc/s.most), momentError/s.most
	value := s.value / s.most
	if value < -tolerance || value > 1+tolerance {
		return 0 // no mean of such samples
	}
	mu := unit(min(max(x, value-tolerance), value+tolerance))
	return min(1, 2*math.Exp(-float64(s.samples)*relativeEntropy(x, mu)))
}

// relativeEntropy returns K(x, μ), that of Bernoulli distributions in nats.
func relativeEntropy(x, mu float64) float64 {
	part := func(x, mu float64) float64 {
		if x == 0 {
			return 0
		}
		return x * math.Log(x/mu)
	}
	return max(0, part(x, mu)+part(1-x, 1-mu))
}
