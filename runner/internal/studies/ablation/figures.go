package ablation

import (
	"fmt"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// heat is a row of maps over λ and ρ. A scale without ends has those of the data.
type heat struct {
	column string
	scale  figures.Axis
}

var momentsHeat = []heat{
	{"tv", figures.Axis{Label: "total variation of $p$", Log: true}},
	{"cov_error", figures.Axis{Label: "relative error of $Σ_y$", Log: true, Min: 0.01, Max: 10}},
	{"indefinite", figures.Axis{Label: "share of indefinite $Σ_y$", Max: 1}},
	{"asymmetry", figures.Axis{Label: "$|E_{ij} − E_{ji}|$"}},
	{"excess", figures.Axis{Label: "$|Σp − 1|$"}},
}

var learningHeat = []heat{
	{"accuracy", figures.Axis{Label: "accuracy"}},
	{"log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.5, Max: 20}},
	{"indefinite_steps", figures.Axis{Label: "indefinite steps"}},
}

// Figures are "moments", a column of maps for each number of classes, and "learning", for each method.
func (e *experiment) Figures() []study.Figure {
	draw := func(name, of string, heats []heat, maps func(*table.Table, string, *table.Table) []figures.Map) study.Figure {
		return study.Figure{Name: name, Needs: []string{of, "marks"}, Draw: func(t table.Set) (*figures.Figure, error) {
			var rows []figures.Row
			for _, h := range heats {
				rows = append(rows, h.row(maps(t.Get(of), h.column, t.Get("marks"))))
			}
			return figures.Maps(rows, figures.Labels{X: "$λ$", Y: "$ρ$"}), nil
		}}
	}
	learning := slices.Clone(learningHeat)
	for i := 0; e.Data.Name == "" && i < len(learning); i++ { // of files nothing is known beforehand
		learning[i].scale.Min, learning[i].scale.Max = 0, 0
	}
	return []study.Figure{draw("moments", "errors", momentsHeat, e.byClasses), draw("learning", "summary", learning, e.byMethod)}
}

func (e *experiment) byClasses(errors *table.Table, column string, marks *table.Table) (maps []figures.Map) {
	for _, n := range e.Ablation.Classes {
		maps = append(maps, e.heatMap(fmt.Sprintf("$n$ = %d", n), errors.Where("classes", n).Nums(column), marks, n))
	}
	return maps
}

func (e *experiment) byMethod(summary *table.Table, column string, marks *table.Table) (maps []figures.Map) {
	classes := 0
	if e.Data.Name != "" {
		classes = e.Data.Task().Classes
	} else {
		classes = int(summary.Nums("classes")[0])
	}
	legend := learner.NewLegend(e.Methods)
	for _, method := range summary.Distinct("method") {
		maps = append(maps, e.heatMap(legend.Label(method), summary.Where("method", method).Nums(column), marks, classes))
	}
	return maps
}

// heatMap returns a map over λ and ρ, of which z has the rows ρ by ρ, with the λ of n classes that have
// a word, where they are known.
func (e *experiment) heatMap(title string, z []float64, marks *table.Table, n int) figures.Map {
	m := figures.Map{Title: title, X: e.lambda, Y: e.rho, Z: z}
	if known := marks.Where("classes", n); known.Len() > 0 {
		for _, word := range learner.LambdaWords {
			m.Curves = append(m.Curves, figures.Curve{Name: wordLabels[word], Kind: figures.Line, X: known.Nums(word), Y: known.Nums("rho")})
		}
	}
	return m
}

// wordLabels has what the legend calls the λ of each word.
var wordLabels = map[string]string{"slope": "slope-matched $λ$", "lsq": "least-squares $λ$", "minimax": "minimax $λ$"}

// row returns the maps on one scale.
func (h heat) row(maps []figures.Map) figures.Row {
	var all []float64
	for _, m := range maps {
		all = append(all, m.Z...)
	}
	return figures.Row{Scale: h.scale.Spanning(all), Maps: maps}
}
