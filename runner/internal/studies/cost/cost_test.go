package cost

import (
	"math"
	"slices"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/study/studytest"
)

const manifest = `
name = "small"; study = "cost"; seed = 3
[cost]; classes = [2, 3]; width = [4, 8]; inputs = [4, 400]; examples = [20, 400]; stream = 20; most = 5000
[model]; layers = [3, 5, 6, 2]
[[method]]; name = "diagonal"; covariance = "diagonal"
[[method]]; name = "full"; covariance = "full"
`

func TestCost(t *testing.T) {
	tables := studytest.Run(t, Kind, manifest)
	networks, cost, slopes := tables.Get("networks"), tables.Get("timing_cost"), tables.Get("timing_slopes")
	if networks.Len() != 16 || cost.Len() != 15 || slopes.Len() != 8 {
		t.Fatalf("%s%s%s", networks.CSV(), cost.CSV(), slopes.CSV())
	}
	// 5 neurons of 5 inputs with the bias, 6 of 6, 2 of 7: a root for each neuron, or variances.
	for method, bytes := range map[string]float64{"full": 8 * (5*(5+25) + 6*(6+36) + 2*(7+49)), "diagonal": 8 * 2 * (5*5 + 6*6 + 2*7)} {
		small := networks.Where("axis", "inputs").Where("size", 4).Where("method", method)
		check.NearAll(t, method+" bytes", small.Nums("bytes"), []float64{bytes}, 0)
		check.NearAll(t, method+" measured", small.Nums("measured"), []float64{1}, 0)
	}
	left := networks.Where("measured", 0)
	if left.Len() != 1 || left.Texts("method")[0] != "full" || left.Texts("size")[0] != "400" {
		t.Errorf("left out:\n%s", left.CSV())
	}
	for _, column := range []string{"observe", "predict", "stream"} {
		if x := cost.Nums(column); !(slices.Min(x) > 0) {
			t.Errorf("%s %v", column, x)
		}
	}
	stream := cost.Where("axis", "examples").Where("method", "full").Nums("stream")
	if !(stream[1] > 2*stream[0]) {
		t.Errorf("20 and 400 examples take %v s", stream)
	}
}

// The lower half of the sizes does not count.
func TestSlope(t *testing.T) {
	x := []float64{1, 2, 4, 8, 16, 32}
	y := []float64{7, 7, 7, 3 * 64, 3 * 256, 3 * 1024}
	check.Near(t, "slope", slope(x, y), 2, 1e-12)
	check.Near(t, "slope of a line between", slope([]float64{1, 1, 2, 4}, []float64{5, 5, 1, 2}), 1, 1e-12)
	if s := slope(x[:1], y[:1]); !math.IsNaN(s) {
		t.Errorf("slope %g of a point", s)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"cost.classes=[1, 2]": "2 to", "cost.width=[8]": "at least two", "cost.inputs=[9, 4]": "increasing",
		"cost.examples=[9, 20]": "10 to",
		"cost.stream=1":         "10 to", "cost.most=0": "most", "model.layers=[3, 2]": "hidden",
		"method.full.rho=1": "rho",
	})
}
