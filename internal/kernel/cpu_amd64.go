//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// vector tells whether the loops run in assembly.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA
