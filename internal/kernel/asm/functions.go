package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Each of these puts its result into a register of its own.

func zero() VecVirtual                             { y := YMM(); VXORPD(y, y, y); return y }
func load(m Mem) VecVirtual                        { y := YMM(); VMOVUPD(m, y); return y }
func mul(a Op, b VecVirtual) VecVirtual            { y := YMM(); VMULPD(a, b, y); return y }
func add(a Op, b VecVirtual) VecVirtual            { y := YMM(); VADDPD(a, b, y); return y }
func sub(a VecVirtual, b Op) VecVirtual            { y := YMM(); VSUBPD(b, a, y); return y }  // a − b
func divide(a, b VecVirtual) VecVirtual            { y := YMM(); VDIVPD(b, a, y); return y }  // a/b
func line(c0, c1 float64, x VecVirtual) VecVirtual { return add(quad(c0), mul(quad(c1), x)) } // c0 + c1 x

// ifPositive returns yes where 0 < x, otherwise no.
func ifPositive(x, yes, no VecVirtual) VecVirtual {
	positive, y := YMM(), YMM()
	VCMPPD(U8(0x11), x, zero(), positive)
	VBLENDVPD(positive, yes, no, y)
	return y
}

// broadcast returns a parameter in all lanes.
func broadcast(name string) VecVirtual {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	all := YMM()
	VBROADCASTSD(address.Addr, all)
	return all
}

// factors returns each of four numbers in all lanes.
func factors(name string) (f [4]VecVirtual) {
	address := Load(Param(name), GP64())
	for k := range f {
		f[k] = YMM()
		VBROADCASTSD(Mem{Base: address, Disp: 8 * k}, f[k])
	}
	return f
}

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

// gather returns the numbers of a table of the package at four indices.
func gather(table string, index VecVirtual) VecVirtual {
	base, all, y := GP64(), YMM(), YMM()
	LEAQ(Mem{Symbol: Symbol{Name: "·" + table}, Base: StaticBase}, base)
	VPCMPEQD(all, all, all)
	VXORPD(y, y, y)
	VGATHERQPD(all, Mem{Base: base, Index: index, Scale: 8}, y)
	return y
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
	low := YMM()
	VMOVAPD(square, low)
	VFMSUB231PD(t, t, low)
	k, k64, number := XMM(), YMM(), YMM()
	VCVTTPD2DQY(add(quad(0.5), mul(quad(math.Log2E*64/2), square)), k)
	VCVTDQ2PD(k, number)
	VPMOVSXDQ(k, k64)
	r := add(sub(mul(quad(ln2Lo/64), number), mul(quad(0.5), low)),
		sub(mul(quad(ln2Hi/64), number), mul(quad(0.5), square)))
	r2 := mul(r, r)
	e := add(add(quad(1), r), mul(add(line(1./2, 1./6, r), mul(line(1./24, 1./120, r), r2)), r2))
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
