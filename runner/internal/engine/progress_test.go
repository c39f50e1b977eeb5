package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"closedform/internal/check"
)

// shown returns what a progress writes of cells that take so long each, of which the
// first were computed before and the last are not computed.
func shown(t *testing.T, total, early, left int, each time.Duration) string {
	var out strings.Builder
	synctest.Test(t, func(*testing.T) {
		p := &Progress{W: &out}
		p.Start("x", total, early)
		for range total - early - left {
			time.Sleep(each)
			p.Done()
		}
	})
	return out.String()
}

func TestLines(t *testing.T) {
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	lines := strings.Split(shown(t, 60, 0, 0, 1500*time.Millisecond), "\n")
	want := []string{"x: 0/60 cells", "4/60 cells, 6s, about 1m24s left", "8/60 cells, 12s, about 1m18s left"}
	check.Equal(t, "it begins", lines[:3], want)
	check.Equal(t, "ends with", strings.Join(lines[14:], "\n"), "56/60 cells, 1m24s, about 6s left\n60/60 cells, 1m30s, about 0s left\n")
	for want, got := range map[string]string{
		"x: 0/100 cells\n100/100 cells, 1s, about 0s left\n": shown(t, 100, 0, 0, 10*time.Millisecond),
		"x: 0/3 cells\n": shown(t, 3, 0, 2, 2*time.Second),
		// It goes on where it was, and what was done before took no time.
		"x: 38/60 cells\n39/60 cells, 5s, about 1m45s left\n": shown(t, 60, 38, 21, 5*time.Second),
	} {
		check.Equal(t, "it shows", got, want)
	}
	check.Equal(t, "without cells it shows", shown(t, 0, 0, 0, 0)+shown(t, 7, 7, 0, 0), "")
}
