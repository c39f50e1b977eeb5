// Package manifest reads manifests, the TOML files with every number of an experiment, into the structs of
// the studies. The tags of a struct are its keys and what is allowed ([field.Field]), its values beforehand
// the defaults; its method Validate says what must hold between fields. All errors are reported, each in one
// line,
//
//	experiments/x.toml:14: model.rho: 1 is not allowed; allowed: 0 to 0.999999
//	experiments/x.toml:5: moments.variance: missing; allowed: a list, each 0 to 1e30
//
// where "-set model.rho=1" stands in place of file and line for a value from the command line. Tables of a
// list ([[method]]) are called by name, or else number from 1: method.joint.lambda, figure.1.single.
package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// Limits of manifests, far above what an experiment needs. Limits of a single key are in its tag.
const (
	MaxWeights = 100_000_000 // largest number of covariances in a network
	MaxCells   = 1_000_000   // largest number of cells of an experiment
	MaxSeed    = 1<<31 - 1   // largest seed
)

// Header has the keys that all manifests have.
type Header struct {
	// Name is the name of the results folder.
	Name  string `toml:"name" check:"required"`
	Study string `toml:"study"` // the study, which reads the other keys
	// Seed is the seed of all random numbers; of swept seeds, that of the figures; default 0.
	Seed int `toml:"seed" range:"0 2,147,483,647"`
	// Group is the heading under which results/README.md lists it; default none.
	Group string `toml:"group,omitempty" words:"paper approximations learning unknown engineering"`
	// Finding is a sentence on what was found, with references to numbers of tables; default none.
	Finding string `toml:"finding,omitempty"`
	// Confirmation says that the experiment runs once, by name: -all leaves it out; default false.
	Confirmation bool `toml:"confirmation,omitempty"`
	// Short has "KEY=VALUE" texts: values of a short form, run by -short; default none.
	Short []string `toml:"short,omitempty"`
	// Overrides are written by the program into the manifest of the results: what -set has changed.
	Overrides []string `toml:"overrides,omitempty"`
	// Folder is also written by the program: the folder of the paths of data files.
	Folder string `toml:"folder,omitempty"`
	// Origin is also written by the program: the file name of the manifest, unless it is in experiments/.
	Origin string `toml:"origin,omitempty"`
}

var names = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// Validate reports what is not allowed.
func (h *Header) Validate() error {
	return field.Refuse(!names.MatchString(h.Name), "name", h.Name, "up to 64 of a-z, 0-9, _ and -")
}

// Manifest is a manifest whose header is read, but checked only by [Manifest.Decode], with the rest.
type Manifest struct {
	Header
	File  string
	About string // the first sentence of the comment with which the file begins
	Swept []int  // the seeds: that of the header, or those that a study has passed to Seeds

	values map[string]any    // values of keys and tables by their paths; "" is the manifest
	places map[string]string // file and line, or the -set override, of each key and table
	failed []string
	copied bool // whether the decoded tables begin as copies of one with errors

	programs map[string]program // programs by the paths of their tables
}

// program is a table that names a program outside of this one. Find returns what it is and its version.
type program interface {
	Find(folder string) (version string, err error)
}

// FindPrograms returns the names and versions of the programs in the manifest, each once, sorted.
func (m *Manifest) FindPrograms() (versions []string, failed error) {
	for _, path := range slices.Sorted(maps.Keys(m.programs)) {
		version, err := m.programs[path].Find(m.Folder)
		versions, failed = append(versions, version), cmp.Or(failed, m.Locate(path, err))
	}
	slices.Sort(versions)
	return slices.Compact(versions), failed
}

// Parse reads the text of a manifest, which errors call file. Each override, "key=value", replaces or adds a
// value:
//
//	model.lambda=0.4              a key of a table
//	method.joint.lambda=slope     of the method named joint
//	method.*.lambda=slope         of every method
//	figure.1.single=true          of the first figure
//	sweep.seed=1..5               a text that is no TOML value is a string
//	sweep.seed=1                  one value stands for a list of it
func Parse(file string, text []byte, overrides []string) (*Manifest, error) {
	m := &Manifest{
		File: file, About: about(string(text)),
		values: map[string]any{}, places: map[string]string{"": file}, programs: map[string]program{},
	}
	err := m.parse(string(text))
	for _, o := range overrides {
		if err == nil {
			err = m.override(o)
		}
	}
	if err != nil {
		return nil, err
	}
	m.Header = Header{Folder: filepath.Dir(file), Origin: filepath.Base(file)}
	m.decode("", m.values[""], &m.Header)
	m.Overrides, m.Swept = append(m.Overrides, overrides...), []int{m.Seed}
	return m, nil
}

var (
	comment  = regexp.MustCompile(`^(#[^\n]*\n)+`)
	sentence = regexp.MustCompile(`^.*?[.?!]( |$)`)
)

// about returns the first sentence of the comment with which the text begins; of a long one, what is before
// the first colon.
func about(text string) string {
	words := strings.Fields(strings.ReplaceAll(comment.FindString(text), "#", " "))
	first := strings.TrimSpace(sentence.FindString(strings.Join(words, " ")))
	if utf8.RuneCountInString(first) > 125 {
		first, _, _ = strings.Cut(first, ":")
	}
	return first
}

// Has reports whether the manifest has a key or table of this name.
func (m *Manifest) Has(key string) bool {
	_, ok := m.values[key]
	return ok
}

// Decode decodes all but the header onto v, a pointer to a struct that holds the defaults, and validates it;
// see the comment of [Manifest.decode] for its tags.
func (m *Manifest) Decode(v any) error {
	header := m.Header
	m.failed = nil
	m.decode("", m.values[""], &header, v)
	if m.failed == nil {
		return nil
	}
	return errors.New(strings.Join(m.failed, "\n"))
}

// Resolved returns the manifest with all keys of v spelled out, as TOML.
func (m *Manifest) Resolved(v any) ([]byte, error) {
	keys := tree(&m.Header, nil)
	maps.Copy(keys, tree(v, nil))
	var buf bytes.Buffer
	e := toml.NewEncoder(&buf)
	e.Indent = ""
	err := e.Encode(keys)
	return buf.Bytes(), err
}

// Sweep is the table [sweep] of an experiment that sweeps the seed alone.
type Sweep struct {
	Seed Ints `toml:"seed,omitempty" check:"distinct"` // seeds to run with; default the key seed
}

// Ints is a list of integers, which may be written as a range such as "1..20".
type Ints []int

// expand returns the list that a range stands for, and any other value as it is.
func expand(v any) any {
	var first, last int64
	fmt.Sscanf(fmt.Sprint(v), "%d..%d", &first, &last)
	written := v == fmt.Sprintf("%d..%d", first, last)
	if !written || first < 0 || last < first || last > MaxSeed || last-first >= MaxCells {
		return v
	}
	list := make([]any, last-first+1)
	for i := range list {
		list[i] = first + int64(i)
	}
	return list
}

// Allowed says what is allowed.
func (Ints) Allowed() string { return `a list, each an integer, or a range such as "1..20"` }

// MarshalTOML writes a list that is a range as a range.
func (s Ints) MarshalTOML() ([]byte, error) {
	if n := len(s); n > 1 && s[n-1]-s[0] == n-1 && slices.IsSorted(s) {
		return fmt.Appendf(nil, `"%d..%d"`, s[0], s[n-1]), nil
	}
	return []byte(strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")), nil
}

// Seeds returns the swept seeds, which must include the manifest's seed; without a sweep, the manifest's
// seed.
func (m *Manifest) Seeds(swept Ints) ([]int, error) {
	if len(swept) > 0 {
		m.Swept = swept
	}
	if !slices.Contains(m.Swept, m.Seed) {
		return nil, m.Locate("", field.Refuse(true, "seed", m.Seed, fmt.Sprintf("one of sweep.seed, such as "+
			"seed = %d; or add %d to sweep.seed", swept[0], m.Seed)))
	}
	return m.Swept, nil
}
