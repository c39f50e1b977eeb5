package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"closedform/core/classifier"
	"closedform/runner/dataset"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

const predictExamples = `predict closedform-results/my/network.npz -data new.csv -unknown 0.9

Columns are found by their names. If the table has the classes, the scores are printed, too.`

func predictCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "write the predictions to this CSV `file`, packed if its name ends in .gz\n"+
		"(default: print them)")
	return func(ctx context.Context, in *invocation, args []string) error {
		o.Network = args[0]
		if err := o.Validate(); err != nil {
			return misuse("%v", err)
		}
		for _, input := range []string{o.Data, o.Network} {
			if pipeline.SameFile(input, o.To) {
				return fmt.Errorf("-to %s is %s, which the predictions would replace; name another file",
					o.To, input)
			}
		}
		return own.Predict(ctx, in.stdout, in.stderr, *o)
	}
}

const learnExamples = `learn closedform-results/my/network.npz -data more.csv
  sensor | go run ./runner learn closedform-results/my/network.npz -data -

The network predicts each row, which is printed at once, before it learns it. If the table has no
column of classes, the line after a row is its class; "?" is an unknown one, and the row is not
learned. A class that the network does not have is added to it. runner/README.md has more.`

func learnCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "save the network to this `file` (default: NETWORK, which is replaced)")
	f.IntVar(&o.From, "from", 1, "begin with this `row` of the table, counted from 1")
	return func(ctx context.Context, in *invocation, args []string) error {
		words := in.words
		if o.To != "" {
			words = []string{"learn", o.To, "-data", o.Data}
		}
		o.Network, o.To = args[0], cmp.Or(o.To, args[0])
		if err := o.Validate(); err != nil {
			return misuse("%v", err)
		}
		next, err := own.Learn(ctx, in.stdout, in.stderr, *o)
		if errors.Is(err, context.Canceled) {
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

// ownFlags declares the flags that predict and learn share.
func ownFlags(f *flag.FlagSet) *own.Options {
	o := &own.Options{}
	const training = "as in the training table"
	f.StringVar(&o.Data, "data", "", "read rows from this CSV `file`, packed by gzip or not; -: standard input")
	f.StringVar(&o.Format.Class, "class", "", "take the classes from this `column` (default: "+training+")")
	f.Float64Var(&o.Probability, "unknown", 0, "answer unknown if no class has this `probability` or more")
	f.Float64Var(&o.Wrong, "wrong", 1, "keep the `share` of wrong answers at or below this, with 95 %\n"+
		"confidence, by answering unknown where the network is least confident; 1: answer all")
	f.Float64Var(&o.Familiarity, "familiar", classifier.DefaultFamiliarity, "answer unknown if the "+
		"familiarity of the inputs, a p-value, is below this `level`; 0: never")
	formatFlags(f, &o.Format, training, training)
	return o
}

// formatFlags declares the flags that say how a table is written.
func formatFlags(f *flag.FlagSet, format *dataset.Format, separator, decimal string) {
	f.StringVar(&format.Separator, "separator", "", "split lines at this `mark`: ',', ';' or 'tab' (default: "+
		separator+")")
	f.StringVar(&format.Decimal, "decimal", "", "read numbers with this decimal `mark`: '.' or ',' (default: "+
		decimal+")")
}
