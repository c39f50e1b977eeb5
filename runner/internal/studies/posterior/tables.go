package posterior

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// name makes the empty tables.
func (c *cell) name() {
	at := []table.Column{
		table.Text("method", "the network or perceptron; "+jointName+": one Gaussian over the weights of all neurons, failed where it "+
			"skipped more than half of its steps; exact: the posterior itself; uniform: equal probabilities"),
		table.Text("task", "what is learned"), table.Int("seed", "of the examples"), table.Int("k", "examples seen"),
	}
	with := func(name string, columns ...table.Column) *table.Table {
		return table.New(name, append(at[:len(at):len(at)], columns...)...)
	}
	c.curve = with("curve", append([]table.Column{
		table.Num("tv", "total variation from the exact predictive"),
		table.Num("kl", "divergence KL(exact ‖ method), in nats"),
		table.Num("tv_noise", "total variation that the exact predictive has by its own sampling"),
		table.Num("kl_noise", "divergence that it has by its own sampling"),
		table.Num("excess_error", "error rate above that of the truth"),
		table.Num("excess_log_loss", "log loss above that of the truth, in nats"),
		table.Num("ece", "expected calibration error of the largest probability, 15 bins"),
	}, learner.StepColumns()...)...)
	c.state = with("state", table.Int("bytes", "of the checkpoint"),
		table.Num("twin_gap", "largest difference of a probability from that of a network with another random stream"))
	c.agreement = with("agreement",
		table.Num("tv", "total variation from Huber's perceptron, each with what it has learned, mean over the square"),
		table.Num("p_gap", "largest difference of p from Huber's formula at equal beliefs"),
		table.Num("cross_gap", "mean difference of Cov(a, y) from Huber's at equal beliefs, as a part of that"),
		table.Num("variance_gap", "mean difference of Var y from Huber's at equal beliefs, as a part of that"))
	c.exact = table.New("exact", at[1], at[2], at[3], table.Text("sampler", "importance sampling"),
		table.Num("ess", "effective sample size"))
	c.train = table.New("train", table.Int("k", "number of the example"),
		table.Num("x1", "its place"), table.Num("x2", ""), table.Int("class", "its class, from 1"))
	c.maps = table.New("maps", append([]table.Column{
		at[0], at[3], table.Num("x1", "first input").Rounded(6), table.Num("x2", "second input").Rounded(6),
	}, learner.ProbabilityColumns(c.task.Classes, "probability of the class")...)...)
	c.maps.Packed = true
}

// Tables adds the means over the seeds, and the scores of the truth.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		t.Pack("curve")
		return table.Set{summary(t.Get("curve")), e.truth()}
	})
}

// summary averages over the seeds: a row for each task, method and snapshot, method by
// method. A divergence or a log loss may be infinite; the mean is over the other seeds.
func summary(curve *table.Table) *table.Table {
	var byMethod []table.Set
	for _, rows := range curve.GroupBy("method").All() {
		byMethod = append(byMethod, table.Set{rows})
	}
	sorted, _ := table.Merge(byMethod) // which have the same columns
	groups := sorted[0].GroupBy("method", "task", "k").Shares(learner.ShareNames...).Positive(learner.LossNames...).Shares("tv").Positive("kl")
	t := groups.MeanFinite("curve_summary", table.Names(curve.Columns[4:])...)
	for _, name := range []string{"kl", "excess_log_loss"} {
		share := table.Num(name+"_infinite",
			"share of seeds in which "+name+" is infinite, which are left out of its mean")
		for _, g := range groups.All() {
			infinite := floats.Count(func(x float64) bool { return math.IsInf(x, 1) }, g.Nums(name))
			share.Nums = append(share.Nums, float64(infinite)/float64(g.Len()))
		}
		t.Columns = append(t.Columns, share)
	}
	return t
}

// truth says what the best predictions there can be would score, the truth itself:
// on the grid, and its error rate by that of the task.
func (e *experiment) truth() *table.Table {
	t := table.New("truth", table.Text("task", "what is learned"), table.Int("classes", "of the task"), table.Int("grid", "points along each axis"), table.Num("error", "error rate of the truth on the grid"),
		table.Num("log_loss", "its log loss there, in nats"), table.Num("bayes_error", "its error rate by the formula or the quadrature of the task"))
	for _, of := range e.tasks() {
		task := of.Task()
		s := newSquare(task, of.Grid)
		error, loss, _ := s.scores(s.truth)
		t.Add(of.Name, task.Classes, of.Grid, error, loss, task.BayesError())
	}
	return t
}
