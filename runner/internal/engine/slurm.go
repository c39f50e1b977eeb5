package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"closedform/runner/internal/store"
)

// Slurm computes the cells of all experiments in one job array of a cluster, and merges and publishes them
// in a job that depends on it. It uses only Slurm's commands.
type Slurm struct {
	Chunk   int    // cells of a task; 0: as many as make a hundred tasks
	Limit   int    // tasks at a time; 0: as the cluster likes
	Options string // of sbatch
	Out     string // -out of the jobs; empty: they choose it
	DryRun  bool   // print the scripts, and no more
	Wait    bool   // until the jobs are done
	Stdout  io.Writer

	work []*Work
}

const (
	mostTasks    = 100 // unless -chunk says otherwise
	scriptHeader = `#!/bin/bash
# Written by closedform -engine slurm for sbatch; %s.
#SBATCH --job-name=closedform-%s
#SBATCH --output="%s"
#SBATCH --open-mode=append
#SBATCH --requeue
`
	scriptBody = `cd %s || exit
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-1}
exec %s %s -quiet`
)

// Take takes an experiment into the array, unless all of its cells are done and the array has no other.
func (s *Slurm) Take(w *Work) (taken bool, err error) {
	if err := w.others(); err != nil {
		return false, err
	}
	w.look(w.All())
	if len(w.absent())+len(s.work) == 0 && !s.DryRun {
		return false, nil
	}
	s.work = append(s.work, w)
	return true, nil
}

// plan is the work of a job array. It is in slurm/HASH/ of the results
// folder of the first experiment: copies of the manifests from when the array was submitted,
// the tasks, and the logs.
type plan struct {
	name         string // of the jobs
	dir          string // slurm/HASH
	program      string // that the jobs run, a copy of this one
	code         []byte // of it
	tasks        []Task
	cells        int    // of all tasks
	array, merge string // the scripts
}

// plan makes the plan of the missing cells.
func (s *Slurm) plan() (*plan, error) {
	p := &plan{name: s.work[0].Name}
	if len(s.work) > 1 {
		p.name += fmt.Sprintf("-and-%d-more", len(s.work)-1)
	}
	for _, w := range s.work {
		p.cells += len(w.absent())
	}
	chunk := s.Chunk
	if chunk == 0 {
		chunk = max(1, (p.cells+mostTasks-1)/mostTasks)
	}
	hash := sha256.New()
	for _, w := range s.work {
		for cells := range slices.Chunk(w.absent(), chunk) {
			p.tasks = append(p.tasks, Task{w.Name, cells})
		}
		hash.Write(w.Manifest)
	}
	hash.Write(encodeTasks(p.tasks))
	here, err1 := os.Getwd()
	slurm, err2 := filepath.Abs(filepath.Join(s.work[0].Folder.Dir, "slurm"))
	program, err3 := os.Executable()
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err
	}
	var err error
	p.code, err = os.ReadFile(program)
	p.dir = filepath.Join(slurm, fmt.Sprintf("%x", hash.Sum(nil)[:4]))
	p.program = filepath.Join(slurm, fmt.Sprintf("closedform-%x", sha256.Sum256(p.code))[:len("closedform-")+8])
	s.scripts(p, here)
	return p, err
}

// scripts writes the job scripts, which run in the folder here.
func (s *Slurm) scripts(p *plan, here string) {
	var options, experiments string
	for _, w := range s.work {
		experiments += " -exp " + Quoted(filepath.Join(p.dir, w.Name+".toml"))
	}
	if s.Options != "" {
		options += "#SBATCH " + s.Options + "\n"
	}
	if s.Out != "" {
		experiments += " -out " + Quoted(s.Out)
	}
	script := func(about, log, own, command string) string {
		log = filepath.Join(strings.ReplaceAll(p.dir, "%", "%%"), log)
		return fmt.Sprintf(scriptHeader, about, p.name, log) + own + options +
			fmt.Sprintf(scriptBody, Quoted(here), Quoted(p.program), command) + experiments + "\n"
	}
	array := fmt.Sprintf("#SBATCH --array=0-%d", len(p.tasks)-1)
	if s.Limit > 0 {
		array += fmt.Sprintf("%%%d", s.Limit)
	}
	p.array = script(fmt.Sprintf("%s compute the %s that are missing", count(len(p.tasks), "task"), count(p.cells, "cell")),
		"%A_%a.log", array+"\n#SBATCH --signal=B:TERM@60\n", "task "+Quoted(p.dir)+"/$SLURM_ARRAY_TASK_ID")
	p.merge = script("the argument is the id of the array", "%j.log", "", "merge "+Quoted(p.dir)+"/$1")
}

// Quoted quotes a word for the shell, if it must be.
func Quoted(word string) string {
	if word != "" && !special.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var special = regexp.MustCompile(`[^\w@%+=:,./-]`)

// write writes the scripts, the tasks, the manifests and the program, which may be running on some node and is
// not written again.
func (s *Slurm) write(p *plan) error {
	err := os.MkdirAll(p.dir, 0o777)
	if _, absent := os.Stat(p.program); absent != nil {
		err = errors.Join(err, renameio.WriteFile(p.program, p.code, 0o777))
	}
	for _, w := range s.work {
		err = errors.Join(err, store.WriteFile(filepath.Join(p.dir, w.Name+".toml"), w.Manifest))
	}
	return errors.Join(err, store.WriteFile(filepath.Join(p.dir, tasksFile), encodeTasks(p.tasks)),
		store.WriteFile(p.script("array"), []byte(p.array)), store.WriteFile(p.script("merge"), []byte(p.merge)))
}

func (p *plan) script(name string) string { return filepath.Join(filepath.Dir(p.dir), name+".sbatch") }

// Submit submits the jobs of all experiments that were taken. With Wait it returns when they have ended.
func (s *Slurm) Submit(ctx context.Context) error {
	if len(s.work) == 0 {
		return nil
	}
	p, err := s.plan()
	if err != nil {
		return err
	}
	switch {
	case s.DryRun && p.cells == 0:
		fmt.Fprintf(s.Stdout, "%s: no cell is missing\n", p.name)
		return nil
	case s.DryRun:
		fmt.Fprintf(s.Stdout, "%s\n# After it, with --dependency=afterany:ARRAY, and the id ARRAY as its argument:\n%s",
			p.array, p.merge)
		return nil
	}
	if err := s.write(p); err != nil {
		return err
	}
	array, err := sbatch(ctx, p.script("array"))
	if err != nil {
		return fmt.Errorf("%w (%s; -chunk makes them fewer)", err, count(len(p.tasks), "task"))
	}
	fmt.Fprintf(s.Stdout, "%s: job %s computes %s in %s; %s\n", p.name, array, count(p.cells, "cell"), count(len(p.tasks), "task"), p.script("array"))
	args := []string{"--dependency=afterany:" + array, p.script("merge"), array}
	if s.Wait {
		args = append([]string{"--wait"}, args...)
	}
	merge, err := sbatch(ctx, args...)
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("the jobs keep running; scancel --name=closedform-%s stops them: %w", p.name, ctx.Err())
	case merge == "": // it was not submitted
		return errors.Join(err, exec.CommandContext(ctx, "scancel", array).Run())
	case !s.Wait:
		fmt.Fprintf(s.Stdout, "%s: job %s merges\n", p.name, merge)
		return nil
	}
	log, err2 := os.ReadFile(filepath.Join(p.dir, merge+".log"))
	if err == nil && err2 == nil {
		_, err = s.Stdout.Write(log)
		return err
	}
	return fmt.Errorf("job %s, which merges, has failed; the same command again resumes\n%s", merge, strings.TrimSpace(string(log)))
}

// sbatch submits a job and returns its id, which with --wait it also does with the error of a job that failed.
func sbatch(ctx context.Context, args ...string) (id string, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "sbatch", append([]string{"--parsable"}, args...)...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err = cmd.Run(); err != nil {
		said := strings.ReplaceAll(strings.TrimSpace(stderr.String()), "\n", "; ")
		if cmd.ProcessState == nil {
			said = "-engine slurm needs the commands of Slurm"
		}
		err = fmt.Errorf("sbatch: %w: %s", err, said)
	}
	id, _, _ = strings.Cut(strings.TrimSpace(stdout.String()), ";") // and the cluster's name
	return id, err
}

// Task is a part of the cells of an experiment.
type Task struct {
	Name  string
	Cells []int // in ascending order
}

// Has reports whether a cell belongs to the task.
func (t Task) Has(name string, i int) bool {
	_, found := slices.BinarySearch(t.Cells, i)
	return name == t.Name && found
}

// tasksFile has the tasks of a plan.
const tasksFile = "tasks.json"

func encodeTasks(tasks []Task) []byte {
	data, _ := json.Marshal(tasks) // plain data
	return data
}

// ReadTask reads a task by its path, PLAN/NUMBER.
func ReadTask(path string) (t Task, err error) {
	tasks, err := store.ReadJSON[[]Task](filepath.Join(filepath.Dir(path), tasksFile))
	if err != nil {
		return t, fmt.Errorf("task %s: %w", path, err)
	}
	number, err := strconv.Atoi(filepath.Base(path))
	if err != nil || number < 0 || number >= len(*tasks) {
		return t, fmt.Errorf("%s: no task of this number; allowed: 0 to %d", path, len(*tasks)-1)
	}
	return (*tasks)[number], nil
}
