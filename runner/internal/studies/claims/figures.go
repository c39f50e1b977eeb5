package claims

import (
	"math"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "intervals": the evidence against the thresholds.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{study.Drawing("intervals", "evidence", draw)}
}

// draw has a row for each piece of evidence, the pieces for one claim in one colour.
func draw(evidence *table.Table) *figures.Figure {
	plot := figures.DotPlot{
		Columns: 2, // as wide as a page
		X:       figures.Axis{Label: "±log₁₀(1 + distance on the right side of the threshold, in half intervals)", Min: -3, Max: 3},
		Key:     "interval:", Apart: "without the threshold", Held: "with it",
	}
	var dots []figures.Dot
	for i, claim := range evidence.Distinct("claim") {
		of := evidence.Where("claim", claim)
		value, low, high, threshold := of.Nums("value"), of.Nums("low"), of.Nums("high"), of.Nums("threshold")
		for k, condition := range of.Texts("condition") {
			plot.Names, plot.Groups = append(plot.Names, strings.ReplaceAll(claim, "_", " ")+": "+condition), append(plot.Groups, 1+i%figures.Groups)
			dots = append(dots, dot(value[k]-threshold[k], low[k]-threshold[k], high[k]-threshold[k], of.Texts("sense")[k] == "above"))
		}
	}
	plot.Panels = []figures.DotPanel{{Dots: dots}}
	return figures.Dots(plot)
}

// dot returns a number and its interval, less the threshold, in units of its half towards the
// threshold.
func dot(value, low, high float64, above bool) figures.Dot {
	half := value - low
	if value < 0 {
		half = high - value
	}
	if !above {
		value, low, high = -value, -high, -low
	}
	log := func(x float64) float64 { return math.Copysign(math.Log10(1+math.Abs(x)), x) }
	return figures.Dot{Value: log(value / half), Low: log(low / half), High: log(high / half)}
}
