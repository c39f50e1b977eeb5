package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Sweep is the table [sweep] of an experiment that sweeps the seed alone.
type Sweep struct {
	Seed Ints `toml:"seed,omitempty"`
}

// Ints is a list of integers, which may be written as a range such as "1..20".
type Ints []int

// UnmarshalTOML reads a list or a range.
func (s *Ints) UnmarshalTOML(v any) error {
	*s = nil
	switch v := v.(type) {
	case string:
		before, after, _ := strings.Cut(v, "..")
		first, err := strconv.Atoi(before)
		last, err2 := strconv.Atoi(after)
		if cmp.Or(err, err2) != nil || first < 0 || last < first || last > MaxSeed || last-first >= MaxCells {
			break
		}
		for n := first; n <= last; n++ {
			*s = append(*s, n)
		}
		return nil
	case []any:
		for _, x := range v {
			n, ok := x.(int64)
			if !ok || slices.Contains(*s, int(n)) {
				return fmt.Errorf("%v is not allowed; allowed: integers that differ", x)
			}
			*s = append(*s, int(n))
		}
		return nil
	}
	return fmt.Errorf(`%v is not allowed; allowed: a range such as "1..20" or a list of integers`, v)
}

// MarshalTOML writes a range where it is one.
func (s Ints) MarshalTOML() ([]byte, error) {
	for i, n := range s {
		if n != s[0]+i || len(s) < 2 {
			return []byte(strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")), nil
		}
	}
	if len(s) == 0 {
		return []byte("[]"), nil
	}
	return fmt.Appendf(nil, "%q", fmt.Sprintf("%d..%d", s[0], s[len(s)-1])), nil
}

// Floats is a list of numbers, of which a single one may be written without brackets.
type Floats []float64

// UnmarshalTOML reads a list or a number.
func (f *Floats) UnmarshalTOML(v any) error {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	*f = nil
	for _, x := range list {
		switch x := x.(type) {
		case int64:
			*f = append(*f, float64(x))
		case float64:
			*f = append(*f, x)
		default:
			return fmt.Errorf("%v is not allowed; allowed: a number or a list of numbers", x)
		}
	}
	return nil
}

// Seeds returns the seeds that are swept, which must include that of the manifest, or
// this alone if there are none.
func (m *Manifest) Seeds(swept Ints) ([]int, error) {
	if len(swept) == 0 {
		return []int{m.Seed}, nil
	}
	if !slices.Contains(swept, m.Seed) {
		return nil, m.Errorf("seed", "%d is not allowed; allowed: one of sweep.seed", m.Seed)
	}
	return swept, nil
}
