package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"closedform"
	"closedform/runner/internal/config"
	"closedform/runner/internal/fetch"
	"closedform/runner/internal/studies"
	"closedform/runner/internal/study"
)

// kinds are the studies that manifests may name.
var kinds = studies.All

// experiment is a manifest that its study has read.
type experiment struct {
	*config.Manifest
	kind  study.Kind
	study study.Experiment
}

func newExperiment(path string, overrides []string) (*experiment, error) {
	m, err := config.Read(path, overrides)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range kinds {
		if k.Name == m.Study {
			s, err := k.New(m)
			return &experiment{m, k, s}, err
		}
		names = append(names, k.Name)
	}
	return nil, m.Errorf("study", "%q is not a study; allowed: one of %s", m.Study, strings.Join(names, ", "))
}

// shortForm returns the short form of the experiment, with further values.
func (e *experiment) shortForm(overrides []string) (*experiment, error) {
	if len(e.Short) == 0 && len(e.study.Cells()) > 0 {
		return nil, e.Errorf("short", `missing; allowed: what makes the experiment take seconds, such as ["sweep.seed=[1]"]`)
	}
	return newExperiment(e.File, slices.Concat(e.Short, overrides))
}

// cells returns the cells, which have different keys.
func (e *experiment) cells() ([]study.Cell, error) {
	cells := e.study.Cells()
	if len(cells) > config.MaxCells {
		return nil, fmt.Errorf("%d cells; allowed: %d", len(cells), config.MaxCells)
	}
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.Key] {
			return nil, fmt.Errorf("two cells are called %s", c.Key)
		}
		seen[c.Key] = true
	}
	return cells, nil
}

// missing says which data files of an experiment are not there, and how to get them.
func (e *experiment) missing() error {
	if d, ok := e.study.(study.WithData); ok {
		if err := fetch.Missing(d.Files()...); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	return nil
}

// seeds returns the seeds of the manifest as it is resolved.
func (e *experiment) seeds(resolved []byte) ([]int, error) {
	var m struct {
		Sweep struct {
			Seed config.Ints `toml:"seed"`
		} `toml:"sweep"`
	}
	if _, err := toml.Decode(string(resolved), &m); err != nil {
		return nil, err
	}
	return e.Seeds(m.Sweep.Seed)
}

// codeVersion returns the version of the code that makes those cells of a study that use
// some baselines.
var codeVersion = func(s study.Experiment, uses []string) (string, error) {
	return closedform.Version(reflect.TypeOf(s).Elem().PkgPath(), uses)
}

// codeVersions returns the version of the code of each cell, and one that stands for those of
// all of them; without cells that of the study.
func codeVersions(s study.Experiment, cells []study.Cell) (each []string, all string, err error) {
	known := map[string]string{}
	for _, c := range cells {
		uses := fmt.Sprint(c.Uses == nil, c.Uses)
		if known[uses] == "" {
			if known[uses], err = codeVersion(s, c.Uses); err != nil {
				return nil, "", err
			}
		}
		each = append(each, known[uses])
	}
	if len(cells) == 0 {
		if known[""], err = codeVersion(s, nil); err != nil {
			return nil, "", err
		}
	}
	distinct := slices.Compact(slices.Sorted(maps.Values(known)))
	if all = strings.Join(distinct, " "); len(distinct) > 1 {
		all = checksum([]byte(all))
	}
	return each, all, nil
}

// origin is what a cell follows from.
type origin struct{ code, spec string } // the code version, and the checksum of the spec

func (o origin) fingerprint() string { return checksum([]byte(o.code), []byte(o.spec)) }

// origins returns what the cells follow from, by the versions of their code.
func origins(versions []string, cells []study.Cell) ([]origin, error) {
	all := make([]origin, len(cells))
	for i, c := range cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		all[i] = origin{versions[i], checksum(spec)}
	}
	return all, nil
}

// fingerprints returns those of all origins.
func fingerprints(of []origin) []string {
	prints := make([]string, len(of))
	for i, o := range of {
		prints[i] = o.fingerprint()
	}
	return prints
}

// checksum returns the SHA-256, in hexadecimal, of all parts.
func checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// executable stands for all code of the program: a cell follows from that of its
// study, but how tables are merged, written and drawn may be any other.
var executable = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(path)
	return []byte(checksum(code)), err
})
