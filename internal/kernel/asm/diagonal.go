package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func forward() {
	TEXT("forwardVector", NOSPLIT, "func(m, v []float64, y, square, s float64, mean, variance []float64)")
	Pragma("noescape")
	n, at := slices("m", "v", "mean", "variance")
	y, square, s := broadcast("y"), broadcast("square"), broadcast("s")
	elementwise(n, "forward", func(f form, i Register, k int) {
		mu, p, q := f.vec(), f.vec(), f.vec()
		f.load(at(2, i, k), mu)
		f.mul(f.as(y), mu, p)
		f.add(at(0, i, k), p, p)
		f.load(p, at(0, i, k))
		f.load(at(3, i, k), q)
		f.mul(f.as(square), q, q)
		f.mul(mu, mu, mu)
		f.mul(f.as(s), mu, mu)
		f.add(mu, q, q)
		f.add(at(1, i, k), q, q)
		f.load(q, at(1, i, k))
	})
}

func backward() {
	TEXT("backwardVector", NOSPLIT, "func(mean, d, e []float64) (first, second float64)")
	Pragma("noescape")
	n, at := slices("mean", "d", "e")
	total := sums(n, "backward", 2, func(f form, i Register, k int, sum func(s int) Op) {
		mu, p := f.vec(), f.vec()
		f.load(at(0, i, k), mu)
		f.mul(at(1, i, k), mu, p)
		f.add(p, sum(0), sum(0))
		f.mul(mu, mu, mu)
		f.mul(at(2, i, k), mu, mu)
		f.add(mu, sum(1), sum(1))
	})
	Store(total[0].AsX(), ReturnIndex(0))
	Store(total[1].AsX(), ReturnIndex(1))
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
