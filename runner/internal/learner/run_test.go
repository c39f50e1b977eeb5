package learner

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
)

// In the first pass a run predicts each example before it learns it, and the test examples at every snapshot. After
// each pass that is scored it predicts the test examples, too. A method that learns all examples at once is scored after them.
func TestRun(t *testing.T) {
	var set data.Set
	for i, class := range []int{0, 1, 1, 1} {
		set.X, set.Class = append(set.X, []float64{float64(i)}), append(set.Class, class)
	}
	examples := dataset.NewExamples(set, 2)
	source := func() rand.Source { return rand.NewPCG(1, 2) }
	for keys, want := range map[string][2]string{`kind = "kalman"; passes = 3`: {"[0 1 1 1]", "[1:2 1:4 3:4]"}, `kind = "neighbours"`: {"[]", "[1:4]"}} {
		m := check.Must(decode(keys))
		var next []int
		var scored []string
		run := Training{Random: source, Snapshots: []int{2}, ScorePasses: []int{1, 3}}
		run.Observing = func(c *Classifier, x []float64, class int) {
			p := c.PredictNext(x)
			if next = append(next, class); len(next) == 1 {
				check.NearAll(t, "before the first example", p, check.Must(m.Learner(1, 2, source())).Probabilities([][]float64{x})[0], 0)
			}
		}
		run.Score = func(_ *Classifier, pass, k int, p [][]float64, class []int) {
			if scored = append(scored, fmt.Sprint(pass, ":", k)); len(p) != 4 || !slices.Equal(class, set.Class) {
				t.Errorf("%s: %d predictions of %v", keys, len(p), class)
			}
		}
		check.Must(run.Run(t.Context(), m, examples, examples))
		check.Equal(t, keys, [2]string{fmt.Sprint(next), fmt.Sprint(scored)}, want)
	}
}
