package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"closedform/internal/field"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
)

//go:embed help/learn.txt
var learnExamples string

func learnCommand(f *flag.FlagSet) action {
	o := ownFlags(f)
	f.StringVar(&o.To, "to", "", "save the network to this `file` (default: NETWORK, which is replaced)")
	f.IntVar(&o.From, "from", 1, "begin with the row on this `line` of the table, counted from 1, the header "+
		"included")
	f.IntVar(&o.Save, "save", 1000, "save the network each time it has read this `number` of rows")
	classes := f.String("classes", "new", "learn rows of these `classes`: known (those that the network "+
		"has) or\nnew (others, too)")
	return func(ctx context.Context, in *invocation, args []string) error {
		o.Network, o.To, o.Known = args[0], cmp.Or(o.To, args[0]), *classes == "known"
		err := errors.Join(o.Validate(), field.Among("-classes", []string{"new", "known"}, *classes))
		if err != nil {
			return misuse("%v", err)
		}
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a closed pipe is an error, not the end
		next, err := own.Learn(ctx, in.stdout, in.stderr, *o)
		if next == 0 {
			return err
		}
		// The same flags go on with the saved network.
		words := []string{"learn", o.To}
		f.Visit(func(given *flag.Flag) {
			if yes, ok := given.Value.(interface{ IsBoolFlag() bool }); ok && yes.IsBoolFlag() {
				words = append(words, "-"+given.Name+"="+given.Value.String())
			} else if given.Name != "to" && given.Name != "from" {
				words = append(words, "-"+given.Name, given.Value.String())
			}
		})
		if data, _ := os.Stat(o.Data); o.Data != "-" && data != nil && data.Mode().IsRegular() {
			words = append(words, "-from", fmt.Sprint(next))
			return fmt.Errorf("%w; to go on at line %d: %s", err, next, pipeline.CommandLine(words))
		}
		return fmt.Errorf("%w; to go on with the rows after line %d, and only these: %s", err, next-1,
			pipeline.CommandLine(words))
	}
}
