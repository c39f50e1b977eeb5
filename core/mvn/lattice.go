package mvn

import (
	"fmt"
	"math"

	"closedform/internal/kernel"
)

// generator is the generating vector of an embedded lattice rule: for 2^m points,
// m ≤ 20, coordinate j of point k is the fractional part of k·generator_j/2^m. It
// was constructed component by component (Cools, Kuo and Nuyens 2006), the last 18
// bits each the best of 1200 random candidates for the worst of m = 8 … 18, by the
// error in the Korobov space of smoothness 1 with product weights 0.7/(1+j); then
// the first two bits as the best of four for m = 19 and 20.
var generator = [...]uint32{
	1, 617615, 798247, 503509, 939425, 24527, 916799, 766911, 612245, 671467, 160759, 471229,
	861705, 467623, 1043835, 446555, 600357, 530475, 722389, 231845, 768029, 992527, 55329, 142041,
	350279, 156217, 670357, 772233, 304229, 426905, 378467, 85163, 572235, 157209, 555255, 86609,
	1000695, 220483, 245835, 591205, 183631, 996765, 577297, 610151, 556597, 325231, 660495, 301141,
	721199, 402519, 962403, 52045, 676931, 259097, 324213, 574289, 466515, 816683, 581421, 92835,
	177395, 562989, 941253, 874421, 565237, 726913, 685289, 49699, 735073, 996733, 889689, 166831,
	590415, 213601, 1043979, 330523, 484265, 483903, 760091, 788781, 498721, 171681, 445945, 361021,
	1009115, 738403, 625173, 234169, 31955, 724305, 779451, 490211, 493787, 841485, 1001221, 636713,
	418943, 719853, 194907, 5089,
}

const (
	shifts   = 12 // shifted copies of the lattice, from which the error is estimated
	minLevel = 10 // 2^10 points at least
	maxLevel = 20
)

// effort is when the doubling of the points ends: when the bound of the error is
// below fine; from work on when it is below coarse; at the latest before it takes
// more than most. Work is counted in values of variables, some 5 ns each.
type effort struct{ fine, work, coarse, most float64 }

// usual is the effort of [CDF].
var usual = effort{fine: 1e-7, work: 1e7, coarse: 1e-6, most: 1.2e8}

// lattice returns P(X ≤ x) by separation of variables (Genz 1992): with u uniform
// in the unit cube, y_k = m_k + s_k Φ⁻¹(u_k Φ((b_k(y) − m_k)/s_k)), P is the mean of the
// weight exp ψ(y) (see [proposal]). The mean is taken over a lattice, made periodic
// by periodic, and over shifts of it, whose scatter gives the error.
func (p *problem) lattice(limits effort) (value, abserr float64) {
	const safety = 6 // standard errors
	if p.n > len(generator) {
		panic(fmt.Sprintf("mvn: %d dependent variables without a structure that helps; need at most %d", p.n, len(generator)))
	}
	s := p.sequence()
	w := newWalk(s)
	if w.psi < underflow {
		return 0, s.abserr
	}
	var sum [shifts]float64
	scatter, fall := 0.0, 4.0
	if w.sine {
		fall = 32
	}
	for level := minLevel; ; level++ {
		size := 1 << level
		// The points that are not in the lattice of the level before.
		first, stride := 0, 1
		if level > minLevel {
			first, stride = 1, 2
		}
		for k := first; k < size; k += points * stride {
			for i, v := range w.weights(uint32(k), uint32(stride), level) {
				sum[i%shifts] += v
			}
		}
		var mean, square float64
		for _, v := range sum {
			mean += v / (shifts * float64(size))
		}
		for _, v := range sum {
			d := v/float64(size) - mean
			square += d * d
		}
		// A few shifts may agree by chance: the scatter falls no more than it can.
		scatter = max(scatter/fall, math.Sqrt(square/(shifts*(shifts-1))))
		unit := kernel.Exp(w.psi)
		value = min(1, unit*mean)
		abserr = s.abserr + safety*unit*scatter + 1e-14
		work := float64(2 * size * shifts * len(s.own)) // after the next doubling
		if abserr < limits.fine || abserr < limits.coarse && work > limits.work || work > limits.most || level == maxLevel {
			return value, abserr
		}
	}
}
