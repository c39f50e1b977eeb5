// Command asm generates the assembly of package kernel: the loops of its Go code, the
// same operations in the same order, on four numbers at a time.
//
//	cd internal/kernel/asm && go run . -out ../vector_amd64.s -stubs ../vector_amd64.go -pkg kernel
//
// Where operands do not commute, those of AVX stand in reverse: VSUBPD(b, a, y) is a − b.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("!noasm")
	dot()
	products()
	addScaled4()
	dot4()
	addOuter4()
	carlson4()
	forward()
	backward()
	update()
	exp()
	pdfCDF()
	rectified()
	truncated()
	Generate()
}

// loop runs over the numbers from 0 to n: pair on eight at a time, if there is one, four
// on four, and one on each of the rest. It is given the index of the first.
func loop(n Register, name string, pair, four, before, one func(i Register)) {
	i, end := GP64(), GP64()
	XORQ(i, i)
	if pair != nil {
		MOVQ(n, end)
		ANDQ(I8(-8), end)
		JMP(LabelRef(name + "PairsTest"))
		Label(name + "Pairs")
		pair(i)
		ADDQ(I8(8), i)
		Label(name + "PairsTest")
		CMPQ(i, end)
		JLT(LabelRef(name + "Pairs"))
	}
	MOVQ(n, end)
	ANDQ(I8(-4), end)
	JMP(LabelRef(name + "FoursTest"))
	Label(name + "Fours")
	four(i)
	ADDQ(I8(4), i)
	Label(name + "FoursTest")
	CMPQ(i, end)
	JLT(LabelRef(name + "Fours"))
	if before != nil {
		before(i)
	}
	if one != nil {
		JMP(LabelRef(name + "OnesTest"))
		Label(name + "Ones")
		one(i)
		INCQ(i)
		Label(name + "OnesTest")
		CMPQ(i, n)
		JLT(LabelRef(name + "Ones"))
	}
	VZEROUPPER()
}

// slices returns the addresses of the data of the parameters, and the length of the first.
func slices(names ...string) (n Register, at func(k int, i Register, offset int) Mem) {
	var base []Register
	for _, name := range names {
		base = append(base, Load(Param(name).Base(), GP64()))
	}
	n = Load(Param(names[0]).Len(), GP64())
	return n, func(k int, i Register, offset int) Mem {
		return Mem{Base: base[k], Index: i, Scale: 8, Disp: 8 * offset}
	}
}

// broadcast returns a parameter in all lanes; its lowest lane is the number itself.
func broadcast(name string) VecVirtual {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	all := YMM()
	VBROADCASTSD(address.Addr, all)
	return all
}

// factors returns each of n numbers in all lanes.
func factors(name string, n int) (f []VecVirtual) {
	address := Load(Param(name), GP64())
	for k := range n {
		f = append(f, YMM())
		VBROADCASTSD(Mem{Base: address, Disp: 8 * k}, f[k])
	}
	return f
}

func zero() VecVirtual {
	x := YMM()
	VXORPD(x, x, x)
	return x
}

// pairwise returns (low₀ + high₀) + (low₂ + high₂) + …: the sum of two registers of lanes.
func pairwise(low, high VecVirtual) VecVirtual {
	sum, upper := YMM(), XMM()
	VADDPD(high, low, sum)
	VEXTRACTF128(U8(1), sum, upper)
	VADDPD(upper, sum.AsX(), sum.AsX())
	VPERMILPD(U8(1), sum.AsX(), upper)
	VADDSD(upper, sum.AsX(), sum.AsX())
	return sum
}

func dot() {
	TEXT("dotVector", NOSPLIT, "func(x, y []float64) float64")
	Pragma("noescape")
	n, at := slices("x", "y")
	total := sums(n, "dot", 1, func(f form, i Register, k int, sum func(s int) Op) {
		p := f.vec()
		f.load(at(0, i, k), p)
		f.mul(at(1, i, k), p, p)
		f.add(p, sum(0), sum(0))
	})
	Store(total[0].AsX(), ReturnIndex(0))
	RET()
}

// products is for rows of a multiple of four numbers.
func products() {
	TEXT("productsVector", NOSPLIT, "func(dst *[8]float64, x, y []float64)")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	n := Load(Param("x").Len(), GP64())
	x, y := []Register{Load(Param("x").Base(), GP64())}, []Register{Load(Param("y").Base(), GP64())}
	SHRQ(U8(1), n)
	next := func(rows []Register) []Register {
		row := GP64()
		LEAQ(Mem{Base: rows[len(rows)-1], Index: n, Scale: 8}, row)
		return append(rows, row)
	}
	x = next(x)
	y = next(next(next(y)))
	var sums [8]VecVirtual
	for k := range sums {
		sums[k] = zero()
	}
	loop(n, "products", nil, func(i Register) {
		a, b := YMM(), YMM()
		VMOVUPD(Mem{Base: x[0], Index: i, Scale: 8}, a)
		VMOVUPD(Mem{Base: x[1], Index: i, Scale: 8}, b)
		for l, row := range y {
			c, p := YMM(), YMM()
			VMOVUPD(Mem{Base: row, Index: i, Scale: 8}, c)
			VMULPD(c, a, p)
			VADDPD(p, sums[l], sums[l])
			VMULPD(c, b, c)
			VADDPD(c, sums[4+l], sums[4+l])
		}
	}, func(Register) {
		for k := 0; k < 8; k += 4 {
			s, low, high := sums[k:k+4], YMM(), YMM()
			VHADDPD(s[1], s[0], s[0]) // a₀+a₁, b₀+b₁, a₂+a₃, b₂+b₃
			VHADDPD(s[3], s[2], s[2])
			VPERM2F128(U8(0x20), s[2], s[0], low)
			VPERM2F128(U8(0x31), s[2], s[0], high)
			VADDPD(high, low, low)
			VMOVUPD(low, Mem{Base: dst, Disp: 8 * k})
		}
	}, nil)
	RET()
}

// packed and scalar forms of the instructions of the elementwise loops.
type form struct {
	vec                 func() VecVirtual
	load, mul, add, max func(...Op)
	as                  func(VecVirtual) Op
}

var packed = form{YMM, VMOVUPD, VMULPD, VADDPD, VMAXPD, func(v VecVirtual) Op { return v }}

var scalar = form{XMM, VMOVSD, VMULSD, VADDSD, VMAXSD, func(v VecVirtual) Op { return v.AsX() }}

// elementwise is a loop whose steps do not depend on one another.
func elementwise(n Register, name string, step func(f form, i Register, k int)) {
	loop(n, name,
		func(i Register) { step(packed, i, 0); step(packed, i, 4) },
		func(i Register) { step(packed, i, 0) }, nil,
		func(i Register) { step(scalar, i, 0) })
	RET()
}

// sums is a loop whose steps add to so many sums, which it returns: each is the pairwise sum of
// eight lanes, plus the rest one by one.
func sums(n Register, name string, count int, step func(f form, i Register, k int, sum func(s int) Op)) (total []VecVirtual) {
	lanes := make([][2]VecVirtual, count)
	for s := range lanes {
		lanes[s] = [2]VecVirtual{zero(), zero()}
	}
	packed4 := func(i Register, half int) {
		step(packed, i, 4*half, func(s int) Op { return lanes[s][half] })
	}
	loop(n, name,
		func(i Register) { packed4(i, 0); packed4(i, 1) },
		func(i Register) { packed4(i, 0) },
		func(Register) {
			for _, l := range lanes {
				total = append(total, pairwise(l[0], l[1]))
			}
		},
		func(i Register) { step(scalar, i, 0, func(s int) Op { return total[s].AsX() }) })
	return total
}

func addScaled4() {
	TEXT("addScaled4Vector", NOSPLIT, "func(y []float64, a *[4]float64, x0, x1, x2, x3 []float64)")
	Pragma("noescape")
	n, at := slices("y", "x0", "x1", "x2", "x3")
	a := factors("a", 4)
	elementwise(n, "addScaled4", func(f form, i Register, k int) {
		sum, p := f.vec(), f.vec()
		f.load(at(1, i, k), sum)
		f.mul(f.as(a[0]), sum, sum)
		for l := 1; l < 4; l++ {
			f.load(at(1+l, i, k), p)
			f.mul(f.as(a[l]), p, p)
			f.add(p, sum, sum)
		}
		f.add(at(0, i, k), sum, sum)
		f.load(sum, at(0, i, k))
	})
}

// rows returns the addresses of numbers of four rows that follow one another in a, each as
// long as another parameter, and of that.
func rows(other string) (n Register, at func(k int, i Register, offset int) Mem, x func(i Register, offset int) Mem) {
	n, all := slices(other, "a")
	base, size := []Register{Load(Param("a").Base(), GP64())}, GP64()
	MOVQ(n, size)
	SHLQ(U8(3), size)
	for k := range 3 {
		next := GP64()
		LEAQ(Mem{Base: base[k], Index: size, Scale: 1}, next)
		base = append(base, next)
	}
	at = func(k int, i Register, offset int) Mem {
		return Mem{Base: base[k], Index: i, Scale: 8, Disp: 8 * offset}
	}
	return n, at, func(i Register, offset int) Mem { return all(0, i, offset) }
}

func dot4() {
	TEXT("dot4Vector", NOSPLIT, "func(dst *[4]float64, a, x []float64)")
	Pragma("noescape")
	n, at, x := rows("x")
	dst := Load(Param("dst"), GP64())
	total := sums(n, "dot4", 4, func(f form, i Register, offset int, sum func(s int) Op) {
		common := f.vec()
		f.load(x(i, offset), common)
		for k := range 4 {
			p := f.vec()
			f.mul(at(k, i, offset), common, p)
			f.add(p, sum(k), sum(k))
		}
	})
	for k := range total {
		VMOVSD(total[k].AsX(), Mem{Base: dst, Disp: 8 * k})
	}
	RET()
}

func addOuter4() {
	TEXT("addOuter4Vector", NOSPLIT, "func(a []float64, u *[4]float64, x []float64)")
	Pragma("noescape")
	n, at, x := rows("x")
	u := factors("u", 4)
	elementwise(n, "addOuter4", func(f form, i Register, offset int) {
		common := f.vec()
		f.load(x(i, offset), common)
		for k := range u {
			p := f.vec()
			f.mul(f.as(u[k]), common, p)
			f.add(at(k, i, offset), p, p)
			f.load(p, at(k, i, offset))
		}
	})
}

func carlson4() {
	TEXT("carlson4Vector", NOSPLIT, "func(a, sum []float64, h, keep, mix *[4]float64)")
	Pragma("noescape")
	n, at, sum := rows("sum")
	h, keep, mix := factors("h", 4), factors("keep", 4), factors("mix", 4)
	elementwise(n, "carlson4", func(f form, i Register, offset int) {
		s := f.vec()
		f.load(sum(i, offset), s)
		for k := 3; k >= 0; k-- {
			x, p := f.vec(), f.vec()
			f.load(at(k, i, offset), x)
			f.mul(f.as(mix[k]), s, p)
			mixed := f.vec()
			f.mul(f.as(keep[k]), x, mixed)
			f.add(p, mixed, p)
			f.load(p, at(k, i, offset))
			f.mul(f.as(h[k]), x, x)
			f.add(x, s, s)
		}
		f.load(s, sum(i, offset))
	})
}
