package main

import (
	"context"
	"flag"
	"path/filepath"

	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/pipeline"
)

func fetchCommand(f *flag.FlagSet) action {
	mirror := f.String("mirror", "", "take files from this `folder`, and download only those that it lacks")
	return func(ctx context.Context, in *invocation, sets []string) error {
		return fetch.Get(ctx, filepath.Join(pipeline.Folder, "data", fetch.File), sets, *mirror, in.stdout)
	}
}
