package main

import (
	"context"
	"encoding/csv"
	"flag"
	"io"
	"runtime"
	"strings"

	"closedform/core/classifier"
	"closedform/runner/dataset"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

func requestFlags(f *flag.FlagSet) *pipeline.Request {
	r := &pipeline.Request{}
	f.StringVar(&r.Out, "out", "", "put the results folders into this `folder` (default results, or\n"+
		pipeline.OwnResults+" beside a manifest of your own)")
	listFlag(f, &r.Names, "exp", "take this `manifest`, a path or a name in experiments/; the same as an argument")
	f.BoolVar(&r.All, "all", false, "take all manifests in experiments/ but confirmations")
	listFlag(f, &r.Overrides, "set", "replace a value of the manifest by `key=value`, such as "+
		"model.lambda=0.4 (repeatable);\nwithout -out the results go into a folder of their own")
	f.BoolVar(&r.Short, "short", false, "take the short forms: -set with the values of the key short")
	return r
}

func computingFlags(f *flag.FlagSet, r *pipeline.Request) {
	f.UintVar(&r.Workers, "workers", uint(runtime.GOMAXPROCS(0)), "compute this `number` of cells at a time")
	f.BoolVar(&r.Again, "confirm-again", false, "take also a confirmation that is published")
	f.BoolVar(&r.Quiet, "quiet", false, "show no progress on stderr")
}

func complete(r *pipeline.Request, in *invocation, names []string) error {
	r.Words, r.Stdout, r.Stderr = in.words, in.stdout, in.stderr
	r.Names = append(r.Names, names...)
	switch {
	case r.All && len(r.Names) > 0:
		return misuse("-all and the names of manifests exclude each other")
	case !r.All && len(r.Names) == 0:
		return misuse("nothing to do; give the names of manifests, or -all")
	}
	return nil
}

func requestAction(r *pipeline.Request, do func(*pipeline.Request, context.Context) error) action {
	return func(ctx context.Context, in *invocation, names []string) error {
		if err := complete(r, in, names); err != nil {
			return err
		}
		return do(r, ctx)
	}
}

// tableFlags declares the flags of run -data.
func tableFlags(f *flag.FlagSet) *own.Table {
	t := &own.Table{}
	format := &t.Format
	f.StringVar(&t.File, "data", "", "write a manifest beside this `file`, CSV or ARFF, packed by gzip or "+
		"not, and run it: it\nlearns three quarters of the rows, tests the others, and saves the network. If "+
		"nothing can be\nwritten beside the file, the manifest is written into the folder of -out")
	labelsFlag(f, &t.Labels)
	f.BoolVar(&format.NoHeader, "no-header", false, "read a table without a header line: its columns are "+
		"x1, x2, …")
	f.StringVar(&t.Test, "test", "", "test on this `file` (default: on a quarter of the rows of -data)")
	f.BoolVar(&t.AllRows, "all-rows", false, "let the saved network learn the test rows, too, after the test")
	f.StringVar(&format.Class, "class", "class", "take the classes from this `column`")
	f.Var((*columns)(&format.Categorical), "categorical", "read these `columns`, such as a,b, as words; all: "+
		"every column\nthat is not of numbers")
	f.Var((*columns)(&format.Ignore), "ignore", "leave out these `columns`, such as a,b or '\"a, in cm\",b'")
	f.Var((*columns)(&format.Numeric), "numeric", "read these `columns` as numbers, also with the leading zeros "+
		"of codes")
	f.StringVar((*string)(&format.Missing), "missing", "", "treat missing values by this `rule`: error, drop "+
		"(leave out the row), mean\n(of the column) or word (mean, and in columns of words one more word) "+
		"(default: error)")
	formatFlags(f, format, "','", "'.'", "they are refused")
	return t
}

// ownFlags declares the flags that predict and learn share.
func ownFlags(f *flag.FlagSet) *own.Options {
	o := &own.Options{From: 1, Save: 1000}
	const training = "as in the training table"
	f.StringVar(&o.Data, "data", "", "read rows from this `file`, CSV or ARFF, packed by gzip or not; -: "+
		"standard input")
	labelsFlag(f, &o.Labels)
	f.StringVar(&o.Format.Class, "class", "", "take the classes from this `column` (default: "+training+")")
	f.Float64Var(&o.Probability, "unknown", 0, "answer unknown if no class has this `probability` or more")
	f.Float64Var(&o.Wrong, "wrong", 1, "keep the `share` of wrong answers at or below this, by\n"+
		"answering unknown where the network is least confident; 1: answer all. This is promised with\n"+
		"95 % confidence, for new rows like those learned, and for one look at a time fixed beforehand.\n"+
		"Gradual drift, rows that repeat, and rows in an order, such as by class, void the promise")
	f.Float64Var(&o.Familiarity, "familiar", classifier.DefaultFamiliarity, "answer unknown if the "+
		"familiarity of the inputs, a p-value, is below this `level`; 0: never")
	formatFlags(f, &o.Format, training, training, training)
	return o
}

func labelsFlag(f *flag.FlagSet, file *string) {
	f.StringVar(file, "labels", "", "take the classes from this `file`, a row for each row of -data (default: "+
		"from -class)")
}

// formatFlags declares the flags for all tables, with what their defaults do.
func formatFlags(f *flag.FlagSet, format *dataset.Format, separator, decimal, alike string) {
	format.Flags = true
	f.StringVar(&format.Separator, "separator", "", "split lines at this `mark`: ',', ';', 'tab' or 'blank' "+
		"(default: "+separator+")")
	f.StringVar(&format.Decimal, "decimal", "", "read numbers with this decimal `mark`: '.' or ',' (default: "+
		decimal+")")
	f.Var((*columns)(&format.NoValue), "no-value", "read these `words` as missing values, beside NA, N/A, NaN, ? "+
		"and null")
	f.BoolVar(&format.AsWritten, "as-written", false, "take labels that look alike, such as a and A, for "+
		"different classes\n(default: "+alike+")")
}

// listFlag declares a flag that can be repeated.
func listFlag(f *flag.FlagSet, list *[]string, name, usage string) {
	f.Func(name, usage, func(s string) error {
		*list = append(*list, s)
		return nil
	})
}

// columns is the value of a flag that can be repeated, each time with a line of CSV.
type columns []string

func (c *columns) String() string { return dataset.Line(*c) }

func (c *columns) Set(s string) error {
	line := csv.NewReader(strings.NewReader(s))
	line.TrimLeadingSpace = true
	values, err := line.Read()
	if err == io.EOF {
		values, err = []string{""}, nil
	}
	*c = append(*c, values...)
	return err
}
