// Package manifest reads the manifest of an experiment: a TOML file that
// chooses every number of the experiment, turned into checked plain structs.
//
// A manifest that is accepted is complete: every key has a value in its range,
// shapes fit each other and the data, and nothing in it asks for an absurd
// amount of memory. A manifest that is not accepted gives an error of one line,
//
//	experiments/x.toml:14: model.rho = 1: must be a number ≥ 0 and < 1
//
// with the file, the line, the key, its value and what is allowed. Where a -set
// override is at fault, "-set model.rho=1" stands in place of file and line.
// Tables of a list ([[variant]], [[claim]], [[figure]]) are called by their
// name, or by their number from 1 where they have none: variant.joint.lambda,
// claim.1.threshold.
//
// Every study has a file of its own here, with the struct that it gets and one
// method that goes over its keys: key, kind of value and default stand there
// together, for reading and for writing.
package manifest

import (
	"bytes"
	"slices"
)

// The upper limits. They are far above what an experiment needs and far below
// what a machine cannot hold; the error of a larger value names the limit.
const (
	maxFile       = 256 << 10  // bytes of a manifest
	maxName       = 64         // characters of a name
	maxText       = 500        // bytes of a sentence
	maxSeed       = 1<<31 - 1  // a seed
	maxTrain      = 1_000_000  // training examples
	maxSnapshots  = 1000       // snapshots
	maxGrid       = 2001       // grid points along an axis
	maxSamples    = 1000000000 // Monte Carlo samples of a point
	maxDraws      = 1_000_000  // random inputs of a point
	maxClasses    = 1000       // classes
	maxLayers     = 100        // entries of model.layers
	maxWidth      = 100_000    // neurons of a layer
	maxCovariance = 100000000  // numbers in all covariance matrices of a network
	maxTables     = 100        // [[variant]], [[claim]] or [[figure]] blocks
	maxSwept      = 1000       // values of a swept key
	maxModels     = 10_000     // variants × swept lambda × swept rho
	maxCells      = 1_000_000  // models × seeds, or points of a study without networks
	maxOverrides  = 100        // -set overrides
)

// Spreads, variances and slopes of random logits end where their ratios and the
// fourth powers of what is made of them still are numbers.
const (
	minScale = 1e-30
	maxScale = 1e30
)

// Study describes to the reader a study that manifests may name.
type Study struct {
	Name       string
	Statistics []string // the statistics that a claim may name
	Methods    []string // the methods that moments.methods may name
}

// Manifest is an experiment. It is plain data.
type Manifest struct {
	Name   string // the results folder, [a-z0-9_-]+; required
	Study  string // the study that reads the manifest; required
	Seed   int    // the seed of all that is random; where seeds are swept, one of Seeds, the one that is drawn; required
	Effort string // a label by which experiments are chosen: quick or full; default full

	// Overrides lists the -set arguments that are already in the values, in the
	// order in which they were applied.
	Overrides []string

	Seeds []int // sweep.seed in a study that has it, at least one; default: Seed alone

	// Folder is that which relative paths of data files are relative to, from where
	// the program is started; default: that of the manifest. It is written where
	// there are such paths, so that a copy of the manifest in another folder finds
	// the data.
	Folder string

	// Missing lists the data files that are not there. A manifest with any is
	// not checked further and cannot run.
	Missing []string

	// What Study reads; the others are nil.
	Learn     *Learn
	Stream    *Stream // of learn without evaluate.grid
	Moments   *Moments
	Ablation  *Ablation
	Calibrate *Calibrate
	Stability *Stability
	MCCheck   *MCCheck
	Posterior *Posterior
	Hidden    *Hidden
	Order     *Order
	Compare   *Compare
	Unknown   *Unknown
	Drift     *Drift
	Claims    *Claims
}

// section is the part of a manifest that one study reads.
type section interface {
	// fields goes over the tables and keys of the section. The common keys of m
	// are read already.
	fields(f *fields, m *Manifest)

	// check reports values that do not fit each other. Each of them is right by
	// itself. The root table of the manifest is t.
	check(t *table, m *Manifest)
}

// section returns the section of m that its study reads; it is empty before it
// is read.
func (m *Manifest) section() section {
	switch m.Study {
	case "learn":
		if m.Stream != nil {
			return m.Stream
		}
		return made(&m.Learn)
	case "moments":
		return made(&m.Moments)
	case "ablation":
		return made(&m.Ablation)
	case "calibrate":
		return made(&m.Calibrate)
	case "stability":
		return made(&m.Stability)
	case "mc_check":
		return made(&m.MCCheck)
	case "posterior":
		return made(&m.Posterior)
	case "hidden":
		return made(&m.Hidden)
	case "order":
		return made(&m.Order)
	case "compare":
		return made(&m.Compare)
	case "unknown":
		return made(&m.Unknown)
	case "drift":
		return made(&m.Drift)
	case "claims":
		return made(&m.Claims)
	}
	panic("manifest: no section for the study " + m.Study)
}

// checkDrawn reports a seed that is not one of those that are swept.
func (m *Manifest) checkDrawn(root *table) {
	if !slices.Contains(m.Seeds, m.Seed) {
		root.reject("seed", "not one of sweep.seed; allowed: "+limited(spanLiteral(m.Seeds), shown))
	}
}

// made returns *p, which is made if it is nil.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// fields goes over all keys of the manifest.
func (m *Manifest) fields(f *fields) {
	field(f, "name", &m.Name, name)
	field(f, "study", &m.Study, word(f.names()...))
	field(f, "seed", &m.Seed, seed)
	field(f, "effort", &m.Effort, word("quick", "full").or("full"))
	field(f, "overrides", &m.Overrides, listOf(0, maxOverrides, text).or(nil))
	if m.Study == "" {
		f.allKeys()
		return
	}
	if m.Study == "learn" && f.from != nil && isStream(f.from) {
		m.Stream = &Stream{}
	}
	m.section().fields(f, m)
}

// folder goes over the key of studies with data files.
func (m *Manifest) folder(f *fields) { field(f, "folder", &m.Folder, orZero(text)) }

// isStream reports whether a manifest of the study learn is that of a Stream: it
// has no grid, nor any other table that goes with one. A grid over data that are
// not of the plane is reported.
func isStream(root *table) bool {
	data, evaluate := root.sub("data"), root.sub("evaluate")
	if evaluate.has("grid") && (data.has("file") || data.has("images")) {
		evaluate.reject("grid", "maps are of the plane; allowed: no grid with data from files")
		return true
	}
	return !root.sub("evaluate").has("grid") && !root.has("monte_carlo") && !root.has("claim") && !root.has("figure")
}

// Resolved returns m as TOML with every key spelled out; sweep.lambda and
// sweep.rho only where they are swept, since no value of them means that. Parse
// makes the same Manifest of it.
func (m *Manifest) Resolved() []byte {
	var b bytes.Buffer
	m.fields(&fields{to: &b})
	return b.Bytes()
}
