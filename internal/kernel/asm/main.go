// Command asm generates the assembly of package kernel: the loops of its Go code, the same operations in the
// same order, on four numbers at a time.
//
//	cd internal/kernel/asm && go run . -out ../vector_amd64.s -stubs ../vector_amd64.go -pkg kernel
package main

import (
	"fmt"

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
	dot2x2()
	carlson4()
	forward()
	backward()
	update()
	adam()
	truncated()
	Generate()
}

// memory returns number i+offset of slice k, or row k.
type memory func(k int, i Register, offset int) Mem

// begin begins a function; n is the length of the first of the given slices.
func begin(name, signature string, slices ...string) (n Register, at memory) {
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	var base []Register
	for _, slice := range slices {
		base = append(base, Load(Param(slice).Base(), GP64()))
	}
	return Load(Param(slices[0]).Len(), GP64()), func(k int, i Register, offset int) Mem {
		return Mem{Base: base[k], Index: i, Scale: 8, Disp: 8 * offset}
	}
}

// rows returns where count rows of n numbers are that follow one another from the number first on.
func rows(count int, n Register, first Mem) memory {
	base, size := []Register{GP64()}, GP64()
	LEAQ(first, base[0])
	MOVQ(n, size)
	SHLQ(U8(3), size)
	for k := range count - 1 {
		base = append(base, GP64())
		LEAQ(Mem{Base: base[k], Index: size, Scale: 1}, base[k+1])
	}
	return func(k int, i Register, offset int) Mem {
		return Mem{Base: base[k], Index: i, Scale: 8, Disp: 8 * offset}
	}
}

// loop runs over the numbers from i on, width at a time. It leaves fewer than width of them.
func loop(i, n Register, width int, step func()) {
	end, name := GP64(), fmt.Sprintf("loop%d", width)
	MOVQ(n, end)
	ANDQ(I8(-width), end)
	JMP(LabelRef(name + "Test"))
	Label(name)
	step()
	ADDQ(I8(width), i)
	Label(name + "Test")
	CMPQ(i, end)
	JLT(LabelRef(name))
}

// elementwise is a function whose steps do not depend on one another.
func elementwise(n Register, step func(i Register)) {
	i := GP64()
	XORQ(i, i)
	loop(i, n, 4, func() { step(i) })
	VZEROUPPER()
	RET()
}

// sums is a loop whose steps give terms of sums, which it returns: each is the pairwise sum of eight lanes.
func sums(n Register, count int, terms func(i Register, offset int) []VecVirtual) (total []VecVirtual) {
	i, lanes := GP64(), [2][]VecVirtual{}
	XORQ(i, i)
	for k := range 2 * count {
		lanes[k%2] = append(lanes[k%2], zero())
	}
	half := func(k int) {
		for s, term := range terms(i, 4*k) {
			VADDPD(term, lanes[k][s], lanes[k][s])
		}
	}
	loop(i, n, 8, func() { half(0); half(1) })
	loop(i, n, 4, func() { half(0) })
	for s, low := range lanes[0] {
		sum, upper := add(lanes[1][s], low), XMM()
		VEXTRACTF128(U8(1), sum, upper)
		VADDPD(upper, sum.AsX(), sum.AsX())
		VPERMILPD(U8(1), sum.AsX(), upper)
		VADDSD(upper, sum.AsX(), sum.AsX())
		total = append(total, sum)
	}
	VZEROUPPER()
	return total
}

func dot() {
	n, at := begin("dotVector", "func(x, y []float64) float64", "x", "y")
	total := sums(n, 1, func(i Register, offset int) []VecVirtual {
		return []VecVirtual{mul(at(1, i, offset), load(at(0, i, offset)))}
	})
	Store(total[0].AsX(), ReturnIndex(0))
	RET()
}

func dot4() {
	n, at := begin("dot4Vector", "func(dst *[4]float64, x, a []float64)", "x", "a")
	none, dst := GP64(), Load(Param("dst"), GP64())
	XORQ(none, none)
	row := rows(4, n, at(1, none, 0))
	total := sums(n, 4, func(i Register, offset int) (terms []VecVirtual) {
		x := load(at(0, i, offset))
		for k := range 4 {
			terms = append(terms, mul(row(k, i, offset), x))
		}
		return terms
	})
	store(total, dst)
}

// store stores the results of a function.
func store(total []VecVirtual, dst Register) {
	for k := range total {
		VMOVSD(total[k].AsX(), Mem{Base: dst, Disp: 8 * k})
	}
	RET()
}

func dot2x2() {
	TEXT("dot2x2Vector", NOSPLIT, "func(dst *[4]float64, n int, x, y []float64)")
	Pragma("noescape")
	dst, n := Load(Param("dst"), GP64()), Load(Param("n"), GP64())
	two := func(name string) memory {
		size := Load(Param(name).Len(), GP64())
		SHRQ(U8(1), size)
		return rows(2, size, Mem{Base: Load(Param(name).Base(), GP64())})
	}
	x, y := two("x"), two("y")
	total := sums(n, 4, func(i Register, offset int) []VecVirtual {
		a, b := load(x(0, i, offset)), load(x(1, i, offset))
		c, d := load(y(0, i, offset)), load(y(1, i, offset))
		return []VecVirtual{mul(c, a), mul(d, a), mul(c, b), mul(d, b)}
	})
	store(total, dst)
}

func backward() {
	n, at := begin("backwardVector", "func(mean, d, e []float64) (first, second float64)", "mean", "d", "e")
	total := sums(n, 2, func(i Register, offset int) []VecVirtual {
		mu := load(at(0, i, offset))
		return []VecVirtual{mul(at(1, i, offset), mu), mul(at(2, i, offset), mul(mu, mu))}
	})
	Store(total[0].AsX(), ReturnIndex(0))
	Store(total[1].AsX(), ReturnIndex(1))
	RET()
}

// products is for rows of a multiple of four numbers.
func products() {
	n, at := begin("productsVector", "func(dst *[8]float64, x, y []float64)", "x", "y")
	none, i, dst := GP64(), GP64(), Load(Param("dst"), GP64())
	XORQ(none, none)
	XORQ(i, i)
	SHRQ(U8(1), n)
	x, y := rows(2, n, at(0, none, 0)), rows(4, n, at(1, none, 0))
	var sums [8]VecVirtual
	for k := range sums {
		sums[k] = zero()
	}
	loop(i, n, 4, func() {
		a, b := load(x(0, i, 0)), load(x(1, i, 0))
		for l := range 4 {
			c := load(y(l, i, 0))
			VADDPD(mul(c, a), sums[l], sums[l])
			VADDPD(mul(c, b), sums[4+l], sums[4+l])
		}
	})
	for k := 0; k < 8; k += 4 {
		s, low, high := sums[k:k+4], YMM(), YMM()
		VHADDPD(s[1], s[0], s[0]) // a₀+a₁, b₀+b₁, a₂+a₃, b₂+b₃
		VHADDPD(s[3], s[2], s[2])
		VPERM2F128(U8(0x20), s[2], s[0], low)
		VPERM2F128(U8(0x31), s[2], s[0], high)
		VMOVUPD(add(high, low), Mem{Base: dst, Disp: 8 * k})
	}
	VZEROUPPER()
	RET()
}

func addScaled4() {
	n, at := begin("addScaled4Vector", "func(y []float64, a *[4]float64, x0, x1, x2, x3 []float64)",
		"y", "x0", "x1", "x2", "x3")
	a := factors("a")
	elementwise(n, func(i Register) {
		sum := mul(at(1, i, 0), a[0])
		for l := 1; l < 4; l++ {
			sum = add(mul(at(1+l, i, 0), a[l]), sum)
		}
		VMOVUPD(add(at(0, i, 0), sum), at(0, i, 0))
	})
}

func carlson4() {
	n, at := begin("carlson4Vector", "func(sum, a []float64, h, keep, mix *[4]float64)", "sum", "a")
	none := GP64()
	XORQ(none, none)
	row, h, keep, mix := rows(4, n, at(1, none, 0)), factors("h"), factors("keep"), factors("mix")
	elementwise(n, func(i Register) {
		sum := load(at(0, i, 0))
		for k := 3; k >= 0; k-- {
			x := load(row(k, i, 0))
			VMOVUPD(add(mul(sum, mix[k]), mul(x, keep[k])), row(k, i, 0))
			sum = add(mul(x, h[k]), sum)
		}
		VMOVUPD(sum, at(0, i, 0))
	})
}

func forward() {
	n, at := begin("forwardVector", "func(m, v []float64, y, square, s float64, mean, variance []float64)",
		"m", "v", "mean", "variance")
	y, square, s := broadcast("y"), broadcast("square"), broadcast("s")
	elementwise(n, func(i Register) {
		mu := load(at(2, i, 0))
		VMOVUPD(add(at(0, i, 0), mul(mu, y)), at(0, i, 0))
		VMOVUPD(add(at(1, i, 0), add(mul(at(3, i, 0), square), mul(mul(mu, mu), s))), at(1, i, 0))
	})
}

func update() {
	n, at := begin("updateVector", "func(mean, variance, d, e []float64, y, often, least float64)",
		"mean", "variance", "d", "e")
	y, often, least := broadcast("y"), broadcast("often"), broadcast("least")
	elementwise(n, func(i Register) {
		x := load(at(1, i, 0))
		u := mul(x, y)
		VMOVUPD(add(at(0, i, 0), mul(at(2, i, 0), u)), at(0, i, 0))
		left := add(quad(1), mul(mul(at(3, i, 0), u), often))
		VMAXPD(left, least, left) // of a NaN and least it is the NaN
		VMOVUPD(mul(left, x), at(1, i, 0))
	})
}

func adam() {
	const signature = "func(weights, mean, square, grad []float64, decay *[4]float64, rate, unbias float64)"
	n, at := begin("adamVector", signature, "weights", "mean", "square", "grad")
	decay, rate, unbias := factors("decay"), broadcast("rate"), broadcast("unbias")
	elementwise(n, func(i Register) {
		g := load(at(3, i, 0))
		m := add(mul(g, decay[1]), mul(at(1, i, 0), decay[0]))
		v := add(mul(g, mul(g, decay[3])), mul(at(2, i, 0), decay[2]))
		VMOVUPD(m, at(1, i, 0))
		VMOVUPD(v, at(2, i, 0))
		root := YMM()
		VSQRTPD(mul(v, unbias), root)
		w := sub(load(at(0, i, 0)), divide(mul(m, rate), add(quad(1e-8), root)))
		VMOVUPD(w, at(0, i, 0))
	})
}

func truncated() {
	n, at := begin("truncatedVector", "func(mills, variance, cdf, x []float64)", "mills", "variance", "cdf", "x")
	elementwise(n, func(i Register) {
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
	})
}
