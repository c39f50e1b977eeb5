package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/mlp"
	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// probit has the probabilities of the classes at certain logits by the probit with ρ = ½ and the slope λ,
// the class of the largest λz_j + ε_j, ε_j ~ N(0, ½): with the density φ and the distribution function Φ
// of N(0, 1) and μ_j = √2 λz_j,
//
//	p_j = ∫ φ(t−μ_j) Π_{i≠j} Φ(t−μ_i) dt,
//
// by a trapezoidal rule whose nodes t are the same for all classes, with Φ and φ/Φ interpolated in tables.
// With at most ten classes the relative error is below 1e-4 for probabilities above 1e-7; softmax.Probit is
// slower and more accurate.
type probit struct {
	scale      float64     // √2 λ
	cdf, mills [][]float64 // row r: at first + r gap/rows, and from there in gaps

	z       []float64      // logits
	product [nodes]float64 // gap Π_i Φ(t−μ_i)
}

const (
	nodes = 24
	first = -6.0 // node, from the largest μ_j
	gap   = 0.5  // between nodes
	rows  = 128
	reach = 80 // columns, up to 34
)

func newProbit(classes int) *probit {
	q := &probit{scale: math.Sqrt2 * softmax.SlopeLambda(classes, 0.5), z: make([]float64, classes)}
	for r := range rows + 1 {
		q.cdf, q.mills = append(q.cdf, make([]float64, reach)), append(q.mills, make([]float64, reach))
		for k := range reach {
			x := first + gap*(float64(k)+float64(r)/rows)
			q.cdf[r][k], q.mills[r][k] = gauss.CDF(x), gauss.InverseMills(x)
		}
	}
	return q
}

// row returns the rows of a table between which the arguments of class j are, and the weight of the second.
func (q *probit) row(table [][]float64, j int) (x, y *[nodes]float64, w float64) {
	at := min(q.scale*(floats.Max(q.z)-q.z[j])/gap, reach-nodes-1)
	k := int(at)
	at = (at - float64(k)) * rows
	r := int(at)
	return (*[nodes]float64)(table[r][k:]), (*[nodes]float64)(table[r+1][k:]), at - float64(r)
}

// integrate sets the product for the logits.
func (q *probit) integrate() {
	for b := range q.product {
		q.product[b] = gap
	}
	for j := range q.z {
		x, y, w := q.row(q.cdf, j)
		for b := range q.product {
			q.product[b] *= x[b] + w*(y[b]-x[b])
		}
	}
}

// probability returns that of a class.
func (q *probit) probability(class int) (p float64) {
	x, y, w := q.row(q.mills, class)
	for b := range q.product {
		p += q.product[b] * (x[b] + w*(y[b]-x[b]))
	}
	return p
}

// probitSample returns a sample of the posterior with the likelihood of the probit in place of the softmax,
// the draws of sample with weights times the ratio of the two likelihoods of the examples.
func (c *cell) probitSample(sample *laplace.Sample, inputs [][]float64, class []int) *laplace.Sample {
	out := *sample
	out.Weights = make([]float64, len(sample.Weights))
	q := newProbit(c.task.Classes)
	for i, w := range sample.Weights {
		log := kernel.Log(w)
		for k, x := range inputs {
			c.logits(q.z, sample.Draws.RawRowView(i), x)
			q.integrate()
			p := q.probability(class[k])
			mlp.Normalise(q.z)
			log += kernel.Log(p / q.z[class[k]])
		}
		out.Weights[i] = log
	}
	_, sum := mlp.Exponentials(out.Weights)
	floats.Scale(1/sum, out.Weights)
	out.ESS = 1 / kernel.Dot(out.Weights, out.Weights)
	return &out
}

// probitPredictive returns the means of the probit's probabilities over a sample, at the points of the grid.
func (c *cell) probitPredictive(sample *laplace.Sample) (predictive [][]float64) {
	q := newProbit(c.task.Classes)
	for _, x := range c.grid.Points {
		mean := make([]float64, c.task.Classes)
		for i, w := range sample.Weights {
			c.logits(q.z, sample.Draws.RawRowView(i), x)
			q.integrate()
			for j := range mean {
				mean[j] += w * q.probability(j)
			}
		}
		predictive = append(predictive, mean)
	}
	return predictive
}

// logits sets z to the logits at x for weights in the order of [laplace.Prior].
func (c *cell) logits(z, weights, x []float64) {
	per := len(weights) / len(z)
	for j := range z {
		w := weights[j*per : (j+1)*per]
		z[j] = kernel.Dot(w[:len(x)], x)
		if c.Model.Bias {
			z[j] += w[len(x)]
		}
	}
}
