package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// broken is a manifest with an error.
type broken struct {
	old, new string // replaces old in the manifest; appends if old is empty
	want     string // the error
}

func checkErrors(t *testing.T, src string, all []broken) {
	t.Helper()
	for _, c := range all {
		changed := src + c.new
		if c.old != "" {
			if strings.Count(src, c.old) != 1 {
				t.Fatalf("%q is not once in the manifest", c.old)
			}
			changed = strings.Replace(src, c.old, c.new, 1)
		}
		_, err := Parse("x.toml", []byte(changed), studies, nil)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q → %q\ngot  %s\nwant %s", c.old, c.new, got, c.want)
		}
	}
}

// Lines of small, for the errors in them:
//
//	1 name  2 study  3 seed  4 [data]  5 generator  6 train  7 [model]
//	8 layers  9 [evaluate]  10 snapshots  11 grid  12 first after it
func TestErrors(t *testing.T) {
	const modelKeys = "alpha, beta, bias, covariance, eigenvalue_floor, hidden, lambda, layers, on_indefinite, " +
		"output_covariance, prior, prior_mean, prior_mean_var, prior_scale, prior_var, replications, rho, rule, variance_floor"
	checkErrors(t, small, []broken{
		// Syntax.
		{"seed = 3", "seed = ", `x.toml:3: TOML syntax: expected value but found '\n' instead`},
		{"seed = 3", "seed = 3\nseed = 4", `x.toml:4: TOML syntax: Key 'seed' has already been defined`},
		{"seed = 3", "seed = 99999999999999999999", `x.toml:3: TOML syntax: 99999999999999999999 is out of range for int64`},
		{"train = 25", "train = 025", `x.toml:6: TOML syntax: Invalid integer "025": cannot have leading zeroes`},
		{"[model]", "[data]", `x.toml:7: TOML syntax: Key 'data' has already been defined`},
		{"[model]", "[model", `x.toml:7: TOML syntax: expected '.' or ']' to end table name, but got '\n' instead`},
		{"[model]", "model", `x.toml:7: TOML syntax: expected '.' or '=', but got '\n' instead`},
		{`"wedges"`, `"wedges`, `x.toml:5: TOML syntax: strings cannot contain newlines`},
		{`"wedges"`, "\"wed\x01ges\"", `x.toml:5: TOML syntax: TOML files cannot contain control characters: '0x01'`},
		{"[2, 3]", "[2, 3", `x.toml:9: TOML syntax: expected a comma (',') or array terminator (']'), but got '['`},
		{`"wedges"`, "\"\xff\"", "x.toml:5: not UTF-8; allowed: a TOML file"},
		{"seed = 3", "seed = " + strings.Repeat("s", 500), `x.toml:3: TOML syntax: expected value but found "` + strings.Repeat("s", 134) + "…"},
		{"[data]", "a.b.c.d.e = 1\n[data]", "x.toml:4: key too long; allowed: at most 64 bytes and 4 dotted parts"},
		{"[data]", "\n[" + strings.Repeat("a", 65) + "]", "x.toml:5: key too long; allowed: at most 64 bytes and 4 dotted parts"},
		{"[2, 3]", "[[[[[[[2]]]]]]]", "x.toml:8: nested too deep; allowed: at most 6 brackets and braces"},

		// Keys that are unknown or missing.
		{"[2, 3]", "[2, 3]\nlamda = 0.3", `x.toml:9: model.lamda: unknown key; did you mean "lambda"? allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\ntemperature = 0.3", `x.toml:9: model.temperature: unknown key; allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\n\"a.b\\n\" = 0.3", `x.toml:9: model."a.b\n": unknown key; allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\n\"\" = 0.3", `x.toml:9: model."": unknown key; allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\n\"lam\\u0062dda\" = 0.3", `x.toml:9: model.lambdda: unknown key; did you mean "lambda"? allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\n\"\\e\" = 0.3", `x.toml:7: model."\x1b": unknown key; allowed: ` + modelKeys},
		{"[2, 3]", "[2, 3]\n  lambda . x = 0.3", `x.toml:9: model.lambda = {…}: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"seed = 3", "seed = 3\nseeds = 4", `x.toml:4: seeds: unknown key; did you mean "seed"? allowed: ` +
			`claim, data, effort, evaluate, figure, model, monte_carlo, name, overrides, seed, study, sweep, variant`},
		{"[model]", "[montecarlo]\n[model]", `x.toml:7: montecarlo: unknown key; did you mean "monte_carlo"? allowed: ` +
			`claim, data, effort, evaluate, figure, model, monte_carlo, name, overrides, seed, study, sweep, variant`},
		{"train = 25", "trian = 25", `x.toml:6: data.trian: unknown key; did you mean "train"? allowed: arms, generator, noise, rings, train`},
		{"train = 25\n", "", `x.toml:4: data.train: missing; allowed: an integer from 1 to 1000000`},
		{"[data]\ngenerator = \"wedges\"\ntrain = 25\n", "", `x.toml: data.generator: missing; allowed: "wedges"`},
		{`name = "small"`, "", `x.toml: name: missing; allowed: a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`study = "learn"`, "", `x.toml: study: missing; allowed: "learn" or "moments" or "ablation" or "calibrate" or "stability" or "mc_check"`},
		{"seed = 3", "", `x.toml: seed: missing; allowed: an integer from 0 to 2147483647`},
		{`generator = "wedges"`, "", `x.toml:4: data.generator: missing; allowed: "wedges"`},
		{"layers = [2, 3]", "", `x.toml:7: model.layers: missing; allowed: a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{"snapshots = [1, 25]", "", `x.toml:9: evaluate.snapshots: missing; allowed: a list of 1 to 1000 entries, each an integer from 1 to 1000000`},
		{"grid = 9", "", `x.toml:4: data.test: missing; allowed: an integer from 1 to 1000000, or evaluate.grid for maps of the square`},

		// Without a study any study's keys may be there; with a wrong one that is the error.
		{"study", "stuby", `x.toml:2: stuby: unknown key; did you mean "study"? allowed: ablation, calibrate, claim, data, effort, ` +
			`evaluate, figure, folder, mc_check, model, moments, monte_carlo, name, overrides, rival, seed, stability, study, sweep, variant`},
		{`"learn"`, `"lern"` + "\n[moments]", `x.toml:2: study = "lern": must be "learn" or "moments" or "ablation" or "calibrate" or "stability" or "mc_check"`},
		{`"learn"`, `"moments"`, `x.toml:4: data: unknown key; allowed: effort, moments, name, overrides, seed, study`},
		{"seed = 3", "seed = 3\neffort = \"half\"", `x.toml:4: effort = "half": must be "quick" or "full"`},

		// Types.
		{`"small"`, "7", `x.toml:1: name = 7: must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, "1979-05-27T07:32:00Z", `x.toml:1: name = 1979-05-27T07:32:00Z: must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"learn"`, `["learn"]`, `x.toml:2: study = ["learn"]: must be "learn" or "moments" or "ablation" or "calibrate" or "stability" or "mc_check"`},
		{"seed = 3", `seed = "3"`, `x.toml:3: seed = "3": must be an integer from 0 to 2147483647`},
		{"seed = 3", "seed = 3.0", `x.toml:3: seed = 3.0: must be an integer from 0 to 2147483647`},
		{"train = 25", "train = true", `x.toml:6: data.train = true: must be an integer from 1 to 1000000`},
		{"[2, 3]", `"2, 3"`, `x.toml:8: model.layers = "2, 3": must be a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{"[2, 3]", "[[2, 3], [3, 3]]", `x.toml:8: model.layers.1 = [2, 3]: must be an integer from 1 to 100000`},
		{"[2, 3]", "[\n2,\n3.5]", `x.toml:10: model.layers.2 = 3.5: must be an integer from 1 to 100000`},
		{"[2, 3]", "[2, {a = 1}]", `x.toml:8: model.layers.2 = {…}: must be an integer from 1 to 100000`},
		{"[2, 3]", "[2, 3]\nbias = 1", `x.toml:9: model.bias = 1: must be true or false`},
		{"[2, 3]", "[2, 3]\nrule = 1", `x.toml:9: model.rule = 1: must be "joint" or "total" or "adf" or "adf-exact"`},
		{"[2, 3]", "[2, 3]\nrho = \"0.5\"", `x.toml:9: model.rho = "0.5": must be a number ≥ 0 and < 1`},
		{"[2, 3]", "[2, 3]\nlambda = true", `x.toml:9: model.lambda = true: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nlambda = \"steep\"", `x.toml:9: model.lambda = "steep": must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nprior_mean = [1, 2]", `x.toml:9: model.prior_mean.1 = 1: must be a list of 1 to 100000 entries, each a finite number`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 2], [3, \"4\"]]", `x.toml:9: model.prior_mean.2.2 = "4": must be a finite number`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 2],\n[3,\n4],\n[[3], 4]]", `x.toml:12: model.prior_mean.3.1 = [3]: must be a finite number`},
		{"[data]\n", "[[data]]\n", `x.toml:4: data = {…}: must be a table`},
		{"[model]\nlayers = [2, 3]", "", `x.toml: model.layers: missing; allowed: a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{"seed = 3", "seed = 3\nmonte_carlo = 100", `x.toml:4: monte_carlo = 100: must be a table`},
		{"", "[variant]\nname = \"a\"", `x.toml:12: variant = {…}: must be a list of tables, each headed [[variant]]`},
		{"seed = 3", "seed = 3\nclaim = [{}, 3]", `x.toml:4: claim = [{…}, 3]: must be a list of tables, each headed [[claim]]`},
		{"seed = 3", "seed = 3\nfigure = []\noverrides = \"a\"", `x.toml:5: overrides = "a": must be a list of 0 to 100 entries, each a line of 1 to 500 bytes of printable text`},

		// Ranges.
		{"seed = 3", "seed = -1", `x.toml:3: seed = -1: must be an integer from 0 to 2147483647`},
		{"seed = 3", "seed = 9223372036854775807", `x.toml:3: seed = 9223372036854775807: must be an integer from 0 to 2147483647`},
		{"train = 25", "train = 0", `x.toml:6: data.train = 0: must be an integer from 1 to 1000000`},
		{"train = 25", "train = 1000001", `x.toml:6: data.train = 1000001: must be an integer from 1 to 1000000`},
		{"[2, 3]", "[3]", `x.toml:8: model.layers = [3]: must be a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{"[2, 3]", "[]", `x.toml:8: model.layers = []: must be a list of 2 to 100 entries, each an integer from 1 to 100000`},
		{"[2, 3]", "[2, 0, 3]", `x.toml:8: model.layers.2 = 0: must be an integer from 1 to 100000`},
		{"[2, 3]", "[2, 100001, 3]", `x.toml:8: model.layers.2 = 100001: must be an integer from 1 to 100000`},
		{"[2, 3]", "[2, 3]\nalpha = -0.1", `x.toml:9: model.alpha = -0.1: must be a number from 0 to 1`},
		{"[2, 3]", "[2, 3]\nalpha = 1.1", `x.toml:9: model.alpha = 1.1: must be a number from 0 to 1`},
		{"[2, 3]", "[2, 3]\nalpha = nan", `x.toml:9: model.alpha = nan: must be a number from 0 to 1`},
		{"[2, 3]", "[2, 3]\nbeta = inf", `x.toml:9: model.beta = +inf: must be a finite number ≥ alpha`},
		{"[2, 3]", "[2, 3]\nbeta = -1", `x.toml:9: model.beta = -1: must be ≥ alpha = 0.0`},
		{"[2, 3]", "[2, 3]\nrule = \"jiont\"", `x.toml:9: model.rule = "jiont": must be "joint" or "total" or "adf" or "adf-exact"`},
		{"[2, 3]", "[2, 3]\ncovariance = \"sparse\"", `x.toml:9: model.covariance = "sparse": must be "full" or "diagonal" or "shared", or a list of these, one for each layer of weights`},
		{"[2, 3]", "[2, 3]\ncovariance = [\"full\", \"diagonal\"]", `x.toml:9: model.covariance = ["full", "diagonal"]: has 2 entries; allowed: 1, or 1, one for each layer of weights`},
		{"[2, 3]", "[2, 3]\noutput_covariance = \"joint\"", `x.toml:9: model.output_covariance = "joint": allowed with rule = "adf-exact", a full output layer and at most 4 classes`},
		{"[2, 3]", "[2, 3]\nprior = \"flat\"", `x.toml:9: model.prior = "flat": must be "paper" or "scaled"`},
		{"[2, 3]", "[2, 3]\nrule = \"adf\"\nrho = 0.4", `x.toml:10: model.rho = 0.4: rule = "adf" is for the probit with rho = 0.5; allowed: 0.5`},
		{"train = 25", "train = 25\nnoise = 0.1", `x.toml:5: data.generator = "wedges": task "wedges" with noise = 0.1; allowed: no noise`},
		{"[2, 3]", "[2, 3]\nhidden = \"Frozen\"", `x.toml:9: model.hidden = "Frozen": must be "frozen" or "smooth" or "smooth-mean"`},
		{"[2, 3]", "[2, 3]\nlambda = -1", `x.toml:9: model.lambda = -1: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nlambda = 0.0", `x.toml:9: model.lambda = 0.0: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nlambda = nan", `x.toml:9: model.lambda = nan: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nlambda = inf", `x.toml:9: model.lambda = +inf: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[2, 3]", "[2, 3]\nrho = 1", `x.toml:9: model.rho = 1: must be a number ≥ 0 and < 1`},
		{"[2, 3]", "[2, 3]\nrho = -0.5", `x.toml:9: model.rho = -0.5: must be a number ≥ 0 and < 1`},
		{"[2, 3]", "[2, 3]\nrho = -nan", `x.toml:9: model.rho = nan: must be a number ≥ 0 and < 1`},
		{"[2, 3]", "[2, 3]\nprior_var = 0", `x.toml:9: model.prior_var = 0: must be a finite number > 0`},
		{"[2, 3]", "[2, 3]\nprior_var = -1e-9", `x.toml:9: model.prior_var = -1e-09: must be a finite number > 0`},
		{"[2, 3]", "[2, 3]\nprior_mean_var = -1", `x.toml:9: model.prior_mean_var = -1: must be a finite number ≥ 0`},
		{"[2, 3]", "[2, 3]\nprior_mean_var = nan", `x.toml:9: model.prior_mean_var = nan: must be a finite number ≥ 0`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, -inf]]", `x.toml:9: model.prior_mean.1.2 = -inf: must be a finite number`},
		{"[2, 3]", "[2, 3]\non_indefinite = \"stop\"", `x.toml:9: model.on_indefinite = "stop": must be "fail" or "skip" or "project"`},
		{"[2, 3]", "[2, 3]\neigenvalue_floor = 0", `x.toml:9: model.eigenvalue_floor = 0: must be a finite number > 0`},
		{"[2, 3]", "[2, 3]\nvariance_floor = 1", `x.toml:9: model.variance_floor = 1: must be a number > 0 and < 1`},
		{"[2, 3]", "[2, 3]\nvariance_floor = 0", `x.toml:9: model.variance_floor = 0: must be a number > 0 and < 1`},
		{"[1, 25]", "[]", `x.toml:10: evaluate.snapshots = []: must be a list of 1 to 1000 entries, each an integer from 1 to 1000000`},
		{"[1, 25]", "[0, 25]", `x.toml:10: evaluate.snapshots.1 = 0: must be an integer from 1 to 1000000`},
		{"grid = 9", "grid = 1", `x.toml:11: evaluate.grid = 1: must be an integer from 2 to 2001`},
		{"grid = 9", "grid = 2002", `x.toml:11: evaluate.grid = 2002: must be an integer from 2 to 2001`},
		{"", "[monte_carlo]\nsamples = 1", `x.toml:13: monte_carlo.samples = 1: must be an integer from 2 to 1000000000`},
		{"", "[monte_carlo]\nsamples = 1000000001", `x.toml:13: monte_carlo.samples = 1000000001: must be an integer from 2 to 1000000000`},
		{"", "[monte_carlo]\nstride = 0", `x.toml:13: monte_carlo.stride = 0: must be an integer from 1 to 2001`},

		// Names.
		{`"small"`, `"../x"`, `x.toml:1: name = "../x": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `"a/b"`, `x.toml:1: name = "a/b": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `'a\b'`, `x.toml:1: name = "a\\b": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `".."`, `x.toml:1: name = "..": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `""`, `x.toml:1: name = "": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `"Small"`, `x.toml:1: name = "Small": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `"a\nb"`, `x.toml:1: name = "a\nb": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"small"`, `"` + strings.Repeat("a", 100) + `"`, `x.toml:1: name = "` + strings.Repeat("a", 79) + `…: must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{`"learn"`, `"lern"`, `x.toml:2: study = "lern": must be "learn" or "moments" or "ablation" or "calibrate" or "stability" or "mc_check"`},
		{`"wedges"`, `"moons"`, `x.toml:5: data.generator = "moons": must be "wedges"`},

		// Values that must fit each other.
		{"[2, 3]", "[3, 3]", `x.toml:8: model.layers = [3, 3]: data.generator = "wedges" has 2 inputs and 3 classes; allowed: [2, …, 3]`},
		{
			"[data]\ngenerator = \"wedges\"\ntrain = 25\n[model]\nlayers = [2, 3]",
			"variant = [{name = \"before\"}]\n[data]\ngenerator = \"wedges\"\ntrain = 25\n[model]\nlayers = [3, 3]",
			`x.toml:9: model.layers = [3, 3]: data.generator = "wedges" has 2 inputs and 3 classes; allowed: [2, …, 3]`,
		},
		{"[2, 3]", "[2, 1]", `x.toml:8: model.layers = [2, 1]: data.generator = "wedges" has 2 inputs and 3 classes; allowed: [2, …, 3]`},
		{"[2, 3]", "[2, 100000, 3]", `x.toml:8: model.layers = [2, 100000, 3]: the weights' covariances have 3e+10 numbers; allowed: at most 100000000`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 0], [0, 1]]", `x.toml:9: model.prior_mean = [[1, 0], [0, 1]]: has 2 rows; allowed: 3, one per neuron`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 0], [0, 1], [1]]", `x.toml:9: model.prior_mean = [[1, 0], [0, 1], [1]]: row 3 has 1 columns; allowed: 2, one per input`},
		{"[2, 3]", "[2, 3]\nbias = true\nprior_mean = [[1, 0], [0, 1], [1, 1]]", `x.toml:10: model.prior_mean = [[1, 0], [0, 1], [1, 1]]: row 1 has 2 columns; allowed: 3, one per input and one for the bias`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 0], [], [1, 1]]", `x.toml:9: model.prior_mean.2 = []: must be a list of 1 to 100000 entries, each a finite number`},
		{"[2, 3]", "[2, 4, 3]\nprior_mean = [[1, 0], [0, 1], [1, 1]]", `x.toml:9: model.prior_mean = [[1, 0], [0, 1], [1, 1]]: layers = [2, 4, 3] has 2 layers of weights; allowed: only with one`},
		{"[1, 25]", "[1, 26]", `x.toml:10: evaluate.snapshots = [1, 26]: 26 is beyond data.train = 25; allowed: 1 to 25`},
		{"[1, 25]", "[5, 5]", `x.toml:10: evaluate.snapshots = [5, 5]: 5 comes after 5; allowed: strictly increasing`},
		{"[1, 25]", "[5, 1]", `x.toml:10: evaluate.snapshots = [5, 1]: 1 comes after 5; allowed: strictly increasing`},

		// Sweeps.
		{"", "[sweep]\nseed = []", `x.toml:13: sweep.seed = []: must be a list of 1 to 1000000 entries, each an integer from 0 to 2147483647`},
		{"", "[sweep]\nseed = 3", `x.toml:13: sweep.seed = 3: must be a range such as "1..20" or a list of 1 to 1000000 entries, each an integer from 0 to 2147483647`},
		{"", "[sweep]\nseed = [3, -1]", `x.toml:13: sweep.seed.2 = -1: must be an integer from 0 to 2147483647`},
		{"", "[sweep]\nseed = [3, 4, 3]", `x.toml:13: sweep.seed = [3, 4, 3]: 3 is there twice; allowed: values that differ`},
		{"", "[sweep]\nseed = [1, 2]", `x.toml:3: seed = 3: not one of sweep.seed; allowed: "1..2"`},
		{"", "[sweep]\nseed = [1, 7]", `x.toml:3: seed = 3: not one of sweep.seed; allowed: [1, 7]`},
		{"", "[sweep]\nseed = \"20..1\"", `x.toml:13: sweep.seed = "20..1": the range is empty; allowed: first ≤ last`},
		{"", "[sweep]\nseed = \"1-20\"", `x.toml:13: sweep.seed = "1-20": must be a range such as "1..20" of integers from 0 to 2147483647`},
		{"", "[sweep]\nseed = \"1...20\"", `x.toml:13: sweep.seed = "1...20": must be a range such as "1..20" of integers from 0 to 2147483647`},
		{"", "[sweep]\nseed = \"-1..20\"", `x.toml:13: sweep.seed = "-1..20": must be a range such as "1..20" of integers from 0 to 2147483647`},
		{"", "[sweep]\nseed = \"0..2147483648\"", `x.toml:13: sweep.seed = "0..2147483648": must be a range such as "1..20" of integers from 0 to 2147483647`},
		{"", "[sweep]\nseed = \"0..2147483647\"", `x.toml:13: sweep.seed = "0..2147483647": 2147483648 values; allowed: at most 1000000`},
		{"", "[sweep]\nlambda = []", `x.toml:13: sweep.lambda = []: must be a list of 1 to 1000 entries, each from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"", "[sweep]\nlambda = 0.3", `x.toml:13: sweep.lambda = 0.3: must be a list of 1 to 1000 entries, each from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"", "[sweep]\nlambda = [0.3,\n0]", `x.toml:14: sweep.lambda.2 = 0: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"", "[sweep]\nlambda = [0.5, \"slope\", 0.5]", `x.toml:13: sweep.lambda = [0.5, "slope", 0.5]: 0.5 is there twice; allowed: values that differ`},
		{"", "[sweep]\nlambda = [\"slope\", \"slope\"]", `x.toml:13: sweep.lambda = ["slope", "slope"]: slope is there twice; allowed: values that differ`},
		{"", "[sweep]\nrho = []", `x.toml:13: sweep.rho = []: must be a list of 1 to 1000 entries, each a number ≥ 0 and < 1`},
		{"", "[sweep]\nrho = [1]", `x.toml:13: sweep.rho.1 = 1: must be a number ≥ 0 and < 1`},
		{"", "[sweep]\nrho = [0, 0.0]", `x.toml:13: sweep.rho = [0, 0.0]: 0 is there twice; allowed: values that differ`},
		{"", "[sweep]\ntrain = [1]", `x.toml:13: sweep.train: unknown key; allowed: lambda, rho, seed`},
		{"", "[sweep]\nseed = \"1..600000\"\nrho = [0, 0.5]", `x.toml:12: sweep = {…}: asks for 1200000 cells (models × seeds); allowed: at most 1000000`},

		// Lists of tables: the line of the block that is wrong.
		{"", "[[variant]]\nname = \"a\"\n[[variant]]\n# b\nlambda = 0.3\n", `x.toml:14: variant.2.name: missing; allowed: a name of 1 to 64 characters a-z, 0-9, _, -`},
		{"", "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"", `x.toml:15: variant.a.name = "a": a variant before it has this name; allowed: names that differ`},
		{"", "[[variant]]\nname = \"a b\"", `x.toml:13: variant.1.name = "a b": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{"", "[[variant]]\nname = \"a\"\nlambda = 1\n[[variant]]\nname = \"b\"\nlambda = 0", `x.toml:17: variant.b.lambda = 0: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"", "[[variant]]\nname = \"a\"\nlambda = 0\n[[variant]]\nname = \"b\"\nlambda = 0", `x.toml:14: variant.a.lambda = 0: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"", "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nseed = 0", `x.toml:16: variant.b.seed: unknown key; allowed: ` +
			"alpha, beta, bias, covariance, eigenvalue_floor, hidden, lambda, layers, name, on_indefinite, output_covariance, prior, prior_mean, prior_mean_var, prior_scale, prior_var, replications, rho, rule, variance_floor"},
		{"", "[[variant]]\nname = \"a\"\nbeta = 0.5\n[[variant]]\nname = \"b\"\nbeta = 0.5\nalpha = 0.75", `x.toml:17: variant.b.beta = 0.5: must be ≥ alpha = 0.75`},
		{"[2, 3]", "[2, 3]\nbeta = 0.5\n[[variant]]\nname = \"b\"\nalpha = 0.75", `x.toml:12: variant.b.alpha = 0.75: must be ≤ beta = 0.5`},
		{"[2, 3]", "[2, 3]\nprior_mean = [[1, 0], [0, 1], [1, 1]]\n[[variant]]\nname = \"b\"\nbias = true", `x.toml:10: variant.b.prior_mean: row 1 has 2 columns; allowed: 3, one per input and one for the bias`},
		{"", "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\nlayers = [2, 5]", `x.toml:16: variant.b.layers = [2, 5]: data.generator = "wedges" has 2 inputs and 3 classes; allowed: [2, …, 3]`},
		{"", "[[variant]]\nname = \"a\"\n[variant.model]\nrho = 2", `x.toml:14: variant.a.model: unknown key; allowed: ` +
			"alpha, beta, bias, covariance, eigenvalue_floor, hidden, lambda, layers, name, on_indefinite, output_covariance, prior, prior_mean, prior_mean_var, prior_scale, prior_var, replications, rho, rule, variance_floor"},
		{"seed = 3", "seed = 3\nvariant = [\n{name = \"a\"},\n{name = \"b\",\nrho = 2},\n]", `x.toml:7: variant.b.rho = 2: must be a number ≥ 0 and < 1`},
		{"", strings.Repeat("[[claim]]\n", 101), `x.toml:12: claim: 101 tables; allowed: at most 100`},
		{"", "[[claim]]\nstatistic = \"boundary\"\nthreshold = 1", `x.toml:12: claim.1.claim: missing; allowed: a line of 1 to 500 bytes of printable text`},
		{"", "[[claim]]\nclaim = \"c\"\nthreshold = 1", `x.toml:12: claim.1.statistic: missing; allowed: "entropy_drop" or "boundary"`},
		{"", "[[claim]]\nclaim = \"c\"\nstatistic = \"boundary\"", `x.toml:12: claim.1.threshold: missing; allowed: a finite number`},
		{"", "[[claim]]\nclaim = \"\"", `x.toml:13: claim.1.claim = "": must be a line of 1 to 500 bytes of printable text`},
		{"", "[[claim]]\nclaim = \"\"\"a\nb\"\"\"", `x.toml:13: claim.1.claim = "a\nb": must be a line of 1 to 500 bytes of printable text`},
		{"", "[[claim]]\nclaim = \"c\"\nstatistic = \"distance\"", `x.toml:14: claim.1.statistic = "distance": must be "entropy_drop" or "boundary"`},
		{"", "[[claim]]\nclaim = \"c\"\nstatistic = \"boundary\"\nthreshold = \"0\"", `x.toml:15: claim.1.threshold = "0": must be a finite number`},
		{"", "[[claim]]\nclaim = \"c\"\nstatistic = \"boundary\"\nthreshold = nan", `x.toml:15: claim.1.threshold = nan: must be a finite number`},
		{"", "[[figure]]\nvariant = \"model\"", `x.toml:12: figure.1.kind: missing; allowed: "maps"`},
		{"", "[[figure]]\nkind = \"maps\"", `x.toml:12: figure.1.variant: missing; allowed: a name of 1 to 64 characters a-z, 0-9, _, -`},
		{"", "[[figure]]\nkind = \"pie\"", `x.toml:13: figure.1.kind = "pie": must be "maps"`},
		{"", "[[figure]]\nkind = \"maps\"\nvariant = \"joint\"", `x.toml:14: figure.1.variant = "joint": names no variant; allowed: model`},
		{"", "[[figure]]\nkind = \"maps\"\nvariant = \"model\"\nsingle = \"yes\"", `x.toml:15: figure.1.single = "yes": must be true or false`},
		{"", strings.Repeat("[[figure]]\nkind = \"maps\"\nvariant = \"model\"\n", 2), `x.toml:17: figure.2.variant = "model": a figure before it is the maps of this variant; allowed: figures that differ`},

		// The misspelt key, not the one that is missing for it; the first line.
		{"train = 25", "trian = 25\ntest = 1", `x.toml:6: data.trian: unknown key; did you mean "train"? allowed: arms, generator, noise, rings, train`},
		{"seed = 3", "seed = -3\nb = 1\na = 1", `x.toml:3: seed = -3: must be an integer from 0 to 2147483647`},
	})
}
