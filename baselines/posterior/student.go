package posterior

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"closedform/baselines/mlp"
)

// student is a multivariate Student distribution: centre m, scale matrix H⁻¹
// with H = UᵀU, and ν degrees of freedom.
type student struct {
	centre  []float64
	u       blas64.Triangular
	logNorm float64 // log density at the centre
}

func newStudent(m *Mode) student {
	n, nu := float64(len(m.Weights)), float64(dof)
	upper, _ := math.Lgamma((nu + n) / 2)
	lower, _ := math.Lgamma(nu / 2)
	return student{
		centre:  m.Weights,
		u:       m.Chol.RawU().(interface{ RawTriangular() blas64.Triangular }).RawTriangular(),
		logNorm: upper - lower - n/2*math.Log(nu*math.Pi) + m.Chol.LogDet()/2,
	}
}

// draw sets w and its mirror image in the centre, which are as likely.
func (s student) draw(w, mirror []float64, rnd *rand.Rand) {
	for i := range w {
		w[i] = rnd.NormFloat64()
	}
	blas64.Trsv(blas.NoTrans, s.u, blas64.Vector{N: len(w), Inc: 1, Data: w})
	r := math.Sqrt(dof / distuv.ChiSquared{K: dof, Src: rnd}.Rand())
	for i, m := range s.centre {
		d := r * w[i]
		w[i], mirror[i] = m+d, m-d
	}
}

// logDensity returns the log density at w; d is scratch of the same length.
func (s student) logDensity(d, w []float64) float64 {
	for i, m := range s.centre {
		d[i] = w[i] - m
	}
	blas64.Trmv(blas.NoTrans, s.u, blas64.Vector{N: len(d), Inc: 1, Data: d})
	return s.logNorm - (dof+float64(len(w)))/2*math.Log1p(floats.Dot(d, d)/dof)
}

// mixture is Σ_k share_k student_k.
type mixture struct {
	parts    []student
	pairs    []int // of draws from each part
	logShare []float64
	log, d   []float64 // scratch
}

// newMixture shares the pairs of draws between the modes: nine tenths by the
// Laplace approximation of their probabilities, the rest evenly, since that
// approximation may be far off.
func newMixture(modes []*Mode, pairs int) *mixture {
	share := make([]float64, len(modes))
	for k, m := range modes {
		share[k] = m.LogEvidence
	}
	mlp.Normalise(share)
	q := &mixture{
		pairs: make([]int, len(modes)), logShare: make([]float64, len(modes)), log: make([]float64, len(modes)),
		d: make([]float64, len(modes[0].Weights)),
	}
	var sum float64
	var done int
	for k, m := range modes {
		sum += 0.9*share[k] + 0.1/float64(len(modes))
		q.pairs[k] = int(math.Round(sum*float64(pairs))) - done
		done += q.pairs[k]
		q.logShare[k] = math.Log(float64(q.pairs[k]) / float64(pairs))
		q.parts = append(q.parts, newStudent(m))
	}
	return q
}

func (q *mixture) logDensity(w []float64) float64 {
	for k, s := range q.parts {
		q.log[k] = q.logShare[k] + s.logDensity(q.d, w)
	}
	top, sum := mlp.Exponentials(q.log)
	return top + math.Log(sum)
}
