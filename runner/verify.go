package main

import (
	"flag"

	"closedform/runner/internal/pipeline"
)

func verifyCommand(f *flag.FlagSet) action {
	r := requestFlags(f)
	computingFlags(f, r)
	return requestAction(r, (*pipeline.Request).Verify)
}
