package store

import (
	"runtime"
	"testing"
)

// The peak has what is in use no more.
func TestPeakMemory(t *testing.T) {
	const size = 1 << 26
	before := PeakMemory()
	if before == 0 {
		t.Skip("this system does not tell")
	}
	used := make([]byte, size)
	for i := range used {
		used[i] = 1
	}
	runtime.KeepAlive(used)
	peak := PeakMemory()
	if rise := peak - before; rise < size/10*9 && peak < size || rise > 8*size { // the race detector takes several times as much
		t.Errorf("%d bytes used, and the peak rose from %d to %d", size, before, peak)
	}
}
