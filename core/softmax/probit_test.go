package softmax

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// readReference returns the numbers of a file of reference values.
func readReference(t testing.TB, name string) [][]float64 {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, record := range records {
		row := make([]float64, len(record))
		for i, s := range record {
			if row[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s holds no reference values", name)
	}
	return rows
}

func TestProbitReference(t *testing.T) {
	for k, row := range readReference(t, "testdata/probit_equicorrelated.csv") {
		n := int(row[0])
		mean, variance, want := row[3:3+n], row[3+n:3+2*n], row[3+2*n:]
		got := NewMoments(n)
		Probit{Lambda: row[1], Rho: row[2]}.Moments(got, mean, variance)
		for j := range n {
			if !scalar.EqualWithinAbs(got.P[j], want[j], 1e-11) {
				t.Errorf("row %d: p_%d = %.15g, want %.15g", k, j, got.P[j], want[j])
			}
		}
		want = want[n:]
		for j := range n {
			for i := range n {
				if i == j {
					continue
				}
				if !scalar.EqualWithinAbs(got.E.At(j, i), want[0], 1e-11) {
					t.Errorf("row %d: E_%d%d = %.15g, want %.15g", k, j, i, got.E.At(j, i), want[0])
				}
				want = want[1:]
			}
		}
	}
}

// binary is the closed form for n = 2 in a = z_1 − z_2: only λ²Var(a) + 1 matters,
// not ρ. p and Cov(a, y) = Var(a) e are those of Huber's Bayesian perceptron (2020);
// Var y = p(1 − p) − e is not, his is p(1 − p)(1 − 1/s).
func binary(lambda float64, m, v []float64) (p, e float64) {
	s := math.Sqrt(1 + lambda*lambda*(v[0]+v[1]))
	a := lambda * (m[0] - m[1]) / s
	return gauss.CDF(a), lambda / s * gauss.PDF(a)
}

func TestProbitBinaryClosedForm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	got := NewMoments(2)
	var cov mat.SymDense
	var cross mat.Dense
	for range 2000 {
		lambda, rho := math.Exp(rnd.NormFloat64()), rnd.Float64()
		m := []float64{5 * rnd.NormFloat64(), 5 * rnd.NormFloat64()}
		v := []float64{math.Exp(4 * rnd.NormFloat64()), math.Exp(4 * rnd.NormFloat64())}
		if rnd.IntN(4) == 0 {
			v[rnd.IntN(2)] = 0
		}
		Probit{lambda, rho}.Moments(got, m, v)
		got.Cov(&cov)
		got.Cross(&cross, v)
		p, e := binary(lambda, m, v)
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"p_1", got.P[0], p},
			{"p_2", got.P[1], 1 - p},
			{"E_12", got.E.At(0, 1), e},
			{"E_21", got.E.At(1, 0), e},
			{"Var y_1", cov.At(0, 0), p*(1-p) - e},
			{"Cov(y_1, y_2)", cov.At(0, 1), e - p*(1-p)},
			{"Cov(z_1, y_1)", cross.At(0, 0), v[0] * e},
			{"Cov(z_2, y_1)", cross.At(1, 0), -v[1] * e},
			{"Cov(a, y_1)", cross.At(0, 0) - cross.At(1, 0), (v[0] + v[1]) * e},
		} {
			if !scalar.EqualWithinAbsOrRel(c.got, c.want, 1e-11, 1e-11) {
				t.Fatalf("λ=%g ρ=%g m=%v v=%v: %s = %.15g, want %.15g", lambda, rho, m, v, c.name, c.got, c.want)
			}
		}
	}
}

// cases calls f with random problems of many shapes: equal and spread means,
// variances from zero over many orders of magnitude.
func cases(n, count int, f func(p Probit, m, v []float64)) {
	rnd := rand.New(rand.NewPCG(7, uint64(n)))
	rhos := []float64{0, 0.01, 0.3, 0.5, 0.8, 0.99}
	for k := range count {
		p := Probit{math.Exp(rnd.NormFloat64() - 0.5), rhos[k%len(rhos)]}
		m, v := make([]float64, n), make([]float64, n)
		spread := math.Exp(1.5 * rnd.NormFloat64())
		size, range_ := math.Exp(3*rnd.NormFloat64()), float64(k%4)
		for j := range m {
			m[j] = spread * rnd.NormFloat64()
			v[j] = size * math.Exp(range_*rnd.NormFloat64())
			if rnd.IntN(6) == 0 {
				v[j] = 0
			}
		}
		f(p, m, v)
	}
}

// The trapezoidal rule against itself with three times as many nodes.
func TestStepIsFineEnough(t *testing.T) {
	for n, count := range map[int]int{2: 300, 3: 300, 10: 120, 100: 12, 1000: 0} {
		got, want := NewMoments(n), NewMoments(n)
		check := func(p Probit, m, v []float64) {
			t.Helper()
			p.Moments(got, m, v)
			want.work.reset(n)
			want.work.step = step(n) / 3
			p.Moments(want, m, v)
			worst := 0.0
			for j := range n {
				worst = max(worst, math.Abs(got.P[j]-want.P[j]))
			}
			for k, e := range want.E.RawMatrix().Data {
				worst = max(worst, math.Abs(got.E.RawMatrix().Data[k]-e))
			}
			if !(worst < 1e-11) {
				t.Errorf("n=%d %+v: the step changes the moments by %.1e", n, p, worst)
			}
		}
		cases(n, count, check)
		check(Probit{1, 0.5}, make([]float64, n), make([]float64, n)) // the worst case
	}
}

func TestProbitHalfIsADistribution(t *testing.T) {
	for _, n := range []int{2, 3, 10, 200, 1000} {
		got := NewMoments(n)
		cases(n, 6*max(1, 100/n), func(p Probit, m, v []float64) {
			p.Rho = 0.5
			p.Moments(got, m, v)
			if x := got.Excess(); !(math.Abs(x) < 2e-11) {
				t.Errorf("n=%d: Σp − 1 = %.2e", n, x)
			}
			if a := got.Asymmetry(); a != 0 {
				t.Errorf("n=%d: E is asymmetric by %g", n, a)
			}
		})
	}
}

// ∂p_j/∂m_i = −E_ji, and = Σ_i E_ji for i = j: finite differences.
func TestProbitDerivatives(t *testing.T) {
	const n, h = 4, 1e-3
	got, up, down := NewMoments(n), NewMoments(n), NewMoments(n)
	cases(n, 120, func(p Probit, m, v []float64) {
		p.Moments(got, m, v)
		x := append([]float64(nil), m...)
		for i := range n {
			x[i] = m[i] + h
			p.Moments(up, x, v)
			x[i] = m[i] - h
			p.Moments(down, x, v)
			x[i] = m[i]
			for j := range n {
				want := -got.E.At(j, i)
				if j == i {
					for k := range n {
						want += got.E.At(j, k)
					}
				}
				fd := (up.P[j] - down.P[j]) / (2 * h)
				// Truncation h²/6 × third derivative, which scales as λ³ and,
				// near ρ = 0 or 1 and v = 0, with the narrow scale.
				s := math.Min(scale(p.Rho, p.Lambda, 0), scale(1-p.Rho, p.Lambda, 0))
				tol := 1e-8 + h*h*math.Pow(p.Lambda/math.Max(s, 0.1), 3)
				if !scalar.EqualWithinAbs(fd, want, tol) {
					t.Errorf("%+v m=%v v=%v: ∂p_%d/∂m_%d = %.9g, from E %.9g", p, m, v, j, i, fd, want)
				}
			}
		}
	})
}

// The generative model at ρ = ½: the class is argmax_j λz_j + ε_j with
// ε_j ~ N(0, ½).
func TestProbitIsArgmaxOfNoisyLogits(t *testing.T) {
	const samples = 40000
	rnd := rand.New(rand.NewPCG(3, 4))
	got := NewMoments(4)
	m, v := []float64{0.4, -1, 1.2, 0}, []float64{0.5, 3, 0, 10}
	p := Probit{0.7, 0.5}
	p.Moments(got, m, v)
	count := make([]float64, 4)
	for range samples {
		best, top := 0, math.Inf(-1)
		for j := range m {
			u := p.Lambda*(m[j]+math.Sqrt(v[j])*rnd.NormFloat64()) + math.Sqrt(0.5)*rnd.NormFloat64()
			if u > top {
				best, top = j, u
			}
		}
		count[best]++
	}
	for j, pj := range got.P {
		if z := (count[j] - samples*pj) / math.Sqrt(samples*pj*(1-pj)); !(math.Abs(z) < 5) {
			t.Errorf("class %d: %g of %d samples, %.1f standard errors from p = %g", j, count[j], samples, z, pj)
		}
	}
}

func TestProbitInvariances(t *testing.T) {
	const n = 5
	got, other := NewMoments(n), NewMoments(n)
	perm := []int{3, 0, 4, 1, 2}
	cases(n, 60, func(p Probit, m, v []float64) {
		p.Moments(got, m, v)
		pm, pv := make([]float64, n), make([]float64, n)
		for j := range n {
			pm[perm[j]], pv[perm[j]] = m[j]+1e3, v[j]
		}
		p.Moments(other, pm, pv)
		for j := range n {
			if !scalar.EqualWithinAbs(got.P[j], other.P[perm[j]], 2e-11) {
				t.Errorf("%+v: p_%d = %g, shifted and permuted %g", p, j, got.P[j], other.P[perm[j]])
			}
			for i := range n {
				if !scalar.EqualWithinAbs(got.E.At(j, i), other.E.At(perm[j], perm[i]), 2e-11) {
					t.Errorf("%+v: E_%d%d = %g, shifted and permuted %g", p, j, i, got.E.At(j, i), other.E.At(perm[j], perm[i]))
				}
			}
		}
	})
}
