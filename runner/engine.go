package main

import (
	"io"
	"path/filepath"

	"closedform/runner/internal/engine"
)

// chooseEngine sets who computes the cells that the command line asks for.
func (p *program) chooseEngine() error {
	progress := p.stderr
	if p.quiet {
		progress = io.Discard
	}
	here := &engine.Here{Workers: p.workers, Stderr: p.stderr, Progress: progress}
	p.engine, p.pool = here, here.Pool()
	switch {
	case p.options.engine == "slurm":
		slurm := &engine.Slurm{
			Chunk: p.chunk, Limit: p.limit, Options: p.slurmArgs, DryRun: p.dryRun, Wait: p.wait,
			Stdout: p.stdout, Stderr: p.stderr, Progress: progress,
		}
		if p.elsewhere {
			slurm.Out = p.out
		}
		p.engine = slurm
	case p.merge != "":
		here.Merge = p.merge
	case p.task != "":
		task, err := engine.ReadTask(p.task)
		if err != nil {
			return err
		}
		here.Task, here.Part = true, task.Has
		p.only, p.later, p.part = task.Name, true, "task "+filepath.Base(p.task)
	case p.shard.n > 0:
		here.Part = func(_ string, i int) bool { return p.shard.has(i) }
		p.later, p.part = true, "shard "+p.shard.String()
		p.merges = "; the same command without -shard merges"
	}
	return nil
}
