package engine

import (
	"context"
	"fmt"
	"maps"
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
// Without accounting Slurm forgets jobs after some minutes.
func states(ctx context.Context, job string) map[string]ended {
	all := map[string]ended{}
	if out, err := command(ctx, "sacct", "-n", "-X", "-P", "-j", job, "-o", "JobID,State,ExitCode"); err == nil {
		for line := range strings.Lines(out) {
			if f := strings.Split(strings.TrimSpace(line), "|"); len(f) == 3 {
				all[f[0]] = ended{f[1], f[2]}
			}
		}
	}
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

// queue returns how many tasks of an array are in which state, in words, and whether a
// job is there, in any state.
func queue(ctx context.Context, array, job string) (tasks string, there bool, err error) {
	out, err := command(ctx, "squeue", "--noheader", "--array", "--me", "--format=%F|%T|%r")
	if err != nil {
		return "", true, err
	}
	counts := map[string]int{}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 3 {
			continue
		}
		there = there || f[0] == job
		if f[0] == array {
			state := strings.ToLower(f[1])
			if f[2] != "None" && state == "pending" {
				state += " (" + f[2] + ")"
			}
			counts[state]++
		}
	}
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		tasks += fmt.Sprintf(", %s %s", count(counts[state], "task"), state)
	}
	return tasks, there, nil
}
