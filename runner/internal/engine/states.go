package engine

import (
	"context"
	"regexp"
	"slices"
	"strings"
)

// ended is the final state of a job or a task, in the words of Slurm.
type ended struct{ state, exit string }

func (e ended) String() string {
	if e.state == "" {
		return "state not known to Slurm any more"
	}
	return e.state + ", exit code " + e.exit
}

var jobField = regexp.MustCompile(`(?:^|\s)(JobId|ArrayJobId|ArrayTaskId|JobState|ExitCode)=(\S+)`)

// states returns the final states of a job, or of the tasks of an array, by their ids, "12" or "12_3".
// Slurm forgets jobs after some minutes.
func states(ctx context.Context, job string) map[string]ended {
	all := map[string]ended{}
	out, _ := command(ctx, "scontrol", "-o", "show", "job", job)
	for line := range strings.Lines(out) {
		f := map[string]string{}
		for _, m := range jobField.FindAllStringSubmatch(line, -1) {
			f[m[1]] = m[2]
		}
		id := f["JobId"]
		if f["ArrayTaskId"] != "" {
			id = f["ArrayJobId"] + "_" + f["ArrayTaskId"]
		}
		all[id] = ended{f["JobState"], f["ExitCode"]}
	}
	return all
}

// queued reports whether a job is in the queue, in any state.
func queued(ctx context.Context, job string) (bool, error) {
	out, err := command(ctx, "squeue", "--noheader", "--me", "--format=%F")
	return err != nil || slices.Contains(strings.Fields(out), job), err
}
