package main

import (
	"context"
	"flag"

	"closedform/runner/internal/pipeline"
)

func drawCommand(f *flag.FlagSet) action {
	r := requestFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		if err := r.complete(in, names); err != nil {
			return err
		}
		return r.Draw(ctx)
	}
}

func verifyCommand(f *flag.FlagSet) action {
	r := requestFlags(f)
	r.computingFlags(f)
	return func(ctx context.Context, in *invocation, names []string) error {
		if err := r.complete(in, names); err != nil {
			return err
		}
		return r.Verify(ctx)
	}
}

func listCommand(f *flag.FlagSet) action {
	check := f.Bool("check", false, "print what is behind; fail unless results/STALE names just that")
	return func(_ context.Context, in *invocation, _ []string) error {
		if *check {
			return pipeline.Check(in.stdout)
		}
		return pipeline.List(in.stdout)
	}
}
