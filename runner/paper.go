package main

import (
	"context"
	"flag"

	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/quote"
)

func paperCommand(*flag.FlagSet) action {
	return func(_ context.Context, _ *invocation, args []string) error {
		return quote.WriteLaTeX(args[0], pipeline.Results)
	}
}
