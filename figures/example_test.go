package figures_test

import (
	"fmt"

	"closedform/figures"
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
