package metric

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

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
	check.Panics(t, "", "", func() { LogLoss(nil, nil) })
	check.Panics(t, "", "", func() { Rank([]float64{1}, nil).AURC() })
}

func TestRiskCoverage(t *testing.T) {
	confidence := []float64{0.5, 0.9, 0.7, 0.9, 0.1}
	wrong := []bool{true, false, false, true, true}
	threshold, coverage, risk := Rank(confidence, wrong).RiskCoverage()
	check.Equal(t, "thresholds", []any{threshold, coverage},
		[]any{[]float64{0.9, 0.7, 0.5, 0.1}, []float64{0.4, 0.6, 0.8, 1}})
	check.NearAll(t, "risk", risk, []float64{0.5, 1. / 3, 0.5, 0.6}, 1e-12)
}

// The areas under both curves by hand, with ties.
func TestAreas(t *testing.T) {
	for _, c := range []struct {
		confidence  []float64
		wrong       []bool
		aurc, augrc float64
	}{
		{[]float64{4, 3, 2, 1}, []bool{false, true, false, true}, (0 + 1./2 + 1./3 + 2./4) / 4, (0 + 1 + 1 + 2) / 16.},
		{[]float64{1, 1, 1, 1}, []bool{false, true, false, true}, 1. / 2, (0.5 + 1 + 1.5 + 2) / 16},
		{[]float64{1, 2, 3}, []bool{true, false, false}, 1. / 9, 1. / 9},
		{[]float64{2, 2, 1}, []bool{true, false, false}, (1./2 + 1./2 + 1./3) / 3, (0.5 + 1 + 1) / 9},
	} {
		ranking := Rank(c.confidence, c.wrong)
		check.NearAll(t, fmt.Sprint(c.confidence), []float64{ranking.AURC(), ranking.AUGRC()},
			[]float64{c.aurc, c.augrc}, 1e-12)
	}
}

func TestAUROC(t *testing.T) {
	check.Near(t, "by hand", AUROC([]float64{3, 1, 2}, []float64{2, 0}), (1+1+0.5+1+0+1)/6, 1e-15)
	check.Near(t, "NaN is the least", AUROC([]float64{1}, []float64{math.NaN()}), 1, 0)
	for _, x := range [][2][]float64{{{1}, nil}, {nil, {1}}} {
		check.Equal(t, "of one kind", math.IsNaN(AUROC(x[0], x[1])), true)
	}
}

// The example of Hollander and Wolfe (1973, p. 29), ties by hand, and the limits of the exact p-value.
func TestSignedRank(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	first := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	for i, x := range []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29} {
		first[i] -= x
	}
	signed := func(n int, negative ...int) (x []float64) { // 1, 2, …, n
		for k := range n {
			x = append(x, float64(k+1))
		}
		for _, k := range negative {
			x[k-1] *= -1
		}
		return x
	}
	for _, c := range []struct {
		name string
		x    []float64
		p    float64
	}{
		{"depression", first, 0.0390625},
		{"all of one sign", signed(16), 2 * math.Exp2(-16)},
		{"ties", []float64{1, 1, -1}, 1},                     // positive ranks of the sum 4 or more, or 2 or less: all 8
		{"ties of two", []float64{1, 1, -2, 3, 3}, 10 / 32.}, // {}, 1½, 1½, 1½ + 1½ and 3
		{"halves", []float64{1, -1}, 1},
		{"zeros", []float64{0, 1, 2, 0, 3, 4, 5, 0}, 2 / 32.},
		{"infinite is the largest", []float64{1, 2, 3, 4, -inf}, SignedRank([]float64{1, 2, 3, 4, -9})},
		{"infinite twice", []float64{1, inf, 3, 4, inf}, 2 / 32.},
		{"the most with an exact p-value", signed(25, 3, 7, 25), 0.0002498},
		{"no difference", []float64{0, 0}, nan},
		{"unknown", []float64{1, nan}, nan},
		{"nothing", nil, nan},
	} {
		if p := SignedRank(c.x); !(math.Abs(p-c.p) <= 5e-5) && !(math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("%s: p = %g, want %g", c.name, p, c.p)
		}
	}
	many := signed(26, 23, 24, 25, 26) // the negative ranks have the sum 98; the exact p-value would be 0.04935
	check.Near(t, "approximation", SignedRank(many), 0.04903, 1e-5)
}

// By hand; what is not a number counts among the tests.
func TestHolm(t *testing.T) {
	check.NearAll(t, "p", Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}, 1e-15)
	p := Holm([]float64{math.NaN(), 0.01})
	check.True(t, math.IsNaN(p[0]) && p[1] == 0.02, "with a gap %v", p)
}

// The critical distances at 5 and 1 %, from Miller (1956), are met to 0.002 in p, and the exact value of
// Marsaglia, Tsang and Wang (2003) to 0.01.
func TestKolmogorov(t *testing.T) {
	for _, c := range []struct {
		n                int
		distance, p, tol float64
	}{
		{5, 0.56328, 0.05, 0.002},
		{10, 0.48893, 0.01, 0.002},
		{40, 0.25205, 0.01, 0.002},
		{100, 0.13403, 0.05, 0.002},
		{10, 0.274, 1 - 0.6284796154565043, 0.01},
	} {
		// Normal quantiles, shifted so that the largest distance is the wanted one.
		x := make([]float64, c.n)
		for k := range x {
			x[k] = mathext.NormalQuantile(min(1-1e-12, float64(k)/float64(c.n)+c.distance))
		}
		slices.Reverse(x)
		distance, p := Kolmogorov(x)
		check.Near(t, "distance", distance, c.distance, 1e-9)
		check.Near(t, fmt.Sprintf("p, n = %d, distance %g", c.n, c.distance), p, c.p, c.tol)
		for k := range x {
			x[k] = -x[k]
		}
		mirrored, _ := Kolmogorov(x)
		check.Near(t, "mirrored distance", mirrored, c.distance, 1e-9)
	}
	_, p := Kolmogorov([]float64{-1, 0, 1})
	check.True(t, p > 0.9 && p <= 1, "p = %g of three quartiles", p)
}

// Tails of the normal distribution, against those of another library.
func TestNormalTail(t *testing.T) {
	for _, p := range []float64{0.4, 0.025, 1e-6, 1e-12} {
		check.Near(t, fmt.Sprint(p), NormalTail(p), -mathext.NormalQuantile(p), 1e-12)
	}
}

func TestRanks(t *testing.T) {
	nan := math.NaN()
	check.Equal(t, "ranks", Ranks([]float64{3, 1, nan, 3 - 1e-14, math.Inf(1), nan}),
		[]float64{2.5, 1, 5.5, 2.5, 4, 5.5})
}

// Tabled values of the studentized range (Demšar 2006, Table 5, times √2).
func TestStudentizedRange(t *testing.T) {
	for k, want := range []float64{0, 1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		check.Near(t, fmt.Sprint("k = ", k+1), StudentizedRange(k+1)/math.Sqrt2, want, 1e-3)
	}
}
