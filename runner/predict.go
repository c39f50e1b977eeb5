package main

import (
	"context"
	"flag"

	"closedform/runner/internal/own"
)

const predictExamples = `predict closedform-results/my/network.npz -data new.csv -unknown 0.9

Columns are found by their names. The column row of the predictions is the line of the row in the
file, the header being line 1. If the table has the classes, the share of wrong answers and other
scores are printed, too.`

func predictCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "write the predictions to this CSV `file`, packed if its name ends in .gz\n"+
		"(default: print them)")
	return func(ctx context.Context, in *invocation, args []string) error {
		o.Network = args[0]
		if err := o.Validate(); err != nil {
			return misuse("%v", err)
		}
		return own.Predict(ctx, in.stdout, in.stderr, *o)
	}
}
