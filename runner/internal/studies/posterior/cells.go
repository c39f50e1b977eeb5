package posterior

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/laplace"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec determines the tables of a cell, one seed of one task, with one sample from the posterior.
type spec struct {
	study.Seeded
	Task   task
	Train  int
	Model  learner.Model // λ and bias of the perceptrons
	Models []learner.Method
	settings
}

func (e *experiment) Cells() (cells []study.Cell) {
	for i, t := range e.tasks() {
		models := slices.Clone(e.models)
		for k := range models {
			if m := &models[k].Model; i > 0 {
				m.Layers, m.PriorMean, m.PriorMeanVar = []int{t.Task().Inputs, t.Task().Classes}, nil, 0
			}
		}
		for number, seed := range e.seeds {
			seeded := study.Seeded{Manifest: e.header.Name, Seed: seed}
			s := spec{seeded, t, e.Data.Train, e.Model, models, e.Posterior}
			if i > 0 || seed != e.header.Seed {
				s.Mapped, s.Maps = nil, nil
			}
			if number >= s.ProbitSeeds {
				s.ProbitSeeds = 0
			}
			key := fmt.Sprintf("task=%s seed=%d", t.Name, seed)
			cells = append(cells, study.Cell{Key: key, Spec: s, Run: study.Tables(s.run)})
		}
	}
	return cells
}

// Methods beside the networks and perceptrons.
const (
	exactName     = "exact"    // the exact posterior
	probitName    = "probit"   // the exact posterior of the probit model
	uniformName   = "uniform"  // equal probabilities for all classes
	softmaxSuffix = "-softmax" // suffix of the name of a network that the exact softmax predicts
)

// joint are filters with one Gaussian over all weights, with the likelihoods of the probit and of the softmax.
var joint = [2]string{"adf-joint", "adf-exact-joint"}

type cell struct {
	spec
	task    *data.Task
	grid    *grid // the points at which predictions are compared
	methods []method
	huber   *learner.Classifier // Huber's perceptron; nil for more than two classes
	prior   laplace.Prior

	curve, maps, state, agreement, examples *table.Table
}

func (s spec) run(ctx context.Context) (table.Tables, error) {
	task := s.Task.Task()
	c := &cell{spec: s, task: task, grid: newGrid(task, s.Task.Grid)}
	c.newTables()
	if err := c.newMethods(); err != nil {
		return nil, err
	}
	examples := task.Draw(s.Train, s.Stream("train"))
	if len(s.Mapped) > 0 {
		for i, x := range examples.X {
			c.examples.Add(s.Seed, i+1, x, examples.Class[i])
		}
	}
	for i, x := range examples.X {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k, class := i+1, examples.Class[i]
		for _, m := range c.methods {
			m.Observe(x, class)
			if m.twin != nil {
				m.twin.Observe(x, class)
			}
		}
		if slices.Contains(s.Task.Snapshots, k) {
			if err := c.compare(k, examples.X[:k], examples.Class[:k]); err != nil {
				return nil, fmt.Errorf("after example %d: %w", k, err)
			}
		}
	}
	tables := table.Tables{c.curve, c.state, c.agreement, c.maps, c.examples}
	return slices.DeleteFunc(tables, func(t *table.Table) bool { return t.Len() == 0 }), nil
}

// compare adds the rows of all methods after the k examples x.
func (c *cell) compare(k int, x [][]float64, class []int) error {
	problem, err := laplace.NewProblem(c.prior, x, class)
	if err != nil {
		return err
	}
	sample, err := problem.Sample(c.Draws, c.Stream("importance", k))
	if err != nil {
		return err
	}
	exact, noise, err := c.grid.predict(sample)
	if err != nil {
		return err
	}
	add := func(name string, q [][]float64, ess float64, steps learner.Steps) {
		tv, excess := math.NaN(), math.NaN()
		if q != nil {
			tv, excess = c.grid.distance(exact, q), c.grid.errorRate(q)-c.grid.errorRate(c.grid.truth)
		}
		c.curve.Add(name, c.Task.Name, c.Seed, k, tv, noise, ess, excess, steps.Row())
	}
	add(exactName, exact, sample.ESS, learner.Steps{})
	if c.ProbitSeeds > 0 {
		var q [][]float64
		reweighted := problem.Reweighted(sample, newProbit(c.task.Classes).normalise)
		if reweighted.ESS > float64(c.Draws)/8 {
			q, _, err = c.grid.predict(reweighted)
		}
		add(probitName, q, reweighted.ESS, learner.Steps{})
	}
	for _, m := range c.methods {
		q := m.Probabilities(c.grid.Points)
		add(m.name, q, sample.ESS, m.Steps())
		if m.twin != nil {
			c.addState(m, k, q)
		}
	}
	add(uniformName, learner.Equal(len(c.grid.Points), c.task.Classes), sample.ESS, learner.Steps{})
	if err == nil && slices.Contains(c.Mapped, k) {
		err = c.addMaps(k, sample)
	}
	return err
}

// addState adds the rows of a network of the paper's rule with predictions q after k examples: the size of
// its state, the largest difference from the predictions of its twin, which is 0 if nothing is sampled,
// and, for two classes, the distance from Huber's perceptron.
func (c *cell) addState(m method, k int, q [][]float64) {
	size, gap := 0, 0.
	for _, l := range m.network().State().Layers {
		size += 8 * (len(l.Mean.RawMatrix().Data) + len(l.Spread.RawMatrix().Data))
	}
	for i, p := range m.twin.Probabilities(c.grid.Points) {
		gap = max(gap, floats.Distance(p, q[i], math.Inf(1)))
	}
	c.state.Add(m.name, c.Task.Name, c.Seed, k, size, gap)
	if c.huber != nil {
		tv := c.grid.distance(q, c.huber.Probabilities(c.grid.Points))
		c.agreement.Add(m.name, c.Task.Name, c.Seed, k, tv, m.agreement(c.grid))
	}
}

const mapGrid = 41 // points of a map along each axis

func (c *cell) addMaps(k int, sample *laplace.Sample) error {
	grid := newGrid(c.task, mapGrid)
	add := func(name string, q [][]float64) {
		for i, p := range q {
			c.maps.Add(name, k, grid.Points[i], p)
		}
	}
	exact, _, err := grid.predict(sample)
	add(exactName, exact)
	for _, m := range c.methods {
		if slices.Contains(c.Maps, m.name) {
			add(m.name, m.Probabilities(grid.Points))
		}
	}
	return err
}

func (c *cell) newTables() {
	key := []table.Column{
		table.Text("method", "the network or perceptron; exact: the exact posterior; "+
			probitName+": the exact posterior with the likelihood of the probit, ρ = ½ and the slope λ; "+
			"NAME"+softmaxSuffix+": learned by the probit, predicted by the softmax; "+
			strings.Join(joint[:], " and ")+": one Gaussian over all weights, with the likelihood of the probit and "+
			"of the softmax; "+
			uniformName+": equal probabilities"),
		table.Text("task", "what is learned"), table.Int("seed", "seed of the examples"),
		table.Int("k", "number of examples learned"),
	}
	c.curve = table.New("curve", slices.Concat(key, []table.Column{
		table.Share("tv", "total variation from the exact predictive; empty for "+
			probitName+" where ess is at most an eighth of the draws"),
		table.Share("tv_noise", "total variation that the exact predictive has by its own sampling"),
		table.Positive("ess", "effective sample size of the draws from the exact posterior; for "+
			probitName+" that of the same draws, weighted by the ratio of the likelihoods"),
		table.Num("excess_error", "error rate less that of the true probabilities"),
	}, learner.StepColumns())...)
	c.state = table.New("state", append(key, table.Int("bytes", "size of the means and covariances in bytes"),
		table.Num("twin_gap", "largest difference of a probability from a network with another random stream"))...)
	c.agreement = table.New("agreement", append(key,
		table.Num("tv", "total variation from Huber's perceptron, each with what it has learned"),
		table.Num("p_gap", "largest difference of p from Huber's formula at equal beliefs"),
		table.Num("cross_gap", "mean difference of Cov(a, y) from Huber's at equal beliefs, over its mean"),
		table.Num("variance_gap", "mean difference of Var y from Huber's at equal beliefs, over its mean"))...)
	c.maps = table.New("maps", slices.Concat([]table.Column{
		key[0], key[3], table.Num("x1", "first input").Rounded(6), table.Num("x2", "second input").Rounded(6),
	}, learner.ClassColumns("p", c.task.Classes, "probability of the class"))...)
	c.maps.Packed = true
	c.examples = table.New("examples", key[2], table.Int("k", "its number in the stream"),
		table.Num("x1", "first input"), table.Num("x2", "second input"), table.Int("class", "class, from 0"))
}

// Tables adds the means over the seeds, none where a seed has no value, and the differences of [[contrast]].
func (e *experiment) Tables(cells []table.Tables) table.Tables {
	tables := table.Merge(cells)
	curve := tables.Get("curve")
	curve.Packed = true
	tables = append(tables, curve.Mean("curve_summary", table.Means{
		Keys: []string{"method", "task", "k"}, Columns: table.Names(curve.Columns[4:]),
	}))
	if len(e.Contrasts) > 0 {
		tables = append(tables, e.factorial(curve))
	}
	return tables
}

type contrast struct {
	Effect  string `toml:"effect" check:"required"`  // what the difference is the effect of
	Method  string `toml:"method" check:"required"`  // the name of one of two methods in rows of tables
	Against string `toml:"against" check:"required"` // the name of the other
}

// factorial has the differences of the total variation of two methods after the same examples.
func (e *experiment) factorial(curve *table.Table) *table.Table {
	t := table.New("factorial", slices.Concat([]table.Column{
		table.Text("task", "what is learned"), table.Int("k", "number of examples learned"),
		table.Text("effect", "what the difference is the effect of"),
		table.Text("method", "the method"), table.Text("against", "the method that it is compared with"),
	}, table.Interval("difference", "total variation from the exact predictive less that of the other method "+
		"after the same examples, mean over the seeds; negative is better"),
		[]table.Column{table.Int("seeds", "number of training sets that are averaged")})...)
	for _, rows := range curve.GroupBy("task", "k") {
		tv, seeds := map[string]float64{}, rows.Distinct("seed")
		for i, x := range rows.Nums("tv") {
			tv[rows.Texts("method")[i]+" "+rows.Texts("seed")[i]] = x
		}
		for _, c := range e.Contrasts {
			var gaps []float64
			for _, seed := range seeds {
				x, one := tv[c.Method+" "+seed]
				y, other := tv[c.Against+" "+seed]
				if gap := x - y; one && other && !math.IsNaN(gap) {
					gaps = append(gaps, gap)
				}
			}
			if d := table.NewEstimate(gaps, 0); d.N > 0 {
				t.Add(rows.Texts("task")[0], int(rows.Nums("k")[0]), c.Effect, c.Method, c.Against, d.Interval(), d.N)
			}
		}
	}
	return t
}
