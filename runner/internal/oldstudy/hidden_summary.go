package study

import (
	"fmt"
	"math"
	"strconv"

	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// The columns of curve.csv that are averaged over the seeds: with an interval,
// and without one.
var (
	hiddenScores = []string{"accuracy", "log_loss", "ece"}
	hiddenSteps  = []string{"failed", "indefinite_steps", "skipped_steps", "projected_steps", "raised"}
)

// summary averages curve.csv over the seeds: a row per variant, task and point
// of the stream. A logarithmic loss that is infinite for some seeds is averaged
// over the others, and log_loss_infinite is their share.
func (h *hidden) summary(curve frame) store.Table {
	t := store.Table{Name: "summary", Header: []string{"variant", "task", "classes", "bayes_error", "pass", "k", "seen", "seeds"}}
	for _, c := range hiddenScores {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	t.Header = append(append(t.Header, "log_loss_infinite"), hiddenSteps...)
	for _, variant := range h.Variants {
		of := curve.where("variant", variant.Name)
		for _, task := range h.Tasks {
			law := task.Data.Task()
			rows := of.where("task", task.Name)
			points := rows.where("seed", strconv.Itoa(h.m.Seed))
			for _, point := range points.Rows {
				at := func(column string) string { return point[points.column(column)] }
				seeds := rows.where("seen", at("seen"))
				row := []string{
					variant.Name, task.Name, strconv.Itoa(law.Classes()), store.Float(law.BayesError()),
					at("pass"), at("k"), at("seen"), strconv.Itoa(len(seeds.Rows)),
				}
				for _, c := range hiddenScores {
					mean, low, high := metric.Interval(finite(seeds.floats(c)))
					row = append(row, gapped(mean), gapped(low), gapped(high))
				}
				loss := seeds.floats("log_loss")
				row = append(row, store.Float(1-float64(len(finite(loss)))/float64(len(loss))))
				for _, c := range hiddenSteps {
					mean, _, _ := metric.Interval(seeds.floats(c))
					row = append(row, store.Float(mean))
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// best returns the accuracy of the best classifier there can be.
func (h *hidden) best(task int) float64 { return 1 - h.Tasks[task].Data.Task().BayesError() }

// described returns the name of a task with its number of classes.
func (h *hidden) described(task int) string {
	t := h.Tasks[task]
	return fmt.Sprintf("%s, $n$ = %d", t.Name, t.Data.Task().Classes())
}

// largest returns the largest finite number, or 0.
func largest(x []float64) float64 {
	top := 0.0
	for _, v := range finite(x) {
		top = math.Max(top, v)
	}
	return top
}
