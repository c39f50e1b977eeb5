package learn

import (
	"fmt"
	"math"
	"slices"

	"closedform/baselines/moments/montecarlo"
	"closedform/core/bnn"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// newMaps returns the empty table of the predictions of a network at the points of the grid.
func (s *spec) newMaps() *table.Table {
	t := table.New("maps", table.Text("set", "the data set"), table.Text("method", "the network"),
		table.Int("k", "examples seen"), table.Num("x1", "point of the plane"), table.Num("x2", ""))
	t.Packed = true
	for _, q := range [][2]string{{"p", "mean"}, {"var", "variance"}} {
		for j := range s.Data.Task().Classes {
			c := table.Num(fmt.Sprint(q[0], j+1), fmt.Sprintf("%s of the probability of class %d", q[1], j+1))
			t.Columns = append(t.Columns, c.Rounded(6))
		}
	}
	return t
}

// lookColumns are those of look.
func (s *spec) lookColumns() (columns []table.Column) {
	for _, q := range [][2]string{{"p", "p"}, {"var", "the variances of p"}} {
		if s.Evaluate.Samples > 0 {
			columns = append(columns,
				table.Positive(q[0]+"_error", "mean distance of "+q[1]+" from Monte Carlo, on some grid lines"),
				table.Positive(q[0]+"_se", "mean standard error of "+q[1]+" by Monte Carlo"))
		}
	}
	return columns
}

// look returns the numbers of the columns, and adds to the maps after k examples. What is not a network that
// sees the points themselves, or has broken down, has none.
func (c *curve) look(l *learner.Classifier, k int) []float64 {
	s, e, row := c.spec, c.spec.Evaluate, table.Gaps(len(c.spec.lookColumns()))
	if l.Network() == nil || l.Err != nil || s.Method.Scale != "" {
		return row
	}
	var sum [4]float64 // of the columns
	var q bnn.Prediction
	estimate, grid, n := montecarlo.NewEstimate(l.Classes), s.Data.grid(), 0.0
	sampled := grid.Every(max(1, e.Stride))
	for i, x := range grid.Points {
		if l.Model().Predict(&q, x) != nil {
			return row
		}
		var variance []float64
		for j := range q.P {
			variance = append(variance, q.Cov.At(j, j))
		}
		if s.Maps {
			c.maps.Add(s.Set, s.Method.Base, k, x, q.P, variance)
		}
		if e.Samples == 0 || len(q.Members) > 0 || !slices.Contains(sampled, i) {
			continue
		}
		estimate.Sample(q.Mean, q.Variance, e.Samples, c.noise)
		for j, pj := range q.P {
			sum[0], sum[1] = sum[0]+math.Abs(pj-estimate.P[j]), sum[1]+estimate.PErr[j]
			sum[2], sum[3] = sum[2]+math.Abs(variance[j]-estimate.Var[j]), sum[3]+estimate.VarErr[j]
			n++
		}
	}
	for i := range row {
		row[i] = sum[i] / n
	}
	return row
}
