package pool

import (
	"fmt"
	"io"
	"time"
)

// interval is the least time between two plain lines, but for the last.
const interval = 5 * time.Second

// clock counts cells and foretells the time that the rest takes.
type clock struct {
	now         func() time.Time
	start       time.Time
	done, total int
}

// spent returns the time since the start, in words.
func (c *clock) spent() string { return seconds(c.now().Sub(c.start)) }

// left returns the time that the rest takes if it goes on as it went so far,
// in words with a comma before them, or nothing if there is no telling.
func (c *clock) left() string {
	if c.done == 0 || c.done == c.total {
		return ""
	}
	perCell := float64(c.now().Sub(c.start)) / float64(c.done)
	return fmt.Sprintf(", about %s left", seconds(time.Duration(perCell*float64(c.total-c.done))))
}

func seconds(d time.Duration) string { return d.Round(time.Second).String() }

// plain writes lines such as
//
//	fig1_12: 12/60 cells, 3s, about 12s left
//
// at the start, at most one every interval, and at the end.
type plain struct {
	clock
	w    io.Writer
	name string
	last time.Time // of the last line
}

func newPlain(w io.Writer, name string, now func() time.Time) *plain {
	return &plain{clock: clock{now: now}, w: w, name: name}
}

func (p *plain) Start(total int) {
	p.start, p.done, p.total = p.now(), 0, total
	p.last = p.start
	if total > 0 {
		fmt.Fprintf(p.w, "%s: 0/%d cells\n", p.name, total)
	}
}

func (p *plain) Done() {
	p.done++
	if now := p.now(); p.done < p.total && now.Sub(p.last) >= interval {
		p.last = now
		p.line(p.left())
	}
}

func (p *plain) Stop() {
	switch {
	case p.done < p.total:
		p.line(", stopped")
	case p.total > 0:
		p.line("")
	}
}

func (p *plain) line(rest string) {
	fmt.Fprintf(p.w, "%s: %d/%d cells, %s%s\n", p.name, p.done, p.total, p.spent(), rest)
}
