package closedform

// Fused reports whether the compiler made one instruction, with one rounding, of
// multiplications and the additions after them. It does where the processor is sure to
// have one: on arm64, ppc64, s390x, riscv64, loong64 and amd64 from GOAMD64=v3 on; but
// not with -gcflags=all=-d=fmahash=qn. Then all processors have the same bytes.
func Fused() bool { return multiplyAdd(1+0x1p-30, 1-0x1p-30, -1) != 0 }

// multiplyAdd returns xy + z. The product (1 + ε)(1 − ε) = 1 − ε² is rounded to 1 where it
// is rounded at all.
//
//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }
