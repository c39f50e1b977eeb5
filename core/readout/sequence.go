package readout

import (
	"slices"

	"closedform/internal/kernel"
)

const (
	mostRecent = 500    // largest number of outputs that are kept
	firstFit   = 8      // number of examples at the first fit of the Gaussians
	memory     = 0.998  // factor by which each example discounts ℓ
	tiny       = 1e-300 // floor of probabilities in logarithms
)

var temperatures = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24}

// sequence predicts each example before it is learned, from the outputs o of a recursion. After n examples of
// c classes its probabilities are
//
//	p = s p_A + (1 − s) p_C,   p_A = Σ_τ ω_τ softmax(τo),   p_C = (nπ + 1/c)/(n + 1)
//
// where ω_τ ∝ exp ℓ_τ, and π is by class Gaussians on the outputs of the last min(500, max(16, 2n/3))
// examples, fitted whenever n has grown by a quarter. An example of class y changes ℓ_τ to
// 0.998 ℓ_τ + log softmax(τo)_y, and s to (1 − a) s p_A/p + a/2 with the probabilities of y and a = 1/(n + 2)
// (fixed share, Herbster and Warmuth 1998).
type sequence struct {
	recursion
	Sequence // the state without P, Pending and W, which the recursion has

	fitted *gaussians // Gaussians on the outputs; nil before the first fit

	known              bool                       // whether the fields below are up to date for z
	tempered           []float64                  // exp τ(o_c − max o)
	sums               [len(temperatures)]float64 // sum of tempered over the classes, for each τ
	byTau, byFit, prob []float64                  // p_A, p_C and p
	density, white     []float64                  // scratch space of predict
}

func newSequence(inputs int) *sequence {
	return &sequence{
		recursion: newRecursion(inputs),
		Sequence:  Sequence{Evidence: make([]float64, len(temperatures)), Share: 0.5, Next: firstFit},
	}
}

func (s *sequence) addClass() {
	classes := len(s.o)
	for _, outputs := range []*[]float64{&s.Output, &s.Sample} {
		var wide []float64
		for row := range slices.Chunk(*outputs, max(1, classes)) {
			wide = append(append(wide, row...), 0)
		}
		*outputs = wide
	}
	for _, v := range []*[]float64{&s.tempered, &s.byTau, &s.byFit, &s.prob, &s.density, &s.white} {
		*v = make([]float64, classes+1)
	}
	s.recursion.addClass()
	s.known = false
	if s.fitted != nil {
		s.SampleCount = append(s.SampleCount, 0)
		s.fit()
	}
}

// observe learns an example that the totals have already, and returns the logarithm of its probability before
// it is learned.
func (s *sequence) observe(x []float64, class int, t *totals) (logP float64) {
	n := t.examples()
	s.predict(x, n-1)
	logP = kernel.Log(max(s.prob[class], tiny))
	s.learn(class, n-1)
	s.update(class)
	if n >= s.Next {
		s.Next = max(n+1, (5*n+3)/4)
		size := max(16, 2*n/3)
		s.Sample = slices.Clone(latest(s.Output, size*len(s.o)))
		s.SampleClass, s.SampleCount = slices.Clone(latest(s.Class, size)), slices.Clone(t.counts)
		s.fit()
	}
	if n%fresh == 0 {
		s.solve(t)
	}
	return logP
}

// predict sets prob, and what learn needs, for rounded inputs x after n examples.
func (s *sequence) predict(x []float64, n int) {
	if s.known && slices.Equal(s.z[:len(x)], x) {
		return
	}
	s.output(x)
	s.known = true
	clear(s.byTau)
	top, best, total := slices.Max(s.o), slices.Max(s.Evidence), 0.0
	for t, tau := range temperatures {
		s.sums[t] = 0
		for c, o := range s.o {
			s.tempered[c] = kernel.Exp(tau * (o - top))
			s.sums[t] += s.tempered[c]
		}
		weight := kernel.Exp(s.Evidence[t] - best)
		kernel.AddScaled(s.byTau, weight/s.sums[t], s.tempered)
		total += weight
	}
	fitted := 0 // n of p_C: 0 before the first fit of the Gaussians
	if s.fitted != nil {
		s.fitted.setDensities([][]float64{s.density}, s.white, []example{{x: s.o}}, false)
		s.fitted.softmax(s.byFit, s.density)
		fitted = n
	}
	blend(s.byFit, fitted)
	for c := range s.prob {
		s.byTau[c] /= total
		s.prob[c] = float64(s.Share*s.byTau[c]) + float64((1-s.Share)*s.byFit[c])
	}
}

// learn updates ℓ, s and the outputs by the example of the last predict, after n others.
func (s *sequence) learn(class, n int) {
	top := slices.Max(s.o)
	for t, tau := range temperatures {
		s.Evidence[t] = float64(memory*s.Evidence[t]) + float64(tau*(s.o[class]-top)) - kernel.Log(s.sums[t])
	}
	a := 1 / float64(n+2)
	s.known = false
	s.Share = float64((1-a)*s.Share*s.byTau[class]/max(s.prob[class], tiny)) + a/2
	s.Output, s.Class = append(s.Output, s.o...), append(s.Class, class)
	s.Output, s.Class = latest(s.Output, mostRecent*len(s.o)), latest(s.Class, mostRecent)
}

func latest[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

func (s *sequence) fit() {
	examples := make([]example, len(s.SampleClass))
	for i, class := range s.SampleClass {
		examples[i] = example{x: s.Sample[i*len(s.o):][:len(s.o)], class: class, count: 1}
	}
	s.fitted, _ = sampleGaussians(newSample(examples, s.SampleCount))
}
