package main

import (
	"cmp"
	"context"
	"flag"
	"strings"

	"closedform/runner/dataset"
	"closedform/runner/internal/own"
	"closedform/runner/internal/store"
)

// rowsFlags declares the flags of the rows that predict and learn read, and of when they are unknown.
func (p *program) rowsFlags(f *flag.FlagSet) *own.Rows {
	r := &own.Rows{Stderr: p.stderr}
	f.StringVar(&r.Data, "data", "", "CSV `file` with rows, .csv.gz if it is packed; - is standard input. Columns are found by their names")
	f.Float64Var(&r.Unknown, "unknown", 0, "least `probability` for a class; below it the class is unknown")
	f.Float64Var(&r.Wrong, "wrong", 0, "choose that probability such that, with 95 % confidence, at most a `share` of the answers is wrong")
	f.Float64Var(&r.Familiar, "familiar", 0.01, "least `familiarity`, a p-value of the inputs: rows with less are unknown; 0 switches it off.\n"+
		"Without this flag it counts only with -unknown or -wrong")
	layoutFlags(f, &r.Layout, "that of the training table")
	return r
}

// layoutFlags declares the flags of how the file of a table is written.
func layoutFlags(f *flag.FlagSet, l *dataset.Layout, otherwise string) {
	f.StringVar(&l.Separator, "separator", "", "what separates cells: ',', ';' or tab (default: "+otherwise+")")
	f.StringVar(&l.Decimal, "decimal", "", "decimal mark of numbers: . or , (default: "+otherwise+")")
}

// tableFlags declares the flags of how a table of examples is read.
func tableFlags(f *flag.FlagSet) *dataset.Format {
	format := &dataset.Format{}
	list := func(dst *[]string) func(string) error {
		return func(names string) error {
			*dst = strings.Split(names, ",")
			return nil
		}
	}
	f.StringVar(&format.Class, "class", "class", "`column` of the classes in -data")
	f.Func("categorical", "`columns` of words, as a,b; all: every column that is not numbers", func(names string) error {
		if names == "all" {
			format.Categorical = dataset.AllWords
			return nil
		}
		return list((*[]string)(&format.Categorical))(names)
	})
	f.Func("ignore", "`columns` that are no inputs, as a,b", list(&format.Ignore))
	f.StringVar((*string)(&format.Missing), "missing", "", "what a cell without a value is: an error, a row to drop, or the mean of the column (default error)")
	layoutFlags(f, &format.Layout, "',' and .")
	return format
}

// checkRows checks these flags, and sets what follows from which are given.
func (p *program) checkRows(r *own.Rows, network string) error {
	r.Network, r.Decides = network, r.Unknown > 0 || r.Wrong > 0 || p.given["familiar"]
	if err := r.Problem(); err != nil {
		return misuse("%v", err)
	}
	if p.given["wrong"] && r.Wrong == 0 {
		return misuse("-wrong: 0 is not allowed; allowed: a number > 0 and < 1")
	}
	return nil
}

func (p *program) predictCommand(f *flag.FlagSet) action {
	r := p.rowsFlags(f)
	id := f.String("id", "", "`column` to begin the predictions with (default: the numbers of the rows)")
	to := f.String("to", "", "CSV `file` for the predictions, packed if it ends in .gz (default: standard output)")
	return func(_ context.Context, args []string) error {
		if err := p.checkRows(r, args[0]); err != nil {
			return err
		}
		out, err := r.Predict(*id)
		if err != nil {
			return err
		}
		text := out.CSV()
		if strings.HasSuffix(*to, ".gz") {
			text = store.Pack(out)
		}
		if *to != "" {
			return store.WriteFile(*to, text)
		}
		_, err = p.stdout.Write(text)
		return err
	}
}

const learnExample = `go run ./runner learn results/mine/network.npz -data more.csv
  sensor | go run ./runner learn results/mine/network.npz -data -

The network predicts each row, which is printed at once, before it learns it. If the table has no column of classes,
the line after a row is its class; "?" is an unknown one, and the row is not learned. A class that the network does
not have is added to it. runner/README.md has more.`

func (p *program) learnCommand(f *flag.FlagSet) action {
	r := p.rowsFlags(f)
	class := f.String("class", "", "`column` of the classes (default: that of the training)")
	to := f.String("to", "", "`file` for the network (default: NETWORK, which is replaced)")
	return func(ctx context.Context, args []string) error {
		if err := p.checkRows(r, args[0]); err != nil {
			return err
		}
		return r.Learn(ctx, p.stdout, *class, cmp.Or(*to, args[0]))
	}
}
