package study

import (
	"errors"
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/table"
)

type counts struct {
	Plain
	N     int `toml:"n"`
	twice int
}

func (c *counts) SetUp(*manifest.Manifest) error {
	if c.twice = 2 * c.N; c.N < 0 {
		return field.Errorf("n", "too small")
	}
	return nil
}

// An experiment is decoded onto its defaults and set up. An error names the manifest.
func TestDecode(t *testing.T) {
	decode := func(text string) (Experiment, error) {
		m := check.Must(manifest.Parse("c.toml", []byte("name = 'c'\nstudy = 'counts'\n"+text), nil))
		return Decode(m, &counts{N: 3})
	}
	for text, want := range map[string]int{"": 6, "n = 4": 8} {
		check.Equal(t, text, check.Must(decode(text)).(*counts).twice, want)
	}
	check.Refuses(t, "a value that SetUp refuses", check.Err(decode("n = -1")), "c.toml:3: n: too small")
	check.Refuses(t, "an unknown key", check.Err(decode("m = 1")), "c.toml:3: m")
}

// An experiment that has nothing of its own passes on the tables of its cells.
func TestPlain(t *testing.T) {
	var e Experiment = Plain{}
	check.OK(t, errors.Join(e.SetUp(nil), e.Prepare(t.Context())))
	one := table.New("runs", table.Int("seed", ""))
	one.Add(1)
	two := table.New("runs", table.Int("seed", ""))
	two.Add(2)
	merged := e.Tables([]table.Set{{one}, {two}})
	check.Equal(t, "seeds", merged.Get("runs").Texts("seed"), []string{"1", "2"})
	check.Equal(t, "cells and figures", len(e.Cells())+len(e.Figures()), 0)
}

// Cells that differ by the seed are of one group, and draw different random numbers.
func TestCells(t *testing.T) {
	for key, want := range map[string]string{
		"method=adf seed=12 k=1": "method=adf k=1", "seed=1": "", "unseed=1 seed=2": "unseed=1",
	} {
		check.Equal(t, key, Cell{Key: key}.Group(), want)
	}
	first := func(seed int, purpose ...any) uint64 { return Seeded{"m", seed}.Stream(purpose...).Uint64() }
	check.Equal(t, "repeated", first(1, "order", 2), first(1, "order", 2))
	for what, other := range map[string]uint64{"seed": first(2, "order", 2), "purpose": first(1, "order", 3)} {
		check.True(t, other != first(1, "order", 2), "another %s draws the same numbers", what)
	}
}
