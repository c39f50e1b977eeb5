//go:build !linux

package engine

import "time"

var start = time.Now()

// threadTime returns the wall time.
func threadTime() time.Duration { return time.Since(start) }
