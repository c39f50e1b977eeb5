// Package manifest reads the manifest of an experiment: a TOML file that
// chooses every number of the experiment, turned into checked plain structs.
//
// A manifest that is accepted is complete: every key has a value in its range,
// shapes fit each other and the data, and nothing in it asks for an absurd
// amount of memory. A manifest that is not accepted gives an error of one line,
//
//	experiments/x.toml:14: model.lambda = -1: must be > 0 or the word "slope"
//
// with the file, the line, the key, its value and what is allowed. Where a -set
// override is at fault, "-set model.lambda=-1" stands in place of file and line.
// Tables of a list ([[variant]], [[claim]], [[figure]]) are called by their
// name, or by their number from 1 where they have none: variant.joint.lambda,
// claim.1.threshold.
package manifest

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
	maxSamples    = 1000000000 // Monte Carlo samples of a grid point
	maxLayers     = 100        // entries of model.layers
	maxWidth      = 100_000    // neurons of a layer
	maxCovariance = 100000000  // numbers in all covariance matrices of a network
	maxTables     = 100        // [[variant]], [[claim]] or [[figure]] blocks
	maxSwept      = 1000       // values of a swept model key
	maxModels     = 10_000     // variants × swept lambda × swept rho
	maxCells      = 1_000_000  // models × seeds
	maxOverrides  = 100        // -set overrides
)

// Study describes to the reader a study that manifests may name.
type Study struct {
	Name       string
	Statistics []string // the statistics that a claim may name
}

// Manifest is an experiment. It is plain data; the slices of Models are shared
// between them and with Variants and must not be written to.
type Manifest struct {
	Name  string // the results folder, [a-z0-9_-]+; required
	Study string // the study that reads the manifest; required
	Seed  int    // the seed whose maps are drawn, one of Seeds; required
	Seeds []int  // sweep.seed, at least one; default: Seed alone

	Data       Data
	Model      Model // the [model] table, its Name and Variant empty
	Evaluate   Evaluate
	MonteCarlo MonteCarlo

	Lambda   []Lambda  // sweep.lambda, in place of every variant's lambda; default: none, not swept
	Rho      []float64 // sweep.rho, in place of every variant's rho; default: none, not swept
	Variants []Model   // Model with the keys of each [[variant]]; default: Model itself, named "model"

	// Models has one model per variant × Lambda × Rho, in this order, the last
	// changing fastest. It follows from the fields above.
	Models []Model

	Claims  []Claim
	Figures []Figure

	// Overrides lists the -set arguments that are already in the values above,
	// in the order in which they were applied.
	Overrides []string
}

// Data says which examples are drawn.
type Data struct {
	Generator string // wedges; required
	Train     int    // number of training examples, ≥ 1; required
}

// Model says what network learns, and how.
type Model struct {
	Name    string // the variant's name, in Manifest.Models with the swept values: "joint lambda=0.1 rho=0.5"
	Variant string // the variant's name

	Layers []int   // inputs, hidden widths, classes; at least two entries; required
	Bias   bool    // whether each layer has a trailing input 1; default false
	Alpha  float64 // slopes of the unit max(αz, βz): 0 ≤ α ≤ 1; default 0
	Beta   float64 // and α ≤ β; default 1
	Rule   string  // output rule, joint or total; default joint
	Hidden string  // hidden rule, frozen; default frozen
	Lambda Lambda  // slope λ of the probit approximation; default "slope"
	Rho    float64 // correlation ρ of the probit approximation, 0 ≤ ρ < 1; default 0.5

	PriorMean    [][]float64 // neurons × inputs (+1 with a bias), for one layer of weights; default: empty, drawn
	PriorVar     float64     // prior variance of each weight, > 0; default 1
	PriorMeanVar float64     // prior means are drawn from N(0, PriorMeanVar/fan-in) where PriorMean is empty, ≥ 0; default 0

	OnIndefinite    string  // what happens to an indefinite step: fail, skip or project; default fail
	EigenvalueFloor float64 // used by project, > 0; default 1e-3
	VarianceFloor   float64 // used by project, > 0 and < 1; default 1e-3
}

// Evaluate says when and where the network is looked at.
type Evaluate struct {
	Snapshots []int // numbers of examples seen, strictly increasing, 1 … Data.Train; required
	Grid      int   // points along each axis, ≥ 2; required
}

// MonteCarlo says how the approximation is checked by sampling.
type MonteCarlo struct {
	Samples int // samples of a grid point, ≥ 2; default 10000
	Stride  int // seeds that are not drawn are checked on every Stride-th grid line, ≥ 1; default 4
}

// Claim is a sentence that is measured. All three are required.
type Claim struct {
	Claim     string  // the sentence
	Statistic string  // the statistic of the study that measures it
	Threshold float64 // where its verdict changes
}

// Figure is a drawing.
type Figure struct {
	Kind    string // maps; required
	Variant string // the variant that is drawn; required
	Single  bool   // whether each panel is written to a file of its own too; default false
}

// defaultModel has the defaults of the optional keys of [model].
func defaultModel() Model {
	return Model{
		Alpha:           0,
		Beta:            1,
		Rule:            "joint",
		Hidden:          "frozen",
		Lambda:          Lambda{Word: "slope"},
		Rho:             0.5,
		PriorVar:        1,
		OnIndefinite:    "fail",
		EigenvalueFloor: 1e-3,
		VarianceFloor:   1e-3,
	}
}

// defaultMonteCarlo has the defaults of [monte_carlo].
func defaultMonteCarlo() MonteCarlo {
	return MonteCarlo{Samples: 10000, Stride: 4}
}

// generators has the numbers of inputs and classes of the examples that each
// data.generator draws.
var generators = map[string]struct{ inputs, classes int }{
	"wedges": {2, 3},
}

// Lambda is the slope λ of the probit approximation: a number, or the word
// "slope" for the value that matches the slope of the softmax at the origin.
type Lambda struct {
	Number float64 // > 0 where Word is empty
	Word   string  // "" or "slope"
}

// Value returns λ for n classes with correlation rho: the number, or
// slope(n, rho) if l is the word.
func (l Lambda) Value(n int, rho float64, slope func(n int, rho float64) float64) float64 {
	if l.Word == "" {
		return l.Number
	}
	return slope(n, rho)
}

// String returns the number in its shortest form, or the word.
func (l Lambda) String() string {
	if l.Word == "" {
		return shortest(l.Number)
	}
	return l.Word
}
