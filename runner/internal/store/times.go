package store

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"closedform/runner/internal/table"
)

// Took returns the processor seconds of a cell or, of one that an older program computed, the
// wall time.
func (c *Cell) Took() float64 { return cmp.Or(c.CPU, c.Seconds) }

// timesFile has the times of each cell.
const timesFile = timing + ".csv"

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

// Times tell how long the cells of an experiment took when its results were made.
type Times struct {
	cell, stratum map[string]float64
	mean          float64
}

// ReadTimes reads the times that a results folder has. Where it has none, none is known.
func ReadTimes(dir string) Times {
	t := Times{cell: map[string]float64{}, mean: math.Inf(1)}
	if run, err := ReadRun(dir); err == nil {
		t.stratum = run.CellSeconds
		if n := run.Computed + run.Reused; n > 0 && run.CPUSeconds > 0 {
			t.mean = run.CPUSeconds / float64(n)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, timesFile))
	if err != nil {
		return t
	}
	of, err := File{timesFile, data}.Table()
	if err != nil || !of.Has("key") || !of.Has("cpu_seconds") {
		return t
	}
	seconds := of.Texts("cpu_seconds")
	for i, key := range of.Texts("key") {
		if s, err := strconv.ParseFloat(seconds[i], 64); err == nil && s >= 0 { // the file has no checksum
			t.cell[key] = s
		}
	}
	return t
}

// Expected returns how many seconds a cell may take: what it took, or else the mean of its stratum,
// or that of all cells; infinitely many if nothing is known.
func (t Times) Expected(key, stratum string) float64 {
	if s, ok := t.cell[key]; ok {
		return s
	}
	if s, ok := t.stratum[stratum]; ok {
		return s
	}
	return t.mean
}
