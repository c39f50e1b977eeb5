package bnn

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// priorSpread returns the Spread of layer l of a network that has learned nothing.
func (c *Config) priorSpread(l int) *mat.Dense {
	rows, in := c.SpreadDims(l)
	spread := mat.NewDense(rows, in, nil)
	spread.Apply(func(i, j int, _ float64) float64 {
		switch {
		case c.Covariance[l] == Diagonal:
			return c.PriorVar[l]
		case i%in == j:
			return math.Sqrt(c.PriorVar[l])
		}
		return 0
	}, spread)
	return spread
}

// priorMean draws the means of layer l.
func (c *Config) priorMean(l int, rnd *rand.Rand) *mat.Dense {
	out, in := c.WeightDims(l)
	sd := math.Sqrt(c.PriorMeanVar / float64(in))
	mean := mat.NewDense(out, in, nil)
	if c.PriorDraw == Independent {
		mean.Apply(func(_, _ int, _ float64) float64 { return sd * random.Normal(rnd) }, mean)
		return mean
	}
	signs := []float64{1}
	if l == 0 {
		signs = []float64{1, -1}
	}
	directions := orthogonal((out+len(signs)-1)/len(signs), in, rnd)
	for j := range out {
		for i, u := range directions[j/len(signs)] {
			if c.Bias && i == in-1 {
				u *= 2
			}
			mean.Set(j, i, sd*signs[j%len(signs)]*u)
		}
	}
	return mean
}

// orthogonal draws vectors of length √size and uniform direction, each size of them orthogonal
// (Gram–Schmidt).
func orthogonal(count, size int, rnd *rand.Rand) [][]float64 {
	vectors := make([][]float64, count)
	for k := range vectors {
		u := make([]float64, size)
		for i := range u {
			u[i] = random.Normal(rnd)
		}
		for _, v := range vectors[k-k%size : k] {
			along := kernel.Dot(u, v) / float64(size)
			for i := range u {
				u[i] -= along * v[i]
			}
		}
		scale := math.Sqrt(float64(size) / kernel.Dot(u, u))
		for i := range u {
			u[i] *= scale
		}
		vectors[k] = u
	}
	return vectors
}
