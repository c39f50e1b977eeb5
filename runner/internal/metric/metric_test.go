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

func TestRiskCoverage(t *testing.T) {
	confidence := []float64{0.5, 0.9, 0.7, 0.9, 0.1}
	wrong := []bool{true, false, false, true, true}
	threshold, coverage, risk := RiskCoverage(confidence, wrong)
	check.Equal(t, "thresholds", []any{threshold, coverage},
		[]any{[]float64{0.9, 0.7, 0.5, 0.1}, []float64{0.4, 0.6, 0.8, 1}})
	for i, want := range []float64{0.5, 1. / 3, 0.5, 0.6} {
		check.Near(t, "risk", risk[i], want, 1e-12)
	}
}

// By hand, with ties.
func TestAURC(t *testing.T) {
	check.Near(t, "no ties", AURC([]float64{4, 3, 2, 1}, []bool{false, true, false, true}), (0+1./2+1./3+2./4)/4,
		1e-12)
	check.Near(t, "all equal", AURC([]float64{1, 1, 1, 1}, []bool{false, true, false, true}), 0.5, 1e-12)
	check.Near(t, "perfect", AURC([]float64{3, 2, 1}, []bool{false, false, true}), 1./9, 1e-12)
	check.Near(t, "a tie", AURC([]float64{2, 2, 1}, []bool{true, false, false}), (1./2+1./2+1./3)/3, 1e-12)
}

func TestAUROC(t *testing.T) {
	check.Near(t, "by hand", AUROC([]float64{3, 1, 2}, []float64{2, 0}), (1+1+0.5+1+0+1)/6, 1e-15)
	check.Near(t, "NaN is the least", AUROC([]float64{1}, []float64{math.NaN()}), 1, 0)
	for _, x := range [][2][]float64{{{1}, nil}, {nil, {1}}} {
		check.Equal(t, "of one kind", math.IsNaN(AUROC(x[0], x[1])), true)
	}
}

// By hand: the surest of three wrong, then no more; the least sure; a tie.
func TestAUGRC(t *testing.T) {
	check.Near(t, "by hand", AUGRC([]float64{3, 2, 1}, []bool{true, false, false}), 1./3, 1e-12)
	check.Near(t, "by hand", AUGRC([]float64{1, 2, 3}, []bool{true, false, false}), 1./9, 1e-12)
	check.Near(t, "a tie", AUGRC([]float64{1, 1}, []bool{true, false}), (1./4+1./2)/2, 1e-12)
}
