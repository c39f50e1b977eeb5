package check

import (
	"os"
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
