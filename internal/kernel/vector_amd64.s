//go:build !noasm

// The loops of vector.go, weights.go, exp.go and normal.go with AVX2, four numbers at a time: the same operations
// in the same order, hence the same bits. Names and numbers of operands: the destination comes last; VSUBPD a, b, c and
// VDIVPD a, b, c are c = b − a and c = b/a. Each routine ends before the numbers beyond a multiple of four.

#include "textflag.h"

// QUAD defines four copies of a number.
#define QUAD(name, number) \
	DATA  name<>+0(SB)/8, number; \
	DATA  name<>+8(SB)/8, number; \
	DATA  name<>+16(SB)/8, number; \
	DATA  name<>+24(SB)/8, number; \
	GLOBL name<>(SB), RODATA|NOPTR, $32

// SUM adds the lanes of two registers; x is the lower half of y, the sum is its first number.
#define SUM(z, y, x, temporary) \
	VADDPD       z, y, y; \
	VEXTRACTF128 $1, y, temporary; \
	VADDPD       temporary, x, x; \
	VPERMILPD    $1, x, temporary; \
	VADDSD       temporary, x, x

QUAD(one, $1.0)
QUAD(half, $0.5)
QUAD(sixth, $0x3fc5555555555555)
QUAD(twentyfourth, $0x3fa5555555555555)
QUAD(hundredtwentieth, $0x3f81111111111111)
QUAD(magnitude, $0x7fffffffffffffff)
QUAD(underflow, $38.6)
QUAD(steps, $0x40471547652b82fe) // 32 log₂e
QUAD(ln2Lo, $0x3d8a39ef35793c76) // low part of (log 2)/64
QUAD(ln2Hi, $0x3f862e42fee00000) // high part
QUAD(mask, $63)
QUAD(bias, $1087) // of exponents, and densityShift
QUAD(expSteps, $0x40671547652b82fe) // 128 log₂e
QUAD(roundShift, $0x4338000000000000)
QUAD(expLn2Lo, $0x3d7a39ef35793c76) // low part of (log 2)/128
QUAD(expLn2Hi, $0x3f762e42fee00000) // high part
QUAD(expMask, $127)
QUAD(expRange, $708.0)
QUAD(p0, $1.2533141373155003)
QUAD(p1, $1.5870173278303032)
QUAD(p2, $1.0270989187970512)
QUAD(p3, $0.43747391252779455)
QUAD(p4, $0.13425428078972282)
QUAD(p5, $0.030829592810065993)
QUAD(p6, $0.0053524119675372045)
QUAD(p7, $0.0006943619901037899)
QUAD(p8, $6.471029033271475e-05)
QUAD(p9, $3.949600874715785e-06)
QUAD(p10, $1.2226441390289522e-07)
QUAD(q1, $1.6087116078926582)
QUAD(q2, $1.2996213513387376)
QUAD(q3, $0.6862286081877013)
QUAD(q4, $0.26102848039280613)
QUAD(q5, $0.07477409806283349)
QUAD(q6, $0.016432641801664892)
QUAD(q7, $0.0027725378325577322)
QUAD(q8, $0.0003531053963658239)
QUAD(q9, $3.253854178720382e-05)
QUAD(q10, $1.9748004373579056e-06)
QUAD(q11, $6.11322069514476e-08)

// Σ x_i y_i over all but the last few numbers: the products of eight at a time go to two sums of four lanes,
// of which SUM adds the second to the first, the upper half to the lower, and the two that are left.
TEXT ·dotVector(SB), NOSPLIT, $0-56
	MOVQ   x_base+0(FP), AX
	MOVQ   y_base+24(FP), CX
	MOVQ   x_len+8(FP), DX
	XORQ   BX, BX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	MOVQ   DX, SI
	ANDQ   $-8, SI
	JMP    loop8Test

loop8:
	VMOVUPD (AX)(BX*8), Y2
	VMULPD  (CX)(BX*8), Y2, Y2
	VADDPD  Y2, Y0, Y0
	VMOVUPD 32(AX)(BX*8), Y2
	VMULPD  32(CX)(BX*8), Y2, Y2
	VADDPD  Y2, Y1, Y1
	ADDQ    $8, BX

loop8Test:
	CMPQ BX, SI
	JLT  loop8
	ANDQ $-4, DX
	JMP  loop4Test

loop4:
	VMOVUPD (AX)(BX*8), Y2
	VMULPD  (CX)(BX*8), Y2, Y2
	VADDPD  Y2, Y0, Y0
	ADDQ    $4, BX

loop4Test:
	CMPQ         BX, DX
	JLT          loop4
	SUM(Y1, Y0, X0, X1)
	VZEROUPPER
	MOVSD        X0, ret+48(FP)
	RET

// The products of x with the four rows of a, each summed as in dotVector: of the lanes s of a row
// (s₀+s₂) + (s₁+s₃).
TEXT ·dot4Vector(SB), NOSPLIT, $0-56
	MOVQ   dst+0(FP), DI
	MOVQ   a_base+8(FP), AX
	MOVQ   x_base+32(FP), SI
	MOVQ   a_len+16(FP), DX
	SHRQ   $2, DX
	LEAQ   (AX)(DX*8), BX
	LEAQ   (BX)(DX*8), CX
	LEAQ   (CX)(DX*8), R9
	MOVQ   x_len+40(FP), DX
	XORQ   R8, R8
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	MOVQ   DX, R10
	ANDQ   $-8, R10
	JMP    loop8Test

loop8:
	VMOVUPD (SI)(R8*8), Y8
	VMOVUPD 32(SI)(R8*8), Y9
	VMULPD  (AX)(R8*8), Y8, Y10
	VMULPD  (BX)(R8*8), Y8, Y11
	VMULPD  (CX)(R8*8), Y8, Y12
	VMULPD  (R9)(R8*8), Y8, Y13
	VADDPD  Y10, Y0, Y0
	VADDPD  Y11, Y1, Y1
	VADDPD  Y12, Y2, Y2
	VADDPD  Y13, Y3, Y3
	VMULPD  32(AX)(R8*8), Y9, Y10
	VMULPD  32(BX)(R8*8), Y9, Y11
	VMULPD  32(CX)(R8*8), Y9, Y12
	VMULPD  32(R9)(R8*8), Y9, Y13
	VADDPD  Y10, Y4, Y4
	VADDPD  Y11, Y5, Y5
	VADDPD  Y12, Y6, Y6
	VADDPD  Y13, Y7, Y7
	ADDQ    $8, R8

loop8Test:
	CMPQ R8, R10
	JLT  loop8
	ANDQ $-4, DX
	JMP  loop4Test

loop4:
	VMOVUPD (SI)(R8*8), Y8
	VMULPD  (AX)(R8*8), Y8, Y10
	VMULPD  (BX)(R8*8), Y8, Y11
	VMULPD  (CX)(R8*8), Y8, Y12
	VMULPD  (R9)(R8*8), Y8, Y13
	VADDPD  Y10, Y0, Y0
	VADDPD  Y11, Y1, Y1
	VADDPD  Y12, Y2, Y2
	VADDPD  Y13, Y3, Y3
	ADDQ    $4, R8

loop4Test:
	CMPQ       R8, DX
	JLT        loop4
	VADDPD     Y4, Y0, Y0
	VADDPD     Y5, Y1, Y1
	VADDPD     Y6, Y2, Y2
	VADDPD     Y7, Y3, Y3
	VPERM2F128 $0x20, Y2, Y0, Y4
	VPERM2F128 $0x31, Y2, Y0, Y5
	VADDPD     Y5, Y4, Y0
	VPERM2F128 $0x20, Y3, Y1, Y4
	VPERM2F128 $0x31, Y3, Y1, Y5
	VADDPD     Y5, Y4, Y1
	VHADDPD    Y1, Y0, Y0
	VMOVUPD    Y0, (DI)
	VZEROUPPER
	RET

// The products of two rows x with four rows y of half and a quarter of their lengths, each in four lanes that
// are added as (0+1) + (2+3).
TEXT ·productsVector(SB), NOSPLIT, $0-56
	MOVQ   x_base+8(FP), AX
	MOVQ   y_base+32(FP), CX
	MOVQ   x_len+16(FP), DX
	MOVQ   dst+0(FP), DI
	XORQ   SI, SI
	SHRQ   $1, DX
	MOVQ   DX, BX
	SHLQ   $3, BX
	LEAQ   (AX)(BX*1), R8
	LEAQ   (CX)(BX*1), R9
	LEAQ   (R9)(BX*1), R10
	LEAQ   (R10)(BX*1), BX
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	VXORPD Y4, Y4, Y4
	VXORPD Y5, Y5, Y5
	VXORPD Y6, Y6, Y6
	VXORPD Y7, Y7, Y7
	ANDQ   $-4, DX
	JMP    loop4Test

loop4:
	VMOVUPD (AX)(SI*8), Y8
	VMOVUPD (R8)(SI*8), Y9
	VMOVUPD (CX)(SI*8), Y10
	VMULPD  Y10, Y8, Y11
	VADDPD  Y11, Y0, Y0
	VMULPD  Y10, Y9, Y10
	VADDPD  Y10, Y4, Y4
	VMOVUPD (R9)(SI*8), Y10
	VMULPD  Y10, Y8, Y11
	VADDPD  Y11, Y1, Y1
	VMULPD  Y10, Y9, Y10
	VADDPD  Y10, Y5, Y5
	VMOVUPD (R10)(SI*8), Y10
	VMULPD  Y10, Y8, Y11
	VADDPD  Y11, Y2, Y2
	VMULPD  Y10, Y9, Y10
	VADDPD  Y10, Y6, Y6
	VMOVUPD (BX)(SI*8), Y10
	VMULPD  Y10, Y8, Y8
	VADDPD  Y8, Y3, Y3
	VMULPD  Y10, Y9, Y8
	VADDPD  Y8, Y7, Y7
	ADDQ    $4, SI

loop4Test:
	CMPQ       SI, DX
	JLT        loop4
	VHADDPD    Y1, Y0, Y0
	VHADDPD    Y3, Y2, Y2
	VPERM2F128 $0x20, Y2, Y0, Y1
	VPERM2F128 $0x31, Y2, Y0, Y0
	VADDPD     Y0, Y1, Y0
	VMOVUPD    Y0, (DI)
	VHADDPD    Y5, Y4, Y4
	VHADDPD    Y7, Y6, Y6
	VPERM2F128 $0x20, Y6, Y4, Y0
	VPERM2F128 $0x31, Y6, Y4, Y1
	VADDPD     Y1, Y0, Y0
	VMOVUPD    Y0, 32(DI)
	VZEROUPPER
	RET

// y_i += ((a₀x0_i + a₁x1_i) + a₂x2_i) + a₃x3_i
TEXT ·addScaled4Vector(SB), NOSPLIT, $0-128
	MOVQ         y_base+0(FP), AX
	MOVQ         x0_base+32(FP), CX
	MOVQ         x1_base+56(FP), DX
	MOVQ         x2_base+80(FP), BX
	MOVQ         x3_base+104(FP), SI
	MOVQ         y_len+8(FP), DI
	MOVQ         a+24(FP), R8
	VBROADCASTSD (R8), Y0
	VBROADCASTSD 8(R8), Y1
	VBROADCASTSD 16(R8), Y2
	VBROADCASTSD 24(R8), Y3
	XORQ         R8, R8
	ANDQ         $-4, DI
	JMP          loop4Test

loop4:
	VMULPD  (CX)(R8*8), Y0, Y4
	VMULPD  (DX)(R8*8), Y1, Y5
	VADDPD  Y5, Y4, Y4
	VMULPD  (BX)(R8*8), Y2, Y5
	VADDPD  Y5, Y4, Y4
	VMULPD  (SI)(R8*8), Y3, Y5
	VADDPD  Y5, Y4, Y4
	VADDPD  (AX)(R8*8), Y4, Y4
	VMOVUPD Y4, (AX)(R8*8)
	ADDQ    $4, R8

loop4Test:
	CMPQ R8, DI
	JLT  loop4
	VZEROUPPER
	RET

// root_j becomes its square root, but for the last; then keep_j = root_{j+1}/root_j, and mix_j =
// factor h_j (1/root_{j+1})/root_j.
TEXT ·carlsonVector(SB), NOSPLIT, $0-104
	MOVQ         keep_base+0(FP), AX
	MOVQ         mix_base+24(FP), CX
	MOVQ         root_base+48(FP), BX
	MOVQ         h_base+72(FP), SI
	MOVQ         h_len+80(FP), DX
	VBROADCASTSD factor+96(FP), Y4
	MOVQ         $0x3ff0000000000000, R8
	MOVQ         R8, X5
	VBROADCASTSD X5, Y5
	ANDQ         $-4, DX
	XORQ         R8, R8
	JMP          rootTest

root4:
	VSQRTPD (BX)(R8*8), Y0
	VMOVUPD Y0, (BX)(R8*8)
	ADDQ    $4, R8

rootTest:
	CMPQ R8, DX
	JLT  root4
	XORQ R8, R8
	JMP  factorTest

factor4:
	VMOVUPD (BX)(R8*8), Y0
	VMOVUPD 8(BX)(R8*8), Y1
	VDIVPD  Y0, Y1, Y2
	VMOVUPD Y2, (AX)(R8*8)
	VDIVPD  Y1, Y5, Y1
	VMULPD  (SI)(R8*8), Y4, Y3
	VMULPD  Y1, Y3, Y3
	VDIVPD  Y0, Y3, Y3
	VMOVUPD Y3, (CX)(R8*8)
	ADDQ    $4, R8

factorTest:
	CMPQ R8, DX
	JLT  factor4
	VZEROUPPER
	RET

// For k from 3 to 0, with x = a_ki: a_ki = keep_k x + mix_k sum_i, and then sum_i += h_k x.
TEXT ·carlson4Vector(SB), NOSPLIT, $0-72
	MOVQ         sum_base+0(FP), AX
	MOVQ         a_base+24(FP), CX
	MOVQ         sum_len+8(FP), DX
	MOVQ         DX, BX
	SHLQ         $3, BX
	LEAQ         (CX)(BX*1), SI
	LEAQ         (SI)(BX*1), DI
	LEAQ         (DI)(BX*1), BX
	MOVQ         h+48(FP), R8
	VBROADCASTSD (R8), Y0
	VBROADCASTSD 8(R8), Y1
	VBROADCASTSD 16(R8), Y2
	VBROADCASTSD 24(R8), Y3
	MOVQ         keep+56(FP), R8
	VBROADCASTSD (R8), Y4
	VBROADCASTSD 8(R8), Y5
	VBROADCASTSD 16(R8), Y6
	VBROADCASTSD 24(R8), Y7
	MOVQ         mix+64(FP), R8
	VBROADCASTSD (R8), Y8
	VBROADCASTSD 8(R8), Y9
	VBROADCASTSD 16(R8), Y10
	VBROADCASTSD 24(R8), Y11
	XORQ         R8, R8
	ANDQ         $-4, DX
	JMP          loop4Test

loop4:
	VMOVUPD (AX)(R8*8), Y12
	VMOVUPD (BX)(R8*8), Y13
	VMULPD  Y12, Y11, Y14
	VMULPD  Y13, Y7, Y15
	VADDPD  Y14, Y15, Y14
	VMOVUPD Y14, (BX)(R8*8)
	VMULPD  Y13, Y3, Y13
	VADDPD  Y13, Y12, Y12
	VMOVUPD (DI)(R8*8), Y13
	VMULPD  Y12, Y10, Y14
	VMULPD  Y13, Y6, Y15
	VADDPD  Y14, Y15, Y14
	VMOVUPD Y14, (DI)(R8*8)
	VMULPD  Y13, Y2, Y13
	VADDPD  Y13, Y12, Y12
	VMOVUPD (SI)(R8*8), Y13
	VMULPD  Y12, Y9, Y14
	VMULPD  Y13, Y5, Y15
	VADDPD  Y14, Y15, Y14
	VMOVUPD Y14, (SI)(R8*8)
	VMULPD  Y13, Y1, Y13
	VADDPD  Y13, Y12, Y12
	VMOVUPD (CX)(R8*8), Y13
	VMULPD  Y12, Y8, Y14
	VMULPD  Y13, Y4, Y15
	VADDPD  Y14, Y15, Y14
	VMOVUPD Y14, (CX)(R8*8)
	VMULPD  Y13, Y0, Y13
	VADDPD  Y13, Y12, Y12
	VMOVUPD Y12, (AX)(R8*8)
	ADDQ    $4, R8

loop4Test:
	CMPQ R8, DX
	JLT  loop4
	VZEROUPPER
	RET

// func reflectVector(x, w []float64, stride int, h *[5]float64, factor float64)
TEXT ·reflectVector(SB), NOSPLIT, $0-72
	MOVQ         x_base+0(FP), AX
	MOVQ         w_base+24(FP), CX
	MOVQ         stride+48(FP), DX
	SHLQ         $3, DX
	LEAQ         (CX)(DX*1), BX
	LEAQ         (BX)(DX*1), SI
	LEAQ         (SI)(DX*1), DI
	MOVQ         x_len+8(FP), DX
	MOVQ         h+56(FP), R8
	VBROADCASTSD (R8), Y0
	VBROADCASTSD 8(R8), Y1
	VBROADCASTSD 16(R8), Y2
	VBROADCASTSD 24(R8), Y3
	VBROADCASTSD 32(R8), Y4
	VBROADCASTSD factor+64(FP), Y5
	XORQ         R8, R8
	ANDQ         $-4, DX
	JMP          loop4Test

loop4:
	VMOVUPD (AX)(R8*8), Y6
	VMOVUPD (CX)(R8*8), Y7
	VMOVUPD (BX)(R8*8), Y8
	VMOVUPD (SI)(R8*8), Y9
	VMOVUPD (DI)(R8*8), Y10
	VMULPD  Y6, Y0, Y11
	VMULPD  Y7, Y1, Y12
	VADDPD  Y12, Y11, Y11
	VMULPD  Y8, Y2, Y12
	VADDPD  Y12, Y11, Y11
	VMULPD  Y9, Y3, Y12
	VADDPD  Y12, Y11, Y11
	VMULPD  Y10, Y4, Y12
	VADDPD  Y12, Y11, Y11
	VMULPD  Y11, Y5, Y11
	VMULPD  Y11, Y0, Y12
	VSUBPD  Y6, Y12, Y6
	VMOVUPD Y6, (AX)(R8*8)
	VMULPD  Y11, Y1, Y12
	VSUBPD  Y12, Y7, Y7
	VMOVUPD Y7, (CX)(R8*8)
	VMULPD  Y11, Y2, Y12
	VSUBPD  Y12, Y8, Y8
	VMOVUPD Y8, (BX)(R8*8)
	VMULPD  Y11, Y3, Y12
	VSUBPD  Y12, Y9, Y9
	VMOVUPD Y9, (SI)(R8*8)
	VMULPD  Y11, Y4, Y12
	VSUBPD  Y12, Y10, Y10
	VMOVUPD Y10, (DI)(R8*8)
	ADDQ    $4, R8

loop4Test:
	CMPQ R8, DX
	JLT  loop4
	VZEROUPPER
	RET

// m_j += y mean_j,   v_j += square variance_j + s mean_j²
TEXT ·forwardVector(SB), NOSPLIT, $0-120
	MOVQ         m_base+0(FP), AX
	MOVQ         v_base+24(FP), CX
	MOVQ         mean_base+72(FP), DX
	MOVQ         variance_base+96(FP), BX
	MOVQ         m_len+8(FP), SI
	VBROADCASTSD y+48(FP), Y0
	VBROADCASTSD square+56(FP), Y1
	VBROADCASTSD s+64(FP), Y2
	XORQ         DI, DI
	ANDQ         $-4, SI
	JMP          loop4Test

loop4:
	VMOVUPD (DX)(DI*8), Y3
	VMULPD  Y3, Y0, Y4
	VADDPD  (AX)(DI*8), Y4, Y4
	VMOVUPD Y4, (AX)(DI*8)
	VMULPD  (BX)(DI*8), Y1, Y4
	VMULPD  Y3, Y3, Y3
	VMULPD  Y3, Y2, Y3
	VADDPD  Y4, Y3, Y3
	VADDPD  (CX)(DI*8), Y3, Y3
	VMOVUPD Y3, (CX)(DI*8)
	ADDQ    $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4
	VZEROUPPER
	RET

// Σ mean_j d_j and Σ mean_j² e_j, each summed as in dotVector
TEXT ·backwardVector(SB), NOSPLIT, $0-88
	MOVQ   mean_base+0(FP), AX
	MOVQ   d_base+24(FP), CX
	MOVQ   e_base+48(FP), DX
	MOVQ   mean_len+8(FP), BX
	XORQ   SI, SI
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	MOVQ   BX, DI
	ANDQ   $-8, DI
	JMP    loop8Test

loop8:
	VMOVUPD (AX)(SI*8), Y4
	VMULPD  (CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  (DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y0, Y0
	VADDPD  Y4, Y2, Y2
	VMOVUPD 32(AX)(SI*8), Y4
	VMULPD  32(CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  32(DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y1, Y1
	VADDPD  Y4, Y3, Y3
	ADDQ    $8, SI

loop8Test:
	CMPQ SI, DI
	JLT  loop8
	ANDQ $-4, BX
	JMP  loop4Test

loop4:
	VMOVUPD (AX)(SI*8), Y4
	VMULPD  (CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  (DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y0, Y0
	VADDPD  Y4, Y2, Y2
	ADDQ    $4, SI

loop4Test:
	CMPQ         SI, BX
	JLT          loop4
	SUM(Y1, Y0, X0, X1)
	SUM(Y3, Y2, X2, X3)
	VZEROUPPER
	MOVSD X0, first+72(FP)
	MOVSD X2, second+80(FP)
	RET

// Four rows of a after four, each by the steps of backwardVector, from the first of the four on.
TEXT ·imageVector(SB), NOSPLIT, $0-104
	MOVQ   g_base+0(FP), DI
	MOVQ   g_len+8(FP), BX
	MOVQ   a_base+24(FP), AX
	MOVQ   y_base+48(FP), CX
	MOVQ   s_base+72(FP), DX
	VXORPD X6, X6, X6
	JMP    rowsTest

rows4:
	MOVQ $4, R8
	MOVQ BX, R9
	ANDQ $-8, R9

row:
	VXORPD Y0, Y0, Y0
	VXORPD Y1, Y1, Y1
	VXORPD Y2, Y2, Y2
	VXORPD Y3, Y3, Y3
	XORQ   SI, SI
	JMP    loop8Test

loop8:
	VMOVUPD (AX)(SI*8), Y4
	VMULPD  (CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  (DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y0, Y0
	VADDPD  Y4, Y2, Y2
	VMOVUPD 32(AX)(SI*8), Y4
	VMULPD  32(CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  32(DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y1, Y1
	VADDPD  Y4, Y3, Y3
	ADDQ    $8, SI

loop8Test:
	CMPQ    SI, R9
	JLT     loop8
	CMPQ    SI, BX
	JGE     sums
	VMOVUPD (AX)(SI*8), Y4
	VMULPD  (CX)(SI*8), Y4, Y5
	VMULPD  Y4, Y4, Y4
	VMULPD  (DX)(SI*8), Y4, Y4
	VADDPD  Y5, Y0, Y0
	VADDPD  Y4, Y2, Y2

sums:
	SUM(Y1, Y0, X0, X1)
	SUM(Y3, Y2, X2, X3)
	VMOVSD X0, (DI)
	VADDSD X2, X6, X6
	ADDQ   $8, DI
	LEAQ   (AX)(BX*8), AX
	DECQ   R8
	JNZ    row
	ADDQ   $32, CX
	ADDQ   $32, DX
	SUBQ   $4, BX

rowsTest:
	CMPQ BX, $0
	JGT  rows4
	VZEROUPPER
	MOVSD X6, noise+96(FP)
	RET

// With u = variance_j y: mean_j += d_j u,   variance_j *= max(lowest, 1 + e_j u replications).
TEXT ·updateVector(SB), NOSPLIT, $0-120
	MOVQ         mean_base+0(FP), AX
	MOVQ         variance_base+24(FP), CX
	MOVQ         d_base+48(FP), DX
	MOVQ         e_base+72(FP), BX
	MOVQ         mean_len+8(FP), SI
	VBROADCASTSD y+96(FP), Y0
	VBROADCASTSD replications+104(FP), Y1
	VBROADCASTSD lowest+112(FP), Y2
	XORQ         DI, DI
	ANDQ         $-4, SI
	JMP          loop4Test

loop4:
	VMOVUPD (CX)(DI*8), Y3
	VMULPD  Y3, Y0, Y4
	VMULPD  (DX)(DI*8), Y4, Y5
	VADDPD  (AX)(DI*8), Y5, Y5
	VMOVUPD Y5, (AX)(DI*8)
	VMULPD  (BX)(DI*8), Y4, Y4
	VMULPD  Y4, Y1, Y4
	VADDPD  one<>(SB), Y4, Y4
	VMAXPD  Y4, Y2, Y4
	VMULPD  Y4, Y3, Y3
	VMOVUPD Y3, (CX)(DI*8)
	ADDQ    $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4
	VZEROUPPER
	RET

// DENSITY is the steps of Density for x in Y0: Y1 = t = min(|x|, 38.6), NaN for NaN, and Y2 = φ(t). On the way
// Y2 is t², Y3 its rounding error, and Y4 and Y5 are k = ⌊32 t² log₂e + ½⌋; then Y2 is r, and (1 + r) + r² ((½ +
// r/6) + r² (1/24 + r/120)), times the power of two and the number of the table.
#define DENSITY \
	VANDPD      magnitude<>(SB), Y0, Y1; \
	VMOVAPD     underflow<>(SB), Y2; \
	VMINPD      Y1, Y2, Y1; \
	VMULPD      Y1, Y1, Y2; \
	VMOVAPD     Y2, Y3; \
	VFMSUB231PD Y1, Y1, Y3; \
	VMULPD      steps<>(SB), Y2, Y4; \
	VADDPD      half<>(SB), Y4, Y4; \
	VCVTTPD2DQY Y4, X4; \
	VCVTDQ2PD   X4, Y5; \
	VPMOVSXDQ   X4, Y4; \
	VMULPD      ln2Lo<>(SB), Y5, Y6; \
	VMULPD      half<>(SB), Y3, Y3; \
	VSUBPD      Y3, Y6, Y3; \
	VMULPD      ln2Hi<>(SB), Y5, Y5; \
	VMULPD      half<>(SB), Y2, Y2; \
	VSUBPD      Y2, Y5, Y2; \
	VADDPD      Y3, Y2, Y2; \
	VMULPD      Y2, Y2, Y3; \
	VADDPD      one<>(SB), Y2, Y5; \
	VMULPD      sixth<>(SB), Y2, Y6; \
	VADDPD      half<>(SB), Y6, Y6; \
	VMULPD      hundredtwentieth<>(SB), Y2, Y2; \
	VADDPD      twentyfourth<>(SB), Y2, Y2; \
	VMULPD      Y2, Y3, Y2; \
	VADDPD      Y6, Y2, Y2; \
	VMULPD      Y2, Y3, Y2; \
	VADDPD      Y5, Y2, Y2; \
	VPAND       mask<>(SB), Y4, Y3; \
	VPSRLQ      $6, Y4, Y4; \
	VMOVUPD     bias<>(SB), Y5; \
	VPSUBQ      Y4, Y5, Y5; \
	VPSLLQ      $0x34, Y5, Y5; \
	LEAQ        ·densityTable+0(SB), R8; \
	VPCMPEQD    Y4, Y4, Y4; \
	VXORPD      Y6, Y6, Y6; \
	VGATHERQPD  Y4, (R8)(Y3*8), Y6; \
	VMULPD      Y6, Y5, Y3; \
	VMULPD      Y3, Y2, Y2

// TAIL is the steps of Tail for t in Y1: Y6 = p, Y3 = q, Y4 = n = p + t q and Y5 = d = q + t n. On the way Y3,
// Y4 and Y5 are t², t⁴ and t⁸.
#define TAIL \
	VMULPD      Y1, Y1, Y3; \
	VMULPD      Y3, Y3, Y4; \
	VMULPD      Y4, Y4, Y5; \
	VMOVAPD     p10<>(SB), Y6; \
	VMULPD      p1<>(SB), Y1, Y7; \
	VADDPD      p0<>(SB), Y7, Y7; \
	VMULPD      p3<>(SB), Y1, Y8; \
	VADDPD      p2<>(SB), Y8, Y8; \
	VMULPD      Y8, Y3, Y8; \
	VADDPD      Y7, Y8, Y7; \
	VMULPD      p5<>(SB), Y1, Y8; \
	VADDPD      p4<>(SB), Y8, Y8; \
	VMULPD      p7<>(SB), Y1, Y9; \
	VADDPD      p6<>(SB), Y9, Y9; \
	VMULPD      Y9, Y3, Y9; \
	VADDPD      Y8, Y9, Y8; \
	VMULPD      Y8, Y4, Y8; \
	VADDPD      Y7, Y8, Y7; \
	VMULPD      p9<>(SB), Y1, Y8; \
	VADDPD      p8<>(SB), Y8, Y8; \
	VMULPD      Y6, Y3, Y6; \
	VADDPD      Y8, Y6, Y6; \
	VMULPD      Y6, Y5, Y6; \
	VADDPD      Y7, Y6, Y6; \
	VMULPD      q11<>(SB), Y1, Y7; \
	VADDPD      q10<>(SB), Y7, Y7; \
	VMULPD      q1<>(SB), Y1, Y8; \
	VADDPD      one<>(SB), Y8, Y8; \
	VMULPD      q3<>(SB), Y1, Y9; \
	VADDPD      q2<>(SB), Y9, Y9; \
	VMULPD      Y9, Y3, Y9; \
	VADDPD      Y8, Y9, Y8; \
	VMULPD      q5<>(SB), Y1, Y9; \
	VADDPD      q4<>(SB), Y9, Y9; \
	VMULPD      q7<>(SB), Y1, Y10; \
	VADDPD      q6<>(SB), Y10, Y10; \
	VMULPD      Y10, Y3, Y10; \
	VADDPD      Y9, Y10, Y9; \
	VMULPD      Y9, Y4, Y4; \
	VADDPD      Y8, Y4, Y4; \
	VMULPD      q9<>(SB), Y1, Y8; \
	VADDPD      q8<>(SB), Y8, Y8; \
	VMULPD      Y7, Y3, Y3; \
	VADDPD      Y8, Y3, Y3; \
	VMULPD      Y3, Y5, Y3; \
	VADDPD      Y4, Y3, Y3; \
	VMULPD      Y3, Y1, Y4; \
	VADDPD      Y6, Y4, Y4; \
	VMULPD      Y4, Y1, Y5; \
	VADDPD      Y3, Y5, Y5

// φ/Φ, 1 − x φ/Φ − (φ/Φ)² and Φ at x, with the steps of the Go functions Density, Tail and Truncated: both
// of their branches for all numbers, of which VBLENDVPD takes that of the sign of x.
TEXT ·truncatedVector(SB), NOSPLIT, $0-96
	MOVQ mills_base+0(FP), AX
	MOVQ variance_base+24(FP), CX
	MOVQ cdf_base+48(FP), DX
	MOVQ x_base+72(FP), BX
	MOVQ mills_len+8(FP), SI
	XORQ DI, DI
	ANDQ $-4, SI
	JMP  loop4Test

loop4:
	VMOVUPD (BX)(DI*8), Y0
	DENSITY
	TAIL

	// Y8 = ratio = 1/(n d), Y4 = Φ(−t)
	VMOVUPD     one<>(SB), Y7
	VMULPD      Y5, Y4, Y8
	VDIVPD      Y8, Y7, Y8
	VMULPD      Y4, Y4, Y4
	VMULPD      Y4, Y8, Y4
	VMULPD      Y4, Y2, Y4

	// Y4 = Φ(x)
	VSUBPD      Y4, Y7, Y9
	VXORPD      Y10, Y10, Y10
	VCMPPD      $0x11, Y0, Y10, Y10
	VBLENDVPD   Y10, Y9, Y4, Y4
	VMOVUPD     Y4, (DX)(DI*8)

	// φ/Φ: Y2 = φ(t)/Φ(x) for x > 0, d ratio d otherwise
	VDIVPD      Y4, Y2, Y2
	VMULPD      Y8, Y5, Y4
	VMULPD      Y4, Y3, Y3
	VMULPD      Y4, Y5, Y5
	VXORPD      Y8, Y8, Y8
	VCMPPD      $0x11, Y0, Y8, Y8
	VBLENDVPD   Y8, Y2, Y5, Y5
	VMOVUPD     Y5, (AX)(DI*8)

	// The variance: 1 − h (t + h) for x > 0, p (d ratio) − (q d ratio)² otherwise
	VMULPD      Y4, Y6, Y4
	VMULPD      Y3, Y3, Y3
	VSUBPD      Y3, Y4, Y3
	VADDPD      Y1, Y2, Y1
	VMULPD      Y1, Y2, Y1
	VSUBPD      Y1, Y7, Y1
	VXORPD      Y2, Y2, Y2
	VCMPPD      $0x11, Y0, Y2, Y0
	VBLENDVPD   Y0, Y1, Y3, Y0
	VMOVUPD     Y0, (CX)(DI*8)
	ADDQ        $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4
	VZEROUPPER
	RET

// φ at min(|x|, 38.6)
TEXT ·densitiesVector(SB), NOSPLIT, $0-48
	MOVQ dst_base+0(FP), AX
	MOVQ x_base+24(FP), BX
	MOVQ dst_len+8(FP), SI
	XORQ DI, DI
	ANDQ $-4, SI
	JMP  loop4Test

loop4:
	VMOVUPD (BX)(DI*8), Y0
	DENSITY
	VMOVUPD Y2, (AX)(DI*8)
	ADDQ    $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4
	VZEROUPPER
	RET

// The steps of Rectified, both branches for all numbers.
TEXT ·rectifiedVector(SB), NOSPLIT, $0-96
	MOVQ prob_base+0(FP), AX
	MOVQ gap_base+24(FP), CX
	MOVQ variance_base+48(FP), DX
	MOVQ a_base+72(FP), BX
	MOVQ prob_len+8(FP), SI
	XORQ DI, DI
	ANDQ $-4, SI
	JMP  loop4Test

loop4:
	VMOVUPD (BX)(DI*8), Y0
	DENSITY
	TAIL

	// Y4 = φ n/d, Y5 = φ q/d = gap, Y6 = gap (p/q − gap)
	VDIVPD Y5, Y4, Y4
	VMULPD Y4, Y2, Y4
	VDIVPD Y5, Y3, Y5
	VMULPD Y5, Y2, Y5
	VDIVPD Y3, Y6, Y6
	VSUBPD Y5, Y6, Y6
	VMULPD Y6, Y5, Y6

	// For a > 0, 1 − Y4 and Y6 + (1 − 2 Y4)
	VMOVUPD   one<>(SB), Y7
	VADDPD    Y4, Y4, Y8
	VSUBPD    Y8, Y7, Y8
	VADDPD    Y8, Y6, Y8
	VSUBPD    Y4, Y7, Y7
	VXORPD    Y9, Y9, Y9
	VCMPPD    $0x11, Y0, Y9, Y9
	VBLENDVPD Y9, Y7, Y4, Y4
	VBLENDVPD Y9, Y8, Y6, Y6
	VMOVUPD   Y4, (AX)(DI*8)
	VMOVUPD   Y5, (CX)(DI*8)
	VMOVUPD   Y6, (DX)(DI*8)
	ADDQ      $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4
	VZEROUPPER
	RET

// eˣ with the steps of the Go function exp, up to the first four numbers of which one is not below 708 in size;
// returns how many there were.
TEXT ·expVector(SB), NOSPLIT, $0-56
	MOVQ dst_base+0(FP), AX
	MOVQ x_base+24(FP), BX
	MOVQ dst_len+8(FP), SI
	LEAQ ·pow2+0(SB), R8
	LEAQ ·pow2Rest+0(SB), R9
	XORQ DI, DI
	ANDQ $-4, SI
	JMP  loop4Test

loop4:
	VMOVUPD    (BX)(DI*8), Y0
	VANDPD     magnitude<>(SB), Y0, Y1
	VCMPPD     $0x15, expRange<>(SB), Y1, Y1
	VMOVMSKPD  Y1, DX
	TESTL      DX, DX
	JNE        done

	// Y1 = k, Y2 = n, Y0 = r, Y3 = r², Y4 = i
	VMULPD     expSteps<>(SB), Y0, Y1
	VADDPD     roundShift<>(SB), Y1, Y1
	VSUBPD     roundShift<>(SB), Y1, Y2
	VMULPD     expLn2Hi<>(SB), Y2, Y3
	VSUBPD     Y3, Y0, Y0
	VMULPD     expLn2Lo<>(SB), Y2, Y2
	VSUBPD     Y2, Y0, Y0
	VMULPD     Y0, Y0, Y3
	VPAND      expMask<>(SB), Y1, Y4
	VPCMPEQD   Y5, Y5, Y5
	VXORPD     Y6, Y6, Y6
	VGATHERQPD Y5, (R8)(Y4*8), Y6
	VPCMPEQD   Y5, Y5, Y5
	VXORPD     Y7, Y7, Y7
	VGATHERQPD Y5, (R9)(Y4*8), Y7

	// Y7 = e, Y6 = scale
	VADDPD  Y0, Y7, Y7
	VMULPD  sixth<>(SB), Y0, Y2
	VADDPD  half<>(SB), Y2, Y2
	VMULPD  hundredtwentieth<>(SB), Y0, Y0
	VADDPD  twentyfourth<>(SB), Y0, Y0
	VMULPD  Y0, Y3, Y0
	VADDPD  Y0, Y2, Y0
	VMULPD  Y0, Y3, Y0
	VADDPD  Y0, Y7, Y7
	VPSUBQ  Y4, Y1, Y1
	VPSLLQ  $45, Y1, Y1
	VPADDQ  Y1, Y6, Y6
	VMULPD  Y7, Y6, Y7
	VADDPD  Y7, Y6, Y6
	VMOVUPD Y6, (AX)(DI*8)
	ADDQ    $4, DI

loop4Test:
	CMPQ DI, SI
	JLT  loop4

done:
	VZEROUPPER
	MOVQ DI, ret+48(FP)
	RET
