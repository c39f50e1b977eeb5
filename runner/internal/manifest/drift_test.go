package manifest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
)

var driftStudies = []Study{{Name: "drift"}, {Name: "compare"}}

const driftSrc = `name = "d"
study = "drift"
seed = 3
[stream]
examples = 60
block = 20
budget = 2
[[drift]]
name = "still"
generator = "moons"
[[drift]]
name = "both"
generator = "spirals"
noise = 0.25
arms = 2
turns = -0.5
jumps = [20, 40]
jump = 0.125
[[method]]
name = "ours"
kind = "closed-form"
hidden_layers = [4]
rule = "adf"
tune = ["process_noise"]
candidates = [[0], [0.01]]
[[method]]
name = "nn"
kind = "neighbours"
window = 30
[[method]]
name = "line"
kind = "majority"
`

// Every key arrives in its field, and what is spelled out is the same manifest.
func TestDrift(t *testing.T) {
	m, err := Parse("x.toml", []byte(driftSrc), driftStudies, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := m.Drift
	if d.Examples != 60 || d.Block != 20 || d.Every != 50 || d.Budget != 2 {
		t.Errorf("stream %+v", d)
	}
	if want := []Course{
		{Name: "still", Data: Data{Generator: "moons"}, Jump: 0.25},
		{Name: "both", Data: Data{Generator: "spirals", Noise: 0.25, Arms: 2}, Turns: -0.5, Jumps: []int{20, 40}, Jump: 0.125},
	}; !reflect.DeepEqual(d.Drifts, want) {
		t.Errorf("drifts %+v, want %+v", d.Drifts, want)
	}
	for i, want := range []map[string]float64{
		{"prior_var": 10, "prior_mean_var": 0, "process_noise": 0},
		{"neighbours": 5, "window": 30},
		{},
	} {
		if !reflect.DeepEqual(d.Methods[i].Hyper, want) {
			t.Errorf("%s: %v, want %v", d.Methods[i].Name, d.Methods[i].Hyper, want)
		}
	}
	again, err := Parse("y.toml", m.Resolved(), driftStudies, nil)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("spelled out: %v\n%s", err, m.Resolved())
	}
}

func TestAngle(t *testing.T) {
	c := Course{Turns: -0.5, Jumps: []int{20, 40}, Jump: 0.125}
	for k, turns := range map[int]float64{0: 0, 19: -0.0095, 20: 0.115, 39: 0.1055, 40: 0.23, 1000: -0.25} {
		if got, want := c.Angle(k), 2*math.Pi*turns; !(math.Abs(got-want) <= 1e-15) {
			t.Errorf("after %d examples %g, want %g", k, got, want)
		}
	}
	if got := (&Course{Jump: 0.25}).Angle(7); got != 0 {
		t.Errorf("the angle of a law that does not turn is %g", got)
	}
}

// Lines: 4 [stream]  8 [[drift]] still  11 [[drift]] both  19 [[method]] ours  26 [[method]] nn
func TestDriftErrors(t *testing.T) {
	const turns = `must be a number from -1000 to 1000`
	for _, c := range []struct{ from, to, want string }{
		{"examples = 60\n", "", `x.toml:4: stream.examples: missing; allowed: an integer from 1 to 1000000`},
		{"block = 20", "block = 0", `x.toml:6: stream.block = 0: must be an integer from 1 to 1000000`},
		{"block = 20", "block = 25", `x.toml:6: stream.block = 25: allowed: a divisor of stream.examples = 60`},
		{"block = 20", "every = 0", `x.toml:6: stream.every = 0: must be an integer from 1 to 1000000`},
		{"budget = 2\n", "", `x.toml:4: stream.budget: missing; allowed: an integer from 1 to 100`},
		{"budget = 2", "budget = 1", `x.toml:25: method.ours.candidates = [[0], [0.01]]: 2 of them; allowed: at most 1, the budget of every method`},
		{"generator = \"moons\"", "train = 5\ngenerator = \"moons\"", `x.toml:10: drift.still.train: unknown key; allowed: arms, generator, jump, jumps, name, noise, rings, turns`},
		{"\"moons\"", "\"moon\"", `x.toml:10: drift.still.generator = "moon": must be "logistic" or "moons" or "rings" or "spirals" or "wedges" or "xor"`},
		{"arms = 2", "rings = 2", `x.toml:13: drift.both.generator = "spirals": task "spirals" with rings = 2; allowed: no rings`},
		{"turns = -0.5", "turns = 1001", `x.toml:16: drift.both.turns = 1001: ` + turns},
		{"jump = 0.125", "jump = nan", `x.toml:18: drift.both.jump = nan: ` + turns},
		{"[20, 40]", "[40, 20]", `x.toml:17: drift.both.jumps = [40, 20]: 20 comes after 40; allowed: strictly increasing`},
		{"[20, 40]", "[20, 60]", `x.toml:17: drift.both.jumps = [20, 60]: 60 is not before the end of the stream; allowed: less than stream.examples = 60`},
		{"\"both\"", "\"still\"", `x.toml:12: drift.still.name = "still": a drift before it has this name; allowed: names that differ`},
		{driftSrc[strings.Index(driftSrc, "[[drift]]"):strings.Index(driftSrc, "[[method]]")], "", `x.toml: drift: missing; allowed: at least one table headed [[drift]]`},
		{driftSrc[strings.Index(driftSrc, "[[method]]"):], "", `x.toml: method: missing; allowed: at least one table headed [[method]]`},
		{"\"nn\"", "\"ours\"", `x.toml:27: method.ours.name = "ours": a method before it has this name; allowed: names that differ`},
		{"window = 30", "window = 0", `x.toml:29: method.nn.window = 0: must be an integer from 1 to 1000000`},
		{"kind = \"majority\"", "kind = \"majority\"\nwindow = 5", `x.toml:33: method.line.window: unknown key;`},
		{"[[0], [0.01]]", "[[0], [1.5]]", `x.toml:25: method.ours.candidates = [[0], [1.5]]: entry 2: process_noise = 1.5 must be a number ≥ 0 and ≤ 1`},
		{"rule = \"adf\"", "rule = \"adf\"\nrandom_features = true", `x.toml:24: method.ours.random_features = true: process noise would make the features uncertain; allowed: without process_noise`},
		{"rule = \"adf\"", "rule = \"adf\"\ncovariance = [\"full\", \"full\", \"diagonal\"]", `x.toml:24: method.ours.covariance = ["full", "full", "diagonal"]: has 3 entries; allowed: 1, or 2, one for each layer of weights`},
		{"seed = 3", "seed = 3\nsweep = {seed = [4]}", `x.toml:3: seed = 3: not one of sweep.seed; allowed: [4]`},
	} {
		src := strings.Replace(driftSrc, c.from, c.to, 1)
		if src == driftSrc {
			t.Fatalf("%q is not there", c.from)
		}
		_, err := Parse("x.toml", []byte(src), driftStudies, nil)
		if got := fmt.Sprint(err); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q\ngot  %s\nwant %s", c.to, got, c.want)
		}
	}
	// Methods have no window where nothing moves.
	src := "name = \"c\"\nstudy = \"compare\"\nseed = 1\n[[method]]\nname = \"nn\"\nkind = \"neighbours\"\nwindow = 3\n"
	_, err := Parse("x.toml", []byte(src), driftStudies, nil)
	if got, want := fmt.Sprint(err), `x.toml:7: method.nn.window: unknown key; allowed: candidates, kind, name, neighbours, tune`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
