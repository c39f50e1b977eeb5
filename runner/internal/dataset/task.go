package dataset

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// Task is the law that examples are drawn from, independently of each other. A
// parameter that is 0 stands for the default of the task; Resolved fills it in.
//
//	name      what                                        noise (default)                      classes
//	logistic  a half-plane with a soft boundary           width of the boundary (1)            2
//	moons     two interleaving half circles               sd of each input (0.1)               2
//	rings     concentric circles                          sd of the radius (0.05)              Rings
//	spirals   arms that wind round the origin             sd of the angle in radians (0.12)    Arms
//	wedges    the paper's task                            none                                 3
//	xor       four clusters, equal signs against unequal  sd of each input (0.4)               2
//
// Methods other than Validate panic on a task that is not valid.
type Task struct {
	Name  string
	Noise float64 // see above; from 1e-6 to 10
	Arms  int     // of spirals only: from 2 to 100, default 3
	Rings int     // of rings only: from 2 to 100, default 3
}

// The range of Task.Noise, in which no intermediate result overflows, and the
// largest number of arms and rings.
const (
	minNoise, maxNoise = 1e-6, 10
	maxCount           = 100
)

// inputs is the number of inputs of every task.
const inputs = 2

// kind is what tasks of one name have in common. Its functions are given a task
// that is valid and resolved.
type kind struct {
	noise       float64 // default; 0: tasks of this name have no noise
	arms, rings int     // defaults; 0: tasks of this name have none

	classes func(t Task) int
	region  func(t Task) Region

	// draw puts the next example into x and returns its class.
	draw func(t Task, x []float64, rnd *rand.Rand) int

	// probabilities sets dst as Task.ClassProbabilities does.
	probabilities func(t Task, dst, x []float64) bool

	bayesError func(t Task) float64
}

var kinds = map[string]kind{
	"logistic": logistic,
	"moons":    moons,
	"rings":    rings,
	"spirals":  spirals,
	"wedges":   wedgesKind,
	"xor":      xor,
}

// Names returns the names of all tasks, sorted.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// Validate returns an error that says what is allowed if the task has an unknown
// name, a parameter out of range, or one that tasks of its name do not have.
func (t Task) Validate() error {
	k, ok := kinds[t.Name]
	if !ok {
		return fmt.Errorf("dataset: no task %q; allowed: %s", t.Name, strings.Join(Names(), ", "))
	}
	if t.Noise != 0 {
		if k.noise == 0 {
			return fmt.Errorf("dataset: task %q with noise = %g; allowed: no noise", t.Name, t.Noise)
		}
		if !(minNoise <= t.Noise && t.Noise <= maxNoise) {
			return fmt.Errorf("dataset: task %q with noise = %g; allowed: from %g to %g (0: %g)", t.Name, t.Noise, minNoise, float64(maxNoise), k.noise)
		}
	}
	for _, count := range []struct {
		name            string
		value, standard int
	}{
		{"arms", t.Arms, k.arms},
		{"rings", t.Rings, k.rings},
	} {
		if count.value == 0 {
			continue
		}
		if count.standard == 0 {
			return fmt.Errorf("dataset: task %q with %s = %d; allowed: no %s", t.Name, count.name, count.value, count.name)
		}
		if count.value < 2 || count.value > maxCount {
			return fmt.Errorf("dataset: task %q with %s = %d; allowed: from 2 to %d (0: %d)", t.Name, count.name, count.value, maxCount, count.standard)
		}
	}
	return nil
}

// Resolved returns the task with its defaults filled in.
func (t Task) Resolved() Task {
	t, _ = t.resolve()
	return t
}

func (t Task) resolve() (Task, kind) {
	if err := t.Validate(); err != nil {
		panic(err.Error())
	}
	k := kinds[t.Name]
	if t.Noise == 0 {
		t.Noise = k.noise
	}
	if t.Arms == 0 {
		t.Arms = k.arms
	}
	if t.Rings == 0 {
		t.Rings = k.rings
	}
	return t, k
}

// Inputs returns the number of inputs of an example.
func (t Task) Inputs() int { return inputs }

// Classes returns the number of classes.
func (t Task) Classes() int {
	t, k := t.resolve()
	return k.classes(t)
}

// Region returns the rectangle to draw maps on. It has nearly all examples in
// it.
func (t Task) Region() Region {
	t, k := t.resolve()
	return k.region(t)
}

// Generate returns n examples. The first examples of a longer list from the same
// stream are the same.
func (t Task) Generate(n int, src rand.Source) Set {
	t, k := t.resolve()
	rnd := rand.New(src)
	set := Set{X: make([][]float64, n), Class: make([]int, n)}
	coordinates := make([]float64, n*inputs)
	for i := range set.X {
		set.X[i] = coordinates[i*inputs : (i+1)*inputs : (i+1)*inputs]
		set.Class[i] = k.draw(t, set.X[i], rnd)
	}
	return set
}

// ClassProbabilities puts P(class | x) into dst, which has one element per
// class, and reports whether it did: exactly on a boundary of the wedges there
// is no truth, and dst is left alone. Where no example can lie, beyond the
// square or the disc of a task, the probabilities are those that its formula
// goes on with.
func (t Task) ClassProbabilities(dst, x []float64) bool {
	t, k := t.resolve()
	if n := k.classes(t); len(dst) != n {
		panic(fmt.Sprintf("dataset: dst of ClassProbabilities has length %d, need %d, one per class", len(dst), n))
	}
	if len(x) != inputs {
		panic(fmt.Sprintf("dataset: x of ClassProbabilities has length %d, need %d", len(x), inputs))
	}
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			panic(fmt.Sprintf("dataset: x of ClassProbabilities is %v, need finite numbers", x))
		}
	}
	return k.probabilities(t, dst, x)
}

// BayesError returns the error rate of the best classifier there can be, the one
// that answers the most probable class, E[1 − max_k P(class k | x)]. It is a
// closed form or a deterministic quadrature; the file of each task gives its
// accuracy.
func (t Task) BayesError() float64 {
	t, k := t.resolve()
	return k.bayesError(t)
}

// normalize turns logarithms of numbers that are proportional to probabilities
// into the probabilities.
func normalize(dst []float64) {
	largest, sum := floats.Max(dst), 0.
	for i, l := range dst {
		dst[i] = math.Exp(l - largest)
		sum += dst[i]
	}
	floats.Scale(1/sum, dst)
}

// two sets dst to the probabilities 1/(1+e^logit), 1/(1+e^−logit) of class 0 and
// class 1.
func two(dst []float64, logit float64) {
	dst[0], dst[1] = 1/(1+math.Exp(logit)), 1/(1+math.Exp(-logit))
}
