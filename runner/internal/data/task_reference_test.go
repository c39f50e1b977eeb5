package data

import (
	"fmt"
	"math"
	"testing"

	"closedform/internal/check"
)

func TestClassProbabilitiesReference(t *testing.T) {
	for _, record := range check.Records(t, "testdata/logit.csv") {
		row := check.Numbers(record[1:])
		g := Generator{Name: record[0], Noise: row[0]}
		p := make([]float64, g.Task().Classes)
		if !g.Task().Probabilities(p, row[1:3]) {
			t.Fatalf("%v knows no probabilities", g)
		}
		check.Near(t, fmt.Sprint(g, row[1:3]), math.Log(p[1])-math.Log(p[0]), row[3], 1e-11*max(1, math.Abs(row[3])))
	}
}
