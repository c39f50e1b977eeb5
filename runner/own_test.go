package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// A table needs no manifest: one is written and run, and its network predicts and learns other rows.
func TestOwnTable(t *testing.T) {
	table := read(t, "..", "experiments", "own_data.csv")
	inExperiments(t, map[string]string{"x.toml": keeping})
	write(t, table, "my leaves.csv")
	command := []string{"run", "-data", "my leaves.csv", "-class", "species"}
	out, said, err := try(t, command...)
	check.OK(t, err)
	const network = "closedform-results/my_leaves/network.npz"
	contains(t, out+said, "manifest: my leaves.toml\n", "my leaves.csv: 300 examples, ",
		"\n  network  ", "\n  majority  ", "\n  linear  ", "predict "+network)
	contains(t, mustRun(t, command...), "is up to date")
	_, said, err = try(t, "predict", network, "-data", "my leaves.csv")
	check.OK(t, err)
	contains(t, said, "my leaves.csv: 300 rows with a class: error 0.0")
	write(t, strings.NewReplacer(",", ";", ".", ",").Replace(table), "other.csv")
	fails(t, `separator = ";" makes 5 of it`, "predict", network, "-data", "other.csv")
	_, again, err := try(t, "predict", network, "-data", "other.csv", "-separator", ";", "-decimal", ",")
	check.OK(t, err)
	check.Equal(t, "it says", again, strings.Replace(said, "my leaves.csv", "other.csv", 1))

	write(t, table, "other", "My leaves.CSV") // its results would replace those of the first table
	command[2] = "other/My leaves.CSV"
	fails(t, "closedform-results/my_leaves has the results of a manifest in ",
		append(command, "-out", "closedform-results")...)
	_, _, err = try(t, "learn", network, "-data", "my leaves.csv")
	check.OK(t, err)
	remove(t, "closedform-results", "my_leaves", "cells")
	fails(t, "network.npz has learned 300 rows since it was trained", "run", "-exp", "my leaves.toml")
	fails(t, "need -data", "run", "-exp", "x", "-ignore", "a")
}

// A packed table is learned, and tested by another one, whose errors name it.
func TestOwnTestTable(t *testing.T) {
	lines := strings.SplitAfter(read(t, "..", "experiments", "own_data.csv"), "\n")
	inExperiments(t, map[string]string{"x.toml": keeping})
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, strings.Join(lines[:61], ""))
	check.OK(t, w.Close())
	write(t, packed.String(), "leaves.csv.gz")
	command := strings.Fields("run -data leaves.csv.gz -test new/rows.csv -class species")
	fails(t, "leaves: no file new/rows.csv", command...)
	write(t, lines[0]+strings.Join(lines[60:91], ""), "new", "rows.csv")
	_, said, err := try(t, command...)
	check.OK(t, err)
	contains(t, said, "rows.csv: inputs that repeat those of other rows")
	contains(t, read(t, "closedform-results/leaves/runs.csv"), "network,1,60,31,")
	write(t, lines[0]+"1,2,3,4,yew\n", "new", "rows.csv")
	fails(t, `new/rows.csv:2: class "yew" is not in the training part, which has beech, elm,`, command...)
}
