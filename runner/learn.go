package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"

	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

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
