package meanfield

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/baselines/learners/mlp"
	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// laplaceBridge maps the Gaussian of the logits to a Dirichlet distribution (MacKay 1998, "Choice of basis
// for Laplace approximation"; Hobbhahn, Kristiadi and Hennig 2022, arXiv 2003.01227). It inverts the Laplace
// approximation of a Dirichlet in the softmax basis, where logits add up to zero. Variances must be positive.
// Unless they are equal, p depends on the origin of the logits. Given Σ_k z_k = 0, with S = Σ v_k,
//
//	μ_k = m_k − v_k/S · Σ_l m_l,   Σ_kk = v_k (1 − v_k/S)
//	α_k = (1 − 2/n + e^{μ_k}/n² Σ_l e^{−μ_l}) / Σ_kk,   α_0 = Σ α_k
//	p   = α/α_0,   Σ_y = (diag(p) − ppᵀ)/(α_0 + 1).
func laplaceBridge(mean, variance []float64) moments {
	n, mu, p := float64(len(mean)), make([]float64, len(mean)), make([]float64, len(mean))
	logits, total, sum := kernel.Sum(mean), kernel.Sum(variance), 0.0
	for k, v := range variance {
		mu[k] = mean[k] - v/total*logits
		sum += kernel.Exp(-mu[k])
	}
	for k, v := range variance {
		p[k] = (1 - 2/n + kernel.Exp(mu[k])*sum/n/n) / (v * (1 - v/total))
	}
	concentration := kernel.Sum(p)
	floats.Scale(1/concentration, p)
	return dirichlet(p, concentration)
}

func dirichlet(p []float64, concentration float64) moments {
	cov := func(i, j int) float64 { return p[i] * (delta(i, j) - p[j]) / (concentration + 1) }
	return moments{p, cov, missing}
}

// normalizedProbit replaces the softmax by normalised normal distribution functions, and approximates the
// distribution of the probabilities by a Dirichlet (Mucsányi, Da Costa and Hennig 2025, arXiv 2502.03366). λ
// = √(π/2) gives the slope of the softmax at zero logits; the paper has λ = 1. The authors' floors in the
// fraction are left out: a class of zero variance makes α_0 infinite. The A_j underflow for t_j below −38.
// For q_j = Φ(λz_j), t_j = λm_j/√(1+λ²v_j), and T Owen's function,
//
//	A_j = E q_j  = Φ(t_j)
//	B_j = E q_j² = Φ(t_j) − 2T(t_j, 1/√(1+2λ²v_j))
//	p_j = A_j / Σ A,   Σ_y = (diag(p) − ppᵀ)/(α_0 + 1)
//	α_j = p_j α_0,  log(α_0 S/Σ A) = mean_j log((A_j S − B_j)/(B_j − A_j²)),  S = max(1, Σ A).
func normalizedProbit(lambda float64) Method {
	return func(mean, variance []float64) moments {
		p, t := make([]float64, len(mean)), make([]float64, len(mean))
		for j, v := range variance {
			t[j] = lambda * mean[j] / math.Sqrt(1+lambda*lambda*v)
			p[j] = gauss.CDF(t[j])
		}
		total := kernel.Sum(p)
		s := max(1, total)
		var sum float64
		for j, v := range variance {
			spread, mixed := secondMoments(t[j], lambda*math.Sqrt(v))
			// A S − B = A(S − 1) + (A − B), a sum of positive terms.
			sum += kernel.Log((p[j]*(s-1) + mixed) / spread)
		}
		floats.Scale(1/total, p)
		return dirichlet(p, kernel.Exp(sum/float64(len(mean)))*total/s)
	}
}

// The Gauss–Legendre rule on [0, 1], for Owen's function.
var nodes, weights = func() (x, w [32]float64) {
	quad.Legendre{}.FixedLocations(x[:], w[:], 0, 1)
	return x, w
}()

// secondMoments returns Var Φ(x) and E Φ(x)(1−Φ(x)) for normal x of standard deviation sd, given t = E
// x/√(1+sd²): 2(T(t, 1) − T(t, a)) and 2T(t, a) with Owen's function (1956) T(t, a) = 1/(2π) ∫_0^a
// exp(−t²(1+u²)/2)/(1+u²) du, a = 1/√(1+2sd²). These integrals of a positive function do not cancel.
func secondMoments(t, sd float64) (spread, mixed float64) {
	a := 1 / math.Sqrt(1+2*sd*sd)
	return integral(t, a, 1-a), integral(t, 0, a)
}

// integral returns 2(T(t, a+length) − T(t, a)), where a + length ≤ 1.
func integral(t, a, length float64) (sum float64) {
	if math.Abs(t) > 5 { // beyond this length the integrand is below e⁻⁴⁰ of its first value
		length = min(length, math.Sqrt(a*a+80/(t*t))-a)
	}
	for i, node := range nodes {
		u := a + length*node
		sum += weights[i] * length / math.Pi * kernel.Exp(-0.5*t*t*(1+u*u)) / (1 + u*u)
	}
	return sum
}

// logNormal matches log-normal moments, as in TAGI: the layer ClosedFormSoftmax of cuTAGI
// (github.com/lhnguyen102/cuTAGI, src/activation_cuda.cu), without its floor and caps. The sum S of the
// log-normal e^{z_i} and the ratio y_i = e^{z_i}/S are approximated as log-normal, too. p is normalised
// before the second moments, as in a later version of the method.
//
//	μ_i = e^{m_i + v_i/2},  V_i = μ_i² (e^{v_i} − 1),  M = Σ μ_i
//	s²  = Var log S        = log(1 + Σ V_i/M²)
//	c_i = Cov(z_i, log S)  = log(1 + V_i/(μ_i M))
//	log y_i ~ N(m_i − log M + s²/2, l_i),  l_i = v_i + s² − 2c_i
//	p_i = e^{m_i − log M + s²/2 + l_i/2},  Var y_i = p_i² (e^{l_i} − 1),  Cov(z_i, y_i) = p_i (v_i − c_i)
func logNormal(mean, variance []float64) moments {
	share, p, c := make([]float64, len(mean)), make([]float64, len(mean)), make([]float64, len(mean))
	for i, v := range variance {
		share[i] = mean[i] + 0.5*v
		p[i] = share[i]
	}
	mlp.Normalise(share) // μ_i/M
	var total float64
	for i, v := range variance {
		total += share[i] * share[i] * math.Expm1(v)
		c[i] = math.Log1p(share[i] * math.Expm1(v))
		p[i] -= c[i] // log p_i up to a constant
	}
	total = math.Log1p(total) // s²
	mlp.Normalise(p)
	return moments{
		p,
		diagonal(func(i int) float64 { return p[i] * p[i] * math.Expm1(variance[i]+total-2*c[i]) }),
		diagonal(func(i int) float64 { return p[i] * (variance[i] - c[i]) }),
	}
}

// diagonal returns a matrix with only its diagonal given.
func diagonal(entry func(i int) float64) entries {
	return func(i, j int) float64 {
		if i == j {
			return entry(i)
		}
		return math.NaN()
	}
}
