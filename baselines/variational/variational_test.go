package variational

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/core/softmax"
)

var bounds = []Bound{Bohning, BohningJoint, Probit}

// clusters returns n examples of Gaussian classes, their labels wrong now and then.
func clusters(n, inputs, classes int, path ...any) (x [][]float64, class []int) {
	rnd := rand.New(random.Source(append(path, "clusters")...))
	centre := mat.NewDense(classes, inputs, nil)
	for i := range centre.RawMatrix().Data {
		centre.RawMatrix().Data[i] = 1.5 * rnd.NormFloat64()
	}
	for range n {
		c := rnd.IntN(classes)
		at := make([]float64, inputs)
		for i := range at {
			at[i] = centre.At(c, i) + rnd.NormFloat64()
		}
		x, class = append(x, at), append(class, c)
	}
	return x, class
}

func fit(t *testing.T, cfg Config, x [][]float64, class []int) *Model {
	t.Helper()
	m, err := Fit(cfg, x, class)
	if err != nil {
		t.Fatal(err)
	}
	if !m.Converged {
		t.Errorf("%+v: no convergence in %d steps", cfg, len(m.ELBO))
	}
	return m
}

func predict(t *testing.T, m *Model, x []float64) []float64 {
	t.Helper()
	p := make([]float64, m.cfg.Classes)
	if err := m.Predict(p, x); err != nil {
		t.Fatal(err)
	}
	if sum := floats.Sum(p); !(math.Abs(sum-1) < 1e-12) {
		t.Errorf("probabilities %v add up to %g", p, sum)
	}
	return p
}

func TestELBORises(t *testing.T) {
	x, class := clusters(60, 3, 4, "rises")
	for _, bound := range bounds {
		for _, v := range []float64{1e-6, 0.01, 1, 100, 1e6} {
			m := fit(t, Config{Inputs: 3, Classes: 4, Bound: bound, PriorVar: v}, x, class)
			for i := 1; i < len(m.ELBO); i++ {
				if !(m.ELBO[i] >= m.ELBO[i-1]) {
					t.Errorf("%v, v = %g: step %d from %.15g to %.15g", bound, v, i, m.ELBO[i-1], m.ELBO[i])
				}
			}
			if start := m.ELBO[0] - m.ELBO[len(m.ELBO)-1]; len(m.ELBO) < 2 || !(start < 0) {
				t.Errorf("%v, v = %g: %d steps", bound, v, len(m.ELBO)-1)
			}
		}
	}
	m, err := Fit(Config{Inputs: 3, Classes: 4, MaxSteps: 2}, x, class)
	if err != nil || m.Converged || len(m.ELBO) != 3 {
		t.Errorf("after two steps: converged %t, %d values, %v", m.Converged, len(m.ELBO), err)
	}
}

// The quadratic function that touches a likelihood at one point is below it at all
// others.
func TestBound(t *testing.T) {
	rnd := rand.New(random.Source("bound"))
	for trial := range 3000 {
		n := 2 + trial%5
		cfg := Config{Inputs: 1, Classes: n, Bound: bounds[trial%3], Lambda: math.Exp(rnd.NormFloat64() / 2)}
		like := newLikelihood(cfg)
		at, z := make([]float64, n), make([]float64, n)
		scale := math.Exp(2 * rnd.NormFloat64())
		for j := range at {
			at[j] = 2 * rnd.NormFloat64()
			z[j] = at[j] + scale*rnd.NormFloat64()
		}
		slope := make([]float64, n)
		value := like.score(slope, at, trial%n)
		d := floats.SubTo(make([]float64, n), z, at)
		centred := slices.Clone(d)
		floats.AddConst(-floats.Sum(d)/float64(n), centred)
		bound := value + floats.Dot(slope, d) - like.curvature()*floats.Dot(centred, centred)/2
		got := like.score(make([]float64, n), z, trial%n)
		if !(got >= bound-1e-8*(1+math.Abs(bound))) {
			t.Errorf("%+v: log likelihood %g at %v, bound from %v is %g", cfg, got, z, at, bound)
		}
	}
	// And it has no slack: for two classes Böhning's curvature is reached at the origin.
	near := softmaxLikelihood{}
	g, z := make([]float64, 2), []float64{1e-3, -1e-3}
	value := near.score(g, []float64{0, 0}, 0)
	if got, want := near.score(make([]float64, 2), z, 0), value+floats.Dot(g, z)-near.curvature()*floats.Dot(z, z)/2; !(math.Abs(got-want) < 1e-12) {
		t.Errorf("at the origin the bound is off by %g", got-want)
	}
}

func TestScore(t *testing.T) {
	rnd := rand.New(random.Source("score"))
	for trial := range 60 {
		n := 2 + trial%4
		cfg := Config{Inputs: 1, Classes: n, Bound: bounds[trial%3], Lambda: 0.3 + rnd.Float64()}
		like := newLikelihood(cfg)
		z, g := make([]float64, n), make([]float64, n)
		for j := range z {
			z[j] = 3 * rnd.NormFloat64()
		}
		c := trial % n
		got := like.score(g, z, c)
		var want float64
		if cfg.Bound == Probit {
			m := softmax.NewMoments(n)
			softmax.Probit{Lambda: cfg.Lambda, Rho: 0.5}.Moments(m, z, make([]float64, n))
			want = m.P[c]
		} else {
			want = math.Exp(z[c] - floats.LogSumExp(z))
		}
		if !scalar.EqualWithinAbsOrRel(math.Exp(got), want, 1e-10, 1e-9) {
			t.Errorf("%+v at %v: probability %g, want %g", cfg, z, math.Exp(got), want)
		}
		scratch := make([]float64, n)
		byDifference := fd.Gradient(nil, func(z []float64) float64 { return like.score(scratch, z, c) }, z, &fd.Settings{Formula: fd.Central, Step: 1e-4})
		if !floats.EqualApprox(g, byDifference, 1e-6) {
			t.Errorf("%+v at %v: score %v, by differences %v", cfg, z, g, byDifference)
		}
	}
}

// elbo is the lower bound by its definition, for any means (classes × inputs) and a
// covariance of the weights of all classes, class by class.
func elbo(cfg Config, x [][]float64, class []int, mean *mat.Dense, cov mat.Symmetric) float64 {
	n, in := mean.Dims()
	like := newLikelihood(cfg)
	var sum float64
	for k, at := range x {
		at = append(slices.Clone(at), 1)
		z := mat.NewVecDense(n, nil)
		z.MulVec(mean, mat.NewVecDense(in, at))
		sum += like.score(make([]float64, n), z.RawVector().Data, class[k])
		for i := range n {
			for j := range n {
				a := like.curvature()
				switch {
				case cfg.Bound == Probit && i != j:
					continue // the u of different classes are independent given w
				case cfg.Bound == Probit:
				case i == j:
					a *= 1 - 1/float64(n)
				default:
					a *= -1 / float64(n)
				}
				block := cov.(*mat.SymDense)
				for p, xp := range at {
					for q, xq := range at {
						sum -= a / 2 * xp * xq * block.At(i*in+p, j*in+q)
					}
				}
			}
		}
	}
	data := mean.RawMatrix().Data
	var chol mat.Cholesky
	chol.Factorize(cov)
	d := float64(n * in)
	return sum - ((mat.Trace(cov)+floats.Dot(data, data))/cfg.PriorVar-d+d*math.Log(cfg.PriorVar)-chol.LogDet())/2
}

// covariance returns that of the weights of all classes.
func (m *Model) covariance() *mat.SymDense {
	s := m.Cov()
	n, in := m.cfg.Classes, m.cfg.Inputs+1
	all := mat.NewSymDense(n*in, nil)
	for i := range n {
		for j := range n {
			for p := range in {
				for q := range in {
					if i*in+p > j*in+q {
						continue
					}
					var c float64
					if i == j {
						c = s.At(p, q)
					}
					if m.cfg.Bound == BohningJoint {
						c -= s.At(p, q) / float64(n)
						if p == q {
							c += m.cfg.PriorVar / float64(n)
						}
					}
					all.SetSym(i*in+p, j*in+q, c)
				}
			}
		}
	}
	return all
}

// The ELBO is that of the definition, and neither other means nor another covariance
// make it larger.
func TestELBODefinition(t *testing.T) {
	x, class := clusters(25, 2, 3, "definition")
	rnd := rand.New(random.Source("perturb"))
	for _, bound := range bounds {
		cfg := Config{Inputs: 2, Classes: 3, Bound: bound, PriorVar: 2, Lambda: 0.6, Tolerance: 1e-7}
		m := fit(t, cfg, x, class)
		best := m.ELBO[len(m.ELBO)-1]
		cov := m.covariance()
		if got := elbo(cfg, x, class, m.Mean, cov); !scalar.EqualWithinRel(got, best, 1e-11) {
			t.Errorf("%v: ELBO %.15g, by its definition %.15g", bound, best, got)
		}
		for range 20 {
			mean := mat.DenseCopyOf(m.Mean)
			for i := range mean.RawMatrix().Data {
				mean.RawMatrix().Data[i] += 0.01 * rnd.NormFloat64()
			}
			if got := elbo(cfg, x, class, mean, cov); !(got < best) {
				t.Errorf("%v: ELBO %.15g at other means, %.15g at the maximum", bound, got, best)
			}
			other := mat.NewSymDense(9, nil)
			other.CopySym(cov)
			i, j := rnd.IntN(9), rnd.IntN(9)
			if bound == Bohning { // stay independent between classes
				j = i/3*3 + j%3
			}
			step := 0.03 * math.Sqrt(cov.At(i, i)*cov.At(j, j)) * float64(1-2*rnd.IntN(2))
			other.SetSym(i, j, other.At(i, j)+step)
			if got := elbo(cfg, x, class, m.Mean, other); !(got < best) {
				t.Errorf("%v: ELBO %.15g for another covariance, %.15g at the maximum", bound, got, best)
			}
		}
	}
}

// The means satisfy the equations of the textbooks.
func TestFixedPoint(t *testing.T) {
	const v, lambda = 3, 0.8
	x, class := clusters(30, 2, 2, "fixed")
	for _, bound := range bounds {
		m := fit(t, Config{Inputs: 2, Classes: 2, Bound: bound, PriorVar: v, Lambda: lambda, Tolerance: 1e-7}, x, class)
		want := mat.NewDense(2, 3, nil)
		for k, at := range x {
			at = append(slices.Clone(at), 1)
			d := floats.Dot(m.Mean.RawRowView(0), at) - floats.Dot(m.Mean.RawRowView(1), at)
			s := float64(1 - 2*class[k])
			r := 1 / (1 + math.Exp(s*d)) // Murphy 2012, Eq. (21.133) at ψ = m: y − softmax(ψ)
			if bound == Probit {
				// Girolami and Rogers 2006, Eq. (5): the mean of the truncated u, less λz.
				r = 2 * lambda * gauss.InverseMills(s*lambda*d) / 2
			}
			for j, sign := range []float64{s, -s} {
				floats.AddScaled(want.RawRowView(j), v*sign*r, at)
			}
		}
		if !mat.EqualApprox(m.Mean, want, 1e-5) {
			t.Errorf("%v: means\n%v\nwant\n%v", bound, mat.Formatted(m.Mean), mat.Formatted(want))
		}
	}
}

// Without examples the posterior is the prior.
func TestPrior(t *testing.T) {
	for _, bound := range bounds {
		m := fit(t, Config{Inputs: 2, Classes: 4, Bound: bound, PriorVar: 5}, nil, nil)
		if last := m.ELBO[len(m.ELBO)-1]; last != 0 {
			t.Errorf("%v: ELBO %g", bound, last)
		}
		if !mat.EqualApprox(m.Cov(), mat.NewDiagDense(3, []float64{5, 5, 5}), 1e-13) {
			t.Errorf("%v: covariance %v", bound, m.Cov())
		}
		for j, p := range predict(t, m, []float64{3, -1}) {
			if !(math.Abs(p-0.25) < 1e-8) {
				t.Errorf("%v: class %d has %g", bound, j, p)
			}
		}
	}
}

// Renaming the classes renames the probabilities.
func TestPermutation(t *testing.T) {
	x, class := clusters(40, 2, 3, "permutation")
	renamed := make([]int, len(class))
	to := []int{2, 0, 1}
	for k, c := range class {
		renamed[k] = to[c]
	}
	for _, bound := range bounds {
		cfg := Config{Inputs: 2, Classes: 3, Bound: bound, Tolerance: 1e-7}
		a, b := fit(t, cfg, x, class), fit(t, cfg, x, renamed)
		p, q := predict(t, a, []float64{0.5, -2}), predict(t, b, []float64{0.5, -2})
		for j := range p {
			if !scalar.EqualWithinAbs(p[j], q[to[j]], 1e-6) {
				t.Errorf("%v: class %d has %g, renamed %g", bound, j, p[j], q[to[j]])
			}
		}
	}
}
