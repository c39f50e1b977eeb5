package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// Invalid values, and values that are not set, are refused by the key of their field.
func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	names := map[string]string{ // in Go
		"prior_var": "PriorVar", "process_noise": "ProcessNoise", "alpha": "Unit.Alpha", "rule": "Output",
	}
	ofThree := softmax.ProbitCorr{Lambda: 1, Corr: mat.NewSymDense(2, []float64{1, 0, 0, 1})} // classes
	for key, all := range map[string][]func(c *Config){
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
		for i, change := range all {
			c := Default(2, 3, 2)
			change(&c)
			_, err := New(c, random.Source())
			var bad *FieldError
			right := err != nil && (key == "" || errors.As(err, &bad) && bad.Key == key)
			check.True(t, right, "%s, %d: error %v", key, i, err)
			if name := names[key]; name != "" {
				check.Refuses(t, "the name in Go", err, "bnn: "+name+": ")
			}
		}
	}
}

// The defaults learn XOR in one pass, for every depth and width.
func TestDefaultsLearn(t *testing.T) {
	for _, layers := range [][]int{{2, 10, 2}, {2, 300, 2}, {2, 20, 20, 2}} {
		n := check.Must(New(Default(layers...), random.Source("defaults")))
		rnd := rand.New(random.Source("defaults", "examples"))
		wrong := 0
		for k := range 600 {
			a, b := rnd.IntN(2), rnd.IntN(2)
			x := []float64{2*float64(a) - 1 + 0.3*rnd.NormFloat64(), 2*float64(b) - 1 + 0.3*rnd.NormFloat64()}
			if k >= 300 {
				var p Prediction
				check.OK(t, n.Predict(&p, x))
				if (p.P[1] > 0.5) != (a != b) {
					wrong++
				}
			}
			check.Must(n.Observe(x, (a+b)%2))
		}
		check.True(t, wrong <= 15, "%v: %d of 300 are wrong", layers, wrong)
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
