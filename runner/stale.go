package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

func (p *program) staleCommand(f *flag.FlagSet) action {
	p.resultsFlag(f)
	check := f.Bool("check", false, "write nothing; fail if OUT/STALE is not that list")
	return func(context.Context, []string) error { return p.writeStale(*check) }
}

// behind says why the results of an experiment in dir are not those of today's code and
// manifest; empty if they are. It reads no data.
func (p *program) behind(e *experiment, dir string) (why string, err error) {
	run, err := store.ReadRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "no results", nil
	}
	if err != nil {
		return "", err
	}
	_, version, err := codeVersions(e.study, e.study.Cells())
	if err != nil {
		return "", err
	}
	if run.CodeVersion != version {
		return "other code", nil
	}
	same, err := e.resolvesTo(filepath.Join(dir, "manifest.toml"))
	if err != nil || !same {
		return "another manifest", err
	}
	if d, ok := e.study.(study.Derived); ok {
		return p.sourcesBehind(e, d, dir)
	}
	return "", nil
}

// resolvesTo reports whether the manifest can be resolved to that in a file. Values that
// the manifest leaves to the data are only in the file.
func (e *experiment) resolvesTo(file string) (bool, error) {
	text, err := e.Resolved(e.study)
	if err != nil {
		return false, err
	}
	var today, then map[string]any
	if _, err := toml.Decode(string(text), &today); err != nil {
		return false, err
	}
	_, err = toml.DecodeFile(file, &then)
	return err == nil && within(today, then), nil
}

// within reports whether a value is the other one, in which tables may have more keys of
// plain values.
func within(some, all any) bool {
	switch s := some.(type) {
	case map[string]any:
		a, ok := all.(map[string]any)
		for key, value := range a {
			_, has := s[key]
			switch value.(type) {
			case map[string]any, []map[string]any:
				ok = ok && has
			}
		}
		for key, value := range s {
			ok = ok && within(value, a[key])
		}
		return ok
	case []map[string]any:
		a, ok := all.([]map[string]any)
		return ok && slices.EqualFunc(s, a, func(s, a map[string]any) bool { return within(s, a) })
	}
	return fmt.Sprint(some) == fmt.Sprint(all)
}

// sourcesBehind says what is behind of the results that an experiment reads. If it has no
// cells its tables are made again, to see whether the sources are those that it read.
func (p *program) sourcesBehind(e *experiment, d study.Derived, dir string) (why string, err error) {
	for _, name := range d.Sources() {
		source, err := newExperiment(filepath.Join(manifests, name+".toml"), nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		if why, err := p.behind(source, filepath.Join(p.out, name)); why != "" || err != nil {
			return name + " is behind", err
		}
	}
	if len(e.study.Cells()) > 0 {
		return "", nil
	}
	j := &job{program: p, experiment: e}
	if _, err := j.use(d); err != nil {
		return "its sources cannot be read", nil
	}
	tables, err := e.study.Tables(nil)
	if err != nil {
		return "", err
	}
	for _, t := range tables {
		file := store.TableFile(t)
		if old, _ := os.ReadFile(filepath.Join(dir, file.Name)); !bytes.Equal(old, file.Data) {
			return "its sources have other results", nil
		}
	}
	return "", nil
}

// findStale returns why each experiment that is behind is so: a manifest in experiments/,
// or a folder in -out without one.
func (p *program) findStale() (map[string]string, error) {
	names, err := p.manifests()
	if err != nil {
		return nil, err
	}
	experiments, reasons := make([]*experiment, len(names)), make([]string, len(names))
	err = parallel(len(names), func(i int) (err error) {
		if experiments[i], err = newExperiment(filepath.Join(manifests, names[i]+".toml"), nil); err == nil {
			reasons[i], err = p.behind(experiments[i], filepath.Join(p.out, experiments[i].Name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	folders, err := resultsFolders(p.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	why := map[string]string{}
	for _, name := range folders {
		why[name] = "no manifest in " + manifests
	}
	for i, e := range experiments {
		if why[e.Name] = reasons[i]; reasons[i] == "" {
			delete(why, e.Name)
		}
	}
	return why, nil
}

// writeStale makes OUT/STALE the list of the experiments that are behind, or with check
// says where it is not.
func (p *program) writeStale(check bool) error {
	why, err := p.findStale()
	if err != nil {
		return err
	}
	listed, err := store.ReadStale(p.out)
	if err != nil {
		return err
	}
	var names, wrong []string
	for _, name := range slices.Sorted(maps.Keys(why)) {
		names = append(names, name)
		fmt.Fprintf(p.stdout, "%s: behind: %s\n", name, why[name])
		if !slices.Contains(listed, name) {
			wrong = append(wrong, name+" is behind and not listed")
		}
	}
	for _, name := range listed {
		if why[name] == "" {
			wrong = append(wrong, name+" is listed and not behind")
		}
	}
	if check {
		if len(wrong) > 0 {
			return fmt.Errorf("%s: %s; \"runner stale\" writes it again", filepath.Join(p.out, store.StaleFile), strings.Join(wrong, "; "))
		}
		return nil
	}
	return store.WriteStale(p.out, names)
}
