package learn

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/baselines/montecarlo"
	"closedform/core/bnn"
	"closedform/runner/internal/data"
	"closedform/runner/internal/grid"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// planeSpec is all that the tables of a cell follow from.
type planeSpec struct {
	Manifest   string
	Seed       int
	Data       data.Sample
	Model      learner.Variant
	Evaluate   snapshots
	MonteCarlo monteCarlo
	Drawn      bool // the seed whose maps are written down
	First      bool // the model whose cells write down the training data, which all models share
}

// planeCell is one network and what is written down of its life.
type planeCell struct {
	planeSpec
	network  *learner.Network
	grid     *grid.Grid
	coarse   []int // points on every stride-th line
	sampled  []int // points that Monte Carlo checks
	source   rand.Source
	estimate *montecarlo.Estimate
	life     life

	steps, weights, maps *table.Table
}

// prediction is what the network says at a point.
type prediction struct {
	point           int       // of the grid
	p, variance     []float64 // of the class probabilities
	label           []float64 // p/Σp, the distribution of the label that is scored
	excess          float64   // Σp − 1
	asymmetry       float64   // largest |E_ij − E_ji|
	check, checkErr [][]float64
}

// run shows a network the examples. All models see the same ones and the same random
// prior.
func (s planeSpec) run(ctx context.Context) (table.Set, error) {
	stream := func(purpose ...any) rand.Source { return study.Stream(s.Manifest, s.Seed, purpose...) }
	network, err := s.Model.Network(stream("prior"))
	if err != nil {
		return nil, err
	}
	task := s.Data.Task()
	c := s.cell(task)
	c.network, c.source = &learner.Network{Network: network}, stream("montecarlo", s.Model.Name)
	examples := task.Draw(s.Data.Train, stream("train"))
	seen := 0
	err = learner.Course{
		Examples: data.NewExamples(examples, task.Classes),
		After: func(_, k int) error {
			seen = k
			return c.look(ctx, k)
		},
	}.Train(ctx, c.network)
	if err != nil {
		return nil, fmt.Errorf("example %d: %w", seen+1, err)
	}
	tables := table.Set{c.runs(task), c.steps, c.weights}
	if s.First {
		train := table.New("train", table.Int("seed", "that drew the example"), table.Int("k", "its number"),
			table.Num("x1", "its place"), table.Num("x2", ""), table.Int("class", "its class, from 1"))
		for i, x := range examples.X {
			train.Add(s.Seed, i+1, x, examples.Class[i]+1)
		}
		tables = append(tables, train)
	}
	if s.Drawn {
		tables = append(tables, c.maps)
	}
	return tables, nil
}

// cell returns a cell without its network.
func (s planeSpec) cell(task *data.Task) *planeCell {
	c := &planeCell{planeSpec: s, estimate: montecarlo.NewEstimate(task.Classes)}
	c.grid = grid.New(task.Region.Axis(0, s.Evaluate.Grid), task.Region.Axis(1, s.Evaluate.Grid))
	c.coarse = c.grid.Every(s.MonteCarlo.Stride)
	c.sampled = c.coarse
	if s.Drawn {
		c.sampled = c.grid.Every(1)
	}
	for _, x := range c.grid.Points {
		c.life.class = append(c.life.class, task.Label(x))
	}
	c.life.coarse = c.coarse
	at := []table.Column{table.Text("method", "the network"), table.Int("seed", "of prior and examples"), table.Int("k", "examples seen")}
	c.steps = table.New("steps", append(at,
		table.Num("min_eigenvalue", "smallest eigenvalue of the covariance of the innovation"),
		table.Num("min_variance", "smallest variance of a logit after the step as printed"),
		table.Text("action", "what became of the step"), table.Num("entropy", "predictive entropy after it, mean over the coarse grid, in nats"))...)
	c.weights = table.New("weights", append(at,
		table.Int("layer", "from 1"), table.Int("neuron", "from 1"), table.Text("moment", "mean or cov"),
		table.Int("i", "input, from 1"), table.Int("j", "of a covariance the other input"), table.Num("value", ""))...)
	c.maps = table.New("maps", at[0], at[2], table.Num("x1", "point of the plane").Rounded(6), table.Num("x2", "").Rounded(6))
	c.maps.Packed = true
	for _, formats := range [][][2]string{
		{{"p%d", "mean of y_%d, the probability of the class"}},
		{{"var%d", "variance of y_%d"}},
		{{"p%d_mc", "mean of y_%d by Monte Carlo"}, {"p%d_se", "standard error of p%d_mc"}},
		{{"var%d_mc", "variance of y_%d by Monte Carlo"}, {"var%d_se", "standard error of var%d_mc"}},
	} {
		for j := range task.Classes {
			for _, f := range formats {
				c.maps.Columns = append(c.maps.Columns, table.Num(fmt.Sprintf(f[0], j+1), fmt.Sprintf(f[1], j+1)).Rounded(6))
			}
		}
	}
	return c
}

// look writes down what the network says after k examples.
func (c *planeCell) look(ctx context.Context, k int) error {
	coarse, err := c.predict(ctx, c.coarse, nil)
	if err != nil {
		return err
	}
	last, entropy := c.network.Last, meanEntropy(coarse)
	c.life.entropies = append(c.life.entropies, entropy)
	if !(last.MinVariance >= 0) {
		c.life.negativeSteps++
	}
	if last.Action == bnn.Applied {
		c.life.applied++
	}
	c.steps.Add(c.Model.Name, c.Seed, k, table.Finite(last.MinEigenvalue), last.MinVariance, last.Action.String(), entropy)
	if !slices.Contains(c.Evaluate.Snapshots, k) {
		return nil
	}
	all, err := c.predict(ctx, c.grid.Every(1), c.sampled)
	if err != nil {
		return err
	}
	c.life.snapshots = append(c.life.snapshots, all)
	c.writeWeights(k)
	c.writeMaps(k, all)
	return nil
}

// predict returns the predictions at the points, in ascending order, and checks by
// Monte Carlo those that are among the sampled.
func (c *planeCell) predict(ctx context.Context, points, sampled []int) ([]prediction, error) {
	var out []prediction
	var got bnn.Prediction
	for _, i := range points {
		if err := c.network.Network.Predict(&got, c.grid.Points[i]); err != nil {
			return nil, err
		}
		n := len(got.P)
		f := prediction{
			point: i, p: slices.Clone(got.P), variance: make([]float64, n), label: make([]float64, n),
			excess: got.Moments.Excess(), asymmetry: got.Moments.Asymmetry(),
		}
		for j, p := range got.P {
			f.variance[j], f.label[j] = got.Cov.At(j, j), p/(1+f.excess)
		}
		if _, ok := slices.BinarySearch(sampled, i); ok {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			e := c.estimate
			e.Sample(got.Mean, got.Variance, c.MonteCarlo.Samples, c.source)
			f.check = [][]float64{slices.Clone(e.P), slices.Clone(e.Var)}
			f.checkErr = [][]float64{slices.Clone(e.PErr), slices.Clone(e.VarErr)}
		}
		out = append(out, f)
	}
	return out, nil
}

// writeWeights writes down mean and covariance of every neuron, of the latter the
// upper triangle.
func (c *planeCell) writeWeights(k int) {
	for l := range len(c.Model.Layers) - 1 {
		mean, cov := c.network.Weights(l)
		for neuron, s := range cov {
			add := func(values ...any) { c.weights.Add(c.Model.Name, c.Seed, k, l+1, neuron+1, values) }
			for i := range s.SymmetricDim() {
				add("mean", i+1, none, mean.At(neuron, i))
			}
			for i := range s.SymmetricDim() {
				for j := i; j < s.SymmetricDim(); j++ {
					add("cov", i+1, j+1, s.At(i, j))
				}
			}
		}
	}
}

// writeMaps writes down the maps of the seed that is drawn.
func (c *planeCell) writeMaps(k int, all []prediction) {
	if !c.Drawn {
		return
	}
	for _, f := range all {
		row := []any{c.Model.Name, k, c.grid.Points[f.point], f.p, f.variance}
		for q, check := range f.check {
			for j := range check {
				row = append(row, check[j], f.checkErr[q][j])
			}
		}
		c.maps.Add(row...)
	}
}
