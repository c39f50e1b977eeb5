package pool

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeClock tells the time that a test sets.
type fakeClock struct{ t time.Time }

func (c *fakeClock) now() time.Time          { return c.t }
func (c *fakeClock) advance(d time.Duration) { c.t = c.t.Add(d) }

func TestPlain(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	p := newPlain(&out, "fig1_12", c.now)
	p.Start(60)
	for range 60 {
		c.advance(1500 * time.Millisecond)
		p.Done()
	}
	p.Stop()
	lines := strings.Split(out.String(), "\n")
	// A cell ends each 1.5 s, so that 5 s are over after each fourth.
	want := []string{
		"fig1_12: 0/60 cells",
		"fig1_12: 4/60 cells, 6s, about 1m24s left",
		"fig1_12: 8/60 cells, 12s, about 1m18s left",
	}
	for i, w := range want {
		if lines[i] != w {
			t.Errorf("line %d is %q, want %q", i+1, lines[i], w)
		}
	}
	if got, want := strings.Join(lines[14:], "\n"), "fig1_12: 56/60 cells, 1m24s, about 6s left\nfig1_12: 60/60 cells, 1m30s\n"; got != want {
		t.Errorf("ends with %q, want %q", got, want)
	}
}

func TestPlainQuickRunHasTwoLines(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	p := newPlain(&out, "x", c.now)
	p.Start(100)
	for range 100 {
		c.advance(10 * time.Millisecond)
		p.Done()
	}
	p.Stop()
	if got, want := out.String(), "x: 0/100 cells\nx: 100/100 cells, 1s\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPlainStopped(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	p := newPlain(&out, "x", c.now)
	p.Start(3)
	p.Done()
	c.advance(2 * time.Second)
	p.Stop()
	if got, want := out.String(), "x: 0/3 cells\nx: 1/3 cells, 2s, stopped\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothingToDoShowsNothing(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	for _, p := range []Progress{newPlain(&out, "x", c.now), newBar(&out, "x", c.now)} {
		p.Start(0)
		p.Stop()
	}
	if out.Len() != 0 {
		t.Errorf("got %q", out.String())
	}
}

func TestBar(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	b := newBar(&out, "fig1_12", c.now)
	b.Start(4)
	b.Done()
	c.advance(2 * time.Second)
	b.mu.Lock()
	b.describe(b.left()) // as the ticker does
	b.mu.Unlock()
	for range 3 {
		b.Done()
	}
	b.Stop()
	for _, want := range []string{"(0/4) fig1_12", "(1/4) fig1_12: 2s, about 6s left", "(4/4) fig1_12: 2s"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output %q lacks %q", out.String(), want)
		}
	}
	if !strings.HasSuffix(out.String(), "\n") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("output %q is not one line", out.String())
	}
}

func TestBarStopped(t *testing.T) {
	var out strings.Builder
	c := &fakeClock{time.Unix(1000, 0)}
	b := newBar(&out, "fig1_12", c.now)
	b.Start(4)
	b.Done()
	b.Stop()
	if !strings.Contains(out.String(), "(1/4) fig1_12: 0s, stopped") || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("output %q", out.String())
	}
}

func TestNewProgress(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, mode := range []Mode{Auto, Plain} {
		if _, ok := NewProgress(mode, file, "x").(*plain); !ok {
			t.Errorf("mode %d on a file does not write plain lines", mode)
		}
	}
	off := NewProgress(Off, file, "x")
	off.Start(1)
	off.Done()
	off.Stop()
	if info, err := file.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("mode off wrote %d bytes, %v", info.Size(), err)
	}
}

func TestParseMode(t *testing.T) {
	for name, want := range map[string]Mode{"auto": Auto, "plain": Plain, "off": Off} {
		if got, err := ParseMode(name); got != want || err != nil {
			t.Errorf("ParseMode(%q) = %v, %v", name, got, err)
		}
	}
	if _, err := ParseMode("Bar"); err == nil || err.Error() != `progress "Bar": want auto, plain or off` {
		t.Errorf("error %v", err)
	}
}
