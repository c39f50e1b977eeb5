package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"closedform/runner/internal/experiment"
)

// choice says which experiments a command is for, with which values, and where their results are.
type choice struct {
	names, set  []string
	all, short  bool
	effort, out string // empty: any, and where results are by default

	workers uint // how many cells are computed at a time
	quiet   bool
}

// choiceFlags declares the flags that choose experiments.
func choiceFlags(f *flag.FlagSet) *choice {
	c := &choice{}
	outFlag(f, &c.out, "results, or "+experiment.OwnResults+" beside a manifest of your own")
	f.Func("effort", "run only manifests of this `label`: quick or full (default any)", func(s string) error {
		if !slices.Contains([]string{"quick", "full", "any"}, s) {
			return errors.New("need quick, full or any")
		}
		c.effort = strings.TrimPrefix(s, "any")
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
	return c
}

// runFlags declares the flags of commands that compute.
func (c *choice) runFlags(f *flag.FlagSet) {
	f.BoolVar(&c.short, "short", false,
		"run the short forms of the experiments: -set with the values of the key short")
	f.UintVar(&c.workers, "workers", uint(runtime.GOMAXPROCS(0)),
		"compute this `number` of cells at a time, at least one; changes no result")
	f.BoolVar(&c.quiet, "quiet", false, "show no progress on stderr")
}

func outFlag(f *flag.FlagSet, out *string, standard string) {
	f.Func("out", "`folder` of the results folders (default "+standard+")", func(s string) error {
		if *out = s; s == "" {
			return errors.New("-out is empty; need a folder")
		}
		return nil
	})
}

// load reads the manifests of the command line, which has some of them as arguments: every one is read and
// checked before the first results folder is touched. If data are needed, those of all manifests whose data
// are missing are skipped, with a line that says so.
func (c *choice) load(stdout io.Writer, args []string, data bool) (all []*experiment.Experiment, err error) {
	names := append(c.names, args...)
	switch {
	case c.all && len(names) > 0:
		return nil, misuse("-all and the names of manifests exclude each other")
	case !c.all && len(names) == 0:
		return nil, misuse("nothing to do; give the names of manifests, or -all")
	case c.effort != "" && !c.all:
		return nil, misuse("-effort chooses among the manifests of -all")
	case c.all:
		if names, err = experiment.All(); err != nil {
			return nil, err
		}
	}
	skipped, paths := 0, map[string]string{}
	for _, name := range names {
		e, err := c.read(name)
		if err == nil {
			err = c.check(e)
		} else if len(names) > 1 && !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err) // what -set gets wrong has no place in a file
		}
		if err != nil {
			return nil, err
		}
		if other := cmp.Or(paths[e.Name], e.Namesake()); other != "" {
			return nil, fmt.Errorf("%s: name = %q: %s has the same, and both would write to one folder",
				e.File, e.Name, other)
		}
		paths[e.Name] = e.File
		switch {
		case c.effort != "" && c.effort != e.Effort:
			continue
		case data:
			err = e.Missing()
		}
		switch {
		case err == nil:
			all = append(all, e)
		case !c.all:
			return nil, err
		default:
			fmt.Fprintf(stdout, "%v; skipped\n", err)
			skipped++
		}
	}
	if len(all)+skipped == 0 {
		return nil, fmt.Errorf("no manifest to run in %s", experiment.Folder)
	}
	return all, nil
}

// read reads a manifest with the values of the command line.
func (c *choice) read(name string) (*experiment.Experiment, error) {
	path, err := experiment.Find(name)
	if err != nil {
		return nil, err
	}
	e, err := experiment.Read(path, c.set)
	if c.short && err == nil {
		return e.ShortForm(c.set)
	}
	return e, err
}

// dir returns the results folder of an experiment. With other values than those of its
// manifest it is NAME@KEY=VALUE,…, unless -out says where results go.
func (c *choice) dir(e *experiment.Experiment) string {
	if c.out != "" {
		return filepath.Join(c.out, e.Name)
	}
	name := e.Name
	if len(e.Overrides) > 0 {
		name = folderName(name + "@" + strings.Join(e.Overrides, ","))
	}
	return filepath.Join(e.Out(), name)
}

// check returns an error if results would be written among the published ones without being of them.
func (c *choice) check(e *experiment.Experiment) error {
	if _, none := experiment.All(); none != nil || c.out == "" || !experiment.SameFile(c.out, experiment.Results) {
		return nil
	}
	what := "a manifest outside of " + experiment.Folder + "/"
	if len(e.Overrides) > 0 {
		what = "other values, by -set or -short,"
	} else if experiment.SameFile(e.Out(), experiment.Results) {
		return nil
	}
	return fmt.Errorf("%s: -out %s has the published results, and those of %s go elsewhere: "+
		"leave out -out, or name another folder", e.Name, c.out, what)
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// folderName returns a text as the name of a folder that is valid in any file system and shell. If
// the text had to be changed, a hash keeps names different.
func folderName(text string) string {
	const longest = 100
	name := notPlain.ReplaceAllString(text, "_")
	if name == text && len(name) <= longest {
		return name
	}
	return name[:min(len(name), longest)] + "-" + experiment.Checksum([]byte(text))[:8]
}
