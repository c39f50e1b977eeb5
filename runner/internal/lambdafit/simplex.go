package lambdafit

import (
	"cmp"
	"math"
	"slices"
)

// simplex returns the minimum of f near x by the method of Nelder and Mead (1965),
// started with a simplex of the given size and once more at its result.
func simplex(f func([]float64) float64, x []float64, size float64) []float64 {
	for range 2 {
		x = nelderMead(f, x, size)
	}
	return x
}

func nelderMead(f func([]float64) float64, x []float64, size float64) []float64 {
	const (
		rounds    = 1000
		tolerance = 1e-13 // of f
		patience  = 20    // rounds without a fall by as much
	)
	type vertex struct {
		x []float64
		f float64
	}
	n := len(x)
	vertices := make([]vertex, n+1)
	for i := range vertices {
		v := slices.Clone(x)
		if i > 0 {
			v[i-1] += size
		}
		vertices[i] = vertex{v, f(v)}
	}
	centre := make([]float64, n) // of all vertices but the worst
	// from returns the point at centre + step (v − centre).
	from := func(v vertex, step float64) vertex {
		y := make([]float64, n)
		for l, c := range centre {
			y[l] = c + step*(v.x[l]-c)
		}
		return vertex{y, f(y)}
	}
	old, still := math.Inf(1), 0
	for range rounds {
		slices.SortStableFunc(vertices, func(a, b vertex) int { return cmp.Compare(a.f, b.f) })
		best, worst := vertices[0], &vertices[n]
		if still++; best.f < old-tolerance {
			old, still = best.f, 0
		}
		if still == patience {
			break
		}
		clear(centre)
		for _, v := range vertices[:n] {
			for l, c := range v.x {
				centre[l] += c / float64(n)
			}
		}
		reflected := from(*worst, -1)
		switch {
		case reflected.f < best.f:
			if expanded := from(*worst, -2); expanded.f < reflected.f {
				reflected = expanded
			}
			*worst = reflected
			continue
		case reflected.f < vertices[n-1].f:
			*worst = reflected
			continue
		case reflected.f < worst.f:
			*worst = reflected
		}
		if contracted := from(*worst, 0.5); contracted.f < worst.f {
			*worst = contracted
			continue
		}
		copy(centre, best.x)
		for i := range vertices[1:] {
			vertices[1+i] = from(vertices[1+i], 0.5)
		}
	}
	return vertices[0].x
}
