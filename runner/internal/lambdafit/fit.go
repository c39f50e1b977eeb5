package lambdafit

import (
	"cmp"
	"math"
	"slices"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// LeastSquares returns the probit with correlation ρ whose λ minimises
// [Box.RMS]. It panics if the box or ρ is not valid.
func (b Box) LeastSquares(rho float64) softmax.Probit { return b.fit(b.RMS, b.start(rho), false) }

// LeastSquaresRho returns the probit whose λ and ρ minimise [Box.RMS]; ρ = ½ for
// two classes, where it has no meaning.
func (b Box) LeastSquaresRho() softmax.Probit {
	return b.fit(b.RMS, b.LeastSquares(0.5), b.Classes > 2)
}

// Minimax returns the probit with correlation ρ whose λ minimises [Box.Max], one of
// several where for ρ far from ½ the error at the origin is the largest, which no λ
// mends. It panics if the box or ρ is not valid.
func (b Box) Minimax(rho float64) softmax.Probit { return b.exchange(b.start(rho), false) }

// MinimaxRho returns the probit whose λ and ρ minimise [Box.Max]; ρ = ½ for two
// classes, where it has no meaning.
func (b Box) MinimaxRho() softmax.Probit { return b.exchange(b.Minimax(0.5), b.Classes > 2) }

// start returns the probit with the slope-matched λ, which is near the fitted ones, but
// explodes for small ρ and many classes: at most 2.
func (b Box) start(rho float64) softmax.Probit {
	return softmax.Probit{Lambda: min(softmax.SlopeLambda(b.Classes, rho), 2), Rho: rho}
}

// fit returns the probit near start that minimises the loss, ρ fixed unless free.
func (b Box) fit(loss func(softmax.Probit) float64, start softmax.Probit, free bool) softmax.Probit {
	// In log λ and logit ρ there are no bounds.
	at := func(v []float64) softmax.Probit {
		p := softmax.Probit{Lambda: kernel.Exp(v[0]), Rho: start.Rho}
		if free {
			p.Rho = 1 / (1 + kernel.Exp(-v[1]))
		}
		return p
	}
	v := []float64{kernel.Log(start.Lambda)}
	if free {
		v = append(v, kernel.Log(start.Rho/(1-start.Rho)))
	}
	return at(simplex(func(v []float64) float64 { return loss(at(v)) }, v, 0.1))
}

// exchange returns the probit that minimises the largest error, by exchange: fit
// to a finite set of contrasts, add those that are worst for the result, repeat.
func (b Box) exchange(p softmax.Probit, free bool) softmax.Probit {
	const (
		rounds    = 20
		tolerance = 1e-6
	)
	b.check(p)
	set := b.worst(p)
	for range rounds {
		p = b.fit(func(p softmax.Probit) float64 { return newFinder(b, p).largest(set) }, p, free)
		f, worst := newFinder(b, p), b.worst(p)
		if f.largest(worst) <= f.largest(set)*(1+tolerance) {
			break
		}
		set = append(set, worst...)
	}
	return p
}

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
