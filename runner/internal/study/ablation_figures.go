package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// heat is a row of heat maps over λ and ρ.
type heat struct {
	column, label string
	log           bool
	min, max      float64 // of the scale; both zero: from the data
}

var momentsHeat = []heat{
	{column: "tv", label: "total variation of $p$", log: true},
	{column: "cov_error", label: "relative error of $Σ_y$", log: true, min: 0.01, max: 10},
	{column: "indefinite", label: "share of indefinite $Σ_y$", max: 1},
	{column: "asymmetry", label: "$|E_{ij} − E_{ji}|$"},
	{column: "excess", label: "$|Σp − 1|$"},
}

var learningHeat = []heat{
	{column: "accuracy", label: "accuracy"},
	{column: "log_loss", label: "log loss, nats", log: true, min: 0.5, max: 20},
	{column: "indefinite_steps", label: "indefinite steps"},
}

func (a *ablation) figures(tables []store.Table) []Figure {
	moments, networks := a.maps(tables)
	labels := figures.Labels{X: "$λ$", Y: "$ρ$"}
	return []Figure{
		{"moments", figures.Page(moments, labels)},
		{"learning", figures.Page(networks, labels)},
	}
}

// maps returns the maps of the moments, a column for each number of classes, and
// of the networks, a column for each variant.
func (a *ablation) maps(tables []store.Table) (moments, networks []figures.Row) {
	errors, learning, marks := find(tables, "errors"), find(tables, "learning"), find(tables, "marks")
	for _, h := range momentsHeat {
		var maps []figures.Map
		for _, n := range a.Classes {
			rows := errors.where("classes", strconv.Itoa(n))
			maps = append(maps, a.heatMap(fmt.Sprintf("$n$ = %d", n), rows.floats(h.column), marks, n))
		}
		moments = append(moments, h.row(maps))
	}
	for _, h := range learningHeat {
		var maps []figures.Map
		for _, v := range a.Variants {
			rows := learning.where("variant", v.Name)
			maps = append(maps, a.heatMap(v.Name, rows.floats(h.column), marks, a.generator.Classes))
		}
		networks = append(networks, h.row(maps))
	}
	return moments, networks
}

// heatMap returns a map over λ and ρ with the λ of n classes that have a word,
// where they are known. The rows of z are those of the tables: ρ by ρ.
func (a *ablation) heatMap(title string, z []float64, marks frame, n int) figures.Map {
	m := figures.Map{Title: title, X: a.lambda, Y: a.rho, Z: z}
	known := marks.where("classes", strconv.Itoa(n))
	if len(known.Rows) == 0 {
		return m
	}
	for _, word := range lambdaWords {
		m.Curves = append(m.Curves, figures.Curve{
			Name: wordLabels[word], Style: figures.Line, X: known.floats(word), Y: known.floats("rho"),
		})
	}
	return m
}

// wordLabels has what the legend calls the λ of each word.
var wordLabels = map[string]string{"slope": "slope-matched $λ$", "lsq": "least-squares $λ$", "minimax": "minimax $λ$"}

// row returns the maps on one scale.
func (h heat) row(maps []figures.Map) figures.Row {
	s := figures.Scale{Label: h.label, Log: h.log, Min: h.min, Max: h.max}
	if h.min == 0 && h.max == 0 {
		s.Min, s.Max = math.Inf(1), math.Inf(-1)
		for _, m := range maps {
			for _, z := range m.Z {
				if !math.IsNaN(z) && !math.IsInf(z, 0) && (z > 0 || !h.log) {
					s.Min, s.Max = min(s.Min, z), max(s.Max, z)
				}
			}
		}
		switch z := s.Min; {
		case math.IsInf(z, 1): // no value
			s.Min, s.Max = 0.1, 1
		case s.Min == s.Max && h.log:
			s.Min, s.Max = z/2, 2*z
		case s.Min == s.Max:
			half := max(0.5, math.Abs(z)/2)
			s.Min, s.Max = z-half, z+half
		}
	}
	return figures.Row{Scale: s, Maps: slices.Clone(maps)}
}
