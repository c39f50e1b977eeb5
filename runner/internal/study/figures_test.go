package study

import (
	"testing"

	"closedform/figures"
	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// plain labels methods by their names.
type plain struct{}

func (plain) Label(method string) string { return method }
func (plain) Group(string) int           { return 3 }

// Figures have the numbers of their tables.
func TestOfTables(t *testing.T) {
	means := table.New("means", table.Text("method", ""), table.Num("k", ""),
		table.Num("tv", ""), table.Num("tv_low", ""), table.Num("tv_high", ""))
	means.Add("adf", 1, 0.5, 0.4, 0.6)
	means.Add("joint", 1, 0.7, 0.6, 0.8)
	means.Add("adf", 8, 0.25, 0.2, 0.3)
	want := figures.Curve{
		Name: "adf", Kind: figures.Line, Group: 3, X: []float64{1, 8},
		Y: []float64{0.5, 0.25}, Low: []float64{0.4, 0.2}, High: []float64{0.6, 0.3},
	}
	lines := Lines(means, plain{}, "k", "tv")
	check.Equal(t, "curves", len(lines), 2)
	check.Equal(t, "a curve", lines[0], want)
	train := table.New("train", table.Num("x1", ""), table.Num("x2", ""), table.Int("class", ""))
	train.Add(0.5, -1, 2)
	check.Equal(t, "points", Points(train), []figures.Point{{X: 0.5, Y: -1, Class: 1}})
}
