package store

import (
	"cmp"
	"math"
	"strconv"

	"closedform/runner/internal/table"
)

// Took returns the processor seconds of a cell, or the wall time of a cell that an older program
// computed.
func (c *Cell) Took() float64 { return cmp.Or(c.CPU, c.Seconds) }

// CellTimes returns the table of the times of cells.
func CellTimes(cells []*Cell) *table.Table {
	t := table.New(timing, table.Text("key", ""), table.Num("cpu_seconds", ""), table.Num("wall_seconds", ""))
	for _, c := range cells {
		t.Add(c.Key, c.Took(), c.Seconds)
	}
	return t
}

// AddTimes sets the processor times of the run to those of its cells, of these strata.
func (r *Run) AddTimes(cells []*Cell, strata []string) {
	count := map[string]float64{}
	r.CPUSeconds, r.CellSeconds = 0, map[string]float64{}
	for i, c := range cells {
		r.CPUSeconds += c.Took()
		r.CellSeconds[strata[i]] += c.Took()
		count[strata[i]]++
	}
	for stratum, sum := range r.CellSeconds {
		r.CellSeconds[stratum], _ = strconv.ParseFloat(strconv.FormatFloat(sum/count[stratum], 'g', 3, 64), 64)
	}
}

// Expected returns the expected seconds of a cell of a stratum: the mean of the stratum,
// or else of all cells of the run; infinity if nothing is known.
func (r *Run) Expected(stratum string) float64 {
	if s, ok := r.CellSeconds[stratum]; ok {
		return s
	}
	if n := r.Computed + r.Reused; n > 0 && r.CPUSeconds > 0 {
		return r.CPUSeconds / float64(n)
	}
	return math.Inf(1)
}
