package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// plane says what a network predicts at the points of a grid.
type plane struct {
	spec  *spec
	grid  *data.Grid
	maps  *table.Table // of the seed that is drawn
	noise rand.Source  // of Monte Carlo
}

func (s *spec) newPlane() *plane {
	task := s.Data.Task()
	p := &plane{spec: s, grid: s.Data.grid(), noise: s.stream("montecarlo", s.Method.Base)}
	p.maps = table.New("maps", table.Text("set", "the data set"), table.Text("method", "the network"),
		table.Int("k", "examples seen"), table.Num("x1", "point of the plane"), table.Num("x2", ""))
	p.maps.Packed = true
	for _, q := range [][2]string{{"p", "mean"}, {"var", "variance"}} {
		for j := 1; j <= task.Classes; j++ {
			c := table.Num(fmt.Sprint(q[0], j), fmt.Sprintf("%s of the probability of class %d", q[1], j))
			p.maps.Columns = append(p.maps.Columns, c.Rounded(6))
		}
	}
	return p
}

// columns are those of look.
func (p *plane) columns() []table.Column {
	columns := []table.Column{
		table.Positive("entropy", "predictive entropy, mean over the grid, in nats"),
		table.Num("variance", "Σ_j Var y_j, mean over the grid"),
	}
	for _, q := range [][2]string{{"p", "p"}, {"var", "the variances of p"}} {
		if p.spec.Evaluate.Samples > 0 {
			columns = append(columns,
				table.Positive("max_"+q[0]+"_error", "largest distance of "+q[1]+" from Monte Carlo, on some grid lines"),
				table.Positive("mean_"+q[0]+"_error", "mean distance of "+q[1]+" from Monte Carlo, on these lines"),
				table.Positive("mean_"+q[0]+"_se", "mean standard error of "+q[1]+" by Monte Carlo"))
		}
	}
	return columns
}

// look returns the numbers of the columns, and adds to the maps after k examples. What is not a network that
// sees the points themselves, or has broken down, has none.
func (p *plane) look(c *learner.Classifier, k int) []float64 {
	e, none := p.spec.Evaluate, table.Gaps(len(p.columns()))
	if c.Network() == nil || c.Err != nil || p.spec.Method.Scale != "" {
		return none
	}
	var entropy float64
	var variances []float64
	var gaps [2]gap // of p and of its variances
	var q bnn.Prediction
	estimate := montecarlo.NewEstimate(c.Classes)
	sampled := p.grid.Every(max(1, e.Stride))
	for i, x := range p.grid.Points {
		if c.Model().Predict(&q, x) != nil {
			return none
		}
		var variance, label []float64
		for j, pj := range q.P {
			variance, label = append(variance, q.Cov.At(j, j)), append(label, pj/q.Sum())
		}
		entropy += kernel.Entropy(label, 1)
		variances = append(variances, kernel.Sum(variance))
		if p.spec.Maps {
			p.maps.Add(p.spec.Set, p.spec.Method.Base, k, x, q.P, variance)
		}
		if e.Samples > 0 && len(q.Members) == 0 && slices.Contains(sampled, i) {
			estimate.Sample(q.Mean, q.Variance, e.Samples, p.noise)
			gaps[0].add(q.P, estimate.P, estimate.PErr)
			gaps[1].add(variance, estimate.Var, estimate.VarErr)
		}
	}
	row := []float64{entropy / float64(len(variances)), table.Mean(variances)}
	for _, g := range gaps {
		row = append(row, g.largest, g.sum/g.n, g.errors/g.n)
	}
	return row[:len(none)]
}

// gap is the distance of moments from those by Monte Carlo: the largest, the sum, and the sum of the
// standard errors of Monte Carlo.
type gap struct{ largest, sum, errors, n float64 }

func (g *gap) add(moments, sampled, errors []float64) {
	for j, x := range moments {
		d := math.Abs(x - sampled[j])
		g.largest, g.sum, g.errors, g.n = max(g.largest, d), g.sum+d, g.errors+errors[j], g.n+1
	}
}
