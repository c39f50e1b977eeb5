package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
)

// manifests is the folder in which experiments are looked up by name.
const manifests = "experiments"

// errUsage marks errors of the command line.
var errUsage = errors.New("usage")

// options are the flags of the command line.
type options struct {
	exp, set, fetch                []string
	all, list, verify, draw, quiet bool
	time                           bool // measure times
	effort, out, mirror            string
	report, paper, diff            string
	stale, check                   bool
	elsewhere, below               bool   // -out is given; the working directory is below the root
	sources                        string // folder of the results that other experiments read: -out
	predict, data, to              string
	decision                       // of -predict
	workers                        int
	shard                          shard
	engine, slurmArgs              string
	chunk, limit                   int
	wait, dryRun                   bool
	task, merge                    string // PLAN/NUMBER and PLAN/ARRAY, of the jobs
	short, adopt                   bool
	adoptBudget                    time.Duration
}

const usage = `Usage: runner [flags]

Runs experiments and leaves tables and figures in a folder of their own.

Examples:
  go run ./runner -list                          which experiments there are
  go run ./runner -exp fig1_12.toml              run experiments/fig1_12.toml
  go run ./runner -all -effort quick             run all that are labelled quick
  go run ./runner -exp my/own.toml -out /tmp/x   a manifest of your own, results in /tmp/x
  go run ./runner run -data my.csv -class kind   a table of your own, for which it writes the manifest
  go run ./runner -exp fig1_12 -set model.rho=0.3 -set sweep.seed=1..5
                                                 other values than the manifest's, results in
                                                 results/fig1_12@model.rho=0.3,sweep.seed=1..5
  go run ./runner -all -engine slurm -slurm-args "--partition=x --time=2:00:00 --mem=4G"
                                                 the same by a job array of a cluster
  go run ./runner -exp fig1_12 -shard 1/3        the first third of the cells, for machines that share no
  go run ./runner -exp fig1_12                   ... folder; after 2/3 and 3/3 merge what is in cells/
  go run ./runner -all -adopt                    after a change of code: check a sample, compute what differs
  go run ./runner -all -verify                   run again elsewhere and compare with results/
  go run ./runner -exp moments -time             measure the times of its methods again; nothing else should run
  go run ./runner -all -draw                     draw all figures again from the tables in results/
  go run ./runner -report page.html              one page of all results, to send to someone
  go run ./runner -diff HEAD~1                   how the tables in results/ differ from those of a commit
  go run ./runner -stale                         list in results/STALE what other code or manifests made
  go run ./runner -fetch iris -fetch mnist       get data sets into experiments/data/; -fetch all: all of them
  go run ./runner -predict results/mine/network.npz -data new.csv -to out.csv -unknown 0.9
                                                 what a network that was kept by [save] says of new rows
  go run ./runner learn results/mine/network.npz -data more.csv
                                                 such a network goes on learning, row by row

Cells that are done are kept: after an interruption the same command goes on
where it was. Exit code 0, 1 on an error, 2 on wrong usage, 130 if interrupted;
"go run" makes 1 of them all, "go build -o closedform ./runner" a program that does not.

Flags:
`

// parse reads the command line. Errors are usage errors, or flag.ErrHelp after
// the help was printed to w.
func parse(w io.Writer, args []string) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("runner", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	each := func(list *[]string) func(string) error {
		return func(s string) error {
			*list = append(*list, s)
			return nil
		}
	}
	flags.Func("exp", "`manifest` to run: a path, or a name in experiments/ (repeatable)", each(&o.exp))
	flags.BoolVar(&o.all, "all", false, "run every manifest in experiments/")
	flags.BoolVar(&o.list, "list", false, "list the manifests in experiments/")
	flags.StringVar(&o.effort, "effort", "any", "`which` of the manifests -all and -list take: quick, full or any")
	flags.BoolVar(&o.verify, "verify", false, "run into a temporary folder and compare with the results in -out; adopted ones with the same bytes count as computed")
	flags.BoolVar(&o.short, "short", false, "run the short forms of the experiments, by what their manifests have under short, into -out")
	flags.BoolVar(&o.adopt, "adopt", false, "where only code has changed, recompute a sample of the cells, and keep the others if it is the same")
	flags.DurationVar(&o.adoptBudget, "adopt-budget", 10*time.Minute, "most processor `time` for the sample of -adopt, of each experiment")
	flags.BoolVar(&o.draw, "draw", false, "draw the figures again from the tables in -out; nothing is computed")
	flags.BoolVar(&o.time, "time", false, "measure the times of methods of published experiments, alone on the machine; a run keeps them")
	flags.StringVar(&o.out, "out", "results", "`folder` in which the results folders are")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`number` of cells computed at a time; it changes no result")
	flags.Func("set", "`key=value` to use in place of the manifest's, such as model.lambda=0.4 (repeatable);\n"+
		"without -out the results get a folder of their own",
		each(&o.set))
	flags.Func("shard", "`i/n`: compute the i-th of n parts of the cells only; a later run without it merges",
		o.shard.set)
	flags.StringVar(&o.engine, "engine", "here", "`who` computes the cells: here, or slurm, the job array of a cluster")
	flags.IntVar(&o.chunk, "chunk", 0, "`number` of cells of a task of -engine slurm; 0: as many as make a hundred tasks")
	flags.IntVar(&o.limit, "limit", 0, "most `tasks` of -engine slurm at a time; 0: as many as the cluster takes")
	flags.StringVar(&o.slurmArgs, "slurm-args", "", "`options` of sbatch for -engine slurm")
	flags.BoolVar(&o.wait, "wait", false, "stay, and show how far the jobs of -engine slurm are")
	flags.BoolVar(&o.dryRun, "dry-run", false, "print the job script of -engine slurm, and submit nothing")
	flags.StringVar(&o.task, "task", "", "`plan/number`: what a task of a job array runs; -engine slurm writes it into the script")
	flags.StringVar(&o.merge, "merge", "", "`plan/array`: what runs after the array")
	flags.BoolVar(&o.quiet, "quiet", false, "show no progress on stderr")
	flags.Func("fetch", "data `set` to get into experiments/data/, or all (repeatable)", each(&o.fetch))
	flags.StringVar(&o.mirror, "mirror", "", "`folder` that -fetch takes the files from that are there; the others are downloaded")
	flags.StringVar(&o.predict, "predict", "",
		"`file` of a trained network, the network.npz of a run with [save], for the rows of -data")
	flags.StringVar(&o.data, "data", "", "CSV `file` with rows for -predict; its columns are found by their names")
	flags.StringVar(&o.to, "to", "", "CSV `file` for what -predict predicts; standard output")
	o.decision.flags(flags)
	flags.StringVar(&o.report, "report", "", "`file` to write the page of the results in -out to: OUT/index.html, which a run\n"+
		"leaves, too, links to the files beside it; any other has figures and tables in itself")
	flags.StringVar(&o.paper, "paper", "", "`folder` to write numbers.tex and tables/ to, for LaTeX: what its numbers.toml names,\n"+
		"from the tables in -out")
	flags.StringVar(&o.diff, "diff", "", "`commit` to compare the tables in -out with, of -exp or of all experiments; with -report, on the page")
	flags.BoolVar(&o.stale, "stale", false, "list in OUT/STALE the experiments whose results are behind the code or their manifest;\n"+
		"remove the file if there is none")
	flags.BoolVar(&o.check, "check", false, "with -stale: write nothing; fail if OUT/STALE is not that list")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(w, usage)
		flags.SetOutput(w)
		flags.PrintDefaults()
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w: %v", errUsage, err)
	}
	if problem := o.problem(flags.Args()); problem != "" {
		return nil, fmt.Errorf("%w: %s", errUsage, problem)
	}
	given := map[string]bool{}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if given["workers"] && o.engine == "slurm" {
		return nil, fmt.Errorf("%w: -workers is for this machine; a task takes the CPUs of --cpus-per-task in -slurm-args", errUsage)
	}
	o.elsewhere, o.sources = given["out"], o.out
	return o, nil
}

// problem says what does not go together.
func (o *options) problem(rest []string) string {
	running := o.all || len(o.exp) > 0 && o.diff == ""
	switch {
	case len(rest) > 0:
		return fmt.Sprintf("unexpected argument %q; a manifest is given with -exp", rest[0])
	case o.workers < 1:
		return fmt.Sprintf("-workers %d: need at least 1", o.workers)
	case o.out == "":
		return "-out is empty; need a folder"
	case !slices.Contains([]string{"quick", "full", "any"}, o.effort):
		return fmt.Sprintf("-effort %s: need quick, full or any", o.effort)
	case o.verify && o.shard.n > 0:
		return "-verify needs all cells, not a -shard"
	case o.draw && (o.verify || o.shard.n > 0):
		return "-draw computes nothing, and excludes -verify and -shard"
	case o.short && o.out == "results":
		return "-short needs -out FOLDER, another one than results"
	case o.adopt && (o.short || o.draw || o.verify || o.shard.n > 0 || o.engine != "here" || o.task+o.merge != ""):
		return "-adopt excludes -short, -draw, -verify, -shard and -engine slurm"
	case o.time && (!running || o.verify || o.draw || o.short || o.adopt || o.shard.n > 0 || o.engine != "here" || o.task+o.merge != ""):
		return "-time is for -exp or -all, and excludes -verify, -draw, -short, -adopt, -shard and -engine slurm"
	case !slices.Contains([]string{"here", "slurm"}, o.engine):
		return fmt.Sprintf("-engine %s: need here or slurm", o.engine)
	case o.engine == "slurm" && (!running || o.verify || o.draw || o.shard.n > 0 || o.task+o.merge != ""):
		return "-engine slurm runs -exp or -all, and excludes -verify, -draw, -shard, -task and -merge"
	case o.task+o.merge != "" && (o.task != "" && o.merge != "" || o.verify || o.draw || o.shard.n > 0):
		return "-task and -merge are for the scripts of -engine slurm, and exclude each other, -verify, -draw and -shard"
	case o.engine != "slurm" && (o.chunk != 0 || o.limit != 0 || o.slurmArgs != "" || o.wait || o.dryRun):
		return "-chunk, -limit, -slurm-args, -wait and -dry-run are for -engine slurm"
	case o.chunk < 0 || o.limit < 0:
		return fmt.Sprintf("-chunk %d -limit %d: need at least 0", o.chunk, o.limit)
	case strings.ContainsAny(o.slurmArgs, "\r\n"):
		return "-slurm-args: need one line"
	case o.mirror != "" && len(o.fetch) == 0:
		return "-mirror is for -fetch"
	case len(o.fetch) > 0 && (running || o.list):
		return "-fetch excludes -exp, -all and -list"
	case o.predict != "" && (running || o.list || o.report != "" || len(o.fetch) > 0):
		return "-predict excludes -exp, -all, -list, -fetch and -report"
	case (o.predict == "") != (o.data == ""):
		return "-predict NETWORK and -data FILE go together"
	case o.predict == "" && (o.to != "" || o.unknown != 0 || o.wrong != 0 || o.familiar != 0.01):
		return "-to, -unknown, -wrong and -familiar are for -predict"
	case o.decision.problem() != "":
		return o.decision.problem()
	case o.report != "" && (running || o.list || len(o.fetch) > 0):
		return "-report is of what is there, and excludes -exp, -all, -list and -fetch"
	case o.paper != "" && (running || o.list || o.report != "" || o.predict != "" || len(o.fetch) > 0):
		return "-paper is of what is there, and excludes -exp, -all, -list, -fetch, -report and -predict"
	case o.diff != "" && (o.all || o.list || o.verify || o.draw || o.paper != "" || o.predict != "" || len(o.fetch) > 0 || len(o.set) > 0):
		return "-diff goes with -exp, -out and -report alone"
	case o.diff != "" && o.report != "" && len(o.exp) > 0:
		return "-report is of all experiments, and excludes -exp"
	case o.stale && (running || o.list || o.report+o.paper+o.predict+o.diff != "" || len(o.fetch) > 0):
		return "-stale goes with -check and -out alone"
	case o.check && !o.stale:
		return "-check is for -stale"
	case o.effort != "any" && !o.all && !o.list:
		return "-effort chooses among the manifests of -all or -list"
	case o.list && len(o.exp) > 0:
		return "-list is of the manifests in experiments/, and excludes -exp"
	case o.all && len(o.exp) > 0:
		return "-all and -exp exclude each other"
	case !running && !o.list && len(o.fetch) == 0 && o.report == "" && o.predict+o.paper+o.diff == "" && !o.stale:
		return "nothing to do; give -exp MANIFEST, -all, -list, -report FILE, -diff COMMIT, -stale, -paper FOLDER, -fetch NAME or -predict NETWORK"
	}
	return ""
}

// takes reports whether -effort takes manifests of this label.
func (o *options) takes(effort string) bool { return o.effort == "any" || o.effort == effort }

// shard is the i-th of n parts of the cells, from 1; the zero value is all.
type shard struct{ i, n int }

func (s *shard) set(text string) error {
	var rest string
	if k, _ := fmt.Sscanf(text, "%d/%d%s", &s.i, &s.n, &rest); k != 2 || s.i < 1 || s.i > s.n {
		return errors.New("need i/n with 1 ≤ i ≤ n, such as 1/3")
	}
	return nil
}

func (s shard) String() string { return fmt.Sprintf("%d/%d", s.i, s.n) }

// has reports whether cell c, from 0, belongs to the shard.
func (s shard) has(c int) bool { return c%s.n == s.i-1 }
