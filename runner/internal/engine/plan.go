package engine

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"closedform/runner/internal/store"
)

// plan is the work of a job array. It is in slurm/HASH/ of the results
// folder of the first experiment: copies of the manifests from when the array was submitted,
// the tasks, and the logs.
type plan struct {
	name         string // of the jobs
	slurm, dir   string // slurm/ of the results folder, and HASH/ in it
	program      string // that the jobs run, a copy of this one
	code         []byte
	files        map[string][]byte // in dir
	tasks        []Task
	cells        int    // of all tasks
	array, merge string // the scripts
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

const (
	tasksFile    = "tasks.json"
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

// plan makes the plan of the missing cells.
func (s *Slurm) plan() (*plan, error) {
	p := &plan{slurm: filepath.Join(s.work[0].Folder.Dir(), "slurm"), name: s.work[0].Name, files: map[string][]byte{}}
	if len(s.work) > 1 {
		p.name += fmt.Sprintf("-and-%d-more", len(s.work)-1)
	}
	for _, missing := range s.missing {
		p.cells += len(missing)
	}
	chunk := s.Chunk
	if chunk == 0 {
		chunk = max(1, (p.cells+mostTasks-1)/mostTasks)
	}
	hash := sha256.New()
	for k, w := range s.work {
		for cells := range slices.Chunk(s.missing[k], chunk) {
			p.tasks = append(p.tasks, Task{w.Name, cells})
		}
		p.files[w.Name+".toml"] = w.Manifest
		hash.Write(w.Manifest)
	}
	p.files[tasksFile], _ = json.Marshal(p.tasks) // plain data
	hash.Write(p.files[tasksFile])
	p.dir = filepath.Join(p.slurm, fmt.Sprintf("%x", hash.Sum(nil)[:4]))
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if p.code, err = os.ReadFile(path); err != nil {
		return nil, err
	}
	p.program = filepath.Join(p.slurm, fmt.Sprintf("closedform-%x", sha256.Sum256(p.code))[:len("closedform-")+8])
	return p, s.scripts(p)
}

// scripts writes the job scripts.
func (s *Slurm) scripts(p *plan) error {
	here, err1 := os.Getwd()
	dir, err2 := filepath.Abs(p.dir)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	options, experiments := "", ""
	for _, w := range s.work {
		if line := "#SBATCH " + w.Options + "\n"; w.Options != "" && !strings.Contains(options, line) {
			options += line
		}
		experiments += " -exp " + word(filepath.Join(p.dir, w.Name+".toml"))
	}
	if s.Options != "" {
		options += "#SBATCH " + s.Options + "\n"
	}
	if s.Out != "" {
		experiments += " -out " + word(s.Out)
	}
	script := func(about, log, own, command string) string {
		log = filepath.Join(strings.ReplaceAll(dir, "%", "%%"), log)
		return fmt.Sprintf(scriptHeader, about, p.name, log) + own + options +
			fmt.Sprintf(scriptBody, word(here), word(p.program), command) + experiments + "\n"
	}
	array := fmt.Sprintf("#SBATCH --array=0-%d", len(p.tasks)-1)
	if s.Limit > 0 {
		array += fmt.Sprintf("%%%d", s.Limit)
	}
	p.array = script(fmt.Sprintf("%s compute the %s that are missing", count(len(p.tasks), "task"), count(p.cells, "cell")),
		"%A_%a.log", array+"\n#SBATCH --signal=B:TERM@60\n", "task "+word(p.dir)+"/$SLURM_ARRAY_TASK_ID")
	p.merge = script("the argument is the id of the array", "%j.log", "", "merge "+word(p.dir)+"/$1")
	return nil
}

// word quotes a word for the shell.
func word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (p *plan) arrayFile() string { return filepath.Join(p.slurm, "array.sbatch") }
func (p *plan) mergeFile() string { return filepath.Join(p.slurm, "merge.sbatch") }

// write writes all files. It does not write the program again, which may be running on some
// node.
func (p *plan) write() error {
	err := os.MkdirAll(p.dir, 0o777)
	if _, absent := os.Stat(p.program); absent != nil {
		err = errors.Join(err, renameio.WriteFile(p.program, p.code, 0o777))
	}
	for name, data := range p.files {
		err = errors.Join(err, store.WriteFile(filepath.Join(p.dir, name), data))
	}
	return errors.Join(err, store.WriteFile(p.arrayFile(), []byte(p.array)), store.WriteFile(p.mergeFile(), []byte(p.merge)))
}

// ReadTask reads a task by its path, PLAN/NUMBER.
func ReadTask(path string) (Task, error) {
	tasks, err := readTasks(filepath.Dir(path))
	if err != nil {
		return Task{}, err
	}
	number, err := strconv.Atoi(filepath.Base(path))
	if err != nil || number < 0 || number >= len(tasks) {
		return Task{}, fmt.Errorf("%s: no task of this number; allowed: 0 to %d", path, len(tasks)-1)
	}
	return tasks[number], nil
}

// readTasks reads the tasks of the plan in a folder.
func readTasks(dir string) (tasks []Task, err error) {
	path := filepath.Join(dir, tasksFile)
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &tasks)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tasks, nil
}
