package readout

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/bnn"
	check "closedform/internal/checktest"
)

// before observes examples, each after its prediction, and returns the mean log loss.
func before(t *testing.T, l *Layer, examples []example) (loss float64) {
	t.Helper()
	var p bnn.Prediction
	for _, e := range examples {
		check.OK(t, l.Predict(&p, e.x))
		u := check.Must(l.Observe(e.x, e.class))
		check.Near(t, "LogP", u.LogP, math.Log(p.P[e.class]), 1e-12)
		loss -= u.LogP / float64(len(examples))
	}
	return loss
}

// The recursion is the regression on all examples so far; temperatures and share are by their definition.
func TestSequence(t *testing.T) {
	const d, classes = 6, 3
	examples := rounded(drawn(fresh+30, d, classes))
	l := check.Must(New(Config{Ridge, d, classes, true}))
	evidence, share := make([]float64, len(temperatures)), 0.5
	for i, e := range examples {
		check.OK(t, l.Predict(new(bnn.Prediction), e.x))
		s := l.sequence
		if i > 0 && (i < 40 || i%997 == 0 || i > fresh+25) {
			check.NearAll(t, "outputs", s.o, direct(examples[:i], classes, 10, 0.001, e.x), 1e-9)
		}
		byTau, total := make([]float64, classes), 0.0
		for k, tau := range temperatures {
			p, sum := make([]float64, classes), 0.0
			for c, o := range s.o {
				p[c] = math.Exp(tau * o)
				sum += p[c]
			}
			for c := range p {
				byTau[c] += math.Exp(evidence[k]) * p[c] / sum
			}
			total += math.Exp(evidence[k])
			evidence[k] = 0.998*evidence[k] + math.Log(p[e.class]/sum)
		}
		for c := range byTau {
			byTau[c] /= total
		}
		check.NearAll(t, "by temperatures", s.byTau, byTau, 1e-9)
		p := share*byTau[e.class] + (1-share)*s.byFit[e.class]
		check.Near(t, "probability", s.prob[e.class], p, 1e-9)
		share = (1-1/float64(i+2))*share*byTau[e.class]/p + 0.5/float64(i+2)
		check.Must(l.Observe(e.x, e.class))
	}
	check.Near(t, "share", l.sequence.Share, share, 1e-9)
	check.Equal(t, "outputs that are kept", len(l.sequence.Class), mostRecent)
}

// A stopped stream leaves the same state, to the bit.
func TestSequenceResumes(t *testing.T) {
	examples := drawn(fresh+100, 5, 4)
	c := Config{Ridge, 5, 3, true}
	whole, part := check.Must(New(c)), check.Must(New(c))
	rnd := rand.New(rand.NewPCG(1, 2))
	for i, e := range examples {
		if i == 300 {
			check.OK(t, whole.AddClass())
			check.OK(t, part.AddClass())
		}
		if e.class == 3 && i < 300 {
			e.class = 2
		}
		before(t, whole, []example{e})
		check.Must(part.Observe(e.x, e.class))
		if i < 40 || rnd.IntN(200) == 0 || i == 300 {
			predicted(t, part, e.x)
			part = check.Must(Restore(part.Config(), part.State()))
		}
	}
	check.Equal(t, "state", part.State(), whole.State())
	var p bnn.Prediction
	check.NoAllocs(t, "two predictions", func() {
		_ = whole.Predict(&p, examples[0].x)
		_ = whole.Predict(&p, examples[1].x)
	})

	spoilt := whole.State()
	spoilt.Sequence = nil
	check.Refuses(t, "none", check.Err(Restore(whole.Config(), spoilt)), "readout: a ")
	for name, spoil := range map[string]func(s *Sequence){
		"P": func(s *Sequence) { s.P = s.P[1:] },
		"infinite": func(s *Sequence) {
			s.P[0] += 2 * (math.Float64bits(math.Inf(1)) - math.Float64bits(whole.sequence.p[0]))
		},
		"NaN":     func(s *Sequence) { s.W[0] = math.NaN() },
		"pending": func(s *Sequence) { s.Pending = append(s.Pending, 1) },
		"class":   func(s *Sequence) { s.Class[0] = 4 },
		"sample":  func(s *Sequence) { s.SampleClass = nil },
		"share":   func(s *Sequence) { s.Share = math.NaN() },
	} {
		s := whole.State()
		spoil(s.Sequence)
		check.Refuses(t, name, check.Err(Restore(whole.Config(), s)), "readout: a ")
	}
}
