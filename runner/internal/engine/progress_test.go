package engine

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"closedform/internal/check"
)

// shown returns what a progress writes of cells that take so long each, as expected, of which the
// first were computed before and the last are not computed.
func shown(t *testing.T, total, early, left int, each time.Duration) string {
	expected := slices.Repeat([]float64{each.Seconds()}, total-early)
	return written(t, total, expected, expected[:total-early-left])
}

// written returns what a progress writes of cells with these expected seconds, after those that were
// computed, which take what is expected, or a second if that is unknown.
func written(t *testing.T, total int, expected, computed []float64) string {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		p := &Progress{W: &out}
		p.Start("x", total, expected)
		for _, seconds := range computed {
			took := seconds
			if math.IsInf(seconds, 1) {
				took = 1
			}
			time.Sleep(time.Duration(took * float64(time.Second)))
			p.Done(seconds)
		}
	})
	return out.String()
}

func TestLines(t *testing.T) {
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	lines := strings.Split(shown(t, 60, 0, 0, 1500*time.Millisecond), "\n")
	want := []string{"x: 0/60 cells", "4/60 cells, 6s, about 1m24s left", "8/60 cells, 12s, about 1m18s left"}
	check.Equal(t, "it begins", lines[:3], want)
	check.Equal(t, "ends with", strings.Join(lines[14:], "\n"),
		"56/60 cells, 1m24s, about 6s left\n60/60 cells, 1m30s, about 0s left\n")
	for want, got := range map[string]string{
		"x: 0/100 cells\n100/100 cells, 1s, about 0s left\n": shown(t, 100, 0, 0, 10*time.Millisecond),
		"x: 0/3 cells\n": shown(t, 3, 0, 2, 2*time.Second),
		// It goes on where it was, and what was done before took no time.
		"x: 38/60 cells\n39/60 cells, 5s, about 1m45s left\n": shown(t, 60, 38, 21, 5*time.Second),
	} {
		check.Equal(t, "it shows", got, want)
	}
	// The slowest come first, and cells without a recorded time take the mean, which is 14 s.
	slow, unknown := []float64{30, 10, 2}, math.Inf(1)
	check.Equal(t, "of unequal cells", written(t, 3, slow, slow[:2]),
		"x: 0/3 cells\n1/3 cells, 30s, about 12s left\n2/3 cells, 40s, about 2s left\n")
	check.Equal(t, "with unknown times", written(t, 5, append(slow, unknown, unknown), slow[:2]),
		"x: 0/5 cells\n1/5 cells, 30s, about 40s left\n2/5 cells, 40s, about 30s left\n")
	many := slices.Repeat([]float64{unknown}, 30)
	check.Equal(t, "without any", written(t, 30, many, many[:5]),
		"x: 0/30 cells\n5/30 cells, 5s, about 25s left\n")
	check.Equal(t, "without cells it shows", shown(t, 0, 0, 0, 0)+shown(t, 7, 7, 0, 0), "")
}
