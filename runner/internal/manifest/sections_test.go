package manifest

import (
	"reflect"
	"strings"
	"testing"
)

// The sections of the studies beside learn, with the required keys only.
const (
	momentsSrc = `name = "m"
study = "moments"
seed = 3
[moments]
classes = [2, 3, 10]
spread = [0, 2.5]
variance = [0.01, 100]
draws = 40
methods = ["exact", "probit"]
`
	ablationSrc = `name = "a"
study = "ablation"
seed = 3
[data]
generator = "wedges"
train = 25
[model]
layers = [2, 3]
[evaluate]
grid = 9
[ablation]
classes = [3, 5]
spread = 2
variance = 1.5
draws = 7
[sweep]
lambda = [0.3, 0.6]
rho = [0, 0.5]
[[variant]]
name = "joint"
[[variant]]
name = "total"
rule = "total"
`
	calibrateSrc = `name = "c"
study = "calibrate"
seed = 3
[calibrate]
classes = "2..5"
box = 4
`
	stabilitySrc = `name = "s"
study = "stability"
seed = 3
[stability]
classes = [2, 3]
lambda = [0.5, "slope", "minimax"]
gap = [0, 10]
variance = [0.01, 100]
grid = 21
draws = 50
`
	mcCheckSrc = `name = "mc"
study = "mc_check"
seed = 3
[mc_check]
classes = [2, 10]
rho = [0.3, 0.5]
samples = 1000
cases = 4
spread = 1
variance = 2.5
`
)

// Every key arrives in its field, and those that are not there have their
// defaults.
func TestSections(t *testing.T) {
	half := []int{2, 3}
	model := parse(t, small).Learn.Model
	joint, total := model, model
	joint.Name, total.Name, total.Rule = "joint", "total", "total"
	for _, c := range []struct {
		src       string
		overrides []string
		want      section
	}{
		{momentsSrc, nil, &Moments{
			Classes: []int{2, 3, 10}, Spread: []float64{0, 2.5}, Variance: []float64{0.01, 100}, Unequal: 0.5,
			Draws: 40, Methods: []string{"exact", "probit"}, MonteCarloDraws: 10, MonteCarloPairs: 100_000,
		}},
		{momentsSrc, []string{"moments.draws=3", "moments.classes=2..3", "moments.unequal=0", "moments.samples=[2, 5]"}, &Moments{
			Classes: half, Spread: []float64{0, 2.5}, Variance: []float64{0.01, 100}, Unequal: 0,
			Draws: 3, Methods: []string{"exact", "probit"}, Samples: []int{2, 5}, MonteCarloDraws: 3, MonteCarloPairs: 100_000,
		}},
		{momentsSrc, []string{"moments.montecarlo_draws=40"}, &Moments{
			Classes: []int{2, 3, 10}, Spread: []float64{0, 2.5}, Variance: []float64{0.01, 100}, Unequal: 0.5,
			Draws: 40, Methods: []string{"exact", "probit"}, MonteCarloDraws: 40, MonteCarloPairs: 100_000,
		}},
		{ablationSrc, nil, &Ablation{
			Training: Training{
				Data:     Data{Generator: "wedges", Train: 25},
				Networks: Networks{Model: model, Lambda: []Lambda{{Number: 0.3}, {Number: 0.6}}, Rho: []float64{0, 0.5}, Variants: []Model{joint, total}},
			},
			Grid: 9, Classes: []int{3, 5}, Spread: 2, Variance: 1.5, Unequal: 0.5, Draws: 7,
		}},
		{calibrateSrc, nil, &Calibrate{Classes: []int{2, 3, 4, 5}, Rho: []float64{0.5}, Box: 4}},
		{calibrateSrc, []string{"calibrate.rho=[0, 0.25]", "calibrate.classes=[3, 2]"}, &Calibrate{
			Classes: []int{3, 2}, Rho: []float64{0, 0.25}, Box: 4,
		}},
		{stabilitySrc, nil, &Stability{
			Classes: half, Lambda: []Lambda{{Number: 0.5}, {Word: "slope"}, {Word: "minimax"}}, Rho: 0.5,
			Gap: Interval{0, 10}, Variance: Interval{0.01, 100}, Grid: 21, Draws: 50,
		}},
		{stabilitySrc, []string{"stability.rho=0"}, &Stability{
			Classes: half, Lambda: []Lambda{{Number: 0.5}, {Word: "slope"}, {Word: "minimax"}}, Rho: 0,
			Gap: Interval{0, 10}, Variance: Interval{0.01, 100}, Grid: 21, Draws: 50,
		}},
		{mcCheckSrc, nil, &MCCheck{
			Classes: []int{2, 10}, Rho: []float64{0.3, 0.5}, Samples: 1000, Cases: 4, Spread: 1, Variance: 2.5,
			Lambda: Interval{0.2, 1.5},
		}},
		{mcCheckSrc, []string{"mc_check.lambda=[0.1, 1]"}, &MCCheck{
			Classes: []int{2, 10}, Rho: []float64{0.3, 0.5}, Samples: 1000, Cases: 4, Spread: 1, Variance: 2.5,
			Lambda: Interval{0.1, 1},
		}},
	} {
		m := parse(t, c.src, c.overrides...)
		if got := m.section(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %q\ngot  %+v\nwant %+v", m.Study, c.overrides, got, c.want)
		}
		if m.Effort != "full" || !reflect.DeepEqual(m.Seeds, []int{3}) {
			t.Errorf("%s: effort %s, seeds %v", m.Study, m.Effort, m.Seeds)
		}
		if n := sections(m); n != 1 {
			t.Errorf("%s: %d sections", m.Study, n)
		}
	}
}

// sections returns how many sections m has.
func sections(m *Manifest) int {
	n := 0
	for _, there := range []bool{
		m.Learn != nil, m.Moments != nil, m.Ablation != nil, m.Calibrate != nil, m.Stability != nil, m.MCCheck != nil,
	} {
		if there {
			n++
		}
	}
	return n
}

// A study that manifests may name and that has no section is a mistake of the
// program.
func TestNoSection(t *testing.T) {
	defer func() {
		if got, want := recover(), "manifest: no section for the study teach"; got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	_, _ = Parse("x.toml", []byte(strings.Replace(small, "learn", "teach", 1)), []Study{{Name: "teach"}}, nil)
}
