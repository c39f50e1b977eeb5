package figures_test

import (
	"fmt"
	"math"

	figures "closedform/runner/internal/oldfigures"
)

func ExampleSingle() {
	m := figures.Map{
		Title:    "$k$ = 1",
		X:        []float64{-2, 0, 2},
		Y:        []float64{-2, 2},
		Z:        []float64{0.1, 0.2, 0.3, 0.7, 0.8, 0.9},
		Points:   []figures.Point{{X: 1, Y: 1.5, Class: 0}},
		Boundary: []figures.Segment{{X0: -2, Y0: 0, X1: 2, Y1: 0}},
	}
	scale := figures.Scale{Label: "$μ(y₁)$, probability", Min: 0, Max: 1}
	pdf, err := figures.Single(m, scale, figures.Labels{}).Encode("pdf")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", pdf[:8])
	// Output: %PDF-1.4
}

func ExampleCharts() {
	variance := []float64{0.01, 0.1, 1, 10, 100}
	chart := figures.Chart{
		Title: "$n$ = 3",
		X:     figures.Axis{Label: "variance $v$", Log: true},
		Y:     figures.Axis{Label: "total variation", Log: true},
		Curves: []figures.Curve{
			{Name: "probit", X: variance, Y: []float64{1e-4, 1e-3, 1e-2, 2e-2, 1e-2}},
			{Name: "MacKay", X: variance, Y: []float64{1e-4, 3e-3, 4e-2, 1e-1, math.NaN()}},
			{Name: "tolerance", Style: figures.Reference, X: []float64{1e-3, 1e3}, Y: []float64{0.05, 0.05}},
		},
	}
	svg, err := figures.Charts([][]figures.Chart{{chart}}).Encode("svg")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", svg[:5])
	// Output: <?xml
}
