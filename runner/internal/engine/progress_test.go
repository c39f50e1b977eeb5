package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shown returns what a progress writes of cells that take so long each, of which
// the last are not computed.
func shown(live bool, total, left int, each time.Duration) string {
	var out strings.Builder
	clock := time.Unix(1000, 0)
	p := start(&Progress{w: &out, name: "x", live: live, total: total, now: func() time.Time { return clock }})
	for range total - left {
		clock = clock.Add(each)
		p.Done()
	}
	p.Stop()
	return out.String()
}

func TestLines(t *testing.T) {
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	lines := strings.Split(shown(false, 60, 0, 1500*time.Millisecond), "\n")
	want := []string{"x: 0/60 cells", "x: 4/60 cells, 6s, about 1m24s left", "x: 8/60 cells, 12s, about 1m18s left"}
	for i, w := range want {
		if lines[i] != w {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], w)
		}
	}
	if got, want := strings.Join(lines[14:], "\n"), "x: 56/60 cells, 1m24s, about 6s left\nx: 60/60 cells, 1m30s\n"; got != want {
		t.Errorf("ends with %q, want %q", got, want)
	}
	for want, got := range map[string]string{
		"x: 0/100 cells\nx: 100/100 cells, 1s\n":    shown(false, 100, 0, 10*time.Millisecond),
		"x: 0/3 cells\nx: 1/3 cells, 2s, stopped\n": shown(false, 3, 2, 2*time.Second),
		"x: 0/3 cells\nx: 0/3 cells, 0s, stopped\n": shown(false, 3, 3, 0),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBar(t *testing.T) {
	out := shown(true, 4, 0, 2*time.Second)
	for _, want := range []string{
		"\r[                              ] x: 0/4 cells", "\r[=======                       ] x: 1/4 cells, 2s, about 6s left",
		"\r[==============================] x: 4/4 cells, 8s",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output %q lacks %q", out, want)
		}
	}
	if !strings.HasSuffix(out, "\n") || strings.Count(out, "\n") != 1 {
		t.Errorf("output %q is not one line", out)
	}
	if out := shown(true, 4, 3, 0); !strings.Contains(out, "x: 1/4 cells, 0s, stopped") {
		t.Errorf("output %q", out)
	}
}

func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stderr")
	for word, want := range map[string]string{"auto": "x: 0/2 cells\nx: 2/2 cells, 0s\n", "plain": "x: 0/2 cells\nx: 2/2 cells, 0s\n", "off": ""} {
		file, err := os.Create(path) // no terminal
		if err != nil {
			t.Fatal(err)
		}
		var mode Mode
		if err := mode.UnmarshalText([]byte(word)); err != nil {
			t.Fatal(err)
		}
		for _, total := range []int{2, 0} { // nothing to do shows nothing
			p := Start(mode, file, "x", total)
			for range total {
				p.Done()
			}
			p.Stop()
		}
		file.Close()
		if data, err := os.ReadFile(path); err != nil || string(data) != want {
			t.Errorf("%s shows %q, %v", word, data, err)
		}
	}
	if err := new(Mode).UnmarshalText([]byte("Bar")); err == nil {
		t.Error("an unknown mode")
	}
}
