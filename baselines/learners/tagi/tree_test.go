package tagi

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/gauss"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The tree of ten classes is that of the authors' program: 11 nodes, in the order
// of levels, with the target −1 for the digit 1.
func TestTreeOfTenClasses(t *testing.T) {
	tree := newTree(10, 1)
	check.Equal(t, "nodes and depth", [2]int{tree.nodes, len(tree.path[0])}, [2]int{11, 4})
	for class, want := range map[int]string{
		0: "[{0 1} {1 1} {3 1} {6 1}]",
		5: "[{0 1} {1 -1} {4 1} {8 -1}]",
		7: "[{0 1} {1 -1} {4 -1} {9 -1}]",
		9: "[{0 -1} {2 1} {5 1} {10 -1}]",
	} {
		check.Equal(t, class, fmt.Sprint(tree.path[class]), want)
	}
}

// Probabilities are the products, and add up to 1: without division where the tree
// is complete, and also where all products underflow.
func TestProbabilities(t *testing.T) {
	rnd := rand.New(random.Source("tree"))
	for _, n := range []int{2, 3, 4, 5, 8, 10, 33} {
		tree := newTree(n, 1)
		x, p := make([]float64, tree.nodes), make([]float64, n)
		for _, scale := range []float64{0, 1, 5, 1e3, 1e150} {
			for i := range x {
				x[i] = scale * rnd.NormFloat64()
			}
			check.True(t, tree.probabilities(p, x), "n = %d, scale %g: overflow", n, scale)
			check.Near(t, "sum", floats.Sum(p), 1, 1e-14)
			if scale > 5 {
				continue
			}
			total := 0.0
			product := make([]float64, n)
			for c := range n {
				product[c] = 1
				for _, s := range tree.path[c] {
					product[c] *= gauss.CDF(s.target * x[s.node])
				}
				total += product[c]
			}
			if n&(n-1) == 0 {
				check.Near(t, "sum of the products", total, 1, 1e-14)
			}
			for c := range n {
				check.Near(t, fmt.Sprintf("n = %d, scale %g: p of class %d", n, scale, c), p[c], product[c]/total, 1e-13)
			}
		}
	}
	// Of three classes, the third has a node of its own, whose other way leads to
	// nothing: where all say that it is taken, even logarithms may overflow.
	p := make([]float64, 3)
	tree := newTree(3, 1)
	check.True(t, tree.probabilities(p, []float64{-40, 0, -40}) && p[2] > 0.4, "p = %v", p)
	check.True(t, !tree.probabilities(p, []float64{-1e200, 0, -1e200}), "no overflow")
}
