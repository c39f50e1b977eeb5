package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// judged is a manifest that reads the results of small. Its name comes first.
const judged = `name  = "a_judge"
study = "claims"
seed  = 1

[[claim]]
name     = "sharpens"
sentence = "It gets sharper."
where    = "Section 5"

[[evidence]]
claim     = "sharpens"
statistic = "drop of the entropy"
condition = "λ = 0.3"
manifest  = "small"
table     = "summary.csv"
rows      = ["variant=joint"]
value     = "entropy_drop"
interval  = "range"
sense     = "above"
threshold = -5.0
`

func TestSourcedExperiment(t *testing.T) {
	inExperiments(t, map[string]string{"a_judge.toml": judged, "small.toml": small})
	_, _, err := try(t, "-exp", "a_judge")
	want := "a_judge: reads the results of small: none in results; run experiments/small.toml first: -exp small -out results"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if exists("results") {
		t.Error("it has begun")
	}
	// A shard leaves cells, which need no results.
	begins(t, mustRun(t, "-exp", "a_judge", "-shard", "1/2"), "a_judge: shard 1/2: 0 cells, ")
	// With -all it runs after what it reads, although its name comes first.
	stdout := mustRun(t, "-all")
	begins(t, stdout, "small: 4 cells, 4 computed, ")
	dir := filepath.Join("results", "a_judge")
	contains(t, stdout, "\na_judge: 0 cells, 0 computed, 0 done before; 6 files in "+dir+", in ")
	contains(t, read(t, dir, "claims.csv"), "sharpens,Section 5,It gets sharper.,holds,λ = 0.3,,,small\n")
	first := results(t, dir)
	contains(t, mustRun(t, "-list"), "\nsmall    learn   full    4      experiments/small.toml\n", "a_judge  claims  full    0  ")
	if got := mustRun(t, "-exp", "a_judge"); got != "a_judge: 0 cells, all done before; "+dir+" is up to date\n" {
		t.Errorf("again it prints %q", got)
	}

	t.Run("verify", func(t *testing.T) {
		if got := mustRun(t, "-all", "-verify"); got != "small: verified\na_judge: verified\n" {
			t.Errorf("it prints %q", got)
		}
	})
	t.Run("source changed", func(t *testing.T) {
		replaceFile(t, filepath.Join("results", "small"), "summary.csv", scale(t, read(t, "results", "small", "summary.csv"), "entropy_drop", 3))
		stdout, _, err := try(t, "-exp", "a_judge", "-verify", "-progress", "off")
		if err == nil {
			t.Error("verified with another source")
		}
		contains(t, stdout, "a_judge: evidence.csv: changed: ")
		contains(t, mustRun(t, "-exp", "a_judge"), "6 files in ")
		if results(t, dir)["evidence.csv"] == first["evidence.csv"] {
			t.Error("the evidence is the old one")
		}
		mustRun(t, "-exp", "small")
		mustRun(t, "-exp", "a_judge")
		same(t, results(t, dir), first)
	})
	t.Run("source tampered with", func(t *testing.T) {
		summary := read(t, "results", "small", "summary.csv")
		write(t, scale(t, summary, "entropy_drop", 3), "results", "small", "summary.csv")
		_, _, err := try(t, "-exp", "a_judge", "-force")
		if err == nil {
			t.Fatal("it was read")
		}
		contains(t, err.Error(), "a_judge: evidence.1 of the claim sharpens: table = \"summary.csv\": ", "its checksum is not that of SHA256SUMS")
		write(t, summary, "results", "small", "summary.csv")
	})
	t.Run("bad references", func(t *testing.T) {
		for _, c := range [][3]string{
			{`"small"`, `"smal"`, `reads the results of smal: none in results, and no manifest "smal"; allowed: the path of a file, or in experiments: a_judge, small`},
			{`"summary.csv"`, `"sumary.csv"`, `evidence.1 of the claim sharpens: table = "sumary.csv": results/small/sumary.csv: SHA256SUMS does not list it`},
			{`"variant=joint"`, `"variant=jont"`, `evidence.1 of the claim sharpens: rows: no row of small/summary.csv has variant=jont; allowed: joint, total`},
			{`"entropy_drop"`, `"drop"`, `evidence.1 of the claim sharpens: value = "drop": small/summary.csv has no such column; allowed: variant, seed, `},
		} {
			_, _, err := try(t, "-exp", write(t, edit(t, judged, c[0], c[1])))
			if got, want := fmt.Sprint(err), "a_judge: "+c[2]; !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	})
}
