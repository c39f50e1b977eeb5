package kalman

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// noise is the process noise with which a filter follows concept drift. The means stay, and P becomes
//
//	P + q (P₀ − P),   P₀ the covariance of the prior.
//
// As P ≤ P₀, this is the exact prediction step of a Kalman filter for weights that take a step of a random
// walk with the covariance q(P₀ − P), if P is exact. No combination of weights ever has a larger variance
// than before learning. Where nothing is observed P stays P₀. The diagonal of P₀ − P alone is not enough: in
// directions that no input excites, it raises the variance of each weight to that of the prior, and the noise
// ends, while the directions that are observed still have small variances.
//
// Independent weights and lowRank get the noise of noisePeriod examples at once, which saves time. The sum is
// that of as many single steps; only the examples in between are learned without it.
type noise struct {
	share    float64   // q of noisePeriod examples
	prior    []float64 // diagonal of P₀
	examples int       // number of steps
}

const noisePeriod = 10

func newNoise(q float64, prior []float64) noise {
	keep := 1.0
	for range noisePeriod {
		keep *= 1 - q
	}
	return noise{share: 1 - keep, prior: prior}
}

// due counts a step, and reports whether noise follows it.
func (n *noise) due() bool {
	n.examples++
	return n.share > 0 && n.examples%noisePeriod == 0
}

// addTo adds the noise to independent weights if it is due.
func (n *noise) addTo(variance []float64) {
	if !n.due() {
		return
	}
	for i, prior := range n.prior {
		variance[i] += float64(n.share * (prior - variance[i]))
	}
}

// addNoise is the prediction step of Chang et al. with γ² = 1 − q and the noise qP₀, but the means stay. With
// v = 1/Υ, ṽ = v + q(v₀ − v), and the diagonal matrix R of v/ṽ,
//
//	P̃⁻¹ = Ṽ⁻¹ + (1−q) R W (I + q Wᵀ R P₀ W)⁻¹ Wᵀ R.
//
// This is exact, and W keeps its number of columns. They are no longer orthogonal.
func (r *lowRank) addNoise(neurons []neuron) {
	ratios := func(unit neuron) []float64 {
		ratio := r.next[:unit.to-unit.from]
		for i, v := range r.variance[unit.from:unit.to] {
			ratio[i] = v / (v + float64(r.share*(r.prior[unit.from+i]-v)))
		}
		return ratio
	}
	clear(r.cross)
	for _, unit := range neurons {
		weight := ratios(unit)
		floats.Mul(weight, r.prior[unit.from:unit.to])
		floats.Scale(r.share, weight)
		r.weigh(r.cross, unit, weight)
	}
	if !r.factorize(r.rank) {
		return // a product overflows; P stays as it was
	}
	// With the factor LLᵀ of the inverted matrix the new columns are those of √(1−q) R W L⁻ᵀ.
	clear(r.mix)
	for m := range r.rank {
		column := r.mix[m*r.rank:][:r.rank]
		column[m] = math.Sqrt(1 - r.share)
		r.factor.SolveT(column)
	}
	clear(r.gram)
	for _, unit := range neurons {
		ratio, w, n := ratios(unit), r.columns(unit), unit.to-unit.from
		for m := r.rank - 1; m >= 0; m-- { // column m depends on those before it
			x, column := w[m*n:(m+1)*n], r.mix[m*r.rank:][:m+1]
			floats.Scale(column[m], x)
			kernel.AddRows(x, column[:m], w[:m*n])
			floats.Mul(x, ratio)
		}
		for i, x := range ratio {
			r.variance[unit.from+i] /= x
			r.precision[unit.from+i] = 1 / r.variance[unit.from+i]
			ratio[i] = 1
		}
		r.weigh(r.gram, unit, ratio)
	}
}

// walking is the covariance P of all weights itself, which gets process noise after each example. The noise
// would cost a root about W³ operations. P does not need a root: as qP₀ ≤ P, P is positive definite if q is
// larger than the rounding errors. A step costs about 4nW² operations.
type walking struct {
	*full // root is P, and the vectors are Ph for the rows h of the Jacobian
	prior []float64
	share float64
}

func newWalking(prior []float64, q float64, classes int) walking {
	r := walking{newFull(prior, classes), prior, q}
	for i, v := range prior {
		r.row(i)[i] = v
	}
	return r
}

func (r walking) variances(dst []float64, j *jacobian) {
	r.whiten(j)
	for k, g := range r.white {
		dst[k] = j.dot(k, g)
	}
}

// step learns from one observation after the other: with g = Ph and s = h·g, P becomes P − ggᵀ/(1+s). The
// vectors g of the later observations change with P, and the last one is then P̃Jᵀ(y − p).
func (r walking) step(mean []float64, j *jacobian) bool {
	r.whiten(j)
	last := len(r.take)
	for k, g := range r.white {
		s := j.dot(k, g)
		if !(0 <= s && s <= largestSquare) {
			return false
		}
		if k == last {
			break
		}
		floats.Scale(1/math.Sqrt(1+s), g)
		for l := k + 1; l <= last; l++ {
			floats.AddScaled(r.white[l], -j.dot(l, g), g)
		}
	}
	floats.Add(mean, r.white[last])
	for i, prior := range r.prior {
		row := r.row(i)
		for k := range r.take {
			r.take[k] = -r.white[k][i]
		}
		kernel.AddRows(row, r.take, r.flat[:last*len(row)])
		v := row[i]
		floats.Scale(1-r.share, row)
		row[i] = v + float64(r.share*(prior-v))
	}
	return true
}
