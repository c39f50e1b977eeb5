package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"closedform/internal/field"
)

// Sweep is the table [sweep] of an experiment that sweeps the seed alone.
type Sweep struct {
	Seed Ints `toml:"seed,omitempty"` // seeds to run with; default the key seed
}

// Ints is a list of integers, which may be written as a range such as "1..20".
type Ints []int

// UnmarshalTOML reads a list or a range.
func (s *Ints) UnmarshalTOML(v any) error {
	*s = nil
	if list, ok := v.([]any); ok {
		for _, x := range list {
			n, ok := x.(int64)
			if !ok || slices.Contains(*s, int(n)) {
				return fmt.Errorf("%v is not allowed; allowed: integers that differ", x)
			}
			*s = append(*s, int(n))
		}
		return nil
	}
	var first, last int
	fmt.Sscanf(fmt.Sprint(v), "%d..%d", &first, &last)
	if v != fmt.Sprintf("%d..%d", first, last) || first < 0 || last < first || last > MaxSeed ||
		last-first >= MaxCells {
		return fmt.Errorf(`%v is not allowed; allowed: a range such as "1..20" or a list of integers`, v)
	}
	for n := first; n <= last; n++ {
		*s = append(*s, n)
	}
	return nil
}

// MarshalTOML writes a range where it is one.
func (s Ints) MarshalTOML() ([]byte, error) {
	if n := len(s); n > 1 && s[n-1]-s[0] == n-1 && slices.IsSorted(s) {
		return fmt.Appendf(nil, `"%d..%d"`, s[0], s[n-1]), nil
	}
	return []byte(strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")), nil
}

// Seeds returns the swept seeds, which must include that of the manifest, or that alone if there are none.
func (m *Manifest) Seeds(swept Ints) ([]int, error) {
	if len(swept) > 0 {
		m.Swept = swept
	}
	if !slices.Contains(m.Swept, m.Seed) {
		return nil, m.Errorf("seed", "%d is not allowed; allowed: one of sweep.seed, such as seed = %d; "+
			"or add %[1]d to sweep.seed", m.Seed, swept[0])
	}
	return m.Swept, nil
}

// Set sets a field of the struct v points to, by its key. Of a free table, "settings.x" is x in a copy of it.
func Set(key string, x, v any) error {
	table, inner, free := strings.Cut(key, ".")
	for _, f := range fields(v) {
		settings, ok := f.value.Interface().(map[string]any)
		if f.key != table || ok != free {
			continue
		} else if free {
			copied := map[string]any{}
			maps.Copy(copied, settings)
			copied[inner] = x
			x = copied
		}
		return decodeValue(key, x, f.value)
	}
	return field.Errorf(key, "not a key with a number or a word")
}
