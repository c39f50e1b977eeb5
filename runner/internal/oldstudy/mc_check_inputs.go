package study

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"closedform/core/activation"
	"closedform/core/softmax"
	store "closedform/runner/internal/oldstore"
)

// mcInputs are random inputs of the formulas, of which each uses some.
type mcInputs struct {
	logits         // one where there are no classes
	lambda float64 // slope of the probit
	unit   activation.PiecewiseLinear
	factor mcFactor // of Σ_0
}

// inputs draws the inputs of a cell: means N(0, Spread²), variances log-uniform
// within a factor of ten of Variance, λ log-uniform (slope-matched for the
// covariances), α uniform on [0, 1], β on [α, α+2].
func (s mcCheckSpec) inputs() mcInputs {
	rnd := s.rand("inputs")
	n := max(1, s.Classes)
	in := mcInputs{logits: logits{make([]float64, n), make([]float64, n)}}
	for j := range n {
		in.mean[j] = s.Spread * rnd.NormFloat64()
		in.variance[j] = s.Variance * math.Pow(10, 2*rnd.Float64()-1)
	}
	in.lambda = s.Lambda.Low * math.Pow(s.Lambda.High/s.Lambda.Low, rnd.Float64())
	if s.Name[0] == "covariance" {
		in.lambda = softmax.SlopeLambda(n, mcCovarianceRho)
	}
	in.unit.Alpha = rnd.Float64()
	in.unit.Beta = in.unit.Alpha + 2*rnd.Float64()
	in.factor = mcCorrelations(n-1, rnd)
	return in
}

// inputsTable is the table of the inputs, classes from 1. The entry i, j of corr
// is the correlation ρ of the row i and the column j of Σ_0.
var inputsTable = store.Table{Name: "inputs", Header: []string{"formula", "classes", "rho", "case", "input", "i", "j", "value"}}

// rows returns the rows of an input after the first four fields.
func (in mcInputs) rows(input string) (rows [][]string) {
	add := func(i, j int, x float64) {
		rows = append(rows, []string{input, mcIndex(i), mcIndex(j), store.Float(x)})
	}
	each := func(x []float64) {
		for j := range x {
			add(0, j+1, x[j])
		}
	}
	switch input {
	case "mean":
		each(in.mean)
	case "variance":
		each(in.variance)
	case "lambda":
		add(0, 0, in.lambda)
	case "alpha":
		add(0, 0, in.unit.Alpha)
	case "beta":
		add(0, 0, in.unit.Beta)
	case "corr":
		corr := in.factor.correlation()
		for i := range in.factor {
			for j := i + 1; j < len(in.factor); j++ {
				add(i+1, j+1, corr.At(i, j))
			}
		}
	default:
		panic("study: no input " + input)
	}
	return rows
}

func mcIndex(i int) string {
	if i == 0 {
		return ""
	}
	return strconv.Itoa(i)
}

// mcLogits draws samples of logits.
type mcLogits struct{ mean, sd, d, z []float64 }

func newMCLogits(z logits) *mcLogits {
	n := len(z.mean)
	out := &mcLogits{mean: z.mean, sd: make([]float64, n), d: make([]float64, n), z: make([]float64, n)}
	for j, v := range z.variance {
		out.sd[j] = math.Sqrt(v)
	}
	return out
}

// next draws z, and d = z − mean.
func (l *mcLogits) next(rnd *rand.Rand) {
	for j, sd := range l.sd {
		l.d[j] = sd * rnd.NormFloat64()
		l.z[j] = l.mean[j] + l.d[j]
	}
}

// mcFactor is a lower triangular factor of a correlation matrix: row k has k+1
// numbers, and length 1.
type mcFactor [][]float64

// mcCorrelations draws the factor of a random correlation matrix: the direction
// of each row is uniform. Correlations come close to 1 and −1.
func mcCorrelations(d int, rnd *rand.Rand) mcFactor {
	factor := make(mcFactor, d)
	for k := range factor {
		row := make([]float64, k+1)
		var square float64
		for l := range row {
			row[l] = rnd.NormFloat64()
			square += row[l] * row[l]
		}
		for l := range row {
			row[l] /= math.Sqrt(square)
		}
		factor[k] = row
	}
	return factor
}

// correlation returns the correlation matrix.
func (f mcFactor) correlation() *mat.SymDense {
	corr := mat.NewSymDense(len(f), nil)
	for k, row := range f {
		corr.SetSym(k, k, 1)
		for l := range k {
			var dot float64
			for m, x := range f[l] {
				dot += x * row[m]
			}
			corr.SetSym(k, l, dot)
		}
	}
	return corr
}
