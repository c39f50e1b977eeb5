package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"closedform/internal/check"
)

// cluster starts a Slurm cluster of four nodes on this host, and returns what does more to it. Tests that need it are
// skipped where it cannot be started, unless CLOSEDFORM_SLURM is set.
func cluster(t *testing.T) (do func(args ...string)) {
	t.Helper()
	give := t.Skipf
	if os.Getenv("CLOSEDFORM_SLURM") != "" {
		give = t.Fatalf
	}
	if testing.Short() {
		t.Skip("a cluster takes a while")
	}
	for _, name := range []string{"sbatch", "slurmctld", "slurmd", "munged"} {
		if _, err := os.Stat(filepath.Join("/usr/sbin", name)); err != nil {
			if _, err := exec.LookPath(name); err != nil {
				give("no Slurm: %v; apt-get install -y --no-install-recommends slurm-wlm munge", err)
			}
		}
	}
	dir, err := os.MkdirTemp("", "slurm") // sockets have short names
	check.OK(t, err)
	script := check.Must(filepath.Abs("internal/engine/testdata/cluster.sh"))
	call := func(args ...string) (string, error) {
		args = append([]string{args[0], dir}, args[1:]...)
		out, err := exec.Command(script, args...).CombinedOutput()
		return string(out), err
	}
	t.Cleanup(func() {
		call("stop")
		os.RemoveAll(dir)
	})
	if out, err := call("start", "4"); err != nil {
		give("no Slurm: %v: %s", err, out)
	}
	t.Setenv("SLURM_CONF", filepath.Join(dir, "slurm.conf"))
	return func(args ...string) {
		t.Helper()
		if out, err := call(args...); err != nil {
			t.Fatalf("%q: %v: %s", args, err, out)
		}
	}
}

// slow is a manifest with 16 cells of a fifth of a second.
func slow(t *testing.T) string {
	t.Helper()
	return write(t, edit(t, small, "[1, 2]", `"1..8"`, "points = 5", "points = 5\nsleep = 40"))
}

// alone returns the results of a manifest as this machine makes them.
func alone(t *testing.T, manifest string) map[string]string {
	t.Helper()
	out := t.TempDir()
	mustRun(t, "-exp", manifest, "-out", out, "-workers", "16")
	return results(t, filepath.Join(out, "small"))
}

// slurm runs a manifest on the cluster, with more flags, does something as soon as a cell
// is claimed, and returns the exit code and what is printed.
func slurm(t *testing.T, manifest, out string, meanwhile func(), flags ...string) (code int, said string) {
	t.Helper()
	args := append([]string{"-exp", manifest, "-out", out, "-engine", "slurm", "-wait", "-quiet"}, flags...)
	p, ended := startAndWait(t, func() bool { return claimed(t, out) }, args...)
	if meanwhile != nil {
		meanwhile()
	}
	select {
	case <-ended:
	case <-time.After(3 * time.Minute):
		queue, _ := exec.Command("squeue").CombinedOutput()
		t.Fatalf("the jobs do not end: %s%s%s", &p.stdout, &p.stderr, queue)
	}
	return p.ProcessState.ExitCode(), p.stdout.String() + p.stderr.String()
}

// withoutJobs takes what Slurm leaves in a results folder away.
func withoutJobs(t *testing.T, dir string) map[string]string {
	t.Helper()
	remove(t, dir, "slurm")
	return results(t, dir)
}

// tasks returns the process ids of the tasks that run in a folder.
func tasks(t *testing.T, out string) (pids []int) {
	t.Helper()
	for _, path := range glob(t, "/proc", "[0-9]*", "cmdline") {
		line, _ := os.ReadFile(path)
		if words := string(line); strings.Contains(words, out) && strings.Contains(words, "\x00task\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// What happens to nodes, tasks and the controller changes no byte, and where cells are
// missing, the merge says which and why, and the same command computes them and no others.
func TestSlurm(t *testing.T) {
	do := cluster(t)
	m := slow(t)
	want := alone(t, m)
	done := func(t *testing.T, code int, said, out string) {
		t.Helper()
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, said)
		}
		same(t, withoutJobs(t, filepath.Join(out, "small")), want)
	}
	t.Run("undisturbed", func(t *testing.T) {
		out := t.TempDir()
		code, said := slurm(t, m, out, nil, "-chunk", "3", "-limit", "6", "-slurm-args", "--time=5 --comment='a b'")
		contains(t, said, " computes 16 cells in 6 tasks; ", "\nsmall: 16 cells, 0 computed, 16 done before; 6 files in "+out)
		script := read(t, out, "small", "slurm", "array.sbatch")
		contains(t, script, "#SBATCH --array=0-5%6\n", "#SBATCH --requeue\n", "#SBATCH --time=5 --comment='a b'\n", "-out "+out)
		done(t, code, said, out)
		if code, stdout, stderr := exit(t, "-exp", m, "-out", out, "-engine", "slurm"); code != 0 || stderr != "" || !strings.Contains(stdout, "is up to date") {
			t.Errorf("again: exit code %d, %s%s", code, stdout, stderr)
		}
	})
	t.Run("a node is lost", func(t *testing.T) {
		out := t.TempDir()
		code, said := slurm(t, m, out, func() { do("node", "n1") }, "-chunk", "4")
		done(t, code, said, out)
	})
	t.Run("the controller is started again", func(t *testing.T) {
		out := t.TempDir()
		code, said := slurm(t, m, out, func() { do("controller") }, "-chunk", "4")
		done(t, code, said, out)
	})
	t.Run("a task is killed", func(t *testing.T) {
		out := t.TempDir()
		code, said := slurm(t, m, out, func() {
			check.OK(t, syscall.Kill(tasks(t, out)[0], syscall.SIGKILL))
		}, "-chunk", "8")
		contains(t, said, " of 16 cells are missing, such as ", " seed=", "; the same command again computes them; ")
		if code != 1 || exists(out, "small", "SHA256SUMS") {
			t.Errorf("exit code %d, and SHA256SUMS is there: %t", code, exists(out, "small", "SHA256SUMS"))
		}
		var left int
		fmt.Sscanf(said[strings.Index(said, "\nrunner: small: ")+1:], "runner: small: %d of", &left)
		code, said = slurm(t, m, out, nil, "-chunk", "1")
		contains(t, said, fmt.Sprintf(" in %d task", left))
		done(t, code, said, out)
	})
	t.Run("the array is cancelled", func(t *testing.T) {
		out := t.TempDir()
		code, said := slurm(t, m, out, func() {
			running := output(t, "squeue", "--noheader", "--states=running", "--format=%F")
			output(t, "scancel", strings.Fields(running)[0])
		}, "-chunk", "8")
		if code != 1 || !strings.Contains(said, "cells are missing") {
			t.Errorf("exit code %d: %s", code, said)
		}
		code, said = slurm(t, m, out, nil)
		done(t, code, said, out)
	})
	t.Run("two arrays and a laptop", func(t *testing.T) {
		out := t.TempDir()
		var second *process
		var here string
		code, said := slurm(t, m, out, func() {
			second, _ = startAndWait(t, func() bool { return true }, "-exp", m, "-out", out, "-engine", "slurm", "-wait", "-quiet", "-chunk", "5")
			_, here, _ = exit(t, "-exp", m, "-out", out, "-workers", "2")
			for second.ProcessState == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}, "-chunk", "4")
		computed := 0
		for _, text := range append(logs(t, out), here) {
			for _, n := range regexp.MustCompile(`cells, (\d+) computed`).FindAllStringSubmatch(text, -1) {
				k, _ := strconv.Atoi(n[1])
				computed += k
			}
		}
		check.Equal(t, "computed", []any{computed, second.ProcessState.ExitCode()}, []any{16, 0})
		done(t, code, said, out)
	})
	t.Run("a cell fails, and one manifest of two", func(t *testing.T) {
		out := t.TempDir()
		bad := write(t, edit(t, small, `"small"`, `"bad"`, "scale = 2", "fail = true"))
		code, said := slurm(t, m, out, nil, "-exp", bad)
		contains(t, said, "small-and-1-more: job ", " computes 20 cells in 20 tasks", "\nrunner: bad: 2 of 4 cells are missing, such as total seed=1, total seed=2;")
		check.Equal(t, "exit code", code, 1)
		done(t, 0, said, out)
	})
	t.Run("a damaged cell", func(t *testing.T) {
		out := t.TempDir()
		mustRun(t, "-exp", m, "-out", out, "-shard", "1/2")
		cell := cellFiles(t, filepath.Join(out, "small"))[0]
		write(t, read(t, cell)+"x", cell)
		code, said := slurm(t, m, out, nil)
		contains(t, said, " computes 9 cells in 9 tasks")
		done(t, code, said, out)
	})
	t.Run("a wrong partition", func(t *testing.T) {
		out := t.TempDir()
		code, stdout, stderr := exit(t, "-exp", m, "-out", out, "-engine", "slurm", "-slurm-args", "--partition=nowhere")
		if contains(t, stderr, "runner: sbatch: exit status 1: sbatch: error: ", "invalid partition"); code != 1 || stdout != "" {
			t.Errorf("exit code %d, %s", code, stdout)
		}
	})
}

// The script can be read before anything is submitted, and where there is no Slurm, which is then told.
func TestSlurmScript(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out := t.TempDir()
	m := write(t, small)
	said := mustRun(t, "-exp", m, "-out", out, "-engine", "slurm", "-dry-run", "-chunk", "3", "-limit", "1", "-slurm-args", "--mem=4G")
	contains(t, said, "#!/bin/bash\n", "2 tasks compute the 4 cells that are missing", "\n#SBATCH --array=0-1%1\n", "\n#SBATCH --requeue\n",
		"\n#SBATCH --signal=B:TERM@60\n", "\n#SBATCH --mem=4G\n", "$SLURM_ARRAY_TASK_ID -quiet", " merge /")
	check.Equal(t, "it writes files", exists(out, "small", "slurm"), false)
	_, _, err := try(t, "-exp", m, "-out", out, "-engine", "slurm")
	check.Refuses(t, "no Slurm", err, `sbatch: exec: "sbatch": executable file not found in $PATH: -engine slurm needs the commands of Slurm`)
	mustRun(t, "-exp", m, "-out", out, "-shard", "1/1")
	contains(t, mustRun(t, "-exp", m, "-out", out, "-engine", "slurm", "-dry-run"), "small: no cell is missing\n")
	mustRun(t, "-exp", m, "-out", out)
	contains(t, mustRun(t, "-exp", m, "-out", out, "-engine", "slurm"), "is up to date") // which takes no Slurm
}

// Four experiments without data sets on four nodes have the sums of one machine.
func TestSlurmQuick(t *testing.T) {
	if os.Getenv("CLOSEDFORM_SLURM") != "quick" {
		t.Skip("it takes minutes; CLOSEDFORM_SLURM=quick")
	}
	cluster(t)
	program, out := filepath.Join(t.TempDir(), "closedform"), t.TempDir()
	output(t, "go", "build", "-o", program, ".")
	t.Chdir("..")
	output(t, program, "-exp", "own_data", "-exp", "stability", "-exp", "fig1_12", "-exp", "huber", "-engine", "slurm", "-wait", "-quiet", "-out", out, "-slurm-args", "--time=60")
	sums := glob(t, out, "*", "SHA256SUMS")
	for _, path := range sums {
		name := filepath.Base(filepath.Dir(path))
		check.Equal(t, fmt.Sprintf("%s: other sums than on one machine", name), read(t, path), read(t, "results", name, "SHA256SUMS"))
	}
	t.Logf("%d experiments", len(sums))
	check.Equal(t, "only", len(sums), 4)
}

// logs returns what the tasks of a folder said.
func logs(t *testing.T, out string) (all []string) {
	t.Helper()
	for _, path := range glob(t, out, "small", "slurm", "*", "*_*.log") {
		all = append(all, read(t, path))
	}
	return all
}

// output returns the output of a command that succeeds.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, out)
	}
	return string(out)
}
