package manifest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const blocksSrc = small + `[[variant]]
name = "a"
lambda = 0.5
[[variant]]
name = "b"
[[figure]]
kind = "maps"
variant = "a"
`

func TestOverrides(t *testing.T) {
	overrides := []string{
		"seed=4",
		"data.train = 30",
		"model.lambda=0.25",
		"model.lambda=slope",
		"variant.b.lambda=0.75",
		"figure.1.single=true",
		"sweep.seed=1..4",
		"sweep.rho=[0, 0.5]",
		`name="other"`,
		"evaluate={snapshots = [30], grid = 3}",
	}
	m := parse(t, blocksSrc, overrides...)
	want := parse(t, `name = "other"
study = "learn"
seed = 4
[data]
generator = "wedges"
train = 30
[model]
layers = [2, 3]
lambda = "slope"
[evaluate]
snapshots = [30]
grid = 3
[sweep]
seed = [1, 2, 3, 4]
rho = [0, 0.5]
[[variant]]
name = "a"
lambda = 0.5
[[variant]]
name = "b"
lambda = 0.75
[[figure]]
kind = "maps"
variant = "a"
single = true
`)
	want.Overrides = overrides
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
}

// Overrides of a resolved manifest come after those that are already in it.
func TestOverridesAdd(t *testing.T) {
	m := parse(t, string(parse(t, small, "seed=4").Resolved()), "data.train=30", "sweep.seed=4..5")
	if want := []string{"seed=4", "data.train=30", "sweep.seed=4..5"}; !reflect.DeepEqual(m.Overrides, want) {
		t.Errorf("overrides %q, want %q", m.Overrides, want)
	}
	if m.Seed != 4 || m.Learn.Data.Train != 30 {
		t.Errorf("seed %d, train %d", m.Seed, m.Learn.Data.Train)
	}
}

func TestOverrideErrors(t *testing.T) {
	for _, c := range []struct {
		overrides []string
		want      string
	}{
		{[]string{"model.lambda=-1"}, `-set model.lambda=-1: model.lambda = -1: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{[]string{"model.lambda=steep"}, `-set model.lambda=steep: model.lambda = "steep": must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{[]string{"model.lambda=-1", "model.lambda=-2"}, `-set model.lambda=-2: model.lambda = -2: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{[]string{"model.lambda=-1", "model.lambda=1", "seed=x"}, `-set seed=x: seed = "x": must be an integer from 0 to 2147483647`},
		{[]string{"model.layers=[2, 0]"}, `-set model.layers=[2, 0]: model.layers.2 = 0: must be an integer from 1 to 100000`},
		{[]string{"model.layers=[2, 3"}, `-set model.layers=[2, 3: model.layers = "[2, 3": must be a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{[]string{"model.rho=nan"}, `-set model.rho=nan: model.rho = nan: must be a number ≥ 0 and < 1`},
		{[]string{"name=../x"}, `-set name=../x: name = "../x": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{[]string{"model.rule="}, `-set model.rule=: model.rule = "": must be "joint" or "total" or "adf" or "adf-exact"`},
		{[]string{"variant.b.rho=1"}, `-set variant.b.rho=1: variant.b.rho = 1: must be a number ≥ 0 and < 1`},
		{[]string{"figure.1.variant=c"}, `-set figure.1.variant=c: figure.1.variant = "c": names no variant; allowed: a, b`},
		{[]string{"variant.b.name=a"}, `-set variant.b.name=a: variant.a.name = "a": a variant before it has this name; allowed: names that differ`},
		{[]string{"sweep.seed=1..2"}, `x.toml:3: seed = 3: not one of sweep.seed; allowed: "1..2"`},
		{[]string{"data.train=10"}, `x.toml:10: evaluate.snapshots = [1, 25]: 25 is beyond data.train = 10; allowed: 1 to 10`},

		{[]string{"data.tarin=3"}, `-set data.tarin=3: data.tarin: unknown key; did you mean "train"? allowed: arms, generator, noise, rings, train`},
		{[]string{"dta.train=3"}, `-set dta.train=3: dta: unknown key; did you mean "data"? allowed: ` +
			`claim, data, effort, evaluate, figure, model, monte_carlo, name, overrides, seed, study, sweep, variant`},
		{[]string{"moments.draws=3"}, `-set moments.draws=3: moments: unknown key; allowed: ` +
			`claim, data, effort, evaluate, figure, model, monte_carlo, name, overrides, seed, study, sweep, variant`},
		{[]string{"x=3"}, `-set x=3: x: unknown key; allowed: ` +
			`claim, data, effort, evaluate, figure, model, monte_carlo, name, overrides, seed, study, sweep, variant`},
		{[]string{"variant.c.rho=0"}, `-set variant.c.rho=0: variant.c: not there; allowed: a, b`},
		{[]string{"figure.2.kind=maps"}, `-set figure.2.kind=maps: figure.2: not there; allowed: 1`},
		{[]string{"variant.rho=0"}, `-set variant.rho=0: variant: is not a table`},
		{[]string{"claim.1.threshold=0"}, `-set claim.1.threshold=0: claim = {…}: must be a list of tables, each headed [[claim]]`},
		{[]string{"seed.x=0"}, `-set seed.x=0: seed: is not a table`},
		{[]string{"seed.x.y=0"}, `-set seed.x.y=0: seed: is not a table`},
		{[]string{"data=3"}, `-set data=3: data = 3: must be a table`},
		{[]string{"data={train = 0}"}, `-set data={train = 0}: data.train = 0: must be an integer from 1 to 1000000`},
		{[]string{"data={train = 25}"}, `x.toml: data.generator: missing; allowed: "wedges"`},
		{[]string{"overrides=[]"}, `-set overrides=[]: overrides: is a record and cannot be set`},

		{[]string{""}, `-set : must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"seed"}, `-set seed: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"=3"}, `-set =3: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"model..lambda=3"}, `-set model..lambda=3: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"name=a\nb"}, `-set name=a\nb: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"name=\xff"}, `-set name=�: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"name=" + strings.Repeat("a", 496)}, `-set name=` + strings.Repeat("a", 75) + `…: must be key=value, such as model.lambda=0.4, in a line of at most 500 bytes`},
		{[]string{"a.b.c.d.e=1"}, `-set a.b.c.d.e=1: key too long; allowed: at most 4 dotted parts`},
		{slices.Repeat([]string{"seed=3"}, 101), `x.toml: overrides: 101 of them; allowed: at most 100`},
	} {
		_, err := Parse("x.toml", []byte(blocksSrc), studies, c.overrides)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%.60q\ngot  %s\nwant %s", c.overrides, got, c.want)
		}
	}
}
