package own

import (
	"fmt"
	"math"

	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
)

// scores are the running scores of rows whose class is known.
type scores struct {
	rows, unknown int // rows, and those of them that were answered by unknown

	// The probabilities and the class of each row that could be predicted.
	p     [][]float64
	class []int
}

// add adds a row with its class, the answer, and the probabilities of the classes, NaN if it could not be
// predicted.
func (s *scores) add(class int, answer string, p []float64) {
	if s.rows++; answer == dataset.Unknown {
		s.unknown++
	}
	if !math.IsNaN(p[0]) {
		s.p, s.class = append(s.p, p), append(s.class, class)
	}
}

// String returns the scores in a line, empty if no row could be predicted.
func (s *scores) String() string {
	if s.p == nil {
		return ""
	}
	text := fmt.Sprintf("%d rows with a class: ", s.rows)
	for i, score := range learner.Scores(s.p, s.class) {
		text += fmt.Sprintf("%s %.4g, ", learner.ScoreNames[i], score)
	}
	return text + fmt.Sprintf("unknown %.4g", float64(s.unknown)/float64(s.rows))
}
