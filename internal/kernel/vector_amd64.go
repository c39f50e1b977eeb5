//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

var vector = cpu.X86.HasAVX2 && cpu.X86.HasFMA

//go:noescape
func dotVector(x, y []float64) float64

//go:noescape
func dot4Vector(dst *[4]float64, a, x []float64)

//go:noescape
func productsVector(dst *[8]float64, x, y []float64)

//go:noescape
func addScaled4Vector(y []float64, a *[4]float64, x0, x1, x2, x3 []float64)

//go:noescape
func carlsonVector(keep, mix, root, h []float64, factor float64)

//go:noescape
func carlson4Vector(sum, a []float64, h, keep, mix *[4]float64)

//go:noescape
func reflectVector(x, w []float64, stride int, h *[5]float64, factor float64)

//go:noescape
func forwardVector(m, v []float64, y, square, s float64, mean, variance []float64)

//go:noescape
func backwardVector(mean, d, e []float64) (first, second float64)

//go:noescape
func imageVector(g, a, y, s []float64) (noise float64)

//go:noescape
func updateVector(mean, variance, d, e []float64, y, replications, lowest float64)

//go:noescape
func truncatedVector(mills, variance, cdf, x []float64)

//go:noescape
func expVector(dst, x []float64) int

//go:noescape
func densitiesVector(dst, x []float64)

//go:noescape
func rectifiedVector(prob, gap, variance, a []float64)
