package main

import (
	"context"
	"flag"
	"fmt"

	"closedform/core/classifier"
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
