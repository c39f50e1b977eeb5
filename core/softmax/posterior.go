package softmax

import (
	"fmt"
	"math"

	"closedform/internal/kernel"
)

// Posterior has the moments of the logits given the class. Computing into it again allocates nothing. It
// keeps no reference to arguments; concurrent reading is safe. Free are the [FreeVariances] of the
// covariance. Σ Free_i is at most Σ Var_i, but a Free_i may exceed the prior variance.
type Posterior struct {
	LogP            float64   // logarithm of the probability of the class; NaN if numbers overflow
	Mean, Var, Free []float64 // means, variances and free variances of the logits, length n
}

// NewPosterior returns a posterior for n classes. It panics if n < 2.
func NewPosterior(n int) *Posterior {
	checkClasses(n)
	return &Posterior{Mean: make([]float64, n), Var: make([]float64, n), Free: make([]float64, n)}
}

// winnerDensity is p_c W, the unnormalised density of the winning utility, up to a shift of t.
type winnerDensity interface {
	logConcave
	// tabulate sets the table at the nodes, and adds log f_c + Σ log F_i to log, up to a factor that it
	// multiplies into weight.
	tabulate(node, weight, log []float64)
}

// posteriorRule has the cut of W, the node distance in units of its scale at the lower end, and the distance
// over which nodes are nearly even, see sinhMesh.
type posteriorRule struct{ drop, step, spread float64 }

type posteriorTable struct {
	nodeBlock
	log       [mostNodes]float64
	k, always []float64
	h, within []float64 // E[z_i | t] = m_i − k_i h,  Var[z_i | t] = always_i + k_i² within

	start   []float64          // h at the mode of W
	squares []float64          // E_W (h − start)²
	sum     [mostNodes]float64 // Σ_j k_j (h_j − start_j) at each node
	crosses []float64          // first E_W (h − start) sum, then o
}

func (q *posteriorTable) forClasses(n int) {
	fit(n, &q.k, &q.always, &q.start, &q.squares, &q.crosses)
	fit(n*mostNodes, &q.h, &q.within)
}

// integrate sets dst to the moments of the logits, or LogP to NaN if numbers overflow. Both likelihoods are
// the event that the class has the largest u_c of u_i = λz_i + ε_i, with independent normal noise, or Gumbel
// noise for the softmax. Given u_c = t, hence u_i ≤ t for all other i, the logits are independent with known
// moments. W, the density of u_c given the class, is log-concave. The nodes lie around its mode, with weights
// in the log domain, however improbable the class. Sums are of h − start, to keep the digits of variances
// that are small against the squared mean. With H = Σ_j k_j h_j,
//
//	W(t) = f_c(t) Π_{i≠c} F_i(t) / p_c
//	m̃_i = E_W E[z_i | t]                       = m_i − k_i E_W h_i
//	ṽ_i = E_W Var[z_i | t] + Var_W E[z_i | t]  = always_i + k_i² (E_W within_i + Var_W h_i)
//	o_i = Σ_{j≠i} Cov_W(E[z_i | t], E[z_j | t]) = k_i Cov_W(h_i, H) − k_i² Var_W h_i
func (q *posteriorTable) integrate(
	dst *Posterior, w winnerDensity, rule posteriorRule, mean, variance []float64,
) {
	mode, top, curvature := findMode(w, 0)
	lo, hi, scale := cut(w, mode, top, curvature, rule.drop)
	if !(hi-lo <= math.MaxFloat64) || math.IsInf(top, -1) || !(scale > 0) {
		dst.LogP = math.NaN() // overflow
		return
	}
	q.room[0], q.room[1] = mode, 1
	w.tabulate(q.room[:1], q.room[1:2], q.log[:1])
	copy(q.start, q.h)
	for _, sums := range [][]float64{dst.Mean, dst.Var, q.squares, q.crosses} {
		clear(sums)
	}
	var total float64
	for nodes := sinhMesh(lo, hi, rule.spread*scale, rule.step/rule.spread); nodes.left > 0; {
		q.next(&nodes)
		log := q.log[:len(q.node)]
		for b := range log {
			log[b] = -top
		}
		w.tabulate(q.node, q.weight, log)
		kernel.ExpAll(log, log)
		for b, x := range log {
			q.weight[b] *= x
		}
		total += q.add(dst)
	}
	dst.LogP = top + kernel.Log(total)
	if math.IsInf(dst.LogP, 0) {
		dst.LogP = math.NaN()
	}
	var sum float64 // E_W of q.sum
	for i, k := range q.k {
		sum += k * dst.Mean[i] / total
	}
	for i, m := range mean {
		k, d := q.k[i], dst.Mean[i]/total
		between := math.Max(0, q.squares[i]/total-d*d)
		dst.Mean[i] = m - k*(q.start[i]+d)
		dst.Var[i] = k*k*(dst.Var[i]/total+between) + q.always[i]
		q.squares[i] = k * k * between
		q.crosses[i] = k*(q.crosses[i]/total-d*sum) - q.squares[i]
	}
	q.setFree(dst, variance)
}

// setFree sets Free by o = q.crosses, within bounds that rounding may exceed: Var ≤ v, as W is log-concave,
// and 0 ≤ Cov_W(h_i, h_j) ≤ the product of the standard deviations, as all h rise with t.
func (q *posteriorTable) setFree(dst *Posterior, variance []float64) {
	var deviations float64
	for i, v := range variance {
		dst.Var[i] = math.Min(dst.Var[i], v)
		q.squares[i] = math.Sqrt(math.Min(q.squares[i], v))
		deviations += q.squares[i]
	}
	for i, sd := range q.squares {
		q.crosses[i] = math.Max(0, math.Min(q.crosses[i], sd*(deviations-sd)))
	}
	FreeVariances(dst.Free, dst.Var, q.crosses)
}

// FreeVariances sets dst to the variances of independent variables that fit, in least squares, the variances
// of all differences of variables with covariance C, given the variances C_ii and o_i = Σ_{j≠i} C_ij: dst_i =
// C_ii − (2 o_i − Σ_j o_j/(n−1))/(n−2) for n ≥ 3, and C_ii − C_12 for n = 2. For n = 2 and 3 the fit is
// exact. Σ dst_i ≥ 0, but one may be negative.
func FreeVariances(dst, variance, sums []float64) {
	n, total := float64(len(dst)), kernel.Sum(sums)
	for i, o := range sums {
		if n > 2 {
			o = (2*o - total/(n-1)) / (n - 2)
		}
		dst[i] = variance[i] - o
	}
}

// add adds the weighted sums of h − start, its square, its product with sum, and within to dst.Mean, squares,
// crosses and dst.Var, and returns the sum of weights.
func (q *posteriorTable) add(dst *Posterior) (total float64) {
	size := len(q.node)
	first, end := 0, size // nodes with a weight; h may be infinite at the others
	for first < end && q.weight[first] == 0 {
		first++
	}
	for first < end && q.weight[end-1] == 0 {
		end--
	}
	weight, sums := q.weight[first:end], q.sum[first:end]
	clear(sums)
	for i, start := range q.start {
		h, k := q.h[i*size+first:i*size+end], q.k[i]
		for b := range h {
			h[b] -= start
			sums[b] += k * h[b]
		}
		sum, square := kernel.Backward(h, weight, weight)
		dst.Mean[i] += sum
		q.squares[i] += square
		dst.Var[i] += kernel.Dot(weight, q.within[i*size+first:i*size+end])
	}
	for b, w := range weight {
		sums[b] *= w
	}
	for i := range q.start {
		q.crosses[i] += kernel.Dot(sums, q.h[i*size+first:i*size+end])
	}
	return kernel.Sum(weight)
}

func (q *Posterior) check(mean, variance []float64, class int) {
	if n := len(q.Mean); class < 0 || class >= n {
		panic(fmt.Sprintf("softmax: posterior given class %d; need 0 to %d", class, n-1))
	}
	CheckLogits(len(q.Mean), mean, variance)
}
