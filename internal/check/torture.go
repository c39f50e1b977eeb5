package check

import (
	"os"
	"runtime"
	"testing"
)

// Torture returns how often a test repeats what it does at random: plain, or under
// make torture, which sets CLOSEDFORM_TORTURE to short or full, as often as that says.
// Without repetitions the test is skipped.
func Torture(t testing.TB, plain, short, full int) int {
	t.Helper()
	mode := os.Getenv("CLOSEDFORM_TORTURE")
	n, ok := map[string]int{"": plain, "short": short, "full": full}[mode]
	if !ok {
		t.Fatalf("CLOSEDFORM_TORTURE = %q; allowed: short or full", mode)
	}
	if n == 0 {
		t.Skip("only under make torture")
	}
	return n
}

// Frugal fails if f allocates more than 1 GiB in all.
func Frugal(t testing.TB, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 1<<10 {
		t.Errorf("it takes %d MiB; allowed: 1024", took)
	}
}
