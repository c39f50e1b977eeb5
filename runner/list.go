package main

import (
	"context"
	"flag"

	"closedform/runner/internal/pipeline"
)

func listCommand(f *flag.FlagSet) action {
	check := f.Bool("check", false, "print what is behind; fail unless results/STALE names just that")
	return func(_ context.Context, in *invocation, _ []string) error {
		if *check {
			return pipeline.Check(in.stdout)
		}
		return pipeline.List(in.stdout)
	}
}
