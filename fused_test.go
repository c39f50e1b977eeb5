package closedform

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// make verify-anywhere runs it on the processors that are named here.
func TestFused(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("no build information")
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	could := slices.Contains([]string{"arm64", "ppc64", "ppc64le", "s390x", "riscv64", "loong64"}, runtime.GOARCH) ||
		slices.Contains([]string{"v3", "v4"}, set["GOAMD64"])
	if want := could && !strings.Contains(set["-gcflags"], "fmahash=qn"); Fused() != want {
		t.Errorf("Fused() = %v on %s with %v", Fused(), runtime.GOARCH, set)
	}
}
