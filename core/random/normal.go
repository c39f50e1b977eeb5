package random

import (
	"math"
	"math/rand/v2"

	"closedform/internal/kernel"
)

// Strips of equal area under exp(−x²/2), where strip i, counted from the tail, ends at x_i and x_127 =
// tailFrom (Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw.
// 2000).
const (
	strips    = 128
	tailFrom  = 3.442619855899
	stripArea = 9.91256303526217e-3
)

// For each strip: the bound on |j| below which x = j·scale is under the density, scale, density at its edge.
var ziggurat = func() (z struct {
	inside         [strips]uint32
	scale, density [strips]float32
},
) {
	const m = 1 << 31
	density := func(x float64) float64 { return kernel.Exp(-0.5 * x * x) }
	x := tailFrom
	base := stripArea / density(x) // the width of a rectangle as large as strip and tail
	z.inside[0], z.scale[0], z.density[0] = uint32(x/base*m), float32(base/m), 1
	z.scale[strips-1], z.density[strips-1] = float32(x/m), float32(density(x))
	for i := strips - 2; i > 0; i-- {
		next := math.Sqrt(-2 * kernel.Log(stripArea/x+density(x)))
		z.inside[i+1] = uint32(next / x * m)
		x = next
		z.scale[i], z.density[i] = float32(x/m), float32(density(x))
	}
	return z
}()

// Normal draws from the standard normal distribution. The numbers are those of NormFloat64 of math/rand/v2,
// except for the last digit beyond ±3.4, where its logarithm depends on the processor.
func Normal(rnd *rand.Rand) float64 {
	z := &ziggurat
	for {
		u := rnd.Uint64()
		j, i := int32(u), u>>32%strips
		x := float64(j) * float64(z.scale[i])
		if uint32(max(j, -j)) < z.inside[i] {
			return x
		}
		if i == 0 {
			return math.Copysign(tail(rnd), float64(j))
		}
		y := z.density[i] + float32(rnd.Float64())*(z.density[i-1]-z.density[i])
		if y < float32(kernel.Exp(-0.5*x*x)) {
			return x
		}
	}
}

// Normals draws n numbers from the standard normal distribution.
func Normals(rnd *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = Normal(rnd)
	}
	return x
}

// tail draws from the normal distribution beyond tailFrom (Marsaglia 1964).
func tail(rnd *rand.Rand) float64 {
	for {
		x := -kernel.Log(rnd.Float64()) * (1.0 / tailFrom)
		y := -kernel.Log(rnd.Float64())
		if y+y >= x*x {
			return tailFrom + x
		}
	}
}

// ChiSquared draws from the χ² distribution with dof ≥ 2 degrees of freedom (Marsaglia and Tsang, "A simple
// method for generating gamma variables", ACM TOMS 2000).
func ChiSquared(rnd *rand.Rand, dof float64) float64 {
	d := dof/2 - 1.0/3
	c := 1 / (3 * math.Sqrt(d))
	for {
		x := Normal(rnd)
		v := 1 + x*c
		if v <= 0 {
			continue
		}
		v = v * v * v
		u := rnd.Float64()
		if u < 1-0.0331*(x*x)*(x*x) || kernel.Log(u) < 0.5*x*x+d*(1-v+kernel.Log(v)) {
			return 2 * d * v
		}
	}
}
