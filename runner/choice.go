package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"closedform/runner/internal/experiment"
)

type choice struct {
	names, set []string
	all, short bool
	out        string // empty: where results are by default

	workers uint // how many cells are computed at a time
	quiet   bool
}

func choiceFlags(f *flag.FlagSet) *choice {
	c := &choice{}
	f.Func("out", "`folder` of the results folders (default results, or "+experiment.OwnResults+" beside a "+
		"manifest of your own)", func(s string) error {
		if c.out = s; s == "" {
			return errors.New("-out is empty; need a folder")
		}
		return nil
	})
	each := func(list *[]string) func(string) error {
		return func(s string) error {
			*list = append(*list, s)
			return nil
		}
	}
	f.Func("exp", "`manifest`: a path, or a name in experiments/; the same as an argument (repeatable)",
		each(&c.names))
	f.BoolVar(&c.all, "all", false, "all manifests in experiments/")
	f.Func("set", "replace a value of the manifest by `key=value`, such as model.lambda=0.4 (repeatable);\n"+
		"without -out the results go into a folder of their own", each(&c.set))
	f.BoolVar(&c.short, "short", false,
		"run the short forms of the experiments: -set with the values of the key short")
	f.UintVar(&c.workers, "workers", uint(runtime.GOMAXPROCS(0)),
		"compute this `number` of cells at a time, at least one; changes no result")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress on stderr")
	return c
}

// load reads and checks all manifests before the first results folder is touched. If data are needed, -all
// skips manifests whose data are missing, with a line that says so.
func (c *choice) load(stdout io.Writer, args []string, data bool) (all []*experiment.Experiment, err error) {
	names := append(c.names, args...)
	switch {
	case c.all && len(names) > 0:
		return nil, misuse("-all and the names of manifests exclude each other")
	case !c.all && len(names) == 0:
		return nil, misuse("nothing to do; give the names of manifests, or -all")
	case c.all:
		if names, err = experiment.All(); err != nil {
			return nil, err
		}
	}
	files := map[string]string{}
	for _, name := range names {
		e, err := experiment.Open(name, c.set, c.short, c.out)
		if err != nil && len(names) > 1 && !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err) // what -set gets wrong has no place in a file
		} else if err == nil && files[e.Dir] != "" {
			err = fmt.Errorf("%s and %s would both write to %s", files[e.Dir], e.File, e.Dir)
		}
		if err != nil {
			return nil, err
		}
		files[e.Dir] = e.File
		if data {
			err = e.Missing()
		}
		switch {
		case err == nil:
			all = append(all, e)
		case !c.all:
			return nil, err
		default:
			fmt.Fprintf(stdout, "%v; skipped\n", err)
		}
	}
	return all, nil
}
