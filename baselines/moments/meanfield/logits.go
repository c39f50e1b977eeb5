package meanfield

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// normalise replaces logits by their softmax. Logits of −Inf are allowed as long
// as one is finite; logits of +Inf share the mass.
func normalise(z []float64) {
	top := floats.Max(z)
	if math.IsInf(top, 1) {
		for j, x := range z {
			z[j] = 0
			if math.IsInf(x, 1) {
				z[j] = 1
			}
		}
		floats.Scale(1/kernel.Sum(z), z)
		return
	}
	for j, x := range z {
		z[j] = kernel.Exp(x - top)
	}
	floats.Scale(1/kernel.Sum(z), z)
}

// logSum returns log Σ_j exp z_j, leaving out j = skip (none if skip < 0). It is
// −Inf if all z_j are.
func logSum(z []float64, skip int) float64 {
	top := math.Inf(-1)
	for j, x := range z {
		if j != skip {
			top = max(top, x)
		}
	}
	if math.IsInf(top, 0) {
		return top
	}
	var sum float64
	for j, x := range z {
		if j != skip {
			sum += kernel.Exp(x - top)
		}
	}
	return top + kernel.Log(sum)
}

// softplus returns log(1 + eˣ) to full relative precision.
func softplus(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log1p(kernel.Exp(x))
}

// logExpm1 returns log(eˣ − 1) for x ≥ 0, −Inf at zero.
func logExpm1(x float64) float64 {
	if x < 1 {
		return kernel.Log(math.Expm1(x))
	}
	return x + math.Log1p(-kernel.Exp(-x))
}

// point is the softmax at the mean logits.
type point struct {
	s   []float64 // softmax(m)_j
	top int       // the class with the largest s_j, the only one whose 1 − s_j may cancel
}

func newPoint(mean []float64) point {
	s := slices.Clone(mean)
	normalise(s)
	return point{s, floats.MaxIdx(s)}
}

// rest returns 1 − s_j, to full relative precision.
func (p point) rest(j int) float64 {
	if j != p.top {
		return 1 - p.s[j]
	}
	var sum float64
	for k, s := range p.s {
		if k != j {
			sum += s
		}
	}
	return sum
}

// closed returns the symmetric matrix with the given entries, which may cancel in the
// row and column top: these follow from rows that add up to zero.
func (p point) closed(entry func(i, j int) float64) *mat.SymDense {
	n, t := len(p.s), p.top
	a := mat.NewSymDense(n, nil)
	fill(a, entry)
	var total float64
	for i := range n {
		if i == t {
			continue
		}
		var sum float64
		for j := range n {
			if j != t {
				sum += a.At(i, j)
			}
		}
		a.SetSym(i, t, -sum)
		total += sum
	}
	a.SetSym(t, t, total)
	return a
}

// linear returns Σ_zy where the softmax is linear, V J with V = diag(v) and the
// Jacobian J_ij = s_i(δ_ij − s_j).
func (p point) linear(variance []float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		if j == i {
			return variance[i] * p.s[i] * p.rest(i)
		}
		return -variance[i] * p.s[i] * p.s[j]
	}
}
