package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

var quads = map[uint64]Mem{}

// quad returns four copies of a number in memory.
func quad(x float64) Mem { return quadBits(math.Float64bits(x)) }

func quadBits(bits uint64) Mem {
	m, ok := quads[bits]
	if !ok {
		m = GLOBL(fmt.Sprintf("quad%016x", bits), RODATA|NOPTR)
		for lane := range 4 {
			DATA(8*lane, U64(bits))
		}
		quads[bits] = m
	}
	return m
}

func copyOf(x VecVirtual) VecVirtual {
	y := YMM()
	VMOVAPD(x, y)
	return y
}

func mul(a Op, b VecVirtual) VecVirtual { y := YMM(); VMULPD(a, b, y); return y }
func add(a Op, b VecVirtual) VecVirtual { y := YMM(); VADDPD(a, b, y); return y }
func sub(a VecVirtual, b Op) VecVirtual { y := YMM(); VSUBPD(b, a, y); return y } // a − b

// line returns c0 + c1 x.
func line(c0, c1 float64, x VecVirtual) VecVirtual { return add(quad(c0), mul(quad(c1), x)) }

// series returns the terms of Taylor's series of eʳ − first from r on, added to first:
// (first + r) + r²((1/2 + r/6) + r²(1/24 + r/120)).
func series(first Op, r VecVirtual) VecVirtual {
	r2 := mul(r, r)
	inner := add(line(1./2, 1./6, r), mul(line(1./24, 1./120, r), r2))
	return add(add(first, r), mul(inner, r2))
}

// gather returns the numbers of a table of the package at four indices.
func gather(table string, index VecVirtual) VecVirtual {
	base, all, y := GP64(), YMM(), YMM()
	LEAQ(Mem{Symbol: Symbol{Name: "·" + table}, Base: StaticBase}, base)
	VPCMPEQD(all, all, all)
	VXORPD(y, y, y)
	VGATHERQPD(all, Mem{Base: base, Index: index, Scale: 8}, y)
	return y
}

// exp runs until four numbers of which one is neither in the range of the Go function
// of that name nor so small that the value is 0, and returns how many it has done.
func exp() {
	TEXT("expVector", NOSPLIT, "func(dst, x []float64) int")
	Pragma("noescape")
	n, at := slices("dst", "x")
	i, end, mask := GP64(), GP64(), GP32()
	XORQ(i, i)
	MOVQ(n, end)
	ANDQ(I8(-4), end)
	JMP(LabelRef("test"))
	Label("fours")
	x, near, far := YMM(), YMM(), YMM()
	VMOVUPD(at(1, i, 0), x)
	VANDPD(quadBits(1<<63-1), x, near)
	VCMPPD(U8(0x11), quad(708), near, near) // |x| < 708
	VCMPPD(U8(0x11), quad(-745.14), x, far) // x < −745.14
	VORPD(near, far, far)
	VMOVMSKPD(far, mask)
	CMPL(mask, I8(15))
	JNE(LabelRef("done"))
	shifted := add(quad(3<<51), mul(quad(128/math.Ln2), x))
	number := sub(shifted, quad(3<<51))
	r := sub(sub(x, mul(quad(ln2Hi/128), number)), mul(quad(ln2Lo/128), number))
	index, exponent := YMM(), YMM()
	VPAND(quadBits(127), shifted, index)
	e := series(gather("pow2Rest", index), r)
	VPSUBQ(index, shifted, exponent)
	VPSLLQ(U8(52-7), exponent, exponent)
	scale := gather("pow2", index)
	VPADDQ(exponent, scale, scale)
	y := add(mul(scale, e), scale)
	VANDPD(near, y, y)
	VMOVUPD(y, at(0, i, 0))
	ADDQ(I8(4), i)
	Label("test")
	CMPQ(i, end)
	JLT(LabelRef("fours"))
	Label("done")
	VZEROUPPER()
	Store(i, ReturnIndex(0))
	RET()
}

// log 2 in two parts, as in the Go code.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// tail returns the polynomials of the Go function of that name.
func tail(t VecVirtual) (p, q VecVirtual) {
	t2 := mul(t, t)
	t4 := mul(t2, t2)
	t8 := mul(t4, t4)
	poly := func(c [12]float64, last VecVirtual) VecVirtual {
		sum := add(line(c[0], c[1], t), mul(line(c[2], c[3], t), t2))
		sum = add(sum, mul(add(line(c[4], c[5], t), mul(line(c[6], c[7], t), t2)), t4))
		return add(sum, mul(add(line(c[8], c[9], t), mul(last, t2)), t8))
	}
	last := YMM()
	VMOVAPD(quad(tailP[10]), last)
	return poly(tailP, last), poly(tailQ, line(tailQ[10], tailQ[11], t))
}

var (
	tailP = [12]float64{
		1.2533141373155003, 1.5870173278303032, 1.0270989187970512, 0.43747391252779455,
		0.13425428078972282, 0.030829592810065993, 0.0053524119675372045, 0.0006943619901037899,
		6.471029033271475e-05, 3.949600874715785e-06, 1.2226441390289522e-07,
	}
	tailQ = [12]float64{
		1, 1.6087116078926582, 1.2996213513387376, 0.6862286081877013,
		0.26102848039280613, 0.07477409806283349, 0.016432641801664892, 0.0027725378325577322,
		0.0003531053963658239, 3.253854178720382e-05, 1.9748004373579056e-06, 6.11322069514476e-08,
	}
)

// normal returns |x|, at most 38.6, φ(|x|), the polynomials of the Go function Tail, n = p + tq
// and d = q + tn.
func normal(x VecVirtual) (t, pdf, p, q, n, d VecVirtual) {
	t = YMM()
	VANDPD(quadBits(1<<63-1), x, t)
	limit := YMM()
	VMOVAPD(quad(38.6), limit)
	VMINPD(t, limit, t) // where the density is 0; of a NaN it is the NaN
	square := mul(t, t)
	low := copyOf(square)
	VFMSUB231PD(t, t, low)
	k, k64, number := XMM(), YMM(), YMM()
	VCVTTPD2DQY(add(quad(0.5), mul(quad(math.Log2E*64/2), square)), k)
	VCVTDQ2PD(k, number)
	VPMOVSXDQ(k, k64)
	r := add(sub(mul(quad(ln2Lo/64), number), mul(quad(0.5), low)),
		sub(mul(quad(ln2Hi/64), number), mul(quad(0.5), square)))
	e := series(load(quad(1)), r)
	index := YMM()
	VPAND(quadBits(63), k64, index)
	VPSRLQ(U8(6), k64, k64)
	power := load(quadBits(1023 + 64))
	VPSUBQ(k64, power, power)
	VPSLLQ(U8(52), power, power)
	pdf = mul(mul(gather("densityTable", index), power), e)
	p, q = tail(t)
	n = add(p, mul(q, t))
	return t, pdf, p, q, n, add(q, mul(n, t))
}

func load(m Mem) VecVirtual {
	y := YMM()
	VMOVUPD(m, y)
	return y
}

func divide(a, b VecVirtual) VecVirtual { y := YMM(); VDIVPD(b, a, y); return y }

// ifPositive returns yes where 0 < x, otherwise no.
func ifPositive(x, yes, no VecVirtual) VecVirtual {
	positive, zero, y := YMM(), YMM(), YMM()
	VXORPD(zero, zero, zero)
	VCMPPD(U8(0x11), x, zero, positive)
	VBLENDVPD(positive, yes, no, y)
	return y
}

// pdfCDF is for a multiple of four numbers.
func pdfCDF() {
	TEXT("pdfCDFVector", NOSPLIT, "func(pdf, cdf, x []float64)")
	Pragma("noescape")
	n, at := slices("pdf", "cdf", "x")
	loop(n, "pdfCDF", nil, func(i Register) {
		x := load(at(2, i, 0))
		_, pdf, _, _, n, d := normal(x)
		VMOVUPD(pdf, at(0, i, 0))
		cdf := mul(divide(n, d), pdf)
		VMOVUPD(ifPositive(x, sub(load(quad(1)), cdf), cdf), at(1, i, 0))
	}, nil, nil)
	RET()
}

// rectified is for a multiple of four numbers.
func rectified() {
	TEXT("rectifiedVector", NOSPLIT, "func(prob, gap, variance, a []float64)")
	Pragma("noescape")
	n, at := slices("prob", "gap", "variance", "a")
	loop(n, "rectified", nil, func(i Register) {
		a := load(at(3, i, 0))
		_, pdf, p, q, n, d := normal(a)
		prob, gap := mul(divide(n, d), pdf), mul(divide(q, d), pdf)
		VMOVUPD(gap, at(1, i, 0))
		variance := mul(sub(divide(p, q), gap), gap)
		more := add(variance, sub(load(quad(1)), mul(quad(2), prob)))
		VMOVUPD(ifPositive(a, more, variance), at(2, i, 0))
		VMOVUPD(ifPositive(a, sub(load(quad(1)), prob), prob), at(0, i, 0))
	}, nil, nil)
	RET()
}

// truncated is for a multiple of four numbers.
func truncated() {
	TEXT("truncatedVector", NOSPLIT, "func(mills, variance, cdf, x []float64)")
	Pragma("noescape")
	n, at := slices("mills", "variance", "cdf", "x")
	loop(n, "truncated", nil, func(i Register) {
		x := load(at(3, i, 0))
		t, pdf, p, q, n, d := normal(x)
		one := load(quad(1))
		ratio := divide(one, mul(d, n))
		below := mul(mul(mul(n, n), ratio), pdf) // Φ(−|x|)
		cdf := ifPositive(x, sub(one, below), below)
		VMOVUPD(cdf, at(2, i, 0))
		right := divide(pdf, cdf)
		perN := mul(ratio, d)
		qn := mul(perN, q)
		VMOVUPD(ifPositive(x, right, mul(perN, d)), at(0, i, 0))
		left := sub(mul(perN, p), mul(qn, qn))
		VMOVUPD(ifPositive(x, sub(one, mul(add(t, right), right)), left), at(1, i, 0))
	}, nil, nil)
	RET()
}
