package data

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/mixture"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// A value that was drawn once is drawn ever after: committed results depend on it.
func TestDrawIsPinned(t *testing.T) {
	for name, want := range map[string]struct {
		x     []float64
		class int
	}{
		"logistic":        {[]float64{-3.855958383766872, -4.694889581395232}, 0},
		"moons":           {[]float64{1.75306967685446, 0.1779017761456288}, 1},
		"rings":           {[]float64{0.6836427638126094, 0.132688271523348}, 1},
		"sectors":         {[]float64{-1.542383353506749, -1.877955832558093}, 3},
		"spirals":         {[]float64{0.9418226980441164, -0.2299540071478621}, 1},
		"wedges":          {[]float64{1.018316491380106, -1.09096236017741}, 1},
		"xor":             {[]float64{1.575331149821412, 1.237870376678051}, 0},
		"drifting-shares": {[]float64{1.5753311498214115, 0.2378703766780509}, 0},
		"flipping-labels": {[]float64{0.5753311498214113, -0.7621296233219491}, 3},
		"gaussians":       {[]float64{0.5753311498214113, -0.7621296233219491}, 3},
		"hyperplane": {[]float64{
			0.8095527949413415, 0.058167647452857074, 0.117789774009739, 0.07758516774327795, 0.6283132609089921,
			0.6769449196548517, 0.5082766371715679, 0.6991506359334267, 0.48481624361795983, 0.2693884680045846,
		}, 1},
		"moving-gaussians": {[]float64{0.5784727373072908, -0.7621246885238073}, 3},
		"sea":              {[]float64{3.430935268598695, 8.305243663182342, 3.124015772050792}, 0},
	} {
		set := Generator{Name: name}.Task().Draw(3, random.Source("dataset", "pinned"))
		check.True(t, floats.EqualApprox(set.X[2], want.x, 1e-12) && set.Class[2] == want.class, "%s %v", name, set)
		longer := Generator{Name: name}.Task().Draw(20, random.Source("dataset", "pinned"))
		check.Equal(t, name+": a longer list begins with", Set{X: longer.X[:3], Class: longer.Class[:3]}, set)
	}
}

func TestWedges(t *testing.T) {
	task := Generator{Name: "wedges"}.Task()
	for x, want := range map[[2]float64]int{
		{0, 1}: 0, {-0.9, 1}: 0, {0.9, -1}: 1, {1, 0.9}: 2, {-1, -0.9}: 2, {1, -1}: NoClass, {0, 0}: NoClass,
	} {
		check.Equal(t, fmt.Sprintf("label of %v", x), task.Label(x[:]), want)
	}
	p := []float64{7, 7, 7}
	check.True(t, !task.Probabilities(p, []float64{1, -1}) && p[0] == 7, "on a boundary: %v", p)
	// On either side of a boundary the labels differ.
	for i := 0; i < 5; i += 3 {
		s1, s2 := task.Boundary[0][i:], task.Boundary[1][i:]
		for _, u := range []float64{0.1, 0.3, 0.6, 0.9} {
			x, y := s1[0]+u*(s1[1]-s1[0]), s2[0]+u*(s2[1]-s2[0])
			nx, ny := 1e-6*(s2[0]-s2[1]), 1e-6*(s1[1]-s1[0])
			one, other := task.Label([]float64{x + nx, y + ny}), task.Label([]float64{x - nx, y - ny})
			check.True(t, one != other, "no change of class across the boundary at (%g, %g)", x, y)
		}
	}
}

// The points are row by row. Axes are symmetric.
func TestGrid(t *testing.T) {
	g := Region{Low: [2]float64{1, 10}, High: [2]float64{4, 40}}.Grid(4)
	check.Equal(t, "points", g.Points[:6], [][]float64{{1, 10}, {2, 10}, {3, 10}, {4, 10}, {1, 20}, {2, 20}})
	axis := square(2).axis(1, 81)
	for i, x := range axis {
		check.True(t, x == -axis[80-i] && x == math.Round(x*20)/20, "axis[%d] = %v, mirror %v", i, x, axis[80-i])
	}
	check.Equal(t, "ends", []any{axis[0], axis[80]}, []any{-2.0, 2.0})
}

// Class probabilities are probabilities wherever the point is.
func TestProbabilitiesAtExtremes(t *testing.T) {
	for _, g := range []Generator{
		{"logistic", 1e-6, 0, 0}, {"logistic", 10, 0, 0}, {"sectors", 1e-6, 5, 0}, {"sectors", 10, 5, 0},
	} {
		p := make([]float64, g.Task().Classes)
		for _, x := range [][]float64{{0, 0}, {-1, 0}, {0.5, 0.25}, {1e6, -1e6}, {-1e100, 1e-300}, {0, -1}} {
			g.Task().Probabilities(p, x)
			check.Near(t, fmt.Sprintf("%v at %v: sum", g, x), floats.Sum(p), 1, 1e-13)
			check.Equal(t, fmt.Sprintf("%v at %v: negative", g, x), floats.Min(p) < 0, false)
		}
	}
}

// cases are generators with noise enough that each error happens often.
var cases = []Generator{
	{Name: "gaussians", Noise: 1},
	{Name: "logistic", Noise: 0.1},
	{Name: "moons", Noise: 0.3},
	{Name: "rings", Noise: 0.6},
	{Name: "sectors", Arms: 4, Noise: 0.1},
	{Name: "spirals", Noise: 0.5, Arms: 4},
	{Name: "wedges"},
	{Name: "xor"},
}

// The classes have their shares, and the region holds nearly all examples. Where P is known,
// E[(1{class = k} − P(class k | x)) h(x)] = 0 for any h.
func TestExamplesMonteCarlo(t *testing.T) {
	const n = 100_000
	weights := []func(x []float64, p float64) float64{
		func([]float64, float64) float64 { return 1 },
		func(x []float64, _ float64) float64 { return x[0] },
		func(x []float64, _ float64) float64 { return x[1] },
		func(x []float64, _ float64) float64 { return x[0] * x[1] },
		func(_ []float64, p float64) float64 { return p },
	}
	for _, g := range cases {
		task := g.Task()
		set := task.Draw(n, random.Source("dataset", g.Name, "montecarlo"))
		probabilities, count := make([][]float64, n), make([]float64, task.Classes)
		inside := 0.0
		for i, x := range set.X {
			count[set.Class[i]]++
			if r := task.Region; r.Low[0] <= x[0] && x[0] <= r.High[0] && r.Low[1] <= x[1] && x[1] <= r.High[1] {
				inside++
			}
			probabilities[i] = make([]float64, task.Classes)
			if task.Probabilities != nil && !task.Probabilities(probabilities[i], x) {
				t.Fatalf("%v: no class probabilities at %v", g, x)
			}
		}
		values := make([]float64, n)
		check.True(t, inside >= 0.99*n, "%v: the region %v has %g of %d examples", g, task.Region, inside, n)
		for class := range task.Classes {
			share := 1 / float64(task.Classes)
			if g.Name == "wedges" {
				share = []float64{0.25, 0.25, 0.5}[class]
			}
			what, se := fmt.Sprintf("%v: share of class %d", g, class), math.Sqrt(share*(1-share)/n)
			check.Near(t, what, count[class]/n, share, 5*se)
			for w, weight := range weights {
				if task.Probabilities == nil {
					break
				}
				for i, x := range set.X {
					values[i] = -probabilities[i][class]
					if set.Class[i] == class {
						values[i]++
					}
					values[i] *= weight(x, probabilities[i][class])
				}
				mean, sd := stat.MeanStdDev(values, nil)
				se := sd / math.Sqrt(n)
				check.True(t, math.Abs(mean) <= 5*se, "%v: class %d, weight %d: mean residual %g ± %g", g, class, w, mean, se)
			}
		}
	}
}

// The default takes no shuffled stream, also of labels that do not depend on the inputs, for one in an order
// of its classes.
func TestShuffledIsRandom(t *testing.T) {
	noticed := func(set Set, classes int) bool {
		cfg := bnn.Default(len(set.X[0]), 20, classes)
		b := check.Must(classifier.NewMixture(cfg, false, random.Source("order")))
		for i, x := range set.X {
			check.Must(b.Observe(x, set.Class[i]))
		}
		return b.Snapshot().(*mixture.Snapshot).Ordered()
	}
	for name := range generators {
		task := Generator{Name: name}.Task()
		for _, n := range []int{60, 300} {
			set := task.Draw(n, random.Source("order", name))
			check.Equal(t, name+", shuffled", noticed(set, task.Classes), false)
			if n < 300 {
				continue
			}
			set.Class = slices.Concat(set.Class[n/2:], set.Class[:n/2])
			check.Equal(t, name+", other labels", noticed(set, task.Classes), false)
			for i := range set.Class {
				set.Class[i] = max(0, (i*7919)%(20*task.Classes)-19*task.Classes)
			}
			check.Equal(t, name+", rare labels", noticed(set, task.Classes), false)
		}
	}
}

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
