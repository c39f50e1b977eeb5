package study

import (
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/field"
	"closedform/runner/internal/manifest"
)

type counts struct {
	Plain
	N     int `toml:"n"`
	twice int
}

func (c *counts) SetUp(*manifest.Manifest) error {
	c.twice = 2 * c.N
	return field.Between("n", 0, 9, c.N)
}

// An experiment is decoded onto its defaults and set up. An error has its place in the manifest.
func TestDecode(t *testing.T) {
	decode := func(text string) (Experiment, error) {
		m := check.Must(manifest.Parse("c.toml", []byte("name = 'c'\nstudy = 'counts'\n"+text), nil))
		return Decode(m, &counts{N: 3})
	}
	check.Refuses(t, "a value that SetUp refuses", check.Err(decode("n = -1")), "c.toml:3: n: -1 is not allowed")
	check.Equal(t, "set up", check.Must(decode("")).(*counts).twice, 6)
}

// Cells that differ by the seed are of one group, and draw different random numbers.
func TestCells(t *testing.T) {
	check.Equal(t, "group", Cell{Key: "method=adf seed=12 k=1"}.Group(), "method=adf k=1")
	first := func(seed int, purpose ...any) uint64 { return Seeded{"m", seed}.Stream(purpose...).Uint64() }
	check.Equal(t, "repeated", first(1, "order", 2), first(1, "order", 2))
	check.True(t, first(2, "order", 2) != first(1, "order", 2), "two seeds draw the same numbers")
	check.True(t, first(1, "order", 3) != first(1, "order", 2), "two purposes draw the same numbers")
}
