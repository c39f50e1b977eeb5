package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/dataset"
	store "closedform/runner/internal/oldstore"
)

// learnCell is one network and what is written down of its life.
type learnCell struct {
	learnSpec
	square  *square
	network *bnn.Network
	summary learnSummary

	train, weights, steps, grid store.Table
}

func runLearn(ctx context.Context, spec learnSpec, generator dataset.Generator) ([]store.Table, error) {
	c := &learnCell{learnSpec: spec, square: newSquare(generator, spec.Evaluate.Grid, spec.MonteCarlo.Stride)}
	c.summary.lambda = lambdaValue(spec.Model.Lambda, generator.Classes, spec.Model.Rho)
	c.header(generator.Classes)
	var err error
	if c.network, err = newNetwork(spec.Model, c.summary.lambda, c.stream("prior")); err != nil {
		return nil, err
	}
	montecarlo := c.stream("montecarlo", spec.Model.Name)
	examples := generator.Draw(spec.Data.Train, c.stream("train"))
	for i, x := range examples.X {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, class := i+1, examples.Class[i]
		c.train.Rows = append(c.train.Rows, append(c.at(k)[1:], store.Float(x[0]), store.Float(x[1]), strconv.Itoa(class+1)))
		if err := c.observe(k, x, class); err != nil {
			return nil, fmt.Errorf("example %d: %w", k, err)
		}
		if !slices.Contains(spec.Evaluate.Snapshots, k) {
			continue
		}
		maps, err := c.square.predict(c.network, c.square.all)
		if err != nil {
			return nil, fmt.Errorf("after example %d: %w", k, err)
		}
		checked := c.square.coarse
		if spec.Drawn {
			checked = c.square.all
		}
		if err := sample(ctx, maps, checked, spec.MonteCarlo.Samples, montecarlo); err != nil {
			return nil, err
		}
		c.writeWeights(k)
		c.writeGrid(k, maps)
		c.summary.add(maps, c.square)
	}
	tables := []store.Table{c.weights, c.steps, c.summary.table(spec)}
	if spec.First {
		tables = append(tables, c.train)
	}
	if spec.Drawn {
		tables = append(tables, c.grid)
	}
	return tables, nil
}

// stream returns the random stream of this seed for a purpose. All models see
// the same examples and the same random prior.
func (c *learnCell) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{c.Manifest, c.Seed}, purpose...)...)
}

// observe shows the network an example and writes down the step.
func (c *learnCell) observe(k int, x []float64, class int) error {
	update, err := c.network.Observe(x, class)
	if err != nil {
		return hinted(err)
	}
	c.summary.count(update)
	coarse, err := c.square.predict(c.network, c.square.coarse)
	if err != nil {
		return err
	}
	entropy := meanEntropy(coarse)
	c.summary.entropies = append(c.summary.entropies, entropy)
	c.steps.Rows = append(c.steps.Rows, append(c.at(k),
		gapped(update.MinEigenvalue), store.Float(update.MinVariance), update.Action.String(), store.Float(entropy)))
	return nil
}

// hinted adds to the error of a step what a manifest can do about it.
func hinted(err error) error {
	var indefinite *bnn.IndefiniteError
	if errors.As(err, &indefinite) {
		return fmt.Errorf("%w; on_indefinite = \"skip\" or \"project\" goes on", err)
	}
	return err
}

// at returns the fields variant, seed and k that begin a row.
func (c *learnCell) at(k int) []string {
	return []string{c.Model.Name, strconv.Itoa(c.Seed), strconv.Itoa(k)}
}

// header names the tables and their columns. Classes are numbered from 1 as in
// the paper.
func (c *learnCell) header(classes int) {
	c.train = store.Table{Name: "train", Header: []string{"seed", "k", "x1", "x2", "class"}}
	c.steps = store.Table{Name: "steps", Header: []string{"variant", "seed", "k", "min_eigenvalue", "min_variance", "action", "entropy"}}
	c.weights = store.Table{Name: "weights", Header: []string{"variant", "seed", "k", "layer", "neuron", "moment", "i", "j", "value"}}
	c.grid = store.Table{Name: "grid", Header: []string{"variant", "k", "x1", "x2"}}
	numbered := func(formats ...string) {
		for j := range classes {
			for _, f := range formats {
				c.grid.Header = append(c.grid.Header, fmt.Sprintf(f, j+1))
			}
		}
	}
	numbered("p%d")
	numbered("var%d")
	numbered("p%d_mc", "p%d_se")
	numbered("var%d_mc", "var%d_se")
}

// writeWeights writes down mean and covariance of every neuron, the upper
// triangle of the latter; layers, neurons and inputs are numbered from 1.
func (c *learnCell) writeWeights(k int) {
	for l := range len(c.Model.Layers) - 1 {
		mean, cov := c.network.Weights(l)
		for j, s := range cov {
			add := func(moment, a, b string, value float64) {
				c.weights.Rows = append(c.weights.Rows, append(c.at(k), strconv.Itoa(l+1), strconv.Itoa(j+1), moment, a, b, store.Float(value)))
			}
			for a := range s.SymmetricDim() {
				add("mean", strconv.Itoa(a+1), "", mean.At(j, a))
			}
			for a := range s.SymmetricDim() {
				for b := a; b < s.SymmetricDim(); b++ {
					add("cov", strconv.Itoa(a+1), strconv.Itoa(b+1), s.At(a, b))
				}
			}
		}
	}
}

// writeGrid writes down the maps of the seed that is drawn.
func (c *learnCell) writeGrid(k int, maps []prediction) {
	if !c.Drawn {
		return
	}
	for _, f := range maps {
		x := c.square.x[f.point]
		row := []string{c.Model.Name, strconv.Itoa(k), store.Float(x[0]), store.Float(x[1])}
		numbers := func(columns ...[]float64) {
			for j := range f.p {
				for _, column := range columns {
					row = append(row, store.Float(column[j]))
				}
			}
		}
		numbers(f.p)
		numbers(f.variance)
		numbers(f.check.p, f.check.pErr)
		numbers(f.check.variance, f.check.varianceErr)
		c.grid.Rows = append(c.grid.Rows, row)
	}
}
