package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
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
func (p *plane) columns() (columns []table.Column) {
	for _, q := range [][2]string{{"p", "p"}, {"var", "the variances of p"}} {
		if p.spec.Evaluate.Samples > 0 {
			columns = append(columns,
				table.Positive(q[0]+"_error", "mean distance of "+q[1]+" from Monte Carlo, on some grid lines"),
				table.Positive(q[0]+"_se", "mean standard error of "+q[1]+" by Monte Carlo"))
		}
	}
	return columns
}

// look returns the numbers of the columns, and adds to the maps after k examples. What is not a network that
// sees the points themselves, or has broken down, has none.
func (p *plane) look(c *learner.Classifier, k int) []float64 {
	e, row := p.spec.Evaluate, table.Gaps(len(p.columns()))
	if c.Network() == nil || c.Err != nil || p.spec.Method.Scale != "" {
		return row
	}
	var sum [4]float64 // of the columns
	var q bnn.Prediction
	estimate := montecarlo.NewEstimate(c.Classes)
	sampled, n := p.grid.Every(max(1, e.Stride)), 0.0
	for i, x := range p.grid.Points {
		if c.Model().Predict(&q, x) != nil {
			return row
		}
		var variance []float64
		for j := range q.P {
			variance = append(variance, q.Cov.At(j, j))
		}
		if p.spec.Maps {
			p.maps.Add(p.spec.Set, p.spec.Method.Base, k, x, q.P, variance)
		}
		if e.Samples > 0 && len(q.Members) == 0 && slices.Contains(sampled, i) {
			estimate.Sample(q.Mean, q.Variance, e.Samples, p.noise)
			for j, pj := range q.P {
				sum[0], sum[1] = sum[0]+math.Abs(pj-estimate.P[j]), sum[1]+estimate.PErr[j]
				sum[2], sum[3] = sum[2]+math.Abs(variance[j]-estimate.Var[j]), sum[3]+estimate.VarErr[j]
				n++
			}
		}
	}
	for i := range row {
		row[i] = sum[i] / n
	}
	return row
}
