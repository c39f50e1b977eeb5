package study

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// spread is how far predictions of the same inputs are apart.
type spread struct {
	mean    [][]float64 // p̄ of each input
	tv      []float64   // of each input, ½Σ_j|p_j − q_j| averaged over all pairs of predictions
	sd      []float64   // of each input, √(½ Σ_j Var p_j)
	largest float64     // total variation of the two predictions that are farthest apart, averaged over the inputs
}

// spreadOf compares predictions p[r][i] of the inputs i by the networks r, of
// which there are two or more. For two classes, sd is the standard deviation of
// the probability of either.
func spreadOf(p [][][]float64) spread {
	inputs, classes := len(p[0]), len(p[0][0])
	s := spread{tv: make([]float64, inputs), sd: make([]float64, inputs)}
	pairs := float64(len(p)*(len(p)-1)) / 2
	for a := range p {
		for b := range a {
			total := 0.0
			for i := range inputs {
				tv := floats.Distance(p[a][i], p[b][i], 1) / 2
				s.tv[i] += tv / pairs
				total += tv
			}
			s.largest = max(s.largest, total/float64(inputs))
		}
	}
	x := make([]float64, len(p))
	for i := range inputs {
		mean := make([]float64, classes)
		var sum float64
		for j := range classes {
			for r := range p {
				x[r] = p[r][i][j]
			}
			var variance float64
			mean[j], variance = stat.MeanVariance(x, nil)
			sum += variance
		}
		s.mean = append(s.mean, mean)
		s.sd[i] = math.Sqrt(sum / 2)
	}
	return s
}

// summary averages spread.csv over the seeds, with intervals. A logarithmic loss
// that is infinite for some seeds is averaged over the others.
func (o *order) summary(rows frame) store.Table {
	t := store.Table{Name: "summary", Header: []string{"variant", "size", "differ_by", "seeds", "runs"}}
	for _, c := range spreadColumns {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	o.each(func(model manifest.Model, size int, by string) {
		r := rows.where("variant", model.Name).where("size", strconv.Itoa(size)).where("differ_by", by)
		row := []string{model.Name, strconv.Itoa(size), by, strconv.Itoa(len(r.Rows)), r.Rows[0][r.column("runs")]}
		for _, c := range spreadColumns {
			mean, low, high := metric.Interval(finite(r.floats(c)))
			row = append(row, gapped(mean), gapped(low), gapped(high))
		}
		t.Rows = append(t.Rows, row)
	})
	return t
}

// each calls f for every model, size and reason to differ.
func (o *order) each(f func(model manifest.Model, size int, by string)) {
	for _, model := range o.Models() {
		for _, size := range o.Sizes {
			for _, by := range []string{byOrder, bySample} {
				f(model, size, by)
			}
		}
	}
}
