package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/own"
	"closedform/runner/internal/pipeline"
	"closedform/runner/internal/quote"
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

func drawCommand(f *flag.FlagSet) action {
	return requestAction(requestFlags(f), (*pipeline.Request).Draw)
}

func verifyCommand(f *flag.FlagSet) action {
	r := requestFlags(f)
	computingFlags(f, r)
	return requestAction(r, (*pipeline.Request).Verify)
}

func paperCommand(*flag.FlagSet) action {
	return func(_ context.Context, _ *invocation, args []string) error {
		return quote.WriteLaTeX(args[0], pipeline.Results)
	}
}

func fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, in *invocation, sets []string) error {
		return fetch.Get(ctx, filepath.Join(pipeline.Folder, "data", fetch.File), sets, *mirror, in.stdout)
	}
}

func showCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, args []string) error {
		n, err := own.Read(args[0])
		if err == nil {
			n.Show(in.stdout)
		}
		return err
	}
}

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
