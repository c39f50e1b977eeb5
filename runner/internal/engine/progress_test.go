package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/floats"

	check "closedform/internal/checktest"
)

// shown returns what is written while cells are computed, each in the time that it takes. The cells of
// earlier runs are done before, and the last ones are not computed.
func shown(t *testing.T, early int, expected []float64, last int, takes time.Duration) string {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		p := &progress{w: &out}
		p.start("x", early+len(expected), len(expected), floats.Sum(expected))
		for _, seconds := range expected[:len(expected)-last] {
			time.Sleep(time.Duration(seconds) * takes)
			p.done(seconds)
		}
	})
	return out.String()
}

func TestLines(t *testing.T) {
	equal := func(n int) []float64 { return slices.Repeat([]float64{1}, n) }
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	lines := strings.Split(shown(t, 0, equal(60), 0, 1500*time.Millisecond), "\n")
	want := []string{"x: 0/60 cells", "4/60 cells, 6s, about 1m24s left", "8/60 cells, 12s, about 1m18s left"}
	check.Equal(t, "it begins", lines[:3], want)
	want = []string{"56/60 cells, 1m24s, about 6s left", "60/60 cells, 1m30s, about 0s left", ""}
	check.Equal(t, "it ends", lines[14:], want)
	for want, got := range map[string]string{
		"x: 0/3 cells\n": shown(t, 0, equal(3), 2, 2*time.Second),
		// It goes on where it was, and what was done before took no time.
		"x: 38/60 cells\n39/60 cells, 5s, about 1m45s left\n": shown(t, 38, equal(22), 21, 5*time.Second),
		// The first of 1001 cells takes as long as all the others.
		"x: 0/1001 cells\n1/1001 cells, 33m20s, about 33m20s left\n": shown(t, 0,
			append([]float64{1000}, equal(1000)...), 1000, 2*time.Second),
		"": shown(t, 0, nil, 0, 0) + shown(t, 7, nil, 0, 0),
	} {
		check.Equal(t, "it shows", got, want)
	}
}
