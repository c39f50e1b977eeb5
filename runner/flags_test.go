package main

import (
	"flag"
	"testing"

	check "closedform/internal/checktest"
)

// Flags with several values are lines of CSV, so that a name with a comma can be given.
func TestListFlags(t *testing.T) {
	f := flag.NewFlagSet("run", flag.ContinueOnError)
	table := tableFlags(f)
	check.OK(t, f.Parse([]string{"-ignore", `"Breite, cm", id`, "-ignore", "a b", "-numeric", `"say ""no"""`}))
	check.Equal(t, "columns", [][]string{table.Format.Ignore, table.Format.Numeric},
		[][]string{{"Breite, cm", "id", "a b"}, {`say "no"`}})
	check.Equal(t, "as typed", f.Lookup("ignore").Value.String(), `"Breite, cm",id,a b`)
	f.SetOutput(t.Output())
	check.Refuses(t, "a quote", f.Parse([]string{"-ignore", `"Breite, cm`}), `"`)
}
