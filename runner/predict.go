package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"

	"closedform/core/classifier"
	"closedform/runner/dataset"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/store"
)

const predictExamples = `predict closedform-results/my/network.npz -data new.csv -unknown 0.9

Columns are found by their names. If the table has the classes, the scores are printed, too.`

func predictCommand(f *flag.FlagSet) action {
	r := rowsFlags(f)
	to := f.String("to", "", "CSV `file` for the predictions, packed as .gz (default: standard output)")
	return func(ctx context.Context, in *invocation, args []string) error {
		r.Network, r.Stderr = args[0], in.stderr
		if err := r.Problem(); err != nil {
			return misuse("%v", err)
		}
		for _, source := range []string{r.Data, r.Network} {
			if pipeline.SameFile(source, *to) {
				return fmt.Errorf("-to %s is %s, which the predictions would replace; name another file", *to, source)
			}
		}
		var file bytes.Buffer
		out := in.stdout
		if *to != "" {
			out = &file
		}
		failed, rows, err := r.Predict(ctx, out)
		if err != nil {
			return err
		}
		text := file.Bytes()
		if strings.HasSuffix(*to, ".gz") {
			text = store.Pack(text)
		}
		if *to != "" {
			err = store.WriteFile(*to, text)
		}
		if failed > 0 {
			err = errors.Join(err, fmt.Errorf("%d of %d rows could not be predicted", failed, rows))
		}
		return err
	}
}

const learnExamples = `learn closedform-results/my/network.npz -data more.csv
  sensor | go run ./runner learn closedform-results/my/network.npz -data -

The network predicts each row, which is printed at once, before it learns it. If the table has no
column of classes, the line after a row is its class; "?" is an unknown one, and the row is not
learned. A class that the network does not have is added to it. runner/README.md has more.`

func learnCommand(f *flag.FlagSet) action {
	r := rowsFlags(f)
	to := f.String("to", "", "`file` for the network (default: NETWORK, which is replaced)")
	from := f.Int("from", 1, "`row` of the table to begin with, from 1")
	return func(ctx context.Context, in *invocation, args []string) error {
		r.Network, r.Stderr = args[0], in.stderr
		if err := r.Problem(); err != nil {
			return misuse("%v", err)
		}
		next, err := r.Learn(ctx, in.stdout, *from, cmp.Or(*to, args[0]))
		if errors.Is(err, context.Canceled) {
			words := in.words
			if *to != "" {
				words = append([]string{"learn", *to}, "-data", r.Data)
			}
			err = fmt.Errorf("%w; to go on at row %d: %s -from %[2]d", err, next, pipeline.CommandLine(words))
		}
		return err
	}
}

func showCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, args []string) error {
		n, err := own.Read(args[0])
		if err == nil {
			n.Show(in.stdout)
		}
		return err
	}
}

func rowsFlags(f *flag.FlagSet) *own.Rows {
	r := &own.Rows{}
	f.StringVar(&r.Data, "data", "", "CSV `file` with rows, .csv.gz if it is packed; - is standard input")
	f.StringVar(&r.Format.Class, "class", "", "`column` of the classes (default: that of the training)")
	f.Float64Var(&r.Probability, "unknown", 0, "least `probability` for a class; below it the class is unknown")
	f.Float64Var(&r.Wrong, "wrong", 1, "least confidence for a class such that, with 95 % probability, at "+
		"most a `share` of the answers is wrong")
	f.Float64Var(&r.Familiarity, "familiar", classifier.DefaultFamiliarity, "least `familiarity`, a p-value of "+
		"the inputs: rows with less are unknown; 0 switches it off")
	formatFlags(f, &r.Format, "that of the training table", "that of the training table")
	return r
}

// listFlag declares a flag that can be repeated, or have several values with a separator.
func listFlag(f *flag.FlagSet, list *[]string, name, separator, usage string) {
	f.Func(name, usage, func(s string) error {
		*list = append(*list, strings.Split(s, separator)...)
		return nil
	})
}

func formatFlags(f *flag.FlagSet, format *dataset.Format, separator, decimal string) {
	f.StringVar(&format.Separator, "separator", "", "what is between cells: ',', ';' or 'tab' (default: "+
		separator+")")
	f.StringVar(&format.Decimal, "decimal", "", "decimal mark of numbers: '.' or ',' (default: "+decimal+")")
}

func tableFlags(f *flag.FlagSet) *own.Table {
	t := &own.Table{}
	format := &t.Format
	f.StringVar(&t.File, "data", "", "CSV `file` with a header line, or .csv.gz: write a manifest beside it "+
		"and run it.\nIt learns three quarters of the rows, tests the others, and saves the network")
	f.StringVar(&t.Test, "test", "", "CSV `file` of test rows for -data (default: a quarter of its rows)")
	f.BoolVar(&t.All, "all-rows", false, "let the saved network learn the test rows, too, after the test")
	f.StringVar(&format.Class, "class", "class", "`column` of the classes in -data")
	listFlag(f, &format.Categorical, "categorical", ",", "`columns` of words, as a,b; all: all but numbers")
	listFlag(f, &format.Ignore, "ignore", ",", "`columns` that are no inputs, as a,b")
	f.StringVar((*string)(&format.Missing), "missing", "",
		"what a cell without a value is: an error, a row to drop, or the mean of the column (default error)")
	formatFlags(f, format, "','", "'.'")
	return t
}
