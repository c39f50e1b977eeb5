package softmax

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

// MostCorrelated is the largest number of correlated logits that Cubature takes:
// its cost is that of a grid in one dimension less.
const MostCorrelated = 4

// Cubature computes what [Exact] does for correlated logits z ~ N(m, V), of which
// only the n−1 differences to one of them matter, by a product of trapezoidal
// rules along the principal axes of their covariance.
//
// Its methods return an estimate of the relative error of a probability,
// exp(−√2π²/(σh)), σ the largest standard deviation along an axis and h the step
// there: below 1e-12 until the number of nodes reaches its limit, at σ = 2.6e4 for
// 2 logits, 26 for 3 and 5 for 4. Derivatives lose more. The methods panic unless
// 2 ≤ n ≤ MostCorrelated and all numbers are finite. A Cubature is a value without
// references, safe for concurrent use.
type Cubature struct{}

// Moments sets dst to the moments of the softmax of z ~ N(mean, cov).
func (Cubature) Moments(dst *Moments, mean []float64, cov mat.Symmetric) (relerr float64) {
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	q := w.correlated(len(dst.P), mean, cov, 0)
	clear(q.centre)
	q.integrate(false)
	for i, first := range q.first {
		dst.P[i] = first / q.total
		for j := range q.order {
			if i != j {
				dst.E.Set(i, j, q.second[i][j]/q.total)
			}
		}
	}
	return q.relerr
}

// Posterior sets dst to the posterior given the class c. By Stein's lemma the
// derivatives of log p follow from the moments of the softmax given the class,
//
//	∂ log p/∂m = e_c − E_c s,   ∂² log p/∂m² = E_c[ssᵀ] − diag(E_c s) + Cov_c s
func (Cubature) Posterior(dst *JointPosterior, mean []float64, cov mat.Symmetric, class int) (relerr float64) {
	n := len(dst.Mean)
	checkClass(n, class)
	w := workspaces.Get().(*workspace)
	defer workspaces.Put(w)
	q := w.correlated(n, mean, cov, class)
	q.findCentre()
	top := q.integrate(true)
	dst.LogP = top + kernel.Log(q.total) - 0.5*float64(n-1)*kernel.Log(2*math.Pi)
	for i := range q.first {
		first := q.first[i] / q.total
		dst.Gradient[i] = -first
		row := dst.Hessian.RawRowView(i)
		for j := range row {
			row[j] = 2*q.second[i][j]/q.total - first*q.first[j]/q.total
		}
		row[i] -= first
	}
	dst.Gradient[class]++
	for i := range n {
		dst.Mean[i], dst.Var[i] = mean[i], cov.At(i, i)
		for j := range n {
			dst.Mean[i] += cov.At(i, j) * dst.Gradient[j]
			for k := range n {
				dst.Var[i] += cov.At(i, j) * dst.Hessian.At(j, k) * cov.At(k, i)
			}
		}
	}
	return q.relerr
}

// cubature holds the integrals over the softmax. One class, the observed one if there
// is one, is the reference, to which the differences of the others are taken.
type cubature struct {
	order []int         // the classes, the reference last
	axes  *linalg.Eigen // principal axes of the differences, and their variances
	axis  []float64     // column l is axis l, as long as the standard deviation along it
	gap   []float64     // mean differences to the reference

	centre, at, grad []float64 // coordinates along the axes, in standard deviations
	hess             []float64
	s                []float64 // softmax at a node
	total            float64
	first            []float64                               // ∫ s_i
	second           [MostCorrelated][MostCorrelated]float64 // ∫ s_i s_j
	relerr           float64
}

// correlated returns the cubature for n logits, with the distribution of the
// differences z_τ − z_c, τ ≠ c.
func (w *workspace) correlated(n int, mean []float64, cov mat.Symmetric, class int) *cubature {
	if n < 2 || n > MostCorrelated {
		panic(fmt.Sprintf("softmax: cubature for %d logits; need 2 to %d", n, MostCorrelated))
	}
	if len(mean) != n || cov.SymmetricDim() != n {
		panic(fmt.Sprintf("softmax: %d means and %d×%[2]d covariances for %d logits", len(mean), cov.SymmetricDim(), n))
	}
	q, k := &w.cubature, n-1
	if len(q.s) != n {
		q.axes = linalg.NewEigen(k)
		q.axis = q.axes.Vectors
		fit(k, &q.gap, &q.centre, &q.at, &q.grad)
		fit(k*k, &q.hess)
		fit(n, &q.s, &q.first)
	}
	q.order = q.order[:0]
	for a := range k {
		q.order = append(q.order, other(class, a))
	}
	q.order = append(q.order, class)
	for a, i := range q.order[:k] {
		q.gap[a] = mean[i] - mean[class]
		for b, j := range q.order[:k] {
			q.axis[a*k+b] = cov.At(i, j) - cov.At(i, class) - cov.At(class, j) + cov.At(class, class)
		}
	}
	if !q.axes.Factorize() {
		panic("softmax: eigenvalues of a covariance do not converge; need finite numbers")
	}
	for l, x := range q.axes.Values {
		for a := range k {
			q.axis[a*k+l] *= math.Sqrt(max(0, x))
		}
	}
	return q
}

// softmaxAt sets s for coordinates along the axes and returns log s of the
// reference class.
func (q *cubature) softmaxAt(at []float64) float64 {
	k := len(q.gap)
	others, class := q.order[:k], q.order[k]
	largest := 0.0
	for a, i := range others {
		d := q.gap[a]
		for l, x := range at {
			d += q.axis[a*k+l] * x
		}
		q.s[i] = d
		largest = max(largest, d)
	}
	sum := kernel.Exp(-largest)
	q.s[class] = sum
	for _, i := range others {
		q.s[i] = kernel.Exp(q.s[i] - largest)
		sum += q.s[i]
	}
	floats.Scale(1/sum, q.s)
	return -largest - kernel.Log(sum)
}

// logPosterior returns log N(ξ; 0, I) s_c(ξ) but for a constant.
func (q *cubature) logPosterior(at []float64) float64 {
	return q.softmaxAt(at) - 0.5*kernel.Dot(at, at)
}

// findCentre puts the centre at the mode of N(ξ; 0, I) s_c(ξ), by Newton's method
// with halved steps: the logarithm is strictly concave.
func (q *cubature) findCentre() {
	const rounds = 100
	k := len(q.gap)
	clear(q.centre)
	old := q.logPosterior(q.centre)
	for range rounds {
		// Gradient and minus the Hessian; s is that of the centre.
		for l := range k {
			q.grad[l] = -q.centre[l]
			for a, i := range q.order[:k] {
				q.grad[l] -= q.axis[a*k+l] * q.s[i]
			}
			for m := range k {
				var both, one, two float64
				for a, i := range q.order[:k] {
					u, v := q.axis[a*k+l], q.axis[a*k+m]
					both += q.s[i] * u * v
					one += q.s[i] * u
					two += q.s[i] * v
				}
				q.hess[l*k+m] = both - one*two
			}
			q.hess[l*k+l]++
		}
		solve(q.hess, q.grad)
		if kernel.Norm(q.grad) < 1e-3 {
			break
		}
		step := 1.0
		for range 60 {
			floats.AddScaledTo(q.at, q.centre, step, q.grad)
			if now := q.logPosterior(q.at); now >= old {
				old = now
				break
			}
			step /= 2
		}
		copy(q.centre, q.at)
	}
}

// solve overwrites b with A⁻¹b for a small positive definite A, which it destroys.
func solve(a, b []float64) {
	k := len(b)
	for i := range k {
		for j := i + 1; j < k; j++ {
			f := a[j*k+i] / a[i*k+i]
			for l := i; l < k; l++ {
				a[j*k+l] -= f * a[i*k+l]
			}
			b[j] -= f * b[i]
		}
	}
	for i := k - 1; i >= 0; i-- {
		for l := i + 1; l < k; l++ {
			b[i] -= a[i*k+l] * b[l]
		}
		b[i] /= a[i*k+i]
	}
}

// integrate sets total, first and second to the integrals of 1, s_i and s_i s_j
// under N(ξ; 0, I), times s_c if the class is given, all relative to the value at the
// centre, whose logarithm it returns.
func (q *cubature) integrate(given bool) (top float64) {
	const reach = 8.5 // e^(−reach²/2) = 2e-16
	k := len(q.gap)
	most := [...]int{1_000_000, 1000, 200}[k-1] // nodes along an axis
	var steps [MostCorrelated - 1]float64
	var counts, index [MostCorrelated - 1]int
	q.relerr = 0
	volume := 1.0
	for l, variance := range q.axes.Values {
		sd := math.Sqrt(max(0, variance))
		// The poles are at imaginary differences of π, √2·sd to the coordinate of an axis at most.
		h := min(0.55, 0.45/sd)
		counts[l] = min(most, int(math.Ceil(2*reach/h)))
		steps[l] = 2 * reach / float64(counts[l])
		q.relerr = max(q.relerr, kernel.Exp(-math.Sqrt2*math.Pi*math.Pi/(max(sd, 1)*steps[l])))
		volume *= steps[l]
	}
	log := func() float64 {
		if value := q.logPosterior(q.at); given {
			return value
		}
		return 0 - 0.5*kernel.Dot(q.at, q.at)
	}
	copy(q.at, q.centre)
	top = log()
	q.total = 0
	clear(q.first)
	clear(q.second[:])
	for done := false; !done; {
		for l := range k {
			q.at[l] = q.centre[l] + (float64(index[l])+0.5)*steps[l] - reach
		}
		w := volume * kernel.Exp(log()-top)
		q.total += w
		for a, i := range q.order {
			q.first[i] += w * q.s[i]
			for _, j := range q.order[a:] {
				q.second[i][j] += w * q.s[i] * q.s[j]
			}
		}
		done = true
		for l := range k { // the next node
			if index[l]++; index[l] < counts[l] {
				done = false
				break
			}
			index[l] = 0
		}
	}
	for a, i := range q.order {
		for _, j := range q.order[a:] {
			q.second[j][i] = q.second[i][j]
		}
	}
	return top
}
