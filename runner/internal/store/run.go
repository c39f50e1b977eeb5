package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"closedform/runner/internal/table"
)

// Run is the provenance of a run, the content of run.json.
type Run struct {
	Command      []string          `json:"command"`
	Manifest     string            `json:"manifest"`
	Overrides    []string          `json:"overrides"`     // key=value, as on the command line
	Commit       string            `json:"commit"`        // the git commit, or "unknown"
	Tree         string            `json:"tree"`          // "clean", "dirty" or "unknown", without results/
	SourceDigest string            `json:"source_digest"` // identifies the code that makes numbers
	Go           string            `json:"go"`
	Modules      map[string]string `json:"modules"` // module versions by path
	GOOS         string            `json:"goos"`
	GOARCH       string            `json:"goarch"`
	Fused        bool              `json:"fused_multiply_adds"` // if so, the last digits depend on the processor
	Programs     []string          `json:"programs,omitempty"`  // programs that learned, with their versions
	CPU          string            `json:"cpu"`                 // the model, or "unknown"
	CPUs         int               `json:"cpus"`
	Seeds        []int             `json:"seeds"`
	Computed     int               `json:"cells_computed"`
	Reused       int               `json:"cells_reused"`
	Start        time.Time         `json:"start"`
	CPUSeconds   float64           `json:"cpu_seconds,omitempty"` // sum over all cells, reused ones included
	Seconds      float64           `json:"wall_seconds"`

	// CellSeconds are the mean processor seconds of a cell, by its group: its key without the seed.
	CellSeconds map[string]float64 `json:"cell_seconds,omitempty"`
}

// NewRun returns the provenance of a run that begins now: the command line args, Go, modules, machine, and
// the commit and tree of the working directory. The end of ctx ends git. The caller sets the other fields.
func NewRun(ctx context.Context, args []string) *Run {
	r := &Run{
		Command:   append([]string{"runner"}, args...), // os.Args[0] changes with each go run
		Overrides: []string{},
		Go:        runtime.Version(),
		Modules:   map[string]string{},
		GOOS:      runtime.GOOS,
		GOARCH:    runtime.GOARCH,
		CPU:       "unknown",
		CPUs:      runtime.NumCPU(),
		Start:     time.Now().UTC(),
		Commit:    "unknown",
		Tree:      "unknown",
	}
	if commit, err := git(ctx, "rev-parse", "HEAD"); err == nil {
		r.Commit, r.Tree = strings.TrimSpace(commit), "clean"
		// Runs write into results/.
		changes, err := git(ctx, "status", "--porcelain", "--", ":(top)", ":(top,exclude)results")
		if err != nil || changes != "" {
			r.Tree = "dirty"
		}
	}
	info, _ := os.ReadFile("/proc/cpuinfo")
	if _, model, ok := strings.Cut(string(info), "\nmodel name\t: "); ok {
		r.CPU, _, _ = strings.Cut(model, "\n")
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			r.Modules[m.Path] = m.Version
		}
	}
	return r
}

// ReadRun returns the provenance in a results folder. An error names the file.
func ReadRun(dir string) (*Run, error) {
	path, r := filepath.Join(dir, runFile), new(Run)
	data, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(data, r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// AddTimes sets the processor times of the run from its cells. group(i) is the group of cell i.
func (r *Run) AddTimes(cells []*Cell, group func(i int) string) {
	count := map[string]float64{}
	r.CPUSeconds, r.CellSeconds = 0, map[string]float64{}
	for i, c := range cells {
		g := group(i)
		r.CPUSeconds += c.CPU
		r.CellSeconds[g] += c.CPU
		count[g]++
	}
	for g, sum := range r.CellSeconds {
		r.CellSeconds[g] = table.Round(sum/count[g], 3)
	}
}

// times returns CellSeconds as a table: a column for each key of the groups, and seconds.
func (r *Run) times() *table.Table {
	t, rows := new(table.Table), slices.Sorted(maps.Keys(r.CellSeconds))
	for _, group := range rows {
		for _, field := range strings.Fields(group) {
			if key, _, _ := strings.Cut(field, "="); !t.Has(key) {
				t.Columns = append(t.Columns, table.Text(key, ""))
			}
		}
	}
	seconds := table.Positive("seconds", "")
	for _, group := range rows {
		for i, c := range t.Columns {
			_, after, _ := strings.Cut(" "+group, " "+c.Name+"=")
			value, _, _ := strings.Cut(after, " ")
			t.Columns[i].Texts = append(t.Columns[i].Texts, value)
		}
		seconds.Nums = append(seconds.Nums, r.CellSeconds[group])
	}
	t.Columns = append(t.Columns, seconds)
	return t
}

// Expected returns the expected seconds of a cell: the mean of its group, or of the run, or 1 if neither is
// known.
func (r *Run) Expected(group string) float64 {
	mean := r.CPUSeconds / float64(max(1, r.Computed+r.Reused))
	return cmp.Or(r.CellSeconds[group], mean, 1)
}

// git returns the output of git. It takes no optional locks, because they would block the user's git.
func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"--no-optional-locks"}, args...)...).Output()
	return string(out), err
}
