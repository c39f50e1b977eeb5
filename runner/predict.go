package main

import (
	"context"
	_ "embed"
	"flag"

	"closedform/runner/internal/own"
)

//go:embed help/predict.txt
var predictExamples string

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
