package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
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

// A table needs no manifest: one is written. A messy table takes two errors, which say what to do.
func TestOwnTable(t *testing.T) {
	inExperiments(t, map[string]string{"x.toml": mine})
	write(t, messy(), "my leaves.csv")
	command := []string{"run", "-data", "my leaves.csv", "-class", "species"}
	fails(t, `my leaves.csv:1: one column, "row_id;date;species;length;width;colour;note"; separator = ";" makes 7 of it`, command...)
	command = append(command, "-separator", ";")
	_, _, err := try(t, command...)
	contains(t, fmt.Sprint(err), "my leaves.csv: 6 columns cannot be read:\n", `  date: "01.01.2024" (line 2), "06.01.2024" (line 3), "11.01.2024" (line 4) and 87 others are not numbers; ignore = ["date"]`,
		`length: "10,0" (line 2), `, `decimal = "," reads them`, `categorical = ["colour"] makes an input of each of its 2 values`, `species: "" (line 52) have no value; missing = "drop"`)
	if strings.Contains(fmt.Sprint(err), "width") {
		t.Errorf("a column that fits is among those that do not: %v", err)
	}
	command = append(command, "-decimal", ",", "-categorical", "colour", "-ignore", "row_id,date,note", "-missing", "mean")
	out, said, err := try(t, command...)
	check.OK(t, err)
	contains(t, out+said, "manifest: my leaves.toml\n", "rows dropped, with a missing value: 1; ", "\n  network  ", "\n  majority  ", "\n  linear  ",
		"predict results/my_leaves/network.npz")
	contains(t, read(t, "my leaves.toml"), `categorical = ["colour"]`, `ignore = ["row_id", "date", "note"]`, `missing = "mean"`, `separator = ";"`, `decimal = ","`)
	contains(t, mustRun(t, command...), "is up to date")
	contains(t, mustRun(t, "predict", "results/my_leaves/network.npz", "-data", "my leaves.csv"), "class,probability,")
	write(t, "length,width,colour\n12.5,3,red\n", "comma.csv") // another layout than that of the training
	fails(t, `separator = "," makes 3 of it`, "predict", "results/my_leaves/network.npz", "-data", "comma.csv")
	mustRun(t, "predict", "results/my_leaves/network.npz", "-data", "comma.csv", "-separator", ",", "-decimal", ".")
	write(t, messy(), "other", "My leaves.CSV") // its results would replace those of the first table
	command[2] = "other/My leaves.CSV"
	fails(t, "results/my_leaves has the results of my leaves.csv", command...)
	mustRun(t, append(command, "-out", "more")...)
	_, _, err = try(t, "learn", "more/my_leaves/network.npz", "-data", "my leaves.csv")
	check.OK(t, err)
	fails(t, "network.npz has learned 89 rows since it was trained", "-exp", "other/My leaves.toml", "-out", "more")
	write(t, "name = 'edited'\n", "my leaves.toml")
	command[2] = "my leaves.csv"
	if _, _, err := try(t, command...); err == nil || read(t, "my leaves.toml") != "name = 'edited'\n" {
		t.Errorf("an edited manifest: %v", err)
	}
	fails(t, "-ignore needs -data", "run", "-exp", "x", "-ignore", "a")
	write(t, "size,kind,species\n1,k,a\n2,l,b\n3,k,a\n4,l,b\n5,k,a\n4,k,b\n", "words.csv")
	contains(t, mustRun(t, "run", "-data", "words.csv", "-class", "species", "-categorical", "all"), "network")
	contains(t, read(t, "words.toml"), `categorical = "all"`)
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
	command := []string{
		"run", "-data", "leaves.csv.gz", "-test", "new/row.csv", "-class", "species", "-separator", ";", "-decimal", ",",
		"-categorical", "colour", "-ignore", "row_id,date,note", "-missing", "mean",
	}
	fails(t, "leaves: no file new/row.csv", command...)
	command[4] = "new/rows.csv"
	check.OK(t, os.Remove("leaves.toml"))
	_, said, err := try(t, command...)
	check.OK(t, err)
	contains(t, said, "rows.csv: rows whose inputs repeat rows of the training table: 2")
	contains(t, read(t, "leaves.toml"), `test_file = "new/rows.csv"`)
	contains(t, read(t, "results/leaves/runs.csv"), "network,1,59,30,")
	contains(t, read(t, "results/leaves/classes.csv"), "method,class,n,recall,precision,auroc\n", "network,Ash,50,1,1,1\n", "majority,Ash,50,1,0.3333333333333333,0.5\n")
	contains(t, read(t, "results/leaves/confusion.csv"), "network,Ash,Ash,50\n", "majority,Elm,Ash,50\n")
	write(t, lines[0]+"1;01.01.2024;Yew;1;2;red;x\n", "new", "rows.csv")
	_, _, err = try(t, command...)
	contains(t, fmt.Sprint(err), `test_file: `, `new/rows.csv:2: class "Yew" is not in the training part, which has Ash, Elm, Oak`)
}
