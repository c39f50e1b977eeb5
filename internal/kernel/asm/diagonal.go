package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func forward(name string, noisy bool) {
	signature := "func(m, v []float64, y, square float64, mean, variance []float64)"
	if noisy {
		signature = "func(m, v []float64, y, square, s float64, mean, variance []float64)"
	}
	TEXT(name, NOSPLIT, signature)
	Pragma("noescape")
	n, at := slices("m", "v", "mean", "variance")
	y, square := broadcast("y"), broadcast("square")
	var s VecVirtual
	if noisy {
		s = broadcast("s")
	}
	elementwise(n, name, func(f form, i Register, k int) {
		mu, p, q := f.vec(), f.vec(), f.vec()
		f.load(at(2, i, k), mu)
		f.mul(f.as(y), mu, p)
		f.add(at(0, i, k), p, p)
		f.load(p, at(0, i, k))
		f.load(at(3, i, k), q)
		f.mul(f.as(square), q, q)
		if noisy {
			f.mul(mu, mu, mu)
			f.mul(f.as(s), mu, mu)
			f.add(mu, q, q)
		}
		f.add(at(1, i, k), q, q)
		f.load(q, at(1, i, k))
	})
}

func backward() {
	TEXT("backwardVector", NOSPLIT, "func(mean, d, e []float64) (first, second float64)")
	Pragma("noescape")
	n, at := slices("mean", "d", "e")
	a, b := []VecVirtual{zero(), zero()}, []VecVirtual{zero(), zero()}
	step := func(f form, i Register, k int, first, second Op) {
		mu, p := f.vec(), f.vec()
		f.load(at(0, i, k), mu)
		f.mul(at(1, i, k), mu, p)
		f.add(p, first, first)
		f.mul(mu, mu, mu)
		f.mul(at(2, i, k), mu, mu)
		f.add(mu, second, second)
	}
	var first, second VecVirtual
	loop(n, "backward",
		func(i Register) { step(packed, i, 0, a[0], b[0]); step(packed, i, 4, a[1], b[1]) },
		func(i Register) { step(packed, i, 0, a[0], b[0]) },
		func(Register) { first, second = pairwise(a[0], a[1]), pairwise(b[0], b[1]) },
		func(i Register) { step(scalar, i, 0, first.AsX(), second.AsX()) })
	Store(first.AsX(), ReturnIndex(0))
	Store(second.AsX(), ReturnIndex(1))
	RET()
}

func update() {
	TEXT("updateVector", NOSPLIT, "func(mean, variance, d, e []float64, y, often, least float64)")
	Pragma("noescape")
	n, at := slices("mean", "variance", "d", "e")
	y, often, least, one := broadcast("y"), broadcast("often"), broadcast("least"), YMM()
	VMOVUPD(quad(1), one)
	elementwise(n, "update", func(f form, i Register, k int) {
		x, u, p := f.vec(), f.vec(), f.vec()
		f.load(at(1, i, k), x)
		f.mul(f.as(y), x, u)
		f.mul(at(2, i, k), u, p)
		f.add(at(0, i, k), p, p)
		f.load(p, at(0, i, k))
		f.mul(at(3, i, k), u, u)
		f.mul(f.as(often), u, u)
		f.add(f.as(one), u, u)
		f.max(u, f.as(least), u) // of a NaN and least it is the NaN
		f.mul(u, x, x)
		f.load(x, at(1, i, k))
	})
}
