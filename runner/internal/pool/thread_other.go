//go:build !linux

package pool

import "time"

var start = time.Now()

// threadTime returns the wall time.
func threadTime() time.Duration { return time.Since(start) }
