package lambdafit

import (
	"cmp"
	"math"
	"slices"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Words name the rules that choose λ, see [Box.Fit].
var Words = []string{"slope", "lsq", "minimax"}

// MostRho is the largest ρ at which a fit takes no more than seconds, and little memory: both grow like powers
// of 1/(1−ρ).
const MostRho = 0.99

// Fit returns the probit with correlation ρ whose λ the rule of a word chooses:
//
//	slope    matches the slope of the softmax at the origin, whatever the box
//	lsq      minimises [Box.RMS]
//	minimax  minimises [Box.Max]; one of several where for ρ far from ½ the error at the origin is the
//	         largest, which no λ mends
//
// It panics if ρ or the word is not valid.
func (b Box) Fit(word string, rho float64) softmax.Probit {
	slope := softmax.Probit{Lambda: softmax.SlopeLambda(b.Classes, rho), Rho: rho}
	start := slope // near the fitted ones, but it explodes for small ρ and many classes
	start.Lambda = min(start.Lambda, 2)
	switch word {
	case "slope":
		return slope
	case "lsq":
		return fit(b.RMS, start)
	case "minimax":
		return b.minimax(start)
	}
	panic("lambdafit: no λ for the word " + word)
}

// minimax minimises [Box.Max] by exchange: fit to a finite set of contrasts, add those that are worst for
// the result, repeat.
func (b Box) minimax(p softmax.Probit) softmax.Probit {
	const (
		rounds    = 20
		tolerance = 1e-6
	)
	set := newFinder(b, p).worst()
	for range rounds {
		p = fit(func(p softmax.Probit) float64 { return newFinder(b, p).largest(set) }, p)
		f := newFinder(b, p)
		worst := f.worst()
		if f.largest(worst) <= f.largest(set)*(1+tolerance) {
			break
		}
		set = append(set, worst...)
	}
	return p
}

// fit returns the probit near start whose λ minimises the loss.
func fit(loss func(softmax.Probit) float64, start softmax.Probit) softmax.Probit {
	// In log λ there are no bounds.
	at := func(v []float64) softmax.Probit { return softmax.Probit{Lambda: kernel.Exp(v[0]), Rho: start.Rho} }
	return at(simplex(func(v []float64) float64 { return loss(at(v)) }, []float64{kernel.Log(start.Lambda)}, 0.1))
}

// simplex returns the minimum of f near x by the method of Nelder and Mead (1965),
// started with a simplex of the given size and once more at its result.
func simplex(f func([]float64) float64, x []float64, size float64) []float64 {
	return nelderMead(f, nelderMead(f, x, size), size)
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
		reflected, second := from(*worst, -1), vertices[n-1].f
		if reflected.f < best.f {
			if expanded := from(*worst, -2); expanded.f < reflected.f {
				reflected = expanded
			}
		}
		if reflected.f < worst.f {
			*worst = reflected
		}
		if reflected.f < second {
			continue
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
