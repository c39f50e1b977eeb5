package main

import (
	"flag"
	"strings"

	"closedform/runner/dataset"
	"closedform/runner/internal/own"
)

// listFlag declares a flag that can be repeated, or have several values with a separator.
func listFlag(f *flag.FlagSet, list *[]string, name, separator, usage string) {
	f.Func(name, usage, func(s string) error {
		*list = append(*list, strings.Split(s, separator)...)
		return nil
	})
}

// formatFlags declares the flags that say how a table is written.
func formatFlags(f *flag.FlagSet, format *dataset.Format, separator, decimal string) {
	f.StringVar(&format.Separator, "separator", "", "split lines at this `mark`: ',', ';' or 'tab' (default: "+
		separator+")")
	f.StringVar(&format.Decimal, "decimal", "", "read numbers with this decimal `mark`: '.' or ',' (default: "+
		decimal+")")
}

// tableFlags declares the flags of run -data.
func tableFlags(f *flag.FlagSet) *own.Table {
	t := &own.Table{}
	format := &t.Format
	f.StringVar(&t.File, "data", "", "write a manifest beside this CSV `file`, packed by gzip or not, and run "+
		"it: it learns\nthree quarters of the rows, tests the others, and saves the network")
	f.StringVar(&t.Test, "test", "", "test on this CSV `file` (default: on a quarter of the rows of -data)")
	f.BoolVar(&t.AllRows, "all-rows", false, "let the saved network learn the test rows, too, after the test")
	f.StringVar(&format.Class, "class", "class", "take the classes from this `column`")
	listFlag(f, &format.Categorical, "categorical", ",", "read these `columns`, such as a,b, as words; all: "+
		"every column\nthat is not of numbers")
	listFlag(f, &format.Ignore, "ignore", ",", "leave out these `columns`, such as a,b")
	f.StringVar((*string)(&format.Missing), "missing", "", "treat missing values by this `rule`: error, drop "+
		"(leave out the row) or mean\n(of the column) (default: error)")
	formatFlags(f, format, "','", "'.'")
	return t
}
