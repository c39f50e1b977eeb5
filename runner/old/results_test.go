package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// csvTable is a table of a results folder.
type csvTable struct {
	header  []string
	records [][]string
}

func table(t testing.TB, dir, name string) *csvTable {
	t.Helper()
	all, err := csv.NewReader(strings.NewReader(read(t, dir, name))).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(all) < 2 {
		t.Fatalf("%s has %d lines", name, len(all))
	}
	return &csvTable{all[0], all[1:]}
}

// rows returns a column, empty if there is none of this name.
func (c *csvTable) rows(column string) []string {
	i := slices.Index(c.header, column)
	var values []string
	for _, r := range c.records {
		if i >= 0 {
			values = append(values, r[i])
		}
	}
	return values
}

func TestResultsFolder(t *testing.T) {
	m, out := write(t, small+page+"single  = true\n"), t.TempDir()
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, 0 done before; 47 files in ")
	dir := filepath.Join(out, "small")
	files := results(t, dir)

	t.Run("files", func(t *testing.T) {
		want := []string{
			"SHA256SUMS", "claims.csv", "grid.csv", "manifest.toml", "maps_joint.pdf", "maps_joint.png", "maps_joint.svg",
			"steps.csv", "summary.csv", "train.csv", "variants.csv", "weights.csv",
		}
		magic := map[string]string{".png": "\x89PNG\r\n\x1a\n", ".pdf": "%PDF-", ".svg": "<?xml"}
		for i := 1; i <= 12; i++ {
			for extension := range magic {
				want = append(want, fmt.Sprintf("fig%02d%s", i, extension))
			}
		}
		slices.Sort(want)
		var got []string
		for name, text := range files {
			got = append(got, name)
			if start := magic[filepath.Ext(name)]; !strings.HasPrefix(text, start) {
				t.Errorf("%s begins %.10q, want %q", name, text, start)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("files %q, want %q", got, want)
		}
	})
	t.Run("sha256sum", func(t *testing.T) {
		tool, err := exec.LookPath("sha256sum")
		if err != nil {
			t.Skip("no sha256sum on this machine")
		}
		check := exec.Command(tool, "-c", "SHA256SUMS")
		check.Dir = dir
		check.Env = append(os.Environ(), "LC_ALL=C")
		if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK\n") != len(files)-1 {
			t.Errorf("sha256sum -c: %v\n%s", err, out)
		}
	})
	t.Run("run.json", func(t *testing.T) { checkProvenance(t, dir, m, out) })
	t.Run("tables", func(t *testing.T) { checkTables(t, dir) })
}

func checkProvenance(t *testing.T, dir, m, out string) {
	r := provenance(t, dir)
	if want := []string{"runner", "-exp", m, "-out", out, "-progress", "off"}; !slices.Equal(r.Command, want) {
		t.Errorf("command %q, want %q", r.Command, want)
	}
	if r.Manifest != "small" || !slices.Equal(r.Seeds, []int64{1, 2}) || r.Computed != 4 || r.Reused != 0 {
		t.Errorf("manifest %s, seeds %d, %d cells computed, %d reused", r.Manifest, r.Seeds, r.Computed, r.Reused)
	}
	if r.Go != runtime.Version() || r.GOOS != runtime.GOOS || r.GOARCH != runtime.GOARCH || r.CPUs != runtime.NumCPU() || r.CPU == "" {
		t.Errorf("%s %s %s, %d × %q", r.Go, r.GOOS, r.GOARCH, r.CPUs, r.CPU)
	}
	if r.Modules["gonum.org/v1/gonum"] == "" || len(r.CodeVersion) != 64 {
		t.Errorf("modules %q, code version %q", r.Modules, r.CodeVersion)
	}
	if r.Commit == "" || !slices.Contains([]string{"clean", "dirty", "unknown"}, r.Tree) {
		t.Errorf("commit %q, tree %q", r.Commit, r.Tree)
	}
	if r.Start.IsZero() || r.Start.After(time.Now()) || !(r.Seconds > 0) {
		t.Errorf("start %v, %g s", r.Start, r.Seconds)
	}
	text := read(t, dir, "run.json")
	for _, key := range []string{
		"command", "manifest", "overrides", "commit", "tree", "code_version", "go", "modules", "goos", "goarch",
		"cpu", "cpus", "seeds", "timing_files", "cells_computed", "cells_reused", "start", "wall_seconds",
	} {
		contains(t, text, "\n  \""+key+"\": ")
	}
	timing := table(t, dir, "timing.csv")
	if want := []string{"joint seed=1", "joint seed=2", "total seed=1", "total seed=2"}; !slices.Equal(timing.rows("key"), want) {
		t.Errorf("timing.csv has %q, want %q", timing.rows("key"), want)
	}
}

func checkTables(t *testing.T, dir string) {
	for _, c := range []struct {
		name, header string // how the header line begins
		rows         int
	}{
		{"train.csv", "seed,k,x1,x2,class\n", 2 * 6},
		{"grid.csv", "variant,k,x1,x2,p1,p2,p3,var1,var2,var3,p1_mc,p1_se,p2_mc,p2_se,p3_mc,p3_se,var1_mc,var1_se,var2_mc,var2_se,var3_mc,var3_se\n", 2 * 3 * 81},
		{"steps.csv", "variant,seed,k,min_eigenvalue,min_variance,action,entropy\n", 4 * 6},
		{"weights.csv", "variant,seed,k,layer,neuron,moment,i,j,value\n", 4 * 3 * 3 * 5},
		{"summary.csv", "variant,seed,lambda,rho,accuracy,error,log_loss,brier,ece,entropy_1,entropy_3,entropy_6,", 4},
		{"variants.csv", "variant,seeds,linear_ceiling,lambda,lambda_low,lambda_high,", 2},
		{"claims.csv", "claim,statistic,variant,seeds,value,low,high,threshold,verdict\n", 2},
	} {
		begins(t, read(t, dir, c.name), c.header)
		if n := len(table(t, dir, c.name).records); n != c.rows {
			t.Errorf("%s has %d rows, want %d", c.name, n, c.rows)
		}
	}
	oneOf := func(name, column string, allowed ...string) {
		t.Helper()
		values := table(t, dir, name).rows(column)
		if len(values) == 0 {
			t.Errorf("%s has no column %s", name, column)
		}
		for _, v := range values {
			if !slices.Contains(allowed, v) {
				t.Errorf("%s, %s: %q, allowed %q", name, column, v, allowed)
			}
		}
	}
	oneOf("train.csv", "class", "1", "2", "3")
	oneOf("grid.csv", "k", "1", "3", "6")
	oneOf("steps.csv", "action", "applied")
	oneOf("claims.csv", "verdict", "holds", "fails", "open")
	oneOf("variants.csv", "seeds", "2")

	summary := table(t, dir, "summary.csv")
	var keys []string
	for i, v := range summary.rows("variant") {
		keys = append(keys, v+" "+summary.rows("seed")[i])
	}
	if want := []string{"joint 1", "joint 2", "total 1", "total 2"}; !slices.Equal(keys, want) {
		t.Errorf("summary.csv has rows %q, want %q", keys, want)
	}
	for _, column := range []string{"error", "log_loss", "brier", "ece", "max_abs_p_error", "mean_abs_p_error", "indefinite_steps"} {
		if len(summary.rows(column)) != 4 {
			t.Errorf("summary.csv has no column %s", column)
		}
		for _, s := range summary.rows(column) {
			if x, err := strconv.ParseFloat(s, 64); err != nil || !(x >= 0 && x < 10) {
				t.Errorf("summary.csv, %s: %s", column, s)
			}
		}
	}
}
