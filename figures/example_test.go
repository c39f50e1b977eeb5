package figures_test

import (
	"fmt"
	"math"

	"closedform/figures"
)

func ExampleMaps() {
	m := figures.Map{
		Title:    "$k$ = 1",
		X:        []float64{-2, 0, 2},
		Y:        []float64{-2, 2},
		Z:        []float64{0.1, 0.2, 0.3, 0.7, 0.8, 0.9},
		Points:   []figures.Point{{X: 1, Y: 1.5, Class: 0}},
		Boundary: []figures.Segment{{X0: -2, Y0: 0, X1: 2, Y1: 0}},
	}
	scale := figures.Axis{Label: "$μ(y₁)$, probability", Min: 0, Max: 1}
	pdf, err := figures.Maps([]figures.Row{{Scale: scale, Maps: []figures.Map{m}}}, figures.Labels{}).Encode("pdf")
	fmt.Printf("%s %v\n", pdf[:7], err)
	// Output: %PDF-1. <nil>
}

func ExampleCharts() {
	variance := []float64{0.01, 0.1, 1, 10, 100}
	chart := figures.Chart{
		Title: "$n$ = 3",
		X:     figures.Axis{Label: "variance $v$", Log: true},
		Y:     figures.Axis{Label: "total variation", Log: true},
		Curves: []figures.Curve{
			{Name: "probit-slope", X: variance, Y: []float64{1e-4, 1e-3, 1e-2, 2e-2, 1e-2}},
			{Name: "mackay", X: variance, Y: []float64{1e-4, 3e-3, 4e-2, 1e-1, math.NaN()}},
			{Name: "tolerance", Kind: figures.Reference, X: []float64{1e-3, 1e3}, Y: []float64{0.05, 0.05}},
		},
	}
	svg, err := figures.Charts([][]figures.Chart{{chart}}).Encode("svg")
	fmt.Printf("%s %v\n", svg[:5], err)
	// Output: <?xml <nil>
}
