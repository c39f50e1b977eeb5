package bnn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

var outputRules = []OutputRule{ADF, ADFExact, Joint, Total}

// spec is a configuration: what is not given is one, or as in [Default], with independent prior means.
type spec struct {
	Layers       []int
	Bias         bool
	Alpha, Beta  float64
	Output       OutputRule
	Hidden       HiddenRule
	Covariance   []Covariance
	Softmax      softmax.Approximation
	OnIndefinite Policy
	PriorVar     float64 // times PriorScale, divided by the number of inputs but for paper
	PriorScale   []float64
	paper        bool
	PriorMeanVar float64
	Replications []float64
	Noise        []float64
}

func (s spec) config() Config {
	c := Default(s.Layers...)
	c.Bias, c.PriorDraw = s.Bias, Independent
	if s.Alpha != 0 || s.Beta != 0 {
		c.Unit.Alpha, c.Unit.Beta = s.Alpha, s.Beta
	}
	c.Output, c.Hidden = cmp.Or(s.Output, ADF), cmp.Or(s.Hidden, SmoothMean)
	c.Paper.OnIndefinite = cmp.Or(s.OnIndefinite, Fail)
	layers := len(s.Layers) - 1
	if s.Covariance != nil {
		c.Covariance = spread(s.Covariance, layers)
	}
	if c.Softmax = s.Softmax; s.Softmax == nil && c.Output.exact() {
		c.Softmax = softmax.Exact{Fast: true}
	} else if s.Softmax == nil {
		c.Softmax = softmax.Probit{Lambda: softmax.SlopeLambda(c.classes(), 0.5), Rho: 0.5}
	}
	c.Replications, c.PriorVar = spread([]float64{1}, layers), spread([]float64{1}, layers)
	c.ProcessNoise = spread(s.Noise, layers)
	copy(c.Replications, spread(s.Replications, layers))
	copy(c.PriorVar, spread(s.PriorScale, layers))
	for l := range c.PriorVar {
		c.PriorVar[l] *= cmp.Or(s.PriorVar, 1)
		if _, in := c.WeightDims(l); !s.paper {
			c.PriorVar[l] /= float64(in)
		}
	}
	if c.PriorMeanVar = s.PriorMeanVar; c.PriorMeanVar == 0 && layers > 1 {
		c.PriorMeanVar = 1
	}
	return c
}

// spread returns a list with an entry for each layer, a single one repeated.
func spread[T any](list []T, layers int) []T {
	if len(list) == 1 {
		return slices.Repeat(list, layers)
	}
	return slices.Clone(list)
}

// newNetwork returns a network with prior weights.
func newNetwork(s spec) *Network {
	return check.Must(New(s.config(), random.Source("bnn", "test")))
}

// copied returns the network as it is now.
func copied(n *Network) *Network {
	return check.Must(Restore(n.State()))
}

// randomWeights gives every neuron a random mean and a random covariance of the layer's kind.
func randomWeights(t testing.TB, n *Network, rnd *rand.Rand, size float64) {
	t.Helper()
	for l := range n.layers {
		out, in := n.cfg.WeightDims(l)
		mean := mat.NewDense(out, in, nil)
		var cov []mat.Symmetric
		for j := range out {
			z, s := mat.NewDense(in, in+1, random.Normals(rnd, in*(in+1))), mat.NewSymDense(in, nil)
			z.Scale(size, z)
			mean.SetRow(j, mat.Col(nil, 0, z))
			s.SymOuterK(1, z.Slice(0, in, 1, in+1))
			cov = append(cov, s)
			switch n.cfg.Covariance[l] {
			case Shared:
				cov[j] = cov[0]
			case Diagonal:
				variances := mat.NewDiagDense(in, nil)
				variances.DiagFrom(s)
				cov[j] = variances
			}
		}
		check.OK(t, n.SetWeights(l, mean, cov))
	}
}

// makeCertain takes the variances of layer l away.
func makeCertain(t testing.TB, n *Network, l int) {
	t.Helper()
	mean, cov := n.Weights(l)
	for j := range cov {
		cov[j] = mat.NewDiagDense(cov[j].SymmetricDim(), nil)
	}
	check.OK(t, n.SetWeights(l, mean, cov))
}

// oneInput sets the means and variances of the neurons of layer l, which has one input.
func oneInput(t testing.TB, n *Network, l int, means, variances []float64) {
	t.Helper()
	var cov []mat.Symmetric
	for _, v := range variances {
		cov = append(cov, mat.NewDiagDense(1, []float64{v}))
	}
	check.OK(t, n.SetWeights(l, mat.NewDense(len(means), 1, means), cov))
}

// checkLayer fails unless layer l has these means and covariances, of which a diagonal one has the variances.
func checkLayer[M mat.Matrix](
	t testing.TB, name string, n *Network, l int, mean mat.Matrix, cov []M, tol float64,
) {
	t.Helper()
	got, gotCov := n.Weights(l)
	check.NearMatrix(t, fmt.Sprintf("%s: means of layer %d", name, l), got, mean, tol)
	for j, s := range gotCov {
		var want mat.Matrix = cov[j]
		if n.cfg.Covariance[l] == Diagonal {
			variances := mat.NewDiagDense(s.SymmetricDim(), nil)
			variances.DiagFrom(want)
			want = variances
		}
		check.NearMatrix(t, fmt.Sprintf("%s: covariance of neuron %d of layer %d", name, j, l), s, want, tol)
	}
}

// stepped returns the weights of a layer after one step from the input y: μ_j + d_j Σ_j y and
// Σ_j + e_j Σ_j y yᵀ Σ_j.
func stepped(mean *mat.Dense, cov []mat.Symmetric, y, d, e []float64) (*mat.Dense, []*mat.Dense) {
	after, afterCov := mat.DenseCopyOf(mean), make([]*mat.Dense, len(cov))
	for j, s := range cov {
		var u mat.VecDense
		u.MulVec(s, mat.NewVecDense(len(y), y))
		row := after.RowView(j).(*mat.VecDense)
		row.AddScaledVec(row, d[j], &u)
		var outer mat.Dense
		outer.Outer(e[j], &u, &u)
		outer.Add(&outer, s)
		afterCov[j] = &outer
	}
	return after, afterCov
}

// addIdentity returns aΣ_j + bI for all neurons.
func addIdentity(cov []mat.Symmetric, a, b float64) (out []mat.Matrix) {
	for _, s := range cov {
		size := s.SymmetricDim()
		var sum mat.Dense
		sum.Scale(a, s)
		sum.Add(&sum, mat.NewDiagDense(size, slices.Repeat([]float64{b}, size)))
		out = append(out, &sum)
	}
	return out
}

// Invalid values, and values that are not set, are refused by the key of their field.
func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	ofThree := softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})} // classes
	for key, changes := range map[string][]func(c *Config){
		"layers": {
			func(c *Config) { c.Layers = nil }, func(c *Config) { c.Layers = []int{2} },
			func(c *Config) { c.Layers[2] = 1 }, func(c *Config) { c.Layers[0] = 0 },
		},
		"alpha": {func(c *Config) { c.Unit.Alpha = -0.5 }, func(c *Config) { c.Unit.Alpha = nan }},
		"beta": {
			func(c *Config) { c.Unit.Alpha, c.Unit.Beta = 0.5, 0.1 }, func(c *Config) { c.Unit.Beta = inf },
			func(c *Config) { c.Unit.Beta = 0 },
		},
		"rule": {
			func(c *Config) { c.Output = "" }, func(c *Config) { c.Output = "other" },
			func(c *Config) { c.Softmax = softmax.Exact{} }, func(c *Config) { c.Output = ADFExact },
			func(c *Config) {
				c.Output, c.Softmax = ADFExact, softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(1, []float64{1})}
			},
		},
		"rho":    {func(c *Config) { c.Softmax = softmax.Probit{Lambda: 1, Rho: 0.4} }},
		"hidden": {func(c *Config) { c.Hidden = "" }, func(c *Config) { c.Hidden = "other" }},
		"covariance": {
			func(c *Config) { c.Covariance = nil }, func(c *Config) { c.Covariance[1] = "" },
			func(c *Config) { c.Covariance = c.Covariance[:1] }, func(c *Config) { c.Covariance[1] = "block" },
		},
		"prior_var": {
			func(c *Config) { c.PriorVar = nil }, func(c *Config) { c.PriorVar = []float64{1} },
			func(c *Config) { c.PriorVar[0] = 0 }, func(c *Config) { c.PriorVar[1] = nan },
		},
		"prior_mean_var": {func(c *Config) { c.PriorMeanVar = inf }, func(c *Config) { c.PriorMeanVar = 0 }},
		"prior_draw":     {func(c *Config) { c.PriorDraw = "" }},
		"replications": {
			func(c *Config) { c.Replications = nil }, func(c *Config) { c.Replications[0] = -1 },
			func(c *Config) { c.Replications[1] = inf },
		},
		"process_noise": {
			func(c *Config) { c.ProcessNoise = []float64{0.1} },
			func(c *Config) { c.ProcessNoise = []float64{0, nan} },
			func(c *Config) { c.ProcessNoise = []float64{1, 0} },
			func(c *Config) { c.ProcessNoise = []float64{0, -0.1} },
		},
		"on_indefinite": {func(c *Config) { c.Output, c.Paper.OnIndefinite = Joint, "" }},
		"variance_floor": {
			func(c *Config) { c.Output, c.Paper.VarianceFloor = Total, 1 },
			func(c *Config) { c.Output, c.Paper.VarianceFloor = Joint, 0 },
		},
		"eigenvalue_floor": {func(c *Config) { c.Output, c.Paper.EigenvalueFloor = Joint, nan }},
		"": {
			func(c *Config) { c.Softmax = softmax.Probit{} }, func(c *Config) { c.Output, c.Softmax = Joint, nil },
			func(c *Config) { c.Output, c.Softmax = Total, ofThree },
		},
	} {
		for i, change := range changes {
			c := Default(2, 3, 2)
			change(&c)
			_, err := New(c, random.Source())
			var bad *FieldError
			check.Refuses(t, key, err, "bnn: ")
			check.True(t, key == "" || errors.As(err, &bad) && bad.Key == key, "%s, %d: error %v", key, i, err)
		}
	}
}

// Orthogonal means have the length that PriorMeanVar says, where the bias counts half, and no two are alike.
func TestOrthogonalMeans(t *testing.T) {
	for _, layers := range [][]int{{3, 8, 9, 2}, {6, 4, 3}} {
		c := Default(layers...)
		c.PriorMeanVar = 3
		n := check.Must(New(c, random.Source("orthogonal")))
		for l := range len(layers) - 2 {
			mean, _ := n.Weights(l)
			out, in := mean.Dims()
			bias := mean.ColView(in - 1).(*mat.VecDense)
			bias.ScaleVec(0.5, bias)
			var gram mat.SymDense
			gram.SymOuterK(1.0/3, mean)
			pair := max(1, 2-l)
			for j := range out {
				for k := range j + 1 {
					name := fmt.Sprintf("%v: layer %d: product of neurons %d and %d", layers, l, j, k)
					if want := 0.0; j/pair/in == k/pair/in { // of one orthogonal set
						if j/pair == k/pair {
							want = 1 - 2*float64(j-k)
						}
						check.Near(t, name, gram.At(j, k), want, 1e-12)
					} else if gram.At(j, k) > 1-1e-9 {
						t.Error(name, "are alike")
					}
				}
			}
		}
		output, _ := n.Weights(len(layers) - 2)
		check.Equal(t, "norm of the means of the output layer", mat.Norm(output, 1), 0)
	}
}

// What is by default follows from the layers.
func TestDefaultsByLayer(t *testing.T) {
	c := Default(784, 128, 100, 10)
	check.Equal(t, "bias", c.Bias, true)
	check.Equal(t, "covariances", c.Covariance, []Covariance{Diagonal, Shared, Full})
	n := check.Must(New(c, random.Source("default")))
	check.NearAll(t, "replications", n.Config().Replications, []float64{math.Sqrt(785) / 2, 1, 1}, 0)
	check.Equal(t, "for the paper's rules", c.Paper, PaperRule{Fail, 1e-3, 1e-3})
	for layers, want := range map[[3]int]Covariance{
		{63, 256, 2}: Full, {63, 257, 2}: Shared, {511, 300, 2}: Shared, {512, 300, 2}: Diagonal,
	} {
		check.Equal(t, layers, Default(layers[:]...).Covariance[0], want)
	}
	check.NearAll(t, "prior variances", c.PriorVar, []float64{0.1, 0.1, 600.0 / 784 / 101}, 1e-12)

	for _, given := range []float64{0, 7} { // covariances that are set by hand
		c := Default(24, 3, 3)
		c.Covariance, c.Replications[0] = []Covariance{Diagonal, Diagonal}, given
		n := check.Must(New(c, random.Source("replications")))
		check.Equal(t, "replications", n.Config().Replications, []float64{max(2.5, given), 1})
		check.Equal(t, "the caller's", c.Replications, []float64{given, 0})
	}
}
