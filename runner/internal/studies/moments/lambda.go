package moments

import (
	"context"

	"closedform/core/softmax"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// slopes is all that the λ of a number of classes follow from. Nothing in them is random.
type slopes struct{ Classes int }

// run returns the λ of each criterion, and its errors over a box of logits.
func (s slopes) run(ctx context.Context) (table.Set, error) {
	t := table.New("lambda",
		table.Int("classes", "number of classes n"), table.Text("criterion", "what chooses λ at ρ = ½: "+
			"the slope at the origin, the mean square error (lsq) or the largest (minimax)"),
		table.Num("lambda", "slope λ of the probit"),
		table.Num("rms", "root mean square error of the probabilities, for logits uniform on [−3, 3] without variance"),
		table.Num("max", "largest error of a probability there"),
		table.Num("rms_ratio", "rms divided by the rms of slope matching"))
	var matched float64
	for _, word := range softmax.Criteria {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lambda := probit.Lambda{Word: word}.Value(s.Classes, approx.Rho)
		rms, largest := softmax.Probit{Lambda: lambda, Rho: approx.Rho}.BoxErrors(s.Classes)
		if word == "slope" {
			matched = rms
		}
		t.Add(s.Classes, word, lambda, rms, largest, rms/matched)
	}
	return table.Set{t}, nil
}
