package classifier

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"closedform/core/checkpoint"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// Inputs of any range are scaled by the examples before, and learned as if they had been scaled by the caller,
// also by a snapshot and after a file.
func TestScale(t *testing.T) {
	o := Options{Inputs: 3, Classes: 3, Hidden: []int{5}}
	plain := check.Must(New(o, random.Source("scale")))
	o.Scale = true
	c, draw := check.Must(New(o, random.Source("scale"))), stream()
	var rows [3][]float64 // the inputs of the examples before
	var p, q Prediction
	for i := range 150 {
		x, class := draw()
		x = []float64{1e6 + 1e3*x[0], 1e-150 * x[1], 7} // 7 never changes
		if i == 100 {
			x[0] = math.MaxFloat64
		}
		z := make([]float64, 3)
		for j, row := range rows[:2] {
			mean, sd := stat.PopMeanStdDev(row, nil)
			if i > 1 {
				z[j] = max(-10, min(10, (x[j]-mean)/sd))
			}
		}
		if i <= 100 { // the example of 1e308 ends the comparison
			check.OK(t, errors.Join(plain.Predict(&q, z), plain.Learn(z, class), c.Predict(&p, x)))
			check.NearAll(t, fmt.Sprint("P of example ", i), p.P, q.P, 1e-6)
		}
		if i%2 == 0 {
			check.OK(t, c.Predict(&p, x))
		}
		if check.OK(t, c.Learn(x, class)); i == 60 {
			c = check.Must(Load(bytes.NewReader(saved(t, c))))
		}
		for j := range rows {
			rows[j] = append(rows[j], x[j])
		}
		if i == 99 {
			s, want := check.Must(c.Snapshot()), check.Must(plain.Snapshot())
			for j := range 2 {
				mean, sd := stat.PopMeanStdDev(rows[j], nil)
				x[j], z[j] = mean+float64(j+1)*sd, float64(j+1)
			}
			check.OK(t, errors.Join(s.Predict(&p, x), want.Predict(&q, z)))
			check.NearAll(t, "P of the snapshot", p.P, q.P, 1e-6)
			check.Refuses(t, "NaN", s.Predict(&p, []float64{1, math.Inf(1), 7}), "input 1 is +Inf")
		}
		check.Refuses(t, "infinite", c.Learn([]float64{1, math.Inf(1), 7}, 0), "input 1 is +Inf")
		check.True(t, c.Learn(x, 3) != nil && c.Scaling.Seen == i+1, "an error was learned")
	}
	check.Must(Load(bytes.NewReader(saved(t, c))))
	note := `{"decision":{},"scaling":{"seen":1,"mean":[0],"squares":[0]}}`
	var file bytes.Buffer
	check.OK(t, checkpoint.Save(&file, c.Model(), note))
	check.Refuses(t, "another scaling", check.Err(Load(&file)), "the scaling is not that of 3 inputs")
}
