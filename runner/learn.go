package main

import (
	"cmp"
	"context"
	"flag"
)

const learnExamples = `go run ./runner learn results/mine/network.npz -data more.csv
  sensor | go run ./runner learn results/mine/network.npz -data -

The network predicts each row, which is printed at once, before it learns it. If the table has no
column of classes, the line after a row is its class; "?" is an unknown one, and the row is not
learned. A class that the network does not have is added to it. runner/README.md has more.`

func learnCommand(f *flag.FlagSet) action {
	rows := rowsFlags(f)
	class := f.String("class", "", "`column` of the classes (default: that of the training)")
	to := f.String("to", "", "`file` for the network (default: NETWORK, which is replaced)")
	return func(ctx context.Context, in *invocation, args []string) error {
		r, err := rows(args[0], in.stderr)
		if err != nil {
			return err
		}
		return r.Learn(ctx, in.stdout, *class, cmp.Or(*to, args[0]))
	}
}
