package pool

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// bar is a live line on a terminal, such as
//
//	20% [=====>               ] (12/60) fig1_12: 3s, about 12s left
//
// which goes on telling the time while no cell ends. The library's own
// estimate, a mean over the last few seconds, is of no use where a cell takes
// longer than that.
type bar struct {
	mu sync.Mutex // the ticking goroutine reads the clock
	clock
	w       io.Writer
	name    string
	line    *progressbar.ProgressBar
	stop    chan struct{}
	stopped sync.WaitGroup
}

func newBar(w io.Writer, name string, now func() time.Time) *bar {
	return &bar{clock: clock{now: now}, w: w, name: name}
}

func (b *bar) Start(total int) {
	b.start, b.done, b.total = b.now(), 0, total
	if total == 0 {
		return
	}
	b.line = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(b.w),
		progressbar.OptionSetTheme(progressbar.ThemeASCII),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionSetDescription(b.name),
		progressbar.OptionSetRenderBlankState(true),
	)
	b.stop = make(chan struct{})
	b.stopped.Go(b.tick)
}

func (b *bar) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-b.stop:
			return
		case <-t.C:
			b.mu.Lock()
			b.describe(b.left())
			b.mu.Unlock()
		}
	}
}

func (b *bar) Done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done++
	b.line.Add(1)
}

func (b *bar) Stop() {
	if b.line == nil {
		return
	}
	close(b.stop)
	b.stopped.Wait()
	if b.done < b.total {
		b.describe(", stopped")
	} else {
		b.describe("")
	}
	fmt.Fprintln(b.w) // whatever is written next begins a line
}

func (b *bar) describe(rest string) {
	b.line.Describe(fmt.Sprintf("%s: %s%s", b.name, b.spent(), rest))
}
