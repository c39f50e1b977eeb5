package order

import (
	"math"

	"closedform/runner/internal/table"
)

// spreadColumns are the numbers of spread.csv.
func spreadColumns() []table.Column {
	return []table.Column{
		table.Num("tv", "total variation of two networks, mean over all pairs and the test inputs"),
		table.Num("tv_max", "total variation of the two networks that are farthest apart, mean over the test inputs"),
		table.Num("sd", "√(½ Σ_j Var p_j) over the networks, mean over the test inputs"),
		table.Num("accuracy", "mean over the networks"), table.Num("accuracy_sd", "standard deviation over the networks"),
		table.Num("accuracy_min", "least of the networks"), table.Num("accuracy_max", "greatest of the networks"),
		table.Num("log_loss", "mean over the networks, in nats"), table.Num("failed", "networks that broke down"),
		table.Num("indefinite_steps", "mean over the networks"),
	}
}

// spread is how far predictions of the same inputs are apart.
type spread struct {
	mean    [][]float64 // p̄ of each input
	tv      []float64   // of each input, ½Σ_j|p_j − q_j| averaged over all pairs of predictions
	sd      []float64   // of each input, √(½ Σ_j Var p_j)
	largest float64     // total variation of the two predictions that are farthest apart, averaged over the inputs
}

// spreadOf compares predictions p[r][i] of the inputs i by the networks r, two or more. For two
// classes, sd is the standard deviation of the probability of either.
func spreadOf(p [][][]float64) spread {
	inputs, classes := len(p[0]), len(p[0][0])
	s := spread{tv: make([]float64, inputs), sd: make([]float64, inputs)}
	pairs := float64(len(p)*(len(p)-1)) / 2
	for a := range p {
		for b := range a {
			total := 0.0
			for i := range inputs {
				var tv float64
				for j, x := range p[a][i] {
					tv += math.Abs(x-p[b][i][j]) / 2
				}
				s.tv[i] += tv / pairs
				total += tv
			}
			s.largest = max(s.largest, total/float64(inputs))
		}
	}
	x := make([]float64, len(p))
	for i := range inputs {
		mean, sum := make([]float64, classes), 0.
		for j := range classes {
			for r := range p {
				x[r] = p[r][i][j]
			}
			var variance float64
			mean[j], variance = table.MeanVariance(x)
			sum += variance
		}
		s.mean, s.sd[i] = append(s.mean, mean), math.Sqrt(sum/2)
	}
	return s
}

// Tables adds the means of spread.csv over the seeds; of log losses that are finite.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		t.Pack("runs")
		return table.Set{t.Get("spread").GroupBy("method", "size", "differ_by", "runs").
			Shares("tv", "tv_max", "accuracy", "accuracy_min", "accuracy_max").Positive("log_loss").MeanFinite("summary", table.Names(spreadColumns())...)}
	})
}
