package tagi

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// tree is the binary tree whose leaves are the classes: class c has the ⌈log₂ n⌉ binary digits of c, most
// significant first. Its nodes are the prefixes of these codes, 11 for 10 classes.
type tree struct {
	nodes int
	path  [][]step  // path from the root to each class
	noise float64   // σ_V²
	ratio []float64 // m/√(v + σ_P²) of the nodes
}

// sigmaP is the deviation that a prediction adds to an output, as in the authors' program.
const sigmaP = 1. / 3

// step is a node and the target of a class there: +1 for the digit 0, −1 for 1.
type step struct {
	node   int
	target float64
}

func newTree(classes int, sigmaV float64) *tree {
	t := &tree{path: make([][]step, classes), noise: sigmaV * sigmaV}
	for below := bits.Len(uint(classes - 1)); below > 0; below-- { // below: number of open digits
		for c := range classes {
			target := 1.0
			if c>>(below-1)&1 == 1 {
				target = -1
			}
			// The nodes of a level are in the order of their codes.
			t.path[c] = append(t.path[c], step{t.nodes + c>>below, target})
		}
		t.nodes += (classes-1)>>below + 1
	}
	t.ratio = make([]float64, t.nodes)
	return t
}

func (t *tree) observe(d, e []float64, outputs bnn.Layer, class int) {
	clear(d)
	clear(e)
	for _, s := range t.path[class] {
		precision := 1 / (outputs.Variance[s.node] + t.noise)
		d[s.node], e[s.node] = (s.target-outputs.Mean[s.node])*precision, -precision
	}
}

func (t *tree) predict(p []float64, outputs bnn.Layer) bool {
	for i := range t.ratio {
		t.ratio[i] = outputs.Mean[i] / kernel.Hypot(sigmaP, math.Sqrt(outputs.Variance[i]))
	}
	return t.probabilities(p, t.ratio)
}

// probabilities sets p for all classes, with Φ(y x_i) for the target y at node i: products along the paths,
// divided by their sum, as some nodes have a branch without classes. It is false on an overflow.
func (t *tree) probabilities(p, x []float64) bool {
	for c := range p {
		p[c] = 0
		for _, s := range t.path[c] {
			p[c] += gauss.LogCDF(s.target * x[s.node])
		}
	}
	top := floats.Max(p)
	if !(top >= -math.MaxFloat64) {
		return false
	}
	for c, log := range p {
		p[c] = kernel.Exp(log - top)
	}
	floats.Scale(1/kernel.Sum(p), p)
	return true
}
