package main

import (
	"context"
	"flag"
	"fmt"

	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

const predictExamples = `predict closedform-results/my/network.npz -data new.csv -unknown 0.9

Columns are found by their names. If the table has the classes, the share of wrong
answers and other scores are printed, too.`

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
