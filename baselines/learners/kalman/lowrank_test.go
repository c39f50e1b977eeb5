package kalman

import (
	"fmt"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// A step of BONG, with derivatives by finite differences: precisions gain the diagonal of
// JᵀSJ, and the mean moves by the new variances times the gradient.
func TestBongByHand(t *testing.T) {
	for _, layers := range [][]int{{3, 4}, {2, 5, 3}} {
		m := newModel(Config{Layers: layers, Covariance: Bong})
		x, class, _ := check.Clusters(12, layers[0], m.network.Outputs(), "bong")
		for k, at := range x {
			mean, cov := m.Weights()
			j, p := m.jacobian(at)
			observe(t, m, at, class[k])
			gotMean, gotCov := m.Weights()
			for i := range mean {
				precision, gradient := 1/cov.At(i, i), 0.0
				for a := range p {
					gradient += (delta(a, class[k]) - p[a]) * j.At(a, i)
					for b := range p {
						precision += p[a] * (delta(a, b) - p[b]) * j.At(a, i) * j.At(b, i)
					}
				}
				check.Near(t, fmt.Sprint("variance ", i), gotCov.At(i, i), 1/precision, 1e-8)
				check.Near(t, fmt.Sprint("mean ", i), gotMean[i], mean[i]+gradient/precision, 1e-8)
			}
		}
	}
}

// A step of LO-FI as its authors print it, by a singular value decomposition.
func TestLowRankByHand(t *testing.T) {
	const rank = 3
	m := newModel(Config{Layers: []int{2, 4, 3}, Covariance: LowRank, Rank: rank, PriorVar: 2})
	r := m.belief.(*lowRank)
	x, class, _ := check.Clusters(12, 2, 3, "low-rank")
	w, dropped := len(m.mean), 0.0
	for k, at := range x {
		j, p := m.jacobian(at)
		old := mat.NewSymDense(w, nil)
		columns := mat.NewDense(w, rank+2, nil)
		for l, c := range m.columns() {
			columns.SetCol(l, c)
		}
		label := vectors(2, 3)
		factorLabel(label, p)
		gradient := mat.NewVecDense(w, nil)
		for i := range w {
			old.SetSym(i, i, r.precision[i])
			for a := range p {
				for l := range label {
					columns.Set(i, rank+l, columns.At(i, rank+l)+label[l][a]*j.At(a, i))
				}
				gradient.SetVec(i, gradient.AtVec(i)+(delta(a, class[k])-p[a])*j.At(a, i))
			}
		}
		var svd mat.SVD
		if !svd.Factorize(columns, mat.SVDThin) {
			t.Fatal("no SVD")
		}
		var u mat.Dense
		svd.UTo(&u)
		want := mat.NewSymDense(w, nil)
		want.CopySym(old)
		for l, s := range svd.Values(nil) {
			if l < rank {
				want.SymRankOne(want, s*s, u.ColView(l))
				continue
			}
			for i := range w {
				gain := s * s * u.At(i, l) * u.At(i, l)
				want.SetSym(i, i, want.At(i, i)+gain)
				dropped += gain
			}
		}
		for l := range rank + 2 {
			old.SymRankOne(old, 1, columns.ColView(l))
		}
		var move mat.VecDense
		check.OK(t, move.SolveVec(old, gradient))
		move.AddVec(&move, mat.NewVecDense(w, append([]float64(nil), m.mean...)))
		observe(t, m, at, class[k])
		for i := range w {
			check.Near(t, fmt.Sprint("mean ", i), m.mean[i], move.AtVec(i), 1e-7)
			for l := range w {
				got := delta(i, l) * r.precision[i]
				for _, c := range m.columns() {
					got += c[i] * c[l]
				}
				check.Near(t, fmt.Sprintf("step %d: precision %d, %d", k, i, l), got, want.At(i, l), 1e-7)
			}
		}
	}
	if !(dropped > 0.01) {
		t.Errorf("what was dropped adds up to %g: nothing was tested", dropped)
	}
}

// columns returns those of W.
func (m *Model) columns() [][]float64 {
	r := m.belief.(*lowRank)
	out := vectors(r.rank, len(m.mean))
	for _, at := range m.rows.neurons {
		for l, n := 0, at.to-at.from; l < r.rank; l++ {
			copy(out[l][at.from:], r.columns(at)[l*n:(l+1)*n])
		}
	}
	return out
}
