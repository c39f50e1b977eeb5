package figures_test

import (
	"fmt"
	"math"

	"closedform/figures"
)

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
	pdf, err := figures.Charts([][]figures.Chart{{chart}}).Encode("pdf")
	fmt.Printf("%s %v\n", pdf[:5], err)
	// Output: %PDF- <nil>
}
