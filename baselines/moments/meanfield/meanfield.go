// Package meanfield collects closed forms of other authors for the moments of softmax(z), z_j ~ N(m_j, v_j)
// independent, each with formula and reference: p = E s, Σ_y = Cov s, and Σ_zy = Cov(z, s). Probabilities may
// lie outside [0, 1].
//
// Delta, Taylor and Unscented give p, Σ_y and Σ_zy; LogNormal gives p and both diagonals; LaplaceBridge and
// NormalizedProbit give p and Σ_y; Daunizeau gives p and, for n = 2, Σ_y; Pairwise and MacKay give p. All
// other moments are NaN.
//
// Rounding errors are absolute, of the order of 1e-14; for LogNormal variances must be below 700. Moments
// panics if sizes do not match, a mean or variance is not finite, or a variance is negative. All methods are
// safe for concurrent use.
package meanfield

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Method is one of the closed forms.
type Method func(mean, variance []float64) moments

// The methods; their functions state the formulas.
var (
	Delta            Method = firstOrder
	Taylor           Method = taylor
	Unscented        Method = unscented
	LogNormal        Method = logNormal
	LaplaceBridge    Method = laplaceBridge
	NormalizedProbit        = normalizedProbit(math.Sqrt(math.Pi / 2)) // λ that matches the slope of the softmax
	Daunizeau        Method = daunizeau
	PairwiseMean            = pairwise(false) // order 0 of Lu, Ie and Sha
	Pairwise                = pairwise(true)  // orders 1 and 2 of Lu, Ie and Sha
	MacKay           Method = macKay
)

type moments struct {
	p          []float64
	cov, cross entries // Σ_y for i ≤ j, and Σ_zy
}

type entries func(i, j int) float64

func missing(int, int) float64 { return math.NaN() }

// Moments sets p, cov to the covariance of the probabilities, Σ_y, and cross to the cross-covariance of
// logits (rows) and probabilities (columns), Σ_zy, both n×n.
func (m Method) Moments(p []float64, cov *mat.SymDense, cross *mat.Dense, mean, variance []float64) {
	n := len(p)
	rows, columns := cross.Dims()
	if cov.SymmetricDim() != n || rows != n || columns != n {
		panic(fmt.Sprintf("meanfield: Σ_y of order %d and Σ_zy %d×%d for %d classes",
			cov.SymmetricDim(), rows, columns, n))
	}
	softmax.CheckLogits(n, mean, variance)
	r := m(mean, variance)
	copy(p, r.p)
	for i := range n {
		for j := range n {
			cross.Set(i, j, r.cross(i, j))
			if i <= j {
				cov.SetSym(i, j, r.cov(i, j))
			}
		}
	}
}

func softmaxOf(z []float64) []float64 {
	s := slices.Clone(z)
	mlp.Normalise(s)
	return s
}

// linear returns Σ_zy = V J, V = diag(v), of the softmax with the Jacobian J_ij = s_i(δ_ij − s_j).
func linear(s, variance []float64) entries {
	return func(i, j int) float64 { return variance[i] * s[i] * (delta(i, j) - s[j]) }
}

func delta(i, j int) float64 {
	if i == j {
		return 1
	}
	return 0
}

// firstOrder is the plug-in softmax with the covariances of the delta method, the softmax replaced by its
// tangent at the mean logits (Oehlert 1992, "A note on the delta method"): with s = softmax(m), its Jacobian
// J = diag(s) − s sᵀ and V = diag(v), p = s, Σ_y = J V J and Σ_zy = V J. The entries of J V J are s_i s_j
// (δ_ij v_i − v_i s_i − v_j s_j + q) with q = Σ_k v_k s_k².
func firstOrder(mean, variance []float64) moments {
	s := softmaxOf(mean)
	var q float64
	for k, v := range variance {
		q += v * s[k] * s[k]
	}
	return moments{s, func(i, j int) float64 {
		return s[i] * s[j] * (delta(i, j)*variance[i] - variance[i]*s[i] - variance[j]*s[j] + q)
	}, linear(s, variance)}
}

// taylor replaces the softmax by its second-order Taylor polynomial at the mean logits, with the exact
// moments of the polynomial (Mathai and Provost 1992, "Quadratic forms in random variables"). p leaves [0, 1]
// where v is large. Σ_zy = V B has no second-order term, as odd central moments are zero. With s =
// softmax(m), its Jacobian B = diag(s) − ssᵀ, V = diag(v), the Hessian H_i of s_i, u_i = V(e_i − s) and q = Σ
// v_k s_k²,
//
//	p_i             = s_i + ½ tr(H_i V)
//	Σ_y,ij          = (B V B)_ij + ½ tr(H_i V H_j V)
//	tr(H_i V)       = s_i (v_i (1−2s_i) + 2q − Σ_k v_k s_k)
//	tr(H_i V H_j V) = s_i s_j ((δ_ij v_i − v_i s_i − v_j s_j + q)² − u_iᵀBu_i − u_jᵀBu_j + tr(BVBV))
//	u_iᵀBu_i        = s_i v_i²(1−2s_i) + Σ_k v_k² s_k³ − (s_i v_i − q)²
//	tr(BVBV)        = Σ_k v_k² s_k² (1−2s_k) + q².
func taylor(mean, variance []float64) moments {
	s := softmaxOf(mean)
	p, form := make([]float64, len(s)), make([]float64, len(s))
	var q, average, cube, trace float64
	for k, v := range variance {
		average += v * s[k]
		q += v * s[k] * s[k]
		cube += v * v * s[k] * s[k] * s[k]
		trace += v * v * s[k] * s[k] * (1 - 2*s[k])
	}
	trace += q * q
	for i, v := range variance {
		p[i] = s[i] + 0.5*s[i]*(v*(1-2*s[i])+2*q-average)
		form[i] = s[i]*v*v*(1-2*s[i]) + cube - (s[i]*v-q)*(s[i]*v-q)
	}
	return moments{p, func(i, j int) float64 {
		bracket := delta(i, j)*variance[i] - variance[i]*s[i] - variance[j]*s[j] + q
		return s[i] * s[j] * (bracket + 0.5*(bracket*bracket-form[i]-form[j]+trace))
	}, linear(s, variance)}
}

// unscented is the unscented transform (Julier and Uhlmann 1997, "A new extension of the Kalman filter to
// nonlinear systems") without a point at the mean, the third-degree cubature rule (Arasaratnam and Haykin
// 2009, "Cubature Kalman filters"): with the 2n points z_±j = m ± √(n v_j) e_j of weight w = 1/(2n) and y =
// softmax(z), p = Σ w y, Σ_y = Σ w (y − p)(y − p)ᵀ and Σ_zy = Σ w (z − m)(y − p)ᵀ.
func unscented(mean, variance []float64) moments {
	n := len(mean)
	p, y := make([]float64, n), make([][]float64, 2*n) // y: the softmax at the points +0, −0, +1, −1, …
	step := make([]float64, n)
	for k := range y {
		j := k / 2
		step[j] = math.Sqrt(float64(n) * variance[j])
		y[k] = slices.Clone(mean)
		y[k][j] += step[j] * float64(1-2*(k%2))
		mlp.Normalise(y[k])
		floats.AddScaled(p, 1/float64(2*n), y[k])
	}
	deviation := make([][]float64, n)
	for i := range deviation {
		for _, y := range y {
			deviation[i] = append(deviation[i], y[i]-p[i])
		}
	}
	cov := func(i, j int) float64 { return kernel.Dot(deviation[i], deviation[j]) / float64(2*n) }
	cross := func(j, i int) float64 { return step[j] * (y[2*j][i] - y[2*j+1][i]) / float64(2*n) }
	return moments{p, cov, cross}
}

// pairwise is the mean-field approximation of Lu, Ie and Sha (2020, "Mean-field approximation to
// Gaussian-softmax integral with application to uncertainty estimation", arXiv 2006.07584). It writes the
// softmax with pairwise sigmoids, s_k = 1/(2 − n + Σ_{i≠k} 1/σ(z_k − z_i)), replaces each by its mean, and
// that by MacKay's binary formula: p_k = 1/(1 + Σ_{i≠k} exp(−(m_k − m_i)/√(1 + π/8 · c_ki))). Order 0 has
// c_ki = v_k. Order 1, both, has c_ki = v_k + v_i, as has order 2 for independent logits; for n = 2 it is
// MacKay's binary formula. Σp ≠ 1 beyond n = 2 (at order 0 even there).
func pairwise(both bool) Method {
	return func(mean, variance []float64) moments {
		return moments{pairwiseMean(mean, variance, probitSlope, both), missing, missing}
	}
}

func pairwiseMean(mean, variance []float64, a float64, both bool) []float64 {
	p := make([]float64, len(mean))
	for k, m := range mean {
		for i, other := range mean {
			c := variance[k]
			if both {
				c += variance[i]
			}
			p[k] += kernel.Exp((other - m) / math.Sqrt(1+a*c)) // 1 for i = k
		}
		p[k] = 1 / p[k]
	}
	return p
}

// probitSlope is λ² = π/8: Φ(λx) has the slope of the logistic function at zero.
const probitSlope = math.Pi / 8

// macKay is the multi-class probit approximation p = softmax(m_j / √(1 + πv_j/8)), each logit shrunk as in
// the binary case (MacKay 1992, "The evidence framework applied to classification networks", for two classes;
// Gibbs 1997, thesis, for more). It depends on the origin of the logits unless all variances are equal.
func macKay(mean, variance []float64) moments {
	p := make([]float64, len(mean))
	for j, v := range variance {
		p[j] = mean[j] / math.Sqrt(1+probitSlope*v)
	}
	mlp.Normalise(p)
	return moments{p, missing, missing}
}

const daunizeauSlope = 0.368 // a of Daunizeau, fitted to sampled means

// daunizeau is the semi-analytical approximation of Daunizeau (2017, "Semi-analytical approximations to
// statistical moments of sigmoid and softmax mappings of normal variables", arXiv 1703.00091). For the
// sigmoid σ of x ~ N(μ, Σ), with t = √(1 + aΣ) and a = 0.368 fitted, E σ(x) ≈ σ(μ/t) and Var σ(x) ≈ σ(μ/t) (1
// − σ(μ/t)) (1 − 1/t). The softmax is reduced to pairs, p_k = 1/(2 − n + Σ_{i≠k} 1/E σ(z_k − z_i)). Beyond n
// = 2 there is only the mean, and Σp ≠ 1.
func daunizeau(mean, variance []float64) moments {
	p := pairwiseMean(mean, variance, daunizeauSlope, true)
	if len(mean) > 2 {
		return moments{p, missing, missing}
	}
	t := math.Sqrt(1 + daunizeauSlope*(variance[0]+variance[1]))
	cov := func(i, j int) float64 { return (2*delta(i, j) - 1) * p[0] * p[1] * (1 - 1/t) }
	return moments{p, cov, missing}
}
