package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"closedform/internal/check"
)

// messy is a table as people have it: an id, dates, words, holes, semicolons and decimal commas.
func messy() string {
	var b strings.Builder
	b.WriteString("row_id;date;species;length;width;colour;note\n")
	for i := range 90 {
		k := i * 7 % 3
		length := strings.Replace(fmt.Sprintf("%.1f", 10+5*float64(k)+float64(i%11)/4), ".", ",", 1)
		if i%15 == 4 {
			length = "NA"
		}
		species := []string{"Ash", "Elm", "Oak"}[k]
		if i == 50 {
			species = ""
		}
		day := time.Date(2024, 1, 1+i*5%70, 0, 0, 0, 0, time.UTC).Format("02.01.2006")
		fmt.Fprintf(&b, "%d;%s;%s;%s;%d;%s;free text %d\n", 1000+i, day, species, length, i%5+k, []string{"green", "red"}[i%2], i)
	}
	return b.String()
}

// A table needs no manifest: its columns are looked at, and the manifest is written.
func TestOwnTable(t *testing.T) {
	inExperiments(t, map[string]string{"x.toml": mine})
	write(t, messy(), "my leaves.csv")
	out := mustRun(t, "run", "-data", "my leaves.csv", "-class", "species")
	contains(t, out, "  row_id   id      90      0        ignored\n", "  date     date    14      0        ignored\n", "  length   number  ", "  colour   words   2       0",
		"  note     text    90      0        ignored\n", "warning: 1 rows have no class, and are left out\n", "\n  network  ", "\n  majority  ", "\n  linear  ",
		"predict results/my_leaves/network.npz")
	contains(t, read(t, "my leaves.toml"), `categorical = ["colour"]`, `ignore = ["row_id", "date", "note"]`, `missing = "mean"`)
	contains(t, mustRun(t, "run", "-data", "my leaves.csv", "-class", "species"), "is up to date")
	contains(t, mustRun(t, "predict", "results/my_leaves/network.npz", "-data", "my leaves.csv"), "class,probability,")
	write(t, messy(), "other", "My leaves.CSV") // its results would replace those of the first table
	fails(t, "results/my_leaves has the results of my leaves.csv", "run", "-data", "other/My leaves.CSV", "-class", "species")
	mustRun(t, "run", "-data", "other/My leaves.CSV", "-class", "species", "-out", "more")
	_, _, err := try(t, "learn", "more/my_leaves/network.npz", "-data", "my leaves.csv")
	check.OK(t, err)
	fails(t, "network.npz has learned 89 rows since it was trained", "-exp", "other/My leaves.toml", "-out", "more")
	write(t, "name = 'edited'\n", "my leaves.toml")
	if _, _, err := try(t, "run", "-data", "my leaves.csv", "-class", "species"); err == nil || read(t, "my leaves.toml") != "name = 'edited'\n" {
		t.Errorf("an edited manifest: %v", err)
	}
	for want, text := range map[string]string{
		`no column "species"; the columns, by ',', are x, kind`: "x,kind\n1,a\n2,b\n3,a\n4,b\n",
		`the class "species" has 1 values; need at least 2`:     "x,species\n1,a\n2,a\n",
		"no column is an input":                                 "x,species\n1,a\n1,b\n1,a\n1,b\n",
		`the class "species" has 4 values in 4 rows`:            "x,species\n1,a\n2,b\n3,c\n4,d\n",
		"2 rows repeat others":                                  "x,species\n1,a\n2,b\n1,a\n2,b\n",
		`21 of 22 values of "size" are numbers, but it is taken for a column of kind words: bad.csv:24: column "size": "tall" is not a number`: "size,species\nN/A,a\n" + strings.Repeat("1.5,a\n2,b\n2.5,a\n", 7) + "tall,b\n",
		`column "kind" determines the class of every row`: "kind,species\nk,?\nl,?\n" + strings.Repeat("k,a\nl,b\n", 10),
	} {
		write(t, text, "bad.csv")
		stdout, _, err := try(t, "run", "-data", "bad.csv", "-class", "species", "-out", t.TempDir())
		contains(t, stdout+fmt.Sprint(err), want)
	}
}

// A packed table is learned, and tested by another one, whose errors name it.
func TestOwnTestTable(t *testing.T) {
	inExperiments(t, map[string]string{"x.toml": mine})
	lines := strings.SplitAfter(messy(), "\n")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprint(w, strings.Join(lines[:61], ""))
	check.OK(t, w.Close())
	write(t, packed.String(), "leaves.csv.gz")
	write(t, lines[0]+strings.Join(lines[61:], ""), "new", "rows.csv")
	command := []string{"run", "-data", "leaves.csv.gz", "-test", "new/rows.csv", "-class", "species"}
	fails(t, "open new/row.csv", "run", "-data", "leaves.csv.gz", "-test", "new/row.csv", "-class", "species")
	contains(t, mustRun(t, command...), "warning: 2 rows of new/rows.csv repeat rows of leaves.csv.gz, which are learned\n")
	contains(t, read(t, "leaves.toml"), `test_file = "new/rows.csv"`)
	contains(t, read(t, "results/leaves/runs.csv"), "network,1,59,30,")
	contains(t, read(t, "results/leaves/classes.csv"), "method,class,n,recall,precision,auroc\n", "network,Ash,50,1,1,1\n", "majority,Ash,50,1,0.3333333333333333,0.5\n")
	contains(t, read(t, "results/leaves/confusion.csv"), "network,Ash,Ash,50\n", "majority,Elm,Ash,50\n")
	write(t, lines[0]+"1;01.01.2024;Yew;1;2;red;x\n", "new", "rows.csv")
	_, _, err := try(t, command...)
	contains(t, fmt.Sprint(err), `test_file: `, `new/rows.csv:2: class "Yew" is not in the training part, which has Ash, Elm, Oak`)
}
