package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"

	"closedform/runner/internal/pipeline"
)

func versionCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, _ []string) error {
		version := "(unknown)"
		if info, ok := debug.ReadBuildInfo(); ok {
			version = info.Main.Version // includes the commit, except under go run
		}
		_, err := fmt.Fprintf(in.stdout, "closedform %s, %s %s/%s\nsource digest %s\n",
			version, runtime.Version(), runtime.GOOS, runtime.GOARCH, pipeline.SourceDigest())
		return err
	}
}
