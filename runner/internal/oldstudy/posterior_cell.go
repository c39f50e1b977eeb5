package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"closedform/baselines/posterior"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// posteriorCell is the stream of one seed with all that learns it.
type posteriorCell struct {
	posteriorSpec
	classes        int
	pupils         map[string]pupil
	papers         []*paperNetwork // those of the pupils that learn by the paper's rule
	model          posterior.Model
	points, mapped *plane

	distance, exact, maps, train, state, agreement store.Table
}

func runPosterior(ctx context.Context, spec posteriorSpec) ([]store.Table, error) {
	c := &posteriorCell{posteriorSpec: spec}
	if err := c.start(); err != nil {
		return nil, err
	}
	examples := spec.Data.Task().Generate(spec.Data.Train, c.stream("train"))
	for i, x := range examples.X {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, class := i+1, examples.Class[i]
		for _, p := range c.pupils {
			p.observe(x, class)
		}
		for _, p := range c.papers {
			p.twin.observe(x, class)
		}
		if c.mapped != nil {
			c.train.Rows = append(c.train.Rows, []string{strconv.Itoa(k), store.Float(x[0]), store.Float(x[1]), strconv.Itoa(class + 1)})
		}
		if !slices.Contains(spec.Snapshots, k) {
			continue
		}
		if err := c.compare(k, examples.X[:k], examples.Class[:k]); err != nil {
			return nil, fmt.Errorf("after example %d: %w", k, err)
		}
	}
	tables := []store.Table{c.distance, c.exact}
	for _, t := range []store.Table{c.state, c.agreement} {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	if c.mapped != nil {
		tables = append(tables, c.maps, c.train)
	}
	return tables, nil
}

// stream returns the random stream of this seed for a purpose.
func (c *posteriorCell) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{c.Manifest, c.Seed}, purpose...)...)
}

// start makes all that learns, and names the tables and their columns.
func (c *posteriorCell) start() error {
	task := c.Data.Task()
	c.classes = task.Classes()
	c.points = newPlane(task, c.Grid)
	if len(c.Mapped) > 0 {
		c.mapped = newPlane(task, c.MapGrid)
	}
	c.distance = store.Table{Name: "distance", Header: []string{
		"variant", "seed", "k", "tv", "kl", "tv_noise", "kl_noise", "excess_error", "excess_log_loss", "ece",
		"indefinite", "skipped", "projected", "failed",
	}}
	c.exact = store.Table{Name: "exact", Header: []string{"seed", "k", "sampler", "ess", "rhat"}}
	c.state = store.Table{Name: "state", Header: stateHeader}
	c.agreement = store.Table{Name: "agreement", Header: agreementHeader}
	c.train = store.Table{Name: "train", Header: []string{"k", "x1", "x2", "class"}}
	c.maps = store.Table{Name: "maps", Header: []string{"variant", "k", "x1", "x2"}}
	for j := range c.classes {
		c.maps.Header = append(c.maps.Header, fmt.Sprintf("p%d", j+1))
	}

	c.pupils = make(map[string]pupil)
	network := func(m manifest.Model) (*bnn.Network, error) {
		return newNetwork(m, lambdaValue(m.Lambda, c.classes, m.Rho), c.stream("prior"))
	}
	for _, m := range c.Models {
		n, err := network(m)
		if err != nil {
			return err
		}
		l := &learner{network: n, classes: c.classes}
		c.pupils[m.Name] = l
		if m.Rule != "joint" {
			continue
		}
		p, err := newPaperNetwork(m, lambdaValue(m.Lambda, c.classes, m.Rho), l, c.stream("twin"))
		if err != nil {
			return err
		}
		c.papers = append(c.papers, p)
	}
	prior, err := network(c.Model)
	if err != nil {
		return err
	}
	for _, rule := range c.Perceptrons {
		p, err := newPerceptron(rule, c.Model, lambdaValue(c.Model.Lambda, c.classes, c.Model.Rho), prior)
		if err != nil {
			return err
		}
		c.pupils[manifest.PerceptronPrefix+rule] = p
	}
	c.model = posterior.Model{Layers: c.Model.Layers, Bias: c.Model.Bias}
	mean, cov := prior.Weights(0)
	for j, s := range cov {
		c.model.PriorMean = append(c.model.PriorMean, mean.RawRowView(j)...)
		for i := range s.SymmetricDim() {
			c.model.PriorVar = append(c.model.PriorVar, s.At(i, i))
		}
	}
	return nil
}

// compare writes down how far all are from the exact posterior after k examples.
func (c *posteriorCell) compare(k int, x [][]float64, class []int) error {
	sample, sampler, err := c.sample(posterior.Importance{Draws: c.Draws}, k, x, class)
	if err != nil {
		return err
	}
	c.exact.Rows = append(c.exact.Rows, []string{
		strconv.Itoa(c.Seed), strconv.Itoa(k), sampler, store.Float(sample.ESS), store.Float(sample.RHat),
	})
	exact, err := newReference(sample, c.points)
	if err != nil {
		return err
	}
	bestError, bestLoss, _ := c.points.scores(c.points.truth)
	for _, name := range c.names() {
		tv, kl := "", ""
		q, done := exact.p, steps{}
		if name != manifest.Exact {
			q, done = c.labels(name, c.points)
			a, b := exact.distance(q, c.points)
			tv, kl = store.Float(a), store.Float(b)
		}
		error, loss, calibration := c.points.scores(q)
		failed := 0
		if done.failed {
			failed = 1
		}
		c.distance.Rows = append(c.distance.Rows, []string{
			name, strconv.Itoa(c.Seed), strconv.Itoa(k), tv, kl, store.Float(exact.tvNoise), store.Float(exact.klNoise),
			store.Float(error - bestError), store.Float(loss - bestLoss), store.Float(calibration),
			strconv.Itoa(done.indefinite), strconv.Itoa(done.skipped), strconv.Itoa(done.projected), strconv.Itoa(failed),
		})
	}
	if err := c.checkPapers(k); err != nil {
		return err
	}
	if slices.Contains(c.Mapped, k) {
		return c.draw(k, sample)
	}
	return nil
}

// checkPapers writes down what the networks of the paper's rule keep after k examples
// and, where there is Huber's perceptron, how far they are from it.
func (c *posteriorCell) checkPapers(k int) error {
	huber, ok := c.pupils[manifest.PerceptronPrefix+"huber"]
	for _, p := range c.papers {
		row, err := p.state(c.Seed, k, c.points)
		if err != nil {
			return err
		}
		c.state.Rows = append(c.state.Rows, row)
		if ok {
			c.agreement.Rows = append(c.agreement.Rows, p.agreement(c.Seed, k, huber, c.points))
		}
	}
	return nil
}

// labels returns what a pupil predicts at the points, and its steps.
func (c *posteriorCell) labels(name string, points *plane) ([][]float64, steps) {
	p, ok := c.pupils[name]
	if !ok { // manifest.Uniform
		return equal(len(points.x), c.classes), steps{}
	}
	q := p.labels(points.x)
	return q, p.done()
}

// sample returns a sample from the posterior of the examples and the name of the
// sampler: importance sampling and, where that refuses for a small effective
// sample size, Markov chains. Where these refuse, too, there is nothing to compare
// with: an error.
func (c *posteriorCell) sample(importance posterior.Importance, k int, x [][]float64, class []int) (*posterior.Sample, string, error) {
	problem, err := posterior.NewProblem(c.model, x, class)
	if err != nil {
		return nil, "", err
	}
	s, err := importance.Sample(problem, c.stream("importance", k))
	var small *posterior.ESSError
	if !errors.As(err, &small) {
		return s, "importance", err
	}
	s, err = posterior.Hamiltonian{}.Sample(problem, c.stream("hamiltonian", k))
	return s, "hamiltonian", err
}

// draw writes down the maps.
func (c *posteriorCell) draw(k int, sample *posterior.Sample) error {
	exact, err := newReference(sample, c.mapped)
	if err != nil {
		return err
	}
	for _, name := range append([]string{manifest.Exact}, c.Maps...) {
		q := exact.p
		if name != manifest.Exact {
			q, _ = c.labels(name, c.mapped)
		}
		for i, x := range c.mapped.x {
			row := []string{name, strconv.Itoa(k), store.Float(x[0]), store.Float(x[1])}
			for _, p := range q[i] {
				row = append(row, store.Float(p))
			}
			c.maps.Rows = append(c.maps.Rows, row)
		}
	}
	return nil
}
