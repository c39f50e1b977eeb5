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
		species, colour := []string{"Ash", "Elm", "Oak"}[k], []string{"green", "red"}[i%2]
		if i == 50 {
			species = ""
		}
		day := time.Date(2024, 1, 1+i*5%70, 0, 0, 0, 0, time.UTC).Format("02.01.2006")
		fmt.Fprintf(&b, "%d;%s;%s;%s;%d;%s;free text %d\n", 1000+i, day, species, length, i%5+k, colour, i)
	}
	return b.String()
}

// fits are the flags by which a messy table is read.
const fits = "-class species -separator ; -decimal , -missing mean " +
	"-categorical colour -ignore row_id,date,note"

// A table needs no manifest: one is written. A messy table takes two errors, which say what to do.
func TestOwnTable(t *testing.T) {
	inExperiments(t, map[string]string{"x.toml": mine})
	write(t, messy(), "my leaves.csv")
	command := []string{"run", "-data", "my leaves.csv", "-class", "species"}
	fails(t, `my leaves.csv:1: one column, "row_id;date;species;length;width;colour;note"; separator = ";" m`,
		command...)
	_, _, err := try(t, append(command, "-separator", ";")...)
	check.Refuses(t, "a messy table", err, "my leaves.csv: 5 columns do not fit:\n",
		`  date: "01.01.2024" (line 2), "06.01.2024" (line 3), "11.01.2024" (line 4) and 87 others are not numb`,
		`ignore = ["date"]`, `"10,0" (line 2), `, `decimal = "," reads them`,
		`categorical = ["colour"] makes an input of each of its 2 values`,
		`species: "" (line 52) have no value; missing = "drop"`)
	check.Equal(t, "a column that fits is among those", strings.Contains(err.Error(), "width"), false)
	command = append(command[:3], strings.Fields(fits)...)
	out, said, err := try(t, command...)
	check.OK(t, err)
	contains(t, out+said, "manifest: my leaves.toml\n", "my leaves.csv: 89 examples, ",
		"\n  network  ", "\n  majority  ", "\n  linear  ", "predict closedform-results/my_leaves/network.npz")
	_, row, _ := strings.Cut(out, "\n  network ")
	row, _, _ = strings.Cut(row, "\n")
	check.Equal(t, "four scores and seconds: "+row, len(strings.Fields(row)), 5)
	contains(t, read(t, "my leaves.toml"), `categorical = ["colour"]`, `ignore = ["row_id", "date", "note"]`,
		`missing = "mean"`, `separator = ";"`, `decimal = ","`)
	contains(t, mustRun(t, command...), "is up to date")
	const network = "closedform-results/my_leaves/network.npz"
	_, said, err = try(t, "predict", network, "-data", "my leaves.csv")
	check.OK(t, err)
	contains(t, said, "my leaves.csv: 89 rows with a class: error 0, log_loss 0.0")
	write(t, "length,width,colour\n12.5,3,red\n", "comma.csv") // another layout than that of the training
	fails(t, `separator = "," makes 3 of it`, "predict", network, "-data", "comma.csv")
	mustRun(t, "predict", network, "-data", "comma.csv", "-separator", ",", "-decimal", ".")
	write(t, messy(), "other", "My leaves.CSV") // its results would replace those of the first table
	command[2] = "other/My leaves.CSV"
	fails(t, "closedform-results/my_leaves has the results of a manifest in ",
		append(command, "-out", "closedform-results")...)
	mustRun(t, append(command, "-out", "more")...)
	_, _, err = try(t, "learn", "more/my_leaves/network.npz", "-data", "my leaves.csv")
	check.OK(t, err)
	learned := "network.npz has learned 89 rows since it was trained"
	fails(t, learned, "-exp", "other/My leaves.toml", "-out", "more")
	write(t, "name = 'edited'\n", "my leaves.toml")
	command[2] = "my leaves.csv"
	fails(t, "my leaves.toml exists and differs", command...)
	check.Equal(t, "an edited manifest", read(t, "my leaves.toml"), "name = 'edited'\n")
	fails(t, "need -data", "run", "-exp", "x", "-ignore", "a")
	write(t, "size,kind,species\n1,k,a\n2,l,b\n3,k,a\n4,l,b\n5,k,a\n4,k,b\n", "Ж.csv")
	mustRun(t, "run", "-data", "Ж.csv", "-class", "species", "-categorical", "all")
	contains(t, read(t, "Ж.toml"), `categorical = ["all"]`, `name  = "own"`)
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
	command := append([]string{"run", "-data", "leaves.csv.gz", "-test", "new/row.csv"}, strings.Fields(fits)...)
	fails(t, "leaves: no file new/row.csv", command...)
	command[4] = "new/rows.csv"
	check.OK(t, os.Remove("leaves.toml"))
	_, said, err := try(t, command...)
	check.OK(t, err)
	contains(t, said, "rows.csv: inputs that repeat those of other rows")
	contains(t, read(t, "leaves.toml"), `test_file = "new/rows.csv"`)
	contains(t, read(t, "closedform-results/leaves/runs.csv"), "network,1,59,30,")
	write(t, lines[0]+"1;01.01.2024;Yew;1;2;red;x\n", "new", "rows.csv")
	fails(t, `new/rows.csv:2: class "Yew" is not in the training part, which has Ash, Elm, Oak`, command...)
}
