package posterior

import (
	"math"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// probit has the probabilities of the classes at given logits by the probit with ρ = ½ and slope λ: with φ, Φ
// of N(0, 1) and μ_j = √2 λz_j, p_j = ∫ φ(t−μ_j) Π_{i≠j} Φ(t−μ_i) dt by a trapezoidal rule with common nodes
// t, with Φ and φ/Φ interpolated in tables. For at most ten classes the relative error is below 1e-4 for
// probabilities above 1e-7; softmax.Probit is slower and more accurate.
type probit struct {
	scale      float64   // √2 λ/nodeGap
	cdf, mills []float64 // tables of Φ and φ/Φ, row by row
}

const (
	nodes        = 24   // number of nodes
	nodeGap      = 0.5  // distance of the nodes, and of the columns of a table
	firstNode    = -6.0 // first node, relative to the largest μ_j; argument of the first column
	tableRows    = 128  // each row is nodeGap/tableRows further than the one above
	tableColumns = 80   // number of columns, which reach the argument 34
)

func newProbit(classes int) *probit {
	q := &probit{scale: math.Sqrt2 * softmax.SlopeLambda(classes, 0.5) / nodeGap}
	for i := range (tableRows + 1) * tableColumns {
		x := firstNode + nodeGap*(float64(i%tableColumns)+float64(i/tableColumns)/tableRows)
		q.cdf, q.mills = append(q.cdf, gauss.CDF(x)), append(q.mills, gauss.InverseMills(x))
	}
	return q
}

// normalise is a [laplace.Link].
func (q *probit) normalise(logits [][]float64) {
	others := len(logits) - 1 // all classes but the one with the largest logit
	z := make([]float64, len(logits))
	offset, weight := make([]int, others), make([]float64, others) // start of a row, weight of the next row
	for i := range logits[0] {
		best := 0
		for j, row := range logits {
			if z[j] = row[i]; z[j] > z[best] {
				best = j
			}
		}
		z[0], z[best] = z[best], z[0]
		product := [nodes]float64(q.cdf) // Π Φ(t−μ_i) over all classes
		for k, zk := range z[1:] {
			column := min(q.scale*(z[0]-zk), tableColumns-nodes-1)
			row := (column - math.Trunc(column)) * tableRows
			o, w := int(row)*tableColumns+int(column), row-math.Trunc(row)
			offset[k], weight[k] = o, w
			for i, low := range q.cdf[o:][:nodes] {
				product[i] *= low + w*(q.cdf[o+tableColumns+i]-low)
			}
		}
		z[0] = 1
		for k, o := range offset {
			low, high := kernel.Dot(product[:], q.mills[o:]), kernel.Dot(product[:], q.mills[o+tableColumns:])
			z[k+1] = nodeGap * ((1-weight[k])*low + weight[k]*high)
			z[0] -= z[k+1]
		}
		z[0], z[best] = z[best], z[0]
		for j, row := range logits {
			row[i] = z[j]
		}
	}
}
