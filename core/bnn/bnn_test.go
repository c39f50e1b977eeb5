package bnn

import (
	"cmp"
	"fmt"
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
