package metric

import (
	"math"
	"testing"

	check "closedform/internal/checktest"
)

var (
	p     = [][]float64{{0.7, 0.2, 0.1}, {0.3, 0.4, 0.3}, {0.25, 0.25, 0.5}, {0.9, 0.1, 0}}
	class = []int{0, 2, 2, 1}
)

func TestScoresByHand(t *testing.T) {
	check.Equal(t, "error", Error(p[:3], class[:3]), 1./3)
	check.Near(t, "log loss", LogLoss(p, class), -(math.Log(0.7)+math.Log(0.3)+math.Log(0.5)+math.Log(0.1))/4,
		1e-12)
	check.Near(t, "Brier", Brier(p, class),
		((0.09+0.04+0.01)+(0.09+0.16+0.49)+(0.0625+0.0625+0.25)+(0.81+0.81))/4, 1e-12)
	// Confidences 0.7 right, 0.4 wrong, 0.5 right, 0.9 wrong: four bins of ten.
	check.Near(t, "ECE", ECE(p, class, 10), (0.3+0.4+0.5+0.9)/4, 1e-12)
	// One bin: 2 right of 4, mean confidence 0.625.
	check.Near(t, "ECE of one bin", ECE(p, class, 1), 0.125, 1e-12)
	check.Near(t, "ECE of certainty", ECE([][]float64{{1, 0}}, []int{0}, 15), 0, 1e-12)
	check.Near(t, "log loss of an impossible label", LogLoss(p, []int{0, 0, 0, 2}), math.Inf(1), 0)
}

func TestPanicsOnLengths(t *testing.T) {
	check.AllPanic(t, map[string]func(){
		"log loss": func() { LogLoss(nil, nil) },
		"AURC":     func() { AURC([]float64{1}, nil) },
	})
}
