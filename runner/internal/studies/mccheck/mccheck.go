// Package mccheck is the study of the paper's Proposition 3.1: every formula against
// Monte Carlo at random inputs, with a z-score for each number that it gives, and the
// distribution of the z-scores. How far the paper's covariances are from those of the
// softmax, which they approximate, is a question of the study moments.
package mccheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"closedform/core/activation"
	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "mc_check",
	Asks: "Do the formulas of the paper's Proposition 3.1 agree with Monte Carlo?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{seeded: study.Seeded{Manifest: m.Name, Seed: m.Seed}}
	}),
}

type experiment struct {
	study.Plain
	Check  settings `toml:"mc_check"`
	seeded study.Seeded
}

type settings struct {
	Samples int       `toml:"samples" allowed:"2 to 1e9"`    // Monte Carlo samples of an input
	Rho     []float64 `toml:"rho" allowed:"each 0 to 0.999"` // correlations ρ of the probit
	of      any       // *given or *drawn: the inputs
}

// Extend implements [config.Extended]: inputs are given if there are means, or else random.
func (s *settings) Extend(table map[string]any) (any, error) {
	s.of = &drawn{Lambda: []float64{0.2, 1.5}}
	if _, ok := table["mean"]; ok {
		s.of = new(given)
	}
	return s.of, nil
}

// Extension returns what Extend has.
func (s *settings) Extension() any { return s.of }

// drawn says what random inputs are like, by numbers whose products are finite.
type drawn struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"`   // numbers of classes n
	Cases    int         `toml:"cases" allowed:"1 to 1,000,000"`      // random inputs of each formula, n and ρ
	Spread   float64     `toml:"spread" allowed:"0 to 1e30"`          // standard deviation of the random means
	Variance float64     `toml:"variance" allowed:"1e-30 to 1e30"`    // scale of the random variances, log-uniform within a factor of ten of it
	Lambda   []float64   `toml:"lambda" allowed:"each 1e-30 to 1e30"` // ends of the random slopes λ of the probit, log-uniform
}

func (d *drawn) Validate() error {
	if len(d.Lambda) != 2 || !(d.Lambda[0] < d.Lambda[1]) {
		return field.Errorf("lambda", "%v is not allowed; allowed: [low, high] with low < high", d.Lambda)
	}
	return nil
}

// given is one input, for the formulas that depend on n and ρ alone.
type given struct {
	Mean     []float64 `toml:"mean" allowed:"each -1e30 to 1e30"`     // of n logits, n ≥ 2
	Variance []float64 `toml:"variance" allowed:"each 1e-30 to 1e30"` // of the logits
	Lambda   float64   `toml:"lambda" allowed:"1e-30 to 1e30"`        // slope λ of the probit
}

func (g *given) Validate() error {
	if n := len(g.Mean); n < 2 || n > 1000 || len(g.Variance) != n {
		return field.Errorf("mean", "%d means and %d variances are not allowed; allowed: as many of both, 2 to 1,000", n, len(g.Variance))
	}
	return nil
}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set { return table.Set{summary(t.Get("zscores"))} })
}

// formula is a family of formulas that have one input.
type formula struct {
	name    string
	classes int  // the least number of classes; 0 if it does not depend on it
	rho     bool // whether it depends on ρ
	of      estimator
}

var formulas = []formula{
	{"activation", 0, false, activationUnit},
	{"probit", 2, true, probit},
	{"probit_corr", 3, false, probitCorr},
	{"softmax", 2, false, exact},
}

// spec is all that the tables of a cell, one formula at one input, follow from.
type spec struct {
	study.Seeded
	Key              string // of the cell, which names its streams
	Formula          string
	Classes          int     // 0 if the formula does not depend on it
	Rho              float64 // 0 if the formula does not depend on it
	Case             int     // from 1
	Samples          int
	Spread, Variance float64
	Lambda           []float64
	Given            *given `json:",omitempty"` // in place of a random input
}

func (e *experiment) Cells() (cells []study.Cell) {
	c, random := e.Check.of.(*drawn)
	input, _ := e.Check.of.(*given)
	if !random {
		c = &drawn{Classes: config.Ints{len(input.Mean)}, Cases: 1}
	}
	for _, f := range formulas {
		if !random && (f.classes == 0 || f.name == "probit_corr") {
			continue // their inputs are others
		}
		classes, rho, cases := c.Classes, e.Check.Rho, c.Cases
		if f.classes == 0 { // as many inputs as the probit has
			classes, cases = []int{0}, c.Cases*len(c.Classes)*len(e.Check.Rho)
		}
		if !f.rho {
			rho = []float64{0}
		}
		for _, n := range classes {
			for _, r := range rho {
				for k := 1; k <= cases && n >= f.classes; k++ {
					key := f.name
					if n > 0 {
						key += fmt.Sprintf(" n=%d", n)
					}
					if f.rho {
						key += " rho=" + table.Format(r)
					}
					key = fmt.Sprintf("%s case=%d", key, k)
					s := spec{e.seeded, key, f.name, n, r, k, e.Check.Samples, c.Spread, c.Variance, c.Lambda, input}
					run := func(ctx context.Context) (table.Set, error) { return f.run(ctx, s) }
					cells = append(cells, study.Cell{Key: key, Spec: s, Run: run})
				}
			}
		}
	}
	return cells
}

func (s spec) rand(purpose string) *rand.Rand { return rand.New(s.Stream("mc_check", s.Key, purpose)) }

// run returns the table of a cell: a row for every number that the formula gives.
func (f formula) run(ctx context.Context, s spec) (table.Set, error) {
	scores, err := f.of(ctx, s.inputs(), s.Samples, s.rand("samples"))
	if err != nil {
		return nil, err
	}
	t := table.New("zscores",
		table.Text("formula", "what is checked"), table.Int("classes", "number of classes n, if the formula depends on it"),
		table.Num("rho", "correlation ρ, if the formula depends on it"), table.Int("case", "number of the random input, from 1"),
		table.Text("quantity", "mean or variance of the output, probability p, E (E_ji = ∂y_j/∂(z_j−z_i)), cross (of input and output: Cov(z_i, y_j))"),
		table.Int("i", "class, from 1"), table.Int("j", "class, from 1"), table.Num("value", "by the formula"),
		table.Num("mc", "by Monte Carlo"), table.Num("se", "its standard error"),
		table.Num("effective", "number of samples that make up the standard error, (Σd²)²/Σd⁴ for deviations d"),
		table.Num("z", "(mc − value)/se, if 1000 samples or more are effective"),
		table.Num("p_bound", "if fewer are, and samples are bounded: Hoeffding's bound on the probability of such an mc if value is right"),
	)
	number := func(n int) float64 { // no value where there is none
		if n == 0 {
			return math.NaN()
		}
		return float64(n)
	}
	rho := math.NaN()
	if f.rho {
		rho = s.Rho
	}
	for _, c := range scores {
		t.Add(f.name, number(s.Classes), rho, s.Case, c.quantity, number(c.i), number(c.j),
			c.value, c.mc, c.se, c.effective, c.z(), c.chance())
	}
	return table.Set{t}, nil
}

// inputs are random inputs of the formulas, of which each uses some.
type inputs struct {
	approx.Logits         // one where there are no classes
	lambda, rho   float64 // of the probit
	unit          activation.PiecewiseLinear
	factor        factor // of Σ_0
}

// inputs returns the inputs of a cell as they are given, or draws them: means N(0, Spread²), variances log-uniform within a factor of ten of
// Variance, λ log-uniform, α uniform on [0, 1], β on [α, α+2].
func (s spec) inputs() inputs {
	if g := s.Given; g != nil {
		return inputs{Logits: approx.Logits{Mean: g.Mean, Variance: g.Variance}, lambda: g.Lambda, rho: s.Rho}
	}
	rnd, n := s.rand("inputs"), max(1, s.Classes)
	in := inputs{Logits: approx.Logits{Mean: make([]float64, n), Variance: make([]float64, n)}, rho: s.Rho}
	for j := range n {
		in.Mean[j] = s.Spread * random.Normal(rnd)
		in.Variance[j] = s.Variance * kernel.Exp(math.Ln10*(2*rnd.Float64()-1))
	}
	in.lambda = s.Lambda[0] * kernel.Exp(kernel.Log(s.Lambda[1]/s.Lambda[0])*rnd.Float64())
	in.unit.Alpha = rnd.Float64()
	in.unit.Beta = in.unit.Alpha + 2*rnd.Float64()
	in.factor = newFactor(n-1, rnd)
	return in
}

// sampler returns a function that draws logits z, and d = z − mean.
func sampler(of approx.Logits, rnd *rand.Rand) func() (z, d []float64) {
	n := len(of.Mean)
	z, d, sd := make([]float64, n), make([]float64, n), make([]float64, n)
	for j, v := range of.Variance {
		sd[j] = math.Sqrt(v)
	}
	return func() ([]float64, []float64) {
		for j := range z {
			d[j] = sd[j] * random.Normal(rnd)
			z[j] = of.Mean[j] + d[j]
		}
		return z, d
	}
}

// factor is a lower triangular factor of a correlation matrix: row k has k+1 numbers, and length 1.
type factor [][]float64

// newFactor draws the factor of a random correlation matrix: the direction of each
// row is uniform. Correlations come close to 1 and −1.
func newFactor(d int, rnd *rand.Rand) factor {
	f := make(factor, d)
	for k := range f {
		f[k] = make([]float64, k+1)
		var square float64
		for l := range f[k] {
			f[k][l] = random.Normal(rnd)
			square += f[k][l] * f[k][l]
		}
		for l := range f[k] {
			f[k][l] /= math.Sqrt(square)
		}
	}
	return f
}

// correlation returns the correlation matrix.
func (f factor) correlation() *mat.SymDense {
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
