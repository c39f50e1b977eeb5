package study

import (
	"fmt"
	"math"
	"strings"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// choice is what became of the candidates of a method: the chosen one in words,
// and its logarithmic loss, NaN where there was nothing to choose.
type choice struct {
	text string
	loss float64
}

// choose returns the hyper-parameters of the candidate with the least logarithmic
// loss, the first of equals.
func choose(m *manifest.Method, loss func(hyper map[string]float64) (float64, error)) (map[string]float64, choice, error) {
	if len(m.Candidates) == 0 {
		return m.Hyper, choice{"", math.NaN()}, nil
	}
	best := choice{loss: math.Inf(1)}
	chosen := m.Candidates[0]
	for _, candidate := range m.Candidates {
		x, err := loss(m.With(candidate))
		if err != nil {
			return nil, choice{}, err
		}
		if x < best.loss {
			best.loss, chosen = x, candidate
		}
	}
	var words []string
	for i, key := range m.Tune {
		words = append(words, fmt.Sprintf("%s=%s", key, store.Float(chosen[i])))
	}
	best.text = strings.Join(words, " ")
	return m.With(chosen), best, nil
}
