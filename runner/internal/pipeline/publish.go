package pipeline

import (
	"context"
	"fmt"

	"closedform/runner/internal/own"
	"closedform/runner/internal/report"
	"closedform/runner/internal/store"
)

// publish puts the files into the results folder, unless another process has just done so, and prints the
// result.
func (j *job) publish(ctx context.Context, files []store.File, readme *report.README, run *store.Run) error {
	release, err := own.Replace(j.Dir)
	if err != nil {
		return err
	}
	defer release()
	published, err := j.work.Folder.Publish(ctx, j.inputs, files, readme.Markdown(), run)
	if err != nil {
		return err
	}
	if !published {
		j.print("is up to date\n")
		return nil
	}
	j.print(fmt.Sprintf("has %d files, in %.2f s\n", len(files), j.run.Seconds) + report.Text(readme.Result))
	return nil
}
