package main

import (
	"context"
	"flag"

	"closedform/runner/internal/quote"
)

const paperExamples = "go run ./runner paper paper   the numbers and tables that paper/numbers.toml lists"

func paperCommand(f *flag.FlagSet) action {
	out := outFlag(f)
	return func(_ context.Context, _ *invocation, args []string) error { return quote.WriteLaTeX(args[0], *out) }
}
