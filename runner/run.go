package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/engine"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/own"
)

func (p *program) runCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	p.shortFlag(f)
	data := f.String("data", "", "CSV `file` with a header line, or .csv.gz: write a manifest beside it and run that manifest. It learns\n"+
		"three quarters of the rows, tests the others, and saves the network")
	test := f.String("test", "", "CSV `file` of test rows with the columns of -data (default: a quarter of the rows of -data)")
	class := f.String("class", "class", "`column` of the classes in -data")
	var i, n int
	f.Func("shard", "`i/n`: compute only the i-th of n parts of the cells; a later run without -shard merges", func(s string) error {
		var rest string
		if k, _ := fmt.Sscanf(s, "%d/%d%s", &i, &n, &rest); k != 2 || i < 1 || i > n {
			return errors.New("need i/n with 1 ≤ i ≤ n, such as 1/3")
		}
		return nil
	})
	who := f.String("engine", "here", "where to run: `here` or slurm")
	slurm := &engine.Slurm{Stdout: p.stdout}
	atLeast(f, &slurm.Chunk, 0, "chunk", "slurm: `number` of cells per task (default: split into 100 tasks)")
	atLeast(f, &slurm.Limit, 0, "limit", "slurm: most `tasks` at a time (default: no limit)")
	f.StringVar(&slurm.Options, "slurm-args", "", "slurm: `options` of sbatch")
	f.BoolVar(&slurm.Wait, "wait", false, "slurm: wait for the jobs")
	f.BoolVar(&slurm.DryRun, "dry-run", false, "slurm: print the job scripts and submit nothing")
	return func(ctx context.Context, names []string) error {
		remote := *who == "slurm"
		switch {
		case *who != "here" && !remote:
			return misuse("-engine %s: need here or slurm", *who)
		case remote && (n > 0 || p.given["workers"]):
			return misuse("-shard and -workers are for this machine; a task takes the CPUs of --cpus-per-task in -slurm-args")
		case !remote && slices.ContainsFunc([]string{"chunk", "limit", "slurm-args", "wait", "dry-run"}, func(name string) bool { return p.given[name] }):
			return misuse("-chunk, -limit, -slurm-args, -wait and -dry-run are for -engine slurm")
		case strings.ContainsAny(slurm.Options, "\r\n"):
			return misuse("-slurm-args: need one line")
		case p.given["data"] && (len(p.exp)+len(names) > 0 || p.all), (p.given["class"] || p.given["test"]) && !p.given["data"]:
			return misuse("-data runs the manifest that it writes: give no other one; -class and -test need -data")
		}
		if p.given["data"] {
			manifest, err := own.Manifest(p.stdout, *data, *test, *class)
			if err != nil {
				return err
			}
			names = []string{manifest}
		}
		if remote {
			if p.given["out"] {
				slurm.Out = p.out
			}
			p.cluster = slurm
		} else if n > 0 {
			p.here.Part = func(_ string, cell int) bool { return cell%n == i-1 }
			p.later, p.part, p.merges = true, fmt.Sprintf("shard %d/%d", i, n), "; the same command without -shard merges"
		}
		experiments, err := p.load(names, true)
		if err == nil && p.given["data"] {
			err = own.Free(p.dir(experiments[0]), *data)
		}
		if err != nil {
			return err
		}
		return p.runAll(ctx, experiments)
	}
}

func (p *program) shortFlag(f *flag.FlagSet) {
	f.BoolVar(&p.short, "short", false, "run the short forms of the experiments, with the values of the key short")
}

// taskCommand computes the cells of a task of a job array.
func (p *program) taskCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	return func(ctx context.Context, args []string) error {
		task, err := engine.ReadTask(args[0])
		if err != nil {
			return err
		}
		p.here.Task, p.here.Part = true, task.Has
		p.exp = []string{filepath.Join(filepath.Dir(args[0]), task.Name+".toml")} // the array may have others
		p.later, p.part = true, "task "+filepath.Base(args[0])
		return p.loadAndRun(ctx, nil)
	}
}

// mergeCommand publishes what the tasks of a job array have computed.
func (p *program) mergeCommand(f *flag.FlagSet) action {
	p.workFlags(f)
	return func(ctx context.Context, args []string) error {
		p.here.Merge = args[0]
		return p.loadAndRun(ctx, nil)
	}
}

// loadAndRun reads manifests and runs their experiments.
func (p *program) loadAndRun(ctx context.Context, names []string) error {
	experiments, err := p.load(names, true)
	if err != nil {
		return err
	}
	return p.runAll(ctx, experiments)
}

// runAll runs experiments and writes the page of the results.
func (p *program) runAll(ctx context.Context, experiments []*experiment.Experiment) error {
	ran, err := p.together(ctx, experiments)
	if err == nil && p.cluster != nil {
		err = p.cluster.Submit(ctx)
	}
	if p.later || ran == 0 { // it has published nothing
		return err
	}
	file := filepath.Join(p.out, page)
	if err := errors.Join(err, p.writePage(file)); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "open %s\n", file)
	if p.given["data"] {
		network := filepath.Join(p.dir(experiments[0]), "network.npz")
		fmt.Fprintf(p.stdout, "\nnew rows: go run ./runner predict %s -data FILE -wrong 0.05\n", engine.Quoted(network))
	}
	return nil
}

// inTurn calls do for one experiment after the other, up to the first error. data says whether their data are needed.
func (p *program) inTurn(ctx context.Context, names []string, data bool, do func(e *experiment.Experiment) error) error {
	experiments, err := p.load(names, data)
	if err != nil {
		return err
	}
	for _, e := range experiments {
		if err := do(e); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return p.writePage(filepath.Join(p.out, page))
}
