package posterior

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"closedform/baselines/mlp"
)

// monitored is the largest number of examples whose probabilities are monitored.
const monitored = 50

// judge sets the diagnostics of the sample; log is the log density of the draws.
func (h Hamiltonian) judge(p *Problem, out *Sample, log []float64) {
	chains := func(x []float64) [][]float64 {
		var c [][]float64
		for k := range h.Chains {
			c = append(c, x[k*h.Draws:(k+1)*h.Draws])
		}
		return c
	}
	quantity := chains(log)
	out.RHat, out.ESS = rHat(quantity), bulkESS(quantity)
	take := func(x []float64) {
		quantity := chains(x)
		out.RHat, out.ESS = max(out.RHat, rHat(quantity)), min(out.ESS, bulkESS(quantity))
	}
	x := make([]float64, len(log))
	if len(p.data.Class) == 0 {
		for a := range p.model.PriorMean {
			take(mat.Col(x, a, out.Draws))
		}
	}
	stride := (len(p.data.Class) + monitored - 1) / monitored
	for k := 0; k < len(p.data.Class); k += stride {
		for i := range x {
			p.network.Forward(p.pass, out.Draws.RawRowView(i), p.example(k))
			mlp.Normalise(p.pass.Logit)
			x[i] = p.pass.Logit[p.data.Class[k]]
		}
		take(x)
	}
}

// rHat returns the potential scale reduction factor of one quantity, whose draws
// are chains[c], all chains of the same even length ≥ 4: the larger of the two
// that are made of the split, rank-normalised chains and of their absolute
// deviations from the median (Vehtari, Gelman, Simpson, Carpenter and Bürkner,
// "Rank-normalization, folding, and localization: an improved R̂ for assessing
// convergence of MCMC", Bayesian Analysis 2021). It tends to 1 as the chains
// forget where they started; the authors ask for less than 1.01. It is 1 for a
// constant.
func rHat(chains [][]float64) float64 {
	halves := split(chains)
	median := medianOf(halves)
	folded := make([][]float64, len(halves))
	for c, half := range halves {
		for _, x := range half {
			folded[c] = append(folded[c], math.Abs(x-median))
		}
	}
	return max(scaleReduction(rankNormal(halves)), scaleReduction(rankNormal(folded)))
}

// bulkESS returns how many independent draws estimate the centre of the
// distribution of a quantity as well as chains do, which are as in rHat: the
// bulk effective sample size of Vehtari et al. (2021), on split, rank-normalised
// chains, autocorrelations summed over Geyer's initial monotone sequence. It is
// at most S log₁₀ S for S draws, and S for a constant.
func bulkESS(chains [][]float64) float64 {
	z := rankNormal(split(chains))
	m, n := float64(len(z)), float64(len(z[0]))
	within, total := variances(z)
	if total == 0 {
		return m * n
	}
	mean := make([]float64, len(z))
	for c, chain := range z {
		mean[c] = stat.Mean(chain, nil)
	}
	// correlation at lag t, of all chains together
	correlation := func(t int) float64 {
		var sum float64
		for c, chain := range z {
			for i, x := range chain[t:] {
				sum += (x - mean[c]) * (chain[i] - mean[c])
			}
		}
		return 1 - (within-sum/(m*(n-1)))/total
	}
	// Sums of the correlations at neighbouring lags are positive and decrease;
	// from the first that is not, there is but noise.
	tau, last := -1.0, math.Inf(1)
	for t := 0; t+1 < len(z[0]); t += 2 {
		pair := correlation(t) + correlation(t+1)
		if !(pair > 0) {
			break
		}
		last = min(last, pair)
		tau += 2 * last
	}
	return m * n / max(tau, 1/math.Log10(m*n))
}

// split returns the halves of all chains.
func split(chains [][]float64) [][]float64 {
	var halves [][]float64
	for _, chain := range chains {
		n := len(chain)
		halves = append(halves, chain[:n/2], chain[n/2:])
	}
	return halves
}

func medianOf(chains [][]float64) float64 {
	all := slices.Sorted(slices.Values(slices.Concat(chains...)))
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}

// rankNormal replaces every number by Φ⁻¹((rank − ⅜)/(S + ¼)), its rank being
// among all S of them, the mean rank for equal ones.
func rankNormal(chains [][]float64) [][]float64 {
	all := slices.Concat(chains...)
	s := len(all)
	order := make([]int, s)
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return all[order[i]] < all[order[j]] })
	z := make([]float64, s)
	for i := 0; i < s; {
		j := i + 1
		for j < s && all[order[j]] == all[order[i]] {
			j++
		}
		rank := float64(i+1+j) / 2
		value := distuv.UnitNormal.Quantile((rank - 0.375) / (float64(s) + 0.25))
		for ; i < j; i++ {
			z[order[i]] = value
		}
	}
	return slices.Collect(slices.Chunk(z, len(chains[0])))
}

// scaleReduction returns √(total/within).
func scaleReduction(chains [][]float64) float64 {
	within, total := variances(chains)
	if total == 0 {
		return 1
	}
	return math.Sqrt(total / within)
}

// variances returns the mean variance W within the chains, and the estimate
// (n−1)/n W + B/n of that of the distribution, B/n the variance of their means.
func variances(chains [][]float64) (within, total float64) {
	mean := make([]float64, len(chains))
	for c, chain := range chains {
		var v float64
		mean[c], v = stat.MeanVariance(chain, nil)
		within += v / float64(len(chains))
	}
	n := float64(len(chains[0]))
	return within, (n-1)/n*within + stat.Variance(mean, nil)
}
