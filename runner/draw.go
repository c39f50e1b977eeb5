package main

import (
	"flag"

	"closedform/runner/internal/pipeline"
)

func drawCommand(f *flag.FlagSet) action {
	return requestAction(requestFlags(f), (*pipeline.Request).Draw)
}
