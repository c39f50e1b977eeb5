package calibrate

import (
	"fmt"
	"math"
	"testing"

	"closedform/core/softmax"
	"closedform/runner/internal/lambdafit"
	"closedform/runner/internal/study/studytest"

	"closedform/internal/check"
)

const manifest = `
name = "fitting"; study = "calibrate"; seed = 3
[calibrate]; classes = [3, 2]; rho = [0.5, 0.3]; box = 1
`

// Each row holds the errors of its λ and ρ, each criterion is best by its own
// measure, and gain is the ratio to slope matching.
func TestCriteria(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	lambda, gain := tables.Get("lambda"), tables.Get("gain")
	var rows []string
	for i := range lambda.Len() {
		n, p := int(lambda.Nums("classes")[i]), softmax.Probit{Lambda: lambda.Nums("lambda")[i], Rho: lambda.Nums("rho")[i]}
		box := lambdafit.Box{Classes: n, Half: 1}
		check.Equal(t, "errors", []any{lambda.Nums("rms")[i], lambda.Nums("max")[i]}, []any{box.RMS(p), box.Max(p)})
		rows = append(rows, fmt.Sprint(n, " ", lambda.Texts("criterion")[i], " ", p.Rho))
	}
	var want []string
	for n := 2; n <= 3; n++ {
		for _, rho := range []string{"0.5", "0.3"} {
			want = append(want, fmt.Sprintf("%d slope %s", n, rho), fmt.Sprintf("%d lsq %s", n, rho), fmt.Sprintf("%d minimax %s", n, rho))
		}
	}
	check.Equal(t, "rows", rows, want)
	for n := 2; n <= 3; n++ {
		of := lambda.Where("classes", n)
		for _, c := range []struct{ word, column string }{{"lsq", "rms"}, {"minimax", "max"}} {
			for _, rho := range []float64{0.5, 0.3} {
				at := of.Where("rho", rho)
				best := at.Where("criterion", c.word)
				for _, other := range at.Nums(c.column) {
					if best := best.Nums(c.column)[0]; !(best <= other*(1+1e-9)) {
						t.Errorf("n = %d, ρ = %g: %s of %s is %g, another's %g", n, rho, c.column, c.word, best, other)
					}
				}
			}
			slope := of.Where("criterion", "slope").Where("rho", 0.5).Nums(c.column)[0]
			ratio := gain.Where("classes", n).Where("criterion", c.word).Where("rho", 0.5).Nums(c.column + "_ratio")[0]
			check.Near(t, "gain", ratio, of.Where("criterion", c.word).Where("rho", 0.5).Nums(c.column)[0]/slope, 0)
		}
	}
}

// A λ so large that errors cannot be worked out leaves fields empty.
func TestSteep(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest, "calibrate.classes=[13]", "calibrate.rho=[0]")
	slope := tables.Get("lambda").Where("criterion", "slope")
	if !(slope.Nums("lambda")[0] > steepest) || !math.IsNaN(slope.Nums("rms")[0]) || !math.IsNaN(slope.Nums("max")[0]) {
		t.Errorf("slope-matched λ %v with errors %v and %v", slope.Nums("lambda"), slope.Nums("rms"), slope.Nums("max"))
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{"calibrate.box=5": "0.1 to 4", "calibrate.rho=[0.95]": "0 to 0.9", "calibrate.classes=[1]": "2 to 1,000", "calibrate.boxes=1": "box"})
}
