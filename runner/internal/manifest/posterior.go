package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// Posterior is what the study posterior reads: networks of one layer learn a
// stream of examples, and are compared with the exact posterior along it.
type Posterior struct {
	Training
	Snapshots []int // numbers of examples seen, strictly increasing, 1 … Data.Train; required
	Grid      int   // points along each axis at which predictions are compared, ≥ 2; required
	Draws     int   // draws from the exact posterior, even; default 4000

	// Perceptrons are Bayesian perceptrons beside the networks, where there are
	// two classes: huber or adf; default: none. λ and what happens to an
	// indefinite step are those of [model], the prior that of the difference of
	// the logits.
	Perceptrons []string

	Mapped  []int    // snapshots that are drawn, some of Snapshots; default: none
	Maps    []string // variants and perceptrons that are drawn beside the exact posterior; default: none
	MapGrid int      // points of the maps along each axis, ≥ 2; default 61
}

// The names, among those of the variants, of the exact posterior and of equal
// probabilities for all classes, and how the names of the perceptrons begin.
const (
	Exact            = "exact"
	Uniform          = "uniform"
	PerceptronPrefix = "perceptron-"
)

func (p *Posterior) fields(f *fields, m *Manifest) {
	// Predictions are averaged evenly over a square: the law of the inputs of
	// these tasks.
	p.networks(f, "logistic", "wedges")
	f.table("posterior", func(f *fields) {
		field(f, "snapshots", &p.Snapshots, listOf(1, maxSnapshots, integer(1, maxTrain)))
		field(f, "grid", &p.Grid, grid)
		field(f, "draws", &p.Draws, integer(2, maxDraws).or(4000))
		field(f, "perceptrons", &p.Perceptrons, distinct(listOf(0, 2, word("huber", "adf"))).or(nil))
		field(f, "mapped", &p.Mapped, distinct(listOf(0, maxSnapshots, integer(1, maxTrain))).or(nil))
		field(f, "maps", &p.Maps, distinct(listOf(0, maxTables, name)).or(nil))
		field(f, "map_grid", &p.MapGrid, grid.or(61))
	})
	p.sweep(f, m, orNone(lambdas), orNone(rhos))
}

func (p *Posterior) check(root *table, m *Manifest) {
	p.Training.check(root, m)
	if root.rejected() {
		return
	}
	t, names := root.sub("posterior"), p.checkModels(root)
	rejectUnordered(t, "snapshots", p.Snapshots)
	if last := slices.Max(p.Snapshots); last > p.Data.Train {
		t.reject("snapshots", fmt.Sprintf("%d is beyond data.train = %d; allowed: 1 to %[2]d", last, p.Data.Train))
	}
	if p.Draws%2 != 0 {
		t.reject("draws", "they come in pairs; allowed: an even number")
	}
	if n := p.Data.Task().Classes(); n != 2 && len(p.Perceptrons) > 0 {
		t.reject("perceptrons", fmt.Sprintf("data.generator = %q has %d classes; allowed: only with two", p.Data.Generator, n))
	}
	for _, k := range p.Mapped {
		if !slices.Contains(p.Snapshots, k) {
			t.reject("mapped", fmt.Sprintf("%d is not one of posterior.snapshots; allowed: %s", k, limited(literal(p.Snapshots), shown)))
			break
		}
	}
	for _, name := range p.Maps {
		if !slices.Contains(names, name) {
			t.reject("maps", fmt.Sprintf("%s names no variant; allowed: %s", name, limited(strings.Join(names, ", "), shown)))
			break
		}
	}
}

// checkModels reports models that have no exact posterior in common, and returns
// the names of all that learns.
func (p *Posterior) checkModels(root *table) []string {
	if len(p.Model.Layers) != 2 {
		root.sub("model").reject("layers", "the exact posterior is for networks without hidden layers; allowed: two entries")
	}
	var names []string
	for _, rule := range p.Perceptrons {
		names = append(names, PerceptronPrefix+rule)
	}
	taken := append([]string{Exact, Uniform}, names...)
	for _, model := range p.Models() {
		names = append(names, model.Name)
	}
	for i, v := range root.list("variant") {
		a, b := p.Model, p.Variants[i]
		if slices.Contains(taken, b.Name) {
			v.reject("name", "not the name of a variant in the tables; allowed: all but "+strings.Join(taken, ", "))
		}
		for _, k := range []struct {
			key  string
			same bool
		}{
			{"layers", slices.Equal(a.Layers, b.Layers)},
			{"bias", a.Bias == b.Bias},
			{"prior", a.Prior == b.Prior},
			{"prior_mean", slices.EqualFunc(a.PriorMean, b.PriorMean, slices.Equal)},
			{"prior_var", a.PriorVar == b.PriorVar},
			{"prior_mean_var", a.PriorMeanVar == b.PriorMeanVar},
		} {
			if !k.same {
				v.reject(k.key, "all variants have one exact posterior; allowed: the value of model."+k.key)
			}
		}
	}
	return names
}
