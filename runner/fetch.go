package main

import (
	"context"
	"flag"
	"path/filepath"

	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/experiment"
)

const fetchExamples = "go run ./runner fetch iris mnist\n  go run ./runner fetch all"

func fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, in *invocation, sets []string) error {
		if _, err := experiment.All(); err != nil {
			return err
		}
		return fetch.Sets(ctx, filepath.Join(experiment.Folder, "data", fetch.File), sets, *mirror, in.stdout)
	}
}
