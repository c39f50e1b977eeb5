package store

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
)

var highWater = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// PeakMemory returns the peak resident memory in bytes, 0 where the system does not
// tell. What getrusage tells on Linux begins with that of the parent, which may be go run.
func PeakMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	if m := highWater.FindSubmatch(status); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		return n << 10
	}
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	switch {
	case err != nil:
		return 0
	case runtime.GOOS == "darwin":
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
