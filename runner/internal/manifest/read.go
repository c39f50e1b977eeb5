package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// blocks are the tables of the lists, for the checks of their values together.
type blocks struct {
	variants, figures []*table
}

// manifest reads the values of t one by one.
func (r *reader) manifest(t *table, m *Manifest, studies []Study) blocks {
	names := make([]string, len(studies))
	for i, s := range studies {
		names[i] = s.Name
	}
	read(t, "name", required, &m.Name, name)
	read(t, "study", required, &m.Study, word(names...))
	read(t, "seed", required, &m.Seed, seed)
	read(t, "overrides", optional, &m.Overrides, listOf(0, maxOverrides, text))

	data := t.sub("data")
	read(data, "generator", required, &m.Data.Generator, word(slices.Sorted(maps.Keys(generators))...))
	read(data, "train", required, &m.Data.Train, integer(1, maxTrain))

	readModel(t.sub("model"), required, &m.Model)

	evaluate := t.sub("evaluate")
	read(evaluate, "snapshots", required, &m.Evaluate.Snapshots, listOf(1, maxSnapshots, integer(1, maxTrain)))
	read(evaluate, "grid", required, &m.Evaluate.Grid, integer(2, maxGrid))

	mc := t.sub("monte_carlo")
	read(mc, "samples", optional, &m.MonteCarlo.Samples, integer(2, maxSamples))
	read(mc, "stride", optional, &m.MonteCarlo.Stride, integer(1, maxGrid))

	sweep := t.sub("sweep")
	m.Seeds = []int{m.Seed}
	read(sweep, "seed", optional, &m.Seeds, seeds)
	read(sweep, "lambda", optional, &m.Lambda, listOf(1, maxSwept, lambda))
	read(sweep, "rho", optional, &m.Rho, listOf(1, maxSwept, rho))

	var b blocks
	b.variants = t.list("variant")
	for _, v := range b.variants {
		model := m.Model
		read(v, "name", required, &model.Name, name)
		model.Variant = model.Name
		readModel(v, optional, &model)
		m.Variants = append(m.Variants, model)
	}
	if len(b.variants) == 0 {
		model := m.Model
		model.Name, model.Variant = "model", "model"
		m.Variants = []Model{model}
	}

	for _, c := range t.list("claim") {
		var claim Claim
		read(c, "claim", required, &claim.Claim, text)
		if i := slices.Index(names, m.Study); i >= 0 {
			read(c, "statistic", required, &claim.Statistic, word(studies[i].Statistics...))
		} else {
			read(c, "statistic", required, &claim.Statistic, name)
		}
		read(c, "threshold", required, &claim.Threshold, number("a finite number", func(float64) bool { return true }))
		m.Claims = append(m.Claims, claim)
	}

	b.figures = t.list("figure")
	for _, f := range b.figures {
		var figure Figure
		read(f, "kind", required, &figure.Kind, word("maps"))
		read(f, "variant", required, &figure.Variant, name)
		read(f, "single", optional, &figure.Single, boolean)
		m.Figures = append(m.Figures, figure)
	}
	return b
}

// readModel reads the keys of [model] or of a [[variant]] over those in m.
func readModel(t *table, n need, m *Model) {
	positive := func(x float64) bool { return x > 0 }
	read(t, "layers", n, &m.Layers, listOf(2, maxLayers, integer(1, maxWidth)))
	read(t, "bias", optional, &m.Bias, boolean)
	read(t, "alpha", optional, &m.Alpha, number("a number from 0 to 1", func(x float64) bool { return 0 <= x && x <= 1 }))
	read(t, "beta", optional, &m.Beta, number("a finite number ≥ alpha", func(float64) bool { return true }))
	read(t, "rule", optional, &m.Rule, word("joint", "total"))
	read(t, "hidden", optional, &m.Hidden, word("frozen"))
	read(t, "lambda", optional, &m.Lambda, lambda)
	read(t, "rho", optional, &m.Rho, rho)
	read(t, "prior_mean", optional, &m.PriorMean,
		listOf(0, maxWidth, listOf(1, maxWidth, number("a finite number", func(float64) bool { return true }))))
	read(t, "prior_var", optional, &m.PriorVar, number("a finite number > 0", positive))
	read(t, "prior_mean_var", optional, &m.PriorMeanVar, number("a finite number ≥ 0", func(x float64) bool { return x >= 0 }))
	read(t, "on_indefinite", optional, &m.OnIndefinite, word("fail", "skip", "project"))
	read(t, "eigenvalue_floor", optional, &m.EigenvalueFloor, number("a finite number > 0", positive))
	read(t, "variance_floor", optional, &m.VarianceFloor,
		number("a number > 0 and < 1", func(x float64) bool { return 0 < x && x < 1 }))
}

// models returns every variant at every swept lambda and rho.
func models(m *Manifest) []Model {
	var all []Model
	for _, v := range m.Variants {
		for i := range max(1, len(m.Lambda)) {
			for j := range max(1, len(m.Rho)) {
				model := v
				if m.Lambda != nil {
					model.Lambda = m.Lambda[i]
					model.Name += " lambda=" + model.Lambda.String()
				}
				if m.Rho != nil {
					model.Rho = m.Rho[j]
					model.Name += " rho=" + shortest(model.Rho)
				}
				all = append(all, model)
			}
		}
	}
	return all
}

// The kinds of value that more than one key has.
var (
	seed = integer(0, maxSeed)
	rho  = number("a number ≥ 0 and < 1", func(x float64) bool { return 0 <= x && x < 1 })

	name = scalar(fmt.Sprintf("a name of 1 to %d characters a-z, 0-9, _, -", maxName), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && isName(s)
	})

	text = scalar(fmt.Sprintf("a line of 1 to %d bytes of printable text", maxText), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && s != "" && len(s) <= maxText && s == oneLine(s)
	})

	boolean = scalar("true or false", func(v any) (bool, bool) {
		b, ok := v.(bool)
		return b, ok
	})

	lambda = scalar(`> 0 or the word "slope"`, func(v any) (Lambda, bool) {
		if v == "slope" {
			return Lambda{Word: "slope"}, true
		}
		x, ok := finite(v)
		return Lambda{Number: x}, ok && x > 0
	})

	seedList  = listOf(1, maxCells, seed)
	seedsWant = `a range such as "1..20" or ` + seedList.want
	seeds     = kind[[]int]{seedsWant, readSeeds}
)

func isName(s string) bool {
	return s != "" && len(s) <= maxName && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// readSeeds reads a range "first..last" or a list of seeds.
func readSeeds(v value) ([]int, bool) {
	s, ok := v.v.(string)
	if !ok {
		if _, ok := v.v.([]any); !ok {
			return nil, v.reject("must be " + seedsWant)
		}
		return seedList.read(v)
	}
	lo, hi, _ := strings.Cut(s, "..")
	first, err1 := strconv.ParseUint(lo, 10, 31)
	last, err2 := strconv.ParseUint(hi, 10, 31)
	switch {
	case err1 != nil || err2 != nil:
		return nil, v.reject(fmt.Sprintf(`must be a range such as "1..20" of integers from 0 to %d`, maxSeed))
	case first > last:
		return nil, v.reject("the range is empty; allowed: first ≤ last")
	case last-first >= maxCells:
		return nil, v.reject(fmt.Sprintf("%d seeds; allowed: at most %d", last-first+1, maxCells))
	}
	all := make([]int, last-first+1)
	for i := range all {
		all[i] = int(first) + i
	}
	return all, true
}
