package readout

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
	"closedform/internal/kernel"
)

const (
	precision  = 10.0      // Λ of a weight
	biasLambda = 1. / 1000 // Λ of the bias
	together   = 8         // examples by which P changes at once
	fresh      = 1 << 12   // examples between two solutions from the sums
	mostRecent = 500       // outputs kept
	firstFit   = 8         // examples before the first Gaussians on outputs
	memory     = 0.998     // of the evidence for a temperature, for each example
	leastProb  = 1e-300    // of a class, in logarithms
)

// temperatures are the τ of outputs in a sequence.
var temperatures = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24}

// sequence is a ridge regression that is up to date before each example, by recursive least squares. With
// z = (x, 1), one-hot labels y and Λ = diag(10, …, 10, 1/1000)
//
//	P = (Λ + Σzzᵀ)⁻¹,   W = P Σzyᵀ,   o = Wᵀz.
//
// An example changes them by k = Pz, h = 1 + zᵀk: W by k(y − o)ᵀ/h and P by −kkᵀ/h. The probabilities of n
// examples and c classes are s p_A + (1 − s) p_C with
//
//	p_A = Σ_τ ω_τ softmax(τo),   p_C = (nπ + 1/c)/(n + 1),
//
// where ω_τ ∝ exp ℓ_τ and π is of class Gaussians on the outputs of the last min(500, max(16, 2n/3)) examples,
// each of before the example was learned. They are fitted when n has grown by a quarter.
type sequence struct {
	p       []float64   // P of before the pending examples, a whole matrix
	pending [][]float64 // k/√h
	w       [][]float64 // of each class

	evidence []float64 // ℓ
	share    float64   // s
	recent   []labelled
	sample   []labelled // that the Gaussians are fitted to
	counts   []int      // examples of each class then
	fitted   *gaussians // nil before the first ones
	next     int        // number of examples at the next fit

	z, k                 []float64
	o, tempered, density []float64 // scratch space, and what Before has found:
	byTau, byFit, prob   []float64 // p_A, p_C and their mean
}

func newSequence(inputs int) *sequence {
	d := inputs + 1
	s := &sequence{
		p: make([]float64, d*d), evidence: make([]float64, len(temperatures)), share: 0.5, next: firstFit,
		z: make([]float64, d), k: make([]float64, d),
	}
	for i := range d {
		s.p[i*d+i] = 1 / precision
	}
	s.p[d*d-1], s.z[inputs] = 1/biasLambda, 1
	return s
}

// addClass adds a class whose outputs have been 0 so far.
func (s *sequence) addClass() {
	s.w = append(s.w, make([]float64, len(s.z)))
	for _, all := range [][]labelled{s.recent, s.sample} {
		for i := range all {
			all[i].x = append(all[i].x, 0)
		}
	}
	for _, v := range []*[]float64{&s.o, &s.tempered, &s.density, &s.byTau, &s.byFit, &s.prob} {
		*v = make([]float64, len(s.w))
	}
	if s.fitted != nil {
		s.counts = append(s.counts, 0)
		s.fit()
	}
}

// predict sets prob, and what learn needs, for rounded inputs x after n examples.
func (s *sequence) predict(x []float64, n int) {
	copy(s.z, x)
	for c, w := range s.w {
		s.o[c] = kernel.Dot(w, s.z)
	}
	clear(s.byTau)
	top, total := slices.Max(s.evidence), 0.0
	for t, tau := range temperatures {
		weight := kernel.Exp(s.evidence[t] - top)
		kernel.AddScaled(s.byTau, weight/s.temper(tau), s.tempered)
		total += weight
	}
	uniform := 1 / float64(len(s.w))
	for c := range s.byFit {
		s.byFit[c] = uniform
	}
	if s.fitted != nil {
		s.fitted.densities([][]float64{s.density}, s.tempered, [][]float64{s.o})
		s.fitted.softmax(s.byFit, s.density)
		for c, p := range s.byFit {
			s.byFit[c] = (float64(float64(n)*p) + uniform) / float64(n+1)
		}
	}
	for c := range s.prob {
		s.byTau[c] /= total
		s.prob[c] = float64(s.share*s.byTau[c]) + float64((1-s.share)*s.byFit[c])
	}
}

// temper sets tempered to exp τ(o − max o), and returns the sum.
func (s *sequence) temper(tau float64) (sum float64) {
	top := slices.Max(s.o)
	for c, o := range s.o {
		s.tempered[c] = kernel.Exp(tau * (o - top))
		sum += s.tempered[c]
	}
	return sum
}

// learn adds the example of the last predict, the one after n others.
func (s *sequence) learn(class, n int) {
	top := slices.Max(s.o)
	for t, tau := range temperatures {
		s.evidence[t] = float64(memory*s.evidence[t]) + float64(tau*(s.o[class]-top)) - kernel.Log(s.temper(tau))
	}
	a := 1 / float64(n+2)
	s.share = float64((1-a)*s.share*s.byTau[class]/max(s.prob[class], leastProb)) + a/2
	s.recent = append(s.recent, labelled{x: slices.Clone(s.o), class: class, count: 1})
	s.recent = s.recent[max(0, len(s.recent)-mostRecent):]

	d := len(s.z)
	whole := d &^ 3
	for i := 0; i < whole; i += 4 {
		kernel.Dot4((*[4]float64)(s.k[i:]), s.p[i*d:(i+4)*d], s.z)
	}
	for i := whole; i < d; i++ {
		s.k[i] = kernel.Dot(s.p[i*d:(i+1)*d], s.z)
	}
	for _, u := range s.pending {
		kernel.AddScaled(s.k, -kernel.Dot(u, s.z), u)
	}
	h := 1 + kernel.Dot(s.k, s.z)
	for c, w := range s.w {
		e := -s.o[c]
		if c == class {
			e++
		}
		kernel.AddScaled(w, e/h, s.k)
	}
	u, root := make([]float64, d), math.Sqrt(h)
	for i, k := range s.k {
		u[i] = k / root
	}
	if s.pending = append(s.pending, u); len(s.pending) == together {
		s.flush()
	}
}

// flush takes the pending examples into p, which stays symmetric to the bit.
func (s *sequence) flush() {
	d := len(s.z)
	for u := range slices.Chunk(s.pending, 4) {
		for i := range d {
			factors := [4]float64{-u[0][i], -u[1][i], -u[2][i], -u[3][i]}
			kernel.AddScaled4(s.p[i*d:(i+1)*d], &factors, u[0], u[1], u[2], u[3])
		}
	}
	s.pending = nil
}

// refit fits the Gaussians if it is time to, after n examples.
func (s *sequence) refit(n int, counts []int) {
	if n < s.next {
		return
	}
	s.next = max(n+1, (5*n+3)/4)
	s.sample = slices.Clone(s.recent[max(0, len(s.recent)-max(16, 2*n/3)):])
	s.counts = slices.Clone(counts)
	s.fit()
}

// fit fits the Gaussians to the sample. Each class weighs as much as all its examples.
func (s *sequence) fit() {
	weigh(s.sample, s.counts)
	s.fitted, _ = outputGaussians(s.sample, s.counts)
}

// solve sets P and W from the sums, with x̄ = Σx/(N + 1/1000) and M = Σxxᵀ − (N + 1/1000)x̄x̄ᵀ + 10·I:
//
//	P = ( M⁻¹      −M⁻¹x̄                     )
//	    ( −x̄ᵀM⁻¹   1/(N + 1/1000) + x̄ᵀM⁻¹x̄ )
func (s *sequence) solve(m *moments) {
	d, n := len(m.center), m.total+biasLambda
	center := slices.Clone(m.center)
	for i := range center {
		center[i] *= m.total / n
	}
	g := scatter(m.squares, []float64{n}, [][]float64{center})
	inverse := make([]float64, d*d) // rows of L⁻ᵀ
	for i := range d {
		inverse[i*d+i] = 1
	}
	factorize(d, 1, g, 0, g, precision).Solve(inverse)
	s.pending = nil
	bias := s.p[d*(d+1):]
	for i := range d {
		for j := i; j < d; j++ {
			v := kernel.Dot(inverse[i*d+j:(i+1)*d], inverse[j*d+j:(j+1)*d])
			s.p[i*(d+1)+j], s.p[j*(d+1)+i] = v, v
		}
	}
	for i := range d {
		bias[i] = -kernel.Dot(s.p[i*(d+1):][:d], center)
		s.p[i*(d+1)+d] = bias[i]
	}
	bias[d] = 1/n - kernel.Dot(bias[:d], center)
	for c, w := range s.w {
		sum := make([]float64, d)
		for i, mean := range m.mean[c] {
			sum[i] = m.n[c] * (mean - center[i])
		}
		for i := range d {
			w[i] = kernel.Dot(s.p[i*(d+1):][:d], sum)
		}
		w[d] = m.n[c]/n - kernel.Dot(center, w[:d])
	}
}

// Sequence is the state of the recursion of a layer with Config.Sequential. It depends on the order of the
// examples.
type Sequence struct {
	P        []float64 // the lower triangle, by rows of inputs + 1, of before the pending examples
	Pending  []float64 // of each pending example k/√h: inputs + 1 numbers
	W        []float64 // of each class inputs + 1 numbers
	Evidence []float64 // ℓ of each temperature
	Share    float64   // s
	Next     int       // number of examples at the next fit of the Gaussians

	Output      []float64 // of each recent example, from the oldest on: one number for each class
	Class       []int     // of each recent example
	Sample      []float64 // Output of the examples that the Gaussians are fitted to
	SampleClass []int
	SampleCount []int // number of examples of each class then; empty before the first fit
}

func (s *sequence) state() *Sequence {
	d := len(s.z)
	q := &Sequence{
		Pending: slices.Concat(s.pending...), W: slices.Concat(s.w...), Evidence: slices.Clone(s.evidence),
		Share: s.share, Next: s.next, SampleCount: slices.Clone(s.counts),
	}
	for i := range d {
		q.P = append(q.P, s.p[i*d:i*(d+1)+1]...)
	}
	for _, e := range s.recent {
		q.Output, q.Class = append(q.Output, e.x...), append(q.Class, e.class)
	}
	for _, e := range s.sample {
		q.Sample, q.SampleClass = append(q.Sample, e.x...), append(q.SampleClass, e.class)
	}
	return q
}

// restore sets the recursion to the state.
func (s *sequence) restore(q *Sequence) error {
	d, classes := len(s.z), len(s.w)
	fits := len(q.P) == d*(d+1)/2 && len(q.W) == classes*d && len(q.Evidence) == len(temperatures) &&
		len(q.Pending)%d == 0 && len(q.Pending) < together*d && len(q.Output) == classes*len(q.Class) &&
		len(q.Class) <= mostRecent && len(q.Sample) == classes*len(q.SampleClass) &&
		len(q.SampleClass) <= mostRecent && q.Share >= 0 && q.Share <= 1 &&
		(len(q.SampleCount) == classes && len(q.Sample) > 0 || len(q.SampleCount)+len(q.Sample) == 0)
	for _, class := range slices.Concat(q.Class, q.SampleClass) {
		fits = fits && class >= 0 && class < classes
	}
	if !fits {
		return fmt.Errorf("readout: a recursion of %d inverse covariances, %d pending, %d weights, %d evidences, "+
			"%d and %d outputs of %d and %d examples, share %g: these do not fit", len(q.P), len(q.Pending), len(q.W),
			len(q.Evidence), len(q.Output), len(q.Sample), len(q.Class), len(q.SampleClass), q.Share)
	}
	if err := finite(q.P, q.Pending, q.W, q.Evidence, q.Output, q.Sample); err != nil {
		return err
	}
	rest := q.P
	for i := range d {
		for j, v := range rest[:i+1] {
			s.p[i*d+j], s.p[j*d+i] = v, v
		}
		rest = rest[i+1:]
	}
	for u := range slices.Chunk(q.Pending, d) {
		s.pending = append(s.pending, slices.Clone(u))
	}
	for c, w := range s.w {
		copy(w, q.W[c*d:])
	}
	copy(s.evidence, q.Evidence)
	s.share, s.next = q.Share, q.Next
	for i, class := range q.Class {
		s.recent = append(s.recent, labelled{x: slices.Clone(q.Output[i*classes:][:classes]), class: class, count: 1})
	}
	for i, class := range q.SampleClass {
		s.sample = append(s.sample, labelled{x: slices.Clone(q.Sample[i*classes:][:classes]), class: class, count: 1})
	}
	s.counts = slices.Clone(q.SampleCount)
	if s.sample != nil {
		s.fit()
	}
	return nil
}

// Before implements [bnn.Sequential]. With Config.Sequential it sets dst to the prediction of the
// recursion, which takes no solution, and needs the layer for itself; else it is Predict.
func (l *Layer) Before(dst *bnn.Prediction, x []float64) error {
	if l.sequence == nil {
		return l.Predict(dst, x)
	}
	err := l.round(l.rounded, x)
	if err == nil {
		l.sequence.predict(l.rounded, l.examples())
	}
	l.fill(dst, l.sequence.prob, err)
	return err
}
