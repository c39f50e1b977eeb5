package readout

import (
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

var temperatures = [...]float64{1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24}

// sequence is a ridge regression that is up to date before each example, by recursive least squares. With z =
// (x, 1), one-hot labels y and Λ = diag(10, …, 10, 1/1000), P = (Λ + Σzzᵀ)⁻¹, W = P Σzyᵀ and o = Wᵀz. An
// example with k = Pz, h = 1 + zᵀk changes W by k(y − o)ᵀ/h and P by −kkᵀ/h. The probabilities of n examples
// and c classes are s p_A + (1 − s) p_C with p_A = Σ_τ ω_τ softmax(τo) and p_C = (nπ + 1/c)/(n + 1), where
// ω_τ ∝ exp ℓ_τ, and π is by class Gaussians on the test-then-train outputs of the last min(500, max(16,
// 2n/3)) examples, fitted whenever n has grown by a quarter.
type sequence struct {
	Sequence
	fitted *gaussians // nil before the first ones

	z, k               []float64
	known              bool                       // what follows is of z and the latest example
	o, tempered        []float64                  // scratch space, and what Before has found:
	sums               [len(temperatures)]float64 // Σ_c exp τ(o_c − max o)
	byTau, byFit, prob []float64                  // p_A, p_C and their mean
}

func newSequence(inputs int) *sequence {
	d := inputs + 1
	s := &sequence{z: make([]float64, d), k: make([]float64, d)}
	s.P, s.Evidence = make(triangle, d*(d+1)/2), make([]float64, len(temperatures))
	s.Share, s.Next, s.Pending = 0.5, firstFit, make([]float64, 0, together*d)
	for i := range d {
		s.p().row(i)[i] = 1 / precision
	}
	s.p().row(inputs)[inputs], s.z[inputs] = 1/biasLambda, 1
	return s
}

func (s *sequence) addClass() {
	s.W, s.known = append(s.W, make([]float64, len(s.z))...), false
	classes := len(s.o)
	for _, outputs := range []*[]float64{&s.Output, &s.Sample} {
		var wide []float64
		for row := range slices.Chunk(*outputs, max(1, classes)) {
			wide = append(append(wide, row...), 0)
		}
		*outputs = wide
	}
	for _, v := range []*[]float64{&s.o, &s.tempered, &s.byTau, &s.byFit, &s.prob} {
		*v = make([]float64, classes+1)
	}
	if s.fitted != nil {
		s.SampleCount = append(s.SampleCount, 0)
		s.fit()
	}
}

func (s *sequence) p() triangle { return s.P }

func (s *sequence) weights(c int) []float64 { return s.W[c*len(s.z):][:len(s.z)] }

// predict sets prob, and what learn needs, for rounded inputs x after n examples.
func (s *sequence) predict(x []float64, n int) {
	if s.known && slices.Equal(s.z[:len(x)], x) {
		return
	}
	copy(s.z, x)
	s.known = true
	for c := range s.o {
		s.o[c] = kernel.Dot(s.weights(c), s.z)
	}
	clear(s.byTau)
	top, total := slices.Max(s.Evidence), 0.0
	for t, tau := range temperatures {
		weight := kernel.Exp(s.Evidence[t] - top)
		s.sums[t] = s.temper(tau)
		kernel.AddScaled(s.byTau, weight/s.sums[t], s.tempered)
		total += weight
	}
	fitted := 0 // examples that count
	if s.fitted != nil {
		s.fitted.softmax(s.byFit, s.fitted.densities([]labelled{{x: s.o}}, false)[0])
		fitted = n
	}
	blend(s.byFit, fitted)
	for c := range s.prob {
		s.byTau[c] /= total
		s.prob[c] = float64(s.Share*s.byTau[c]) + float64((1-s.Share)*s.byFit[c])
	}
}

func (s *sequence) temper(tau float64) (sum float64) {
	top := slices.Max(s.o)
	for c, o := range s.o {
		s.tempered[c] = kernel.Exp(tau * (o - top))
		sum += s.tempered[c]
	}
	return sum
}

// learn adds the example of the last predict, after n others.
func (s *sequence) learn(class, n int) {
	top := slices.Max(s.o)
	for t, tau := range temperatures {
		s.Evidence[t] = float64(memory*s.Evidence[t]) + float64(tau*(s.o[class]-top)) - kernel.Log(s.sums[t])
	}
	a := 1 / float64(n+2)
	s.known = false
	s.Share = float64((1-a)*s.Share*s.byTau[class]/max(s.prob[class], leastProb)) + a/2
	s.Output, s.Class = append(s.Output, s.o...), append(s.Class, class)
	s.Output, s.Class = latest(s.Output, mostRecent*len(s.o)), latest(s.Class, mostRecent)

	d := len(s.z)
	s.p().times(s.k, s.z)
	for u := range slices.Chunk(s.Pending, d) {
		kernel.AddScaled(s.k, -kernel.Dot(u, s.z), u)
	}
	h := 1 + kernel.Dot(s.k, s.z)
	for c, o := range s.o {
		e := -o
		if c == class {
			e++
		}
		kernel.AddScaled(s.weights(c), e/h, s.k)
	}
	root := math.Sqrt(h)
	for _, k := range s.k {
		s.Pending = append(s.Pending, k/root)
	}
	if len(s.Pending) == together*d {
		s.p().add(-1, s.Pending, d)
		s.Pending = s.Pending[:0]
	}
}

func latest[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

func (s *sequence) refit(n int, counts []int) {
	if n < s.Next {
		return
	}
	s.Next = max(n+1, (5*n+3)/4)
	size := max(16, 2*n/3)
	s.Sample, s.SampleClass = slices.Clone(latest(s.Output, size*len(s.o))), slices.Clone(latest(s.Class, size))
	s.SampleCount = slices.Clone(counts)
	s.fit()
}

// fit fits the Gaussians to the sample. Each class weighs as much as all its examples.
func (s *sequence) fit() {
	var sample []labelled
	for i, class := range s.SampleClass {
		sample = append(sample, labelled{x: s.Sample[i*len(s.o):][:len(s.o)], class: class, count: 1})
	}
	weigh(sample, s.SampleCount)
	s.fitted, _ = outputGaussians(sample, s.SampleCount)
}

func (s *sequence) solve(t *totals) {
	d, p := len(s.z), s.p()
	t.flush(0)
	sum := make(triangle, len(p)) // Λ + Σzzᵀ
	copy(sum, t.squares[0])
	last := sum.row(d - 1)
	for c, x := range t.sums {
		kernel.AddScaled(last, 1, append(slices.Clone(x), float64(t.counts[c])))
	}
	last[d-1] += biasLambda
	for i := range d - 1 {
		sum.row(i)[i] += precision
	}
	inverse := make([]float64, d*d) // rows of L⁻ᵀ
	for i := range d {
		inverse[i*d+i] = 1
	}
	factorize(d, 1, sum, 0, sum, 0).Solve(inverse)
	for i := range d {
		row := p.row(i)
		for j := range row {
			row[j] = kernel.Dot(inverse[i*d+i:(i+1)*d], inverse[j*d+i:])
		}
	}
	s.Pending = s.Pending[:0]
	for c, x := range t.sums {
		p.times(s.weights(c), append(slices.Clone(x), float64(t.counts[c])))
	}
}

// Sequence is the state of the recursion of Config.Sequential. It depends on the order of the examples.
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

func (q Sequence) clone() Sequence {
	for _, v := range []*[]float64{&q.P, &q.Pending, &q.W, &q.Evidence, &q.Output, &q.Sample} {
		*v = append([]float64(nil), *v...)
	}
	for _, v := range []*[]int{&q.Class, &q.SampleClass, &q.SampleCount} {
		*v = slices.Clone(*v)
	}
	return q
}

func (s *sequence) restore(q Sequence) bool {
	d, classes := len(s.z), len(s.o)
	fits := len(q.P) == len(s.P) && len(q.W) == classes*d && len(q.Evidence) == len(temperatures) &&
		len(q.Pending)%d == 0 && len(q.Pending) < together*d && q.Share >= 0 && q.Share <= 1 &&
		len(q.Output) == classes*len(q.Class) && len(q.Class) <= mostRecent &&
		len(q.Sample) == classes*len(q.SampleClass) && len(q.SampleClass) <= mostRecent &&
		(len(q.SampleCount) == classes && len(q.Sample) > 0 || len(q.SampleCount)+len(q.Sample) == 0) &&
		finite(q.P, q.Pending, q.W, q.Evidence, q.Output, q.Sample)
	for _, class := range slices.Concat(q.Class, q.SampleClass) {
		fits = fits && class >= 0 && class < classes
	}
	if s.Sequence = q.clone(); fits && len(s.SampleCount) > 0 {
		s.fit()
	}
	return fits
}

// Before implements [bnn.Sequential]. With Config.Sequential it predicts by the recursion, without a
// solution, and is not safe for concurrent use; else it is Predict.
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
