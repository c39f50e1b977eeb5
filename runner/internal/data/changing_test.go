package data

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// clusterRule returns the most probable of clusters with these shares, for σ = 0.4.
func clusterRule(x []float64, turned float64, share []float64) int {
	density := slices.Clone(share)
	for k := range density {
		sin, cos := math.Sincos(2 * math.Pi * (float64(k)/4 + turned))
		density[k] *= math.Exp(-((x[0]-cos)*(x[0]-cos) + (x[1]-sin)*(x[1]-sin)) / (2 * 0.4 * 0.4))
	}
	return floats.MaxIdx(density)
}

// In each part of a turn the best rule has the error that is documented, and the classes have their shares.
// The rule is given the example's number.
func TestStreams(t *testing.T) {
	const turns = 10
	quarters := func(int) []float64 { return []float64{0.25, 0.25, 0.25, 0.25} }
	halves := func(int) []float64 { return []float64{0.5, 0.5} }
	class := func(yes bool) int { return map[bool]int{true: 1}[yes] }
	drifting := func(i int) (share []float64) {
		for k := range 4 {
			share = append(share, math.Exp(2*math.Cos(2*math.Pi*(float64(i)/4000-float64(k)/4))))
		}
		floats.Scale(1/floats.Sum(share), share)
		return share
	}
	threshold := func(i int) float64 { return []float64{8, 9, 7, 9.5}[i/2500%4] }
	clustersError := 1 - math.Pow(0.5*math.Erfc(-1/0.4/2), 2)
	for name, c := range map[string]struct {
		length, parts int // of a turn through all concepts
		error         float64
		rule          func(i int, x []float64) int
		share         func(i int) []float64
	}{
		"sea": {10_000, 4, 0.1, func(i int, x []float64) int {
			return class(x[0]+x[1] <= threshold(i))
		}, func(i int) []float64 {
			p := threshold(i) * threshold(i) / 200
			return []float64{0.9*(1-p) + 0.1*p, 0.9*p + 0.1*(1-p)}
		}},
		"hyperplane": {10_000, 8, 0.05, func(i int, x []float64) int {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 10_000)
			return class(cos*(x[0]+x[2]+x[4]+x[6]+x[8]-2.5)+sin*(x[1]+x[3]+x[5]+x[7]+x[9]-2.5) > 0)
		}, halves},
		"gaussians": {4000, 4, clustersError, func(_ int, x []float64) int {
			return clusterRule(x, 0, quarters(0))
		}, quarters},
		"moving-gaussians": {4000, 4, clustersError, func(i int, x []float64) int {
			return clusterRule(x, float64(i)/4000, quarters(i))
		}, quarters},
		"flipping-labels": {10_000, 4, clustersError, func(i int, x []float64) int {
			return (clusterRule(x, 0, quarters(0)) + i/2500) % 4
		}, quarters},
		"drifting-shares": {4000, 8, 0.0481, func(i int, x []float64) int {
			return clusterRule(x, 0, drifting(i))
		}, drifting},
	} {
		task := Generator{Name: name}.Task()
		set := task.Draw(turns*c.length, random.Source("dataset", name, "streams"))
		n := c.length / c.parts
		for part := range c.parts {
			var wrong float64
			count, share := make([]float64, task.Classes), make([]float64, task.Classes)
			for k := range turns * n {
				i := k/n*c.length + part*n + k%n
				if c.rule(i, set.X[i]) != set.Class[i] {
					wrong++
				}
				count[set.Class[i]]++
				floats.Add(share, c.share(i))
			}
			size := float64(turns * n)
			near := func(what string, got, p float64) {
				what = fmt.Sprintf("%s, part %d: %s", name, part, what)
				check.Near(t, what, got/size, p, 5*math.Sqrt(p*(1-p)/size)+1e-4)
			}
			near("error", wrong, c.error)
			for k := range count {
				near(fmt.Sprint("share of class ", k), count[k], share[k]/size)
			}
		}
		if high := map[string]float64{"sea": 10, "hyperplane": 1}[name]; high > 0 {
			x := slices.Concat(set.X...)
			check.Near(t, name+": mean", floats.Sum(x)/float64(len(x)), high/2, 0.01*high)
			check.Near(t, name+": smallest input", floats.Min(x), 0, 1e-3*high)
			check.Near(t, name+": largest input", floats.Max(x), high, 1e-3)
		}
	}
}

func TestPeriod(t *testing.T) {
	still := Generator{Name: "gaussians"}.Task().Draw(100, random.Source("period"))
	flipping := Generator{Name: "flipping-labels", Period: 10}.Task().Draw(100, random.Source("period"))
	for i := range still.Class {
		still.Class[i] = (still.Class[i] + i/10) % 4
	}
	check.Equal(t, "labels that flip after 10 examples", flipping, still)
}
