package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/figures"
	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

func TestPlaneSpecs(t *testing.T) {
	studytest.Differ(t, Kind, small, "name=large", "seed=1", "data.train=7", "model.alpha=0.1", "model.lambda=0.31", "model.lambda=slope", "model.rho=0.4",
		"model.prior_mean=[[0, 1], [0, 1], [1, 1]]", "model.prior_var=0.9", "model.on_indefinite=skip", "evaluate.snapshots=[1, 6]",
		"evaluate.grid=10")
}

func TestOneExample(t *testing.T) {
	tables := studytest.Run(t, Kind, small, "data.train=1", "evaluate.snapshots=[1]", "sweep.seed=[3]")
	run := tables.Get("runs").Where("method", "joint")
	near(t, tables.Get("summary").Where("method", "joint"), 1e-12, map[string]float64{"seeds": 1, "accuracy": run.Nums("accuracy")[0], "accuracy_low": math.NaN(), "linear_ceiling": 0.75, "lambda": 0.3, "rho": 0.5})
	near(t, tables.Get("summary").Where("method", "total"), 1e-12, map[string]float64{"lambda": 2 * math.Sqrt(2*math.Pi) / 9, "rho": 0.3})
}

// A step that is not possible stops the cell, which says what to do.
func TestIndefiniteStep(t *testing.T) {
	failed := 0
	for _, c := range studytest.New(t, Kind, small, "method.skip.on_indefinite=fail").Cells() {
		tables, err := c.Run(context.Background())
		var indefinite *bnn.IndefiniteError
		if !strings.HasPrefix(c.Key, "skip ") {
			continue
		}
		failed++
		if !errors.As(err, &indefinite) || !strings.Contains(err.Error(), "on_indefinite") || tables != nil {
			t.Errorf("%s: error %v", c.Key, err)
		}
	}
	check.Equal(t, "cells that failed", failed, 3)
}

// The pages have the maps and the examples before each, on one scale; the panels come before them.
// A model for each swept value has a page of its own.
func TestPlaneFigures(t *testing.T) {
	tables := studytest.Run(t, Kind, small)
	e := studytest.New(t, Kind, small, "sweep.lambda=[0.1, 0.2]", "sweep.rho=[0.5]", "method.project.rule=total")
	var names []string
	for _, f := range e.Figures() {
		names = append(names, f.Name)
	}
	check.Equal(t, "figures", []any{len(names), names[0], names[11], names[12], names[15]}, []any{12 + 2*5, "fig01", "fig12", "maps_joint_lambda=0.1_rho=0.5", "maps_project_lambda=0.2_rho=0.5"})
	p := studytest.New(t, Kind, small).(*plane)
	maps, train := tables.Get("maps").Where("method", "project"), tables.Get("train").Where("seed", 3)
	for column, top := range map[string]float64{"p1": 1, "p2": 1, "var1": floats.Max(maps.Nums("var1")), "var2": floats.Max(maps.Nums("var2"))} {
		row := p.row(column, "project", tables)
		check.Equal(t, column+": scale", []float64{row.Scale.Min, row.Scale.Max}, []float64{0, top})
		for s, k := range []int{1, 3, 6} {
			m := row.Maps[s]
			check.NearAll(t, column, m.Z, maps.Where("k", k).Nums(column), 1e-11)
			check.Equal(t, column+": map", []any{m.Title, len(m.Points), len(m.X), len(m.Boundary)}, []any{fmt.Sprintf("$k$ = %d", k), k, 9, 2})
			want := figures.Point{X: train.Nums("x1")[k-1], Y: train.Nums("x2")[k-1], Class: int(train.Nums("class")[k-1]) - 1}
			check.Equal(t, "point", m.Points[k-1], want)
		}
	}
	// A variance that is negative within the error of the moments is none.
	m := table.New("maps", table.Text("method", ""), table.Int("k", ""), table.Num("var1", ""))
	for _, k := range []int{1, 3, 6} {
		m.Add("a", k, -1e-12)
		m.Add("a", k, -1e-9)
	}
	z := p.row("var1", "a", table.Set{m, tables.Get("train")}).Maps[0].Z
	check.Equal(t, "variances drawn", z[:2], []float64{0, -1e-9})
}

func TestPlaneRefused(t *testing.T) {
	studytest.Refused(t, Kind, small, map[string]string{
		"evaluate.snapshots=[1, 7]": "1 to 6", "evaluate.snapshots=[3, 1]": "increasing", "evaluate.grid=1": "2 to",
		"monte_carlo.samples=1": "monte_carlo", "seed=4": "sweep.seed", "method.deep.kind=sgd": "method.deep.layers: not a key", "variant.deep.rho=0": "[[method]] describes what is compared", "method.deep.layers=[2, 4]": "3 classes", "data.generator=wedge": "wedges",
		"evaluate.passes=2": "evaluate.passes",
	})
}
