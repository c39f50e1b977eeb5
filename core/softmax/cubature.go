package softmax

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// MostCorrelated is the largest number of correlated logits that Cubature takes:
// its cost is that of a grid in one dimension less.
const MostCorrelated = 4

// Cubature integrates over the softmax of correlated logits z ~ N(m, V), of which
// only the n−1 differences to one of them matter, by a product of trapezoidal
// rules along the principal axes of their covariance. It holds the scratch space.
type Cubature struct {
	LogP  float64     // of Posterior: logarithm of the probability of the class
	Slope []float64   // of Posterior: ∂ log p/∂m, length n
	Curve [][]float64 // of Posterior: ∂² log p/∂m², n × n

	// Err is an estimate of the relative error of a probability: exp(−√2π²/(σh)),
	// σ the largest standard deviation along an axis and h the step there. It is
	// below 1e-12 until the number of nodes reaches its limit, at σ = 2.6e4 for 2
	// logits, 26 for 3 and 5 for 4. Where it is larger, Slope and Curve have lost
	// more, and what is large is wrong.
	Err float64

	n    int
	axis blas64.Symmetric // principal axes of the differences, as columns
	sd   []float64        // standard deviations along them
	work []float64
	gap  []float64 // mean differences to the reference class

	centre, at, grad []float64 // coordinates along the axes, in standard deviations
	hess             []float64
	s                []float64   // softmax at a node
	first            []float64   // ∫ s_i
	second           [][]float64 // ∫ s_i s_j
	total            float64
}

// NewCubature returns a Cubature for n logits. It panics unless 2 ≤ n ≤
// MostCorrelated.
func NewCubature(n int) *Cubature {
	if n < 2 || n > MostCorrelated {
		panic(fmt.Sprintf("softmax: cubature for %d logits; need 2 to %d", n, MostCorrelated))
	}
	k := n - 1
	square := func() [][]float64 {
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, n)
		}
		return rows
	}
	q := &Cubature{
		Slope: make([]float64, n), Curve: square(), n: n,
		axis: blas64.Symmetric{N: k, Stride: k, Data: make([]float64, k*k), Uplo: blas.Upper},
		sd:   make([]float64, k), gap: make([]float64, k), centre: make([]float64, k), at: make([]float64, k),
		grad: make([]float64, k), hess: make([]float64, k*k),
		s: make([]float64, n), first: make([]float64, n), second: square(),
	}
	var size [1]float64
	lapack64.Syev(lapack.EVCompute, q.axis, q.sd, size[:], -1)
	q.work = make([]float64, int(size[0]))
	return q
}

// Moments sets dst to the moments of the softmax of z ~ N(mean, cov).
func (q *Cubature) Moments(dst *Moments, mean []float64, cov mat.Symmetric) {
	q.set(mean, cov, 0)
	for i := range q.centre {
		q.centre[i] = 0
	}
	q.integrate(-1)
	for i := range q.n {
		dst.P[i] = q.first[i] / q.total
		for j := range q.n {
			if i != j {
				dst.E.Set(i, j, q.second[i][j]/q.total)
			}
		}
	}
}

// Posterior sets LogP and, by Stein's lemma, its derivatives by the mean from the
// moments of the softmax given the class c,
//
//	∂ log p/∂m = e_c − E_c s,   ∂² log p/∂m² = E_c[ssᵀ] − diag(E_c s) + Cov_c s
//
// with which the moments of z given c are m + V ∂ log p and V + V (∂² log p) V.
func (q *Cubature) Posterior(mean []float64, cov mat.Symmetric, class int) {
	if class < 0 || class >= q.n {
		panic(fmt.Sprintf("softmax: posterior given class %d; need 0 to %d", class, q.n-1))
	}
	q.set(mean, cov, class)
	q.findCentre()
	top := q.integrate(class)
	q.LogP = top + math.Log(q.total) - 0.5*float64(q.n-1)*math.Log(2*math.Pi)
	for i := range q.n {
		first := q.first[i] / q.total
		q.Slope[i] = -first
		for j := range q.n {
			q.Curve[i][j] = 2*q.second[i][j]/q.total - first*q.first[j]/q.total
		}
		q.Curve[i][i] -= first
	}
	q.Slope[class]++
}

// set finds the distribution of the differences z_τ − z_c, τ ≠ c.
func (q *Cubature) set(mean []float64, cov mat.Symmetric, class int) {
	if len(mean) != q.n || cov.SymmetricDim() != q.n {
		panic(fmt.Sprintf("softmax: %d means and %d×%[2]d covariances for %d logits", len(mean), cov.SymmetricDim(), q.n))
	}
	k := q.n - 1
	other := func(a int) int { // index of the a-th logit that is not the class
		if a >= class {
			return a + 1
		}
		return a
	}
	for a := range k {
		i := other(a)
		q.gap[a] = mean[i] - mean[class]
		for b := a; b < k; b++ {
			j := other(b)
			q.axis.Data[a*k+b] = cov.At(i, j) - cov.At(i, class) - cov.At(class, j) + cov.At(class, class)
		}
	}
	if !lapack64.Syev(lapack.EVCompute, q.axis, q.sd, q.work, len(q.work)) {
		panic("softmax: eigenvalues of a covariance do not converge; need finite numbers")
	}
	for a, x := range q.sd {
		q.sd[a] = math.Sqrt(max(0, x))
	}
}

// softmaxAt sets s for coordinates along the axes, the reference class last, and
// returns log s of that class.
func (q *Cubature) softmaxAt(at []float64) float64 {
	k := q.n - 1
	largest := 0.0
	for a := range k {
		d := q.gap[a]
		for l := range k {
			d += q.axis.Data[a*k+l] * q.sd[l] * at[l]
		}
		q.s[a] = d
		largest = max(largest, d)
	}
	sum := math.Exp(-largest)
	q.s[k] = sum
	for a := range k {
		q.s[a] = math.Exp(q.s[a] - largest)
		sum += q.s[a]
	}
	floats.Scale(1/sum, q.s)
	return -largest - math.Log(sum)
}

// findCentre puts the centre at the mode of N(ξ; 0, I) s_c(ξ), by Newton's method
// with halved steps: the logarithm is strictly concave.
func (q *Cubature) findCentre() {
	const rounds = 100
	k := q.n - 1
	value := func(at []float64) float64 {
		return q.softmaxAt(at) - 0.5*floats.Dot(at, at)
	}
	for a := range q.centre {
		q.centre[a] = 0
	}
	old := value(q.centre)
	for range rounds {
		// Gradient and minus the Hessian; s is that of the centre.
		for l := range k {
			g := -q.centre[l]
			for a := range k {
				g -= q.axis.Data[a*k+l] * q.sd[l] * q.s[a]
			}
			q.grad[l] = g
		}
		for l := range k {
			for m := range k {
				var both, one, two float64
				for a := range k {
					u, v := q.axis.Data[a*k+l]*q.sd[l], q.axis.Data[a*k+m]*q.sd[m]
					both += q.s[a] * u * v
					one += q.s[a] * u
					two += q.s[a] * v
				}
				q.hess[l*k+m] = both - one*two
			}
			q.hess[l*k+l]++
		}
		solve(q.hess, q.grad)
		if floats.Norm(q.grad, 2) < 1e-3 {
			break
		}
		step := 1.0
		for range 60 {
			for a := range k {
				q.at[a] = q.centre[a] + step*q.grad[a]
			}
			if now := value(q.at); now >= old {
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
// under N(ξ; 0, I), times s_c if there is a class, both relative to the value at the
// centre, whose logarithm it returns.
func (q *Cubature) integrate(class int) (top float64) {
	const reach = 8.5 // e^(−reach²/2) = 2e-16
	k := q.n - 1
	most := [...]int{1_000_000, 1000, 200}[k-1] // nodes along an axis
	var steps [MostCorrelated - 1]float64
	var counts [MostCorrelated - 1]int
	q.Err = 0
	volume := 1.0
	for l, sd := range q.sd {
		// The poles are at imaginary differences of π, √2·sd to the coordinate of an axis at most.
		h := min(0.55, 0.45/sd)
		counts[l] = min(most, int(math.Ceil(2*reach/h)))
		steps[l] = 2 * reach / float64(counts[l])
		q.Err = max(q.Err, math.Exp(-math.Sqrt2*math.Pi*math.Pi/(max(sd, 1)*steps[l])))
		volume *= steps[l]
	}
	log := func() float64 {
		value := q.softmaxAt(q.at)
		if class < 0 {
			value = 0
		}
		return value - 0.5*floats.Dot(q.at, q.at)
	}
	copy(q.at, q.centre)
	top = log()
	q.total = 0
	clear(q.first)
	for _, row := range q.second {
		clear(row)
	}
	var index [MostCorrelated - 1]int
	for {
		for l := range k {
			q.at[l] = q.centre[l] + (float64(index[l])+0.5)*steps[l] - reach
		}
		w := volume * math.Exp(log()-top)
		q.total += w
		for i, si := range q.s {
			q.first[i] += w * si
			for j := i; j < q.n; j++ {
				q.second[i][j] += w * si * q.s[j]
			}
		}
		l := 0
		for ; l < k; l++ {
			if index[l]++; index[l] < counts[l] {
				break
			}
			index[l] = 0
		}
		if l == k {
			break
		}
	}
	q.reorder(max(class, 0))
	return top
}

// reorder moves the reference class from the last place to its own.
func (q *Cubature) reorder(class int) {
	last := q.n - 1
	for i := range q.n {
		for j := range i {
			q.second[i][j] = q.second[j][i]
		}
	}
	for c := last; c > class; c-- {
		q.first[c], q.first[c-1] = q.first[c-1], q.first[c]
		q.second[c], q.second[c-1] = q.second[c-1], q.second[c]
		for _, row := range q.second {
			row[c], row[c-1] = row[c-1], row[c]
		}
	}
}
