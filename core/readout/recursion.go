package readout

import (
	"math"
	"slices"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const (
	precision  = 10.0      // entry of Λ for a weight
	biasLambda = 1. / 1000 // entry of Λ for the bias
	together   = 8         // number of examples whose changes of P are applied together
	fresh      = 1 << 12   // number of examples between solutions from the sums, a multiple of together
)

// recursion is a ridge regression that is up to date before each example, by recursive least squares
// (Plackett 1950). With z = (x, 1), one-hot labels y and Λ = diag(10, …, 10, 1/1000), its outputs are
//
//	o = Wᵀz,   W = P Σzyᵀ,   P = (Λ + Σzzᵀ)⁻¹
//
// An example with k = Pz and h = 1 + zᵀk changes W by k(y − o)ᵀ/h and P by −kkᵀ/h. Up to eight changes of P
// are pending before they are applied. Every 4,096 examples, P and W are solved for anew.
type recursion struct {
	p       linalg.Triangle // P without the pending changes
	pending []float64       // the vector k/√h of each pending change
	w       []float64       // the columns of W, one for each class
	z, k, o []float64
}

func newRecursion(inputs int) recursion {
	d := inputs + 1
	r := recursion{
		p: linalg.NewTriangle(d), pending: make([]float64, 0, together*d),
		z: make([]float64, d), k: make([]float64, d),
	}
	r.p.AddDiagonal(1 / precision)
	r.p.Row(inputs)[inputs], r.z[inputs] = 1/biasLambda, 1
	return r
}

func (r *recursion) addClass() {
	r.w, r.o = append(r.w, make([]float64, len(r.z))...), make([]float64, len(r.o)+1)
}

func (r *recursion) column(c int) []float64 { return r.w[c*len(r.z):][:len(r.z)] }

func (r *recursion) output(x []float64) {
	copy(r.z, x)
	for c := range r.o {
		r.o[c] = kernel.Dot(r.column(c), r.z)
	}
}

// update adds an example of a class with the x of the last output.
func (r *recursion) update(class int) {
	d := len(r.z)
	r.p.Times(r.k, r.z)
	for u := range slices.Chunk(r.pending, d) {
		kernel.AddScaled(r.k, -kernel.Dot(u, r.z), u)
	}
	h := 1 + kernel.Dot(r.k, r.z)
	for c, o := range r.o {
		e := -o
		if c == class {
			e++
		}
		kernel.AddScaled(r.column(c), e/h, r.k)
	}
	root := math.Sqrt(h)
	for _, k := range r.k {
		r.pending = append(r.pending, k/root)
	}
	if len(r.pending) == together*d {
		r.p.AddOuter(-1, r.pending)
		r.pending = r.pending[:0]
	}
}

// solve sets P and W to those of the sums, when no change is pending.
func (r *recursion) solve(t *totals) {
	r.p = r.reference(t)
	for c, x := range t.sums {
		r.p.Times(r.column(c), append(slices.Clone(x), t.counts[c]))
	}
}

// reference returns the P of the sums, without the pending changes.
func (r *recursion) reference(t *totals) linalg.Triangle {
	t.flush(0)
	a, bias := slices.Concat(t.squares[0], make(linalg.Triangle, len(r.z))), len(r.z)-1
	a.AddDiagonal(precision)
	last := a.Row(bias)
	for _, x := range t.sums {
		kernel.AddScaled(last[:bias], 1, x)
	}
	last[bias] = float64(t.examples()) + biasLambda
	if root := a.Cholesky(); root != nil { // it is nil only for a state that no examples have
		root.Inverse(a)
	}
	a.AddOuter(1, r.pending)
	return a
}

// difference returns the bits of each number of P less those of the reference: 0, −1, 1, −2, … as 0, 1, 2, 3, ….
// The two differ by rounding only, and small integers take a third of the memory of P when they are compressed.
func (r *recursion) difference(t *totals) []uint64 {
	small := make([]uint64, len(r.p))
	for i, v := range r.reference(t) {
		d := int64(math.Float64bits(r.p[i]) - math.Float64bits(v))
		small[i] = uint64(d<<1 ^ d>>63)
	}
	return small
}

// add sets P to that with the given difference.
func (r *recursion) add(difference []uint64, t *totals) {
	r.p = r.reference(t)
	for i, v := range r.p {
		d := difference[i]>>1 ^ -(difference[i] & 1)
		r.p[i] = math.Float64frombits(math.Float64bits(v) + d)
	}
}
