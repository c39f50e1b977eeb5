package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
	study "closedform/runner/internal/oldstudy"
)

// use lets an experiment that follows from the results of others read them, in the
// folder dir, and returns the checksums of those results. An experiment that stands
// by itself has none.
func (e *experiment) use(dir string) ([]byte, error) {
	s, ok := e.study.(study.Sourced)
	if !ok {
		return nil, nil
	}
	var sums []byte
	sources := map[string]*store.Published{}
	for _, name := range s.Sources() {
		p, err := store.OpenPublished(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = notRun(name, dir)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: reads the results of %s: %w", e.m.Name, name, err)
		}
		sources[name] = p
		sums = append(sums, p.Sums()...)
	}
	err := s.Use(func(experiment, table string) ([]byte, error) { return sources[experiment].Read(table) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.m.Name, err)
	}
	return sums, nil
}

// notRun tells what to do about an experiment without results in the folder dir.
func notRun(name, dir string) error {
	path, err := manifest.Find(name, manifests)
	if err != nil {
		return fmt.Errorf("none in %s, and %w", dir, err)
	}
	return fmt.Errorf("none in %s; run %s first: -exp %s -out %s", dir, path, name, dir)
}

// sourcedLast puts the experiments that follow from the results of others behind
// those, and leaves the order as it is apart from that.
func sourcedLast(experiments []*experiment) {
	rank := func(e *experiment) int {
		if _, ok := e.study.(study.Sourced); ok {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(experiments, func(a, b *experiment) int { return rank(a) - rank(b) })
}
