package manifest

import (
	"fmt"
	"strings"
	"testing"
)

// Kinds of value, as the messages call them.
const (
	classesWant  = `must be a range such as "2..10" or a list of 1 to 1000 entries, each an integer from 2 to 1000`
	lambdasWant  = `must be a list of 1 to 1000 entries, each from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`
	rhosWant     = `must be a list of 1 to 1000 entries, each a number ≥ 0 and < 1`
	positiveList = `must be a list of 1 to 1000 entries, each 0 or a number ≥ 1e-30 and ≤ 1e+30`
	drawsWant    = `must be an integer from 1 to 1000000`
)

// many returns a list of n different numbers below one.
func many(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("0.%03d1", i)
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// Lines: 4 [moments]  5 classes  6 spread  7 variance  8 draws  9 methods  10 first after it
func TestMomentsErrors(t *testing.T) {
	checkErrors(t, momentsSrc, []broken{
		{"classes = [2, 3, 10]\n", "", `x.toml:4: moments.classes: missing; allowed: ` + classesWant[8:]},
		{"[2, 3, 10]", "3", `x.toml:5: moments.classes = 3: ` + classesWant},
		{"[2, 3, 10]", "[]", `x.toml:5: moments.classes = []: must be a list of 1 to 1000 entries, each an integer from 2 to 1000`},
		{"[2, 3, 10]", "[2, 1]", `x.toml:5: moments.classes.2 = 1: must be an integer from 2 to 1000`},
		{"[2, 3, 10]", "[2, 1001]", `x.toml:5: moments.classes.2 = 1001: must be an integer from 2 to 1000`},
		{"[2, 3, 10]", "[2, 2]", `x.toml:5: moments.classes = [2, 2]: 2 is there twice; allowed: values that differ`},
		{"[2, 3, 10]", `"1..5"`, `x.toml:5: moments.classes = "1..5": must be a range such as "2..10" of integers from 2 to 1000`},
		{"[2, 3, 10]", `"2..1001"`, `x.toml:5: moments.classes = "2..1001": must be a range such as "2..10" of integers from 2 to 1000`},
		{"[2, 3, 10]", `"5..2"`, `x.toml:5: moments.classes = "5..2": the range is empty; allowed: first ≤ last`},
		{"spread = [0, 2.5]\n", "", `x.toml:4: moments.spread: missing; allowed: ` + positiveList[8:]},
		{"[0, 2.5]", "2.5", `x.toml:6: moments.spread = 2.5: ` + positiveList},
		{"[0, 2.5]", "[0, -2.5]", `x.toml:6: moments.spread.2 = -2.5: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"[0, 2.5]", "[nan]", `x.toml:6: moments.spread.1 = nan: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"[0, 2.5]", "[0, 0.0]", `x.toml:6: moments.spread = [0, 0.0]: 0 is there twice; allowed: values that differ`},
		{"variance = [0.01, 100]\n", "", `x.toml:4: moments.variance: missing; allowed: ` + positiveList[8:]},
		{"[0.01, 100]", "[inf]", `x.toml:7: moments.variance.1 = +inf: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"[0.01, 100]", "[-1]", `x.toml:7: moments.variance.1 = -1: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"[0.01, 100]", "[1, 2, 1]", `x.toml:7: moments.variance = [1, 2, 1]: 1 is there twice; allowed: values that differ`},
		{"draws = 40\n", "", `x.toml:4: moments.draws: missing; allowed: ` + drawsWant[8:]},
		{"draws = 40", "draws = 0", `x.toml:8: moments.draws = 0: ` + drawsWant},
		{"draws = 40", "draws = 1000001", `x.toml:8: moments.draws = 1000001: ` + drawsWant},
		{"methods = [\"exact\", \"probit\"]\n", "", `x.toml:4: moments.methods: missing; allowed: a list of 1 to 1000 entries, each "probit" or "exact"`},
		{`"exact", "probit"`, `"exact", "prbit"`, `x.toml:9: moments.methods.2 = "prbit": must be "probit" or "exact"`},
		{`"exact", "probit"`, ``, `x.toml:9: moments.methods = []: must be a list of 1 to 1000 entries, each "probit" or "exact"`},
		{`"exact", "probit"`, `"exact", "exact"`, `x.toml:9: moments.methods = ["exact", "exact"]: exact is there twice; allowed: values that differ`},
		{"", "unequal = 1", `x.toml:10: moments.unequal = 1: must be a number ≥ 0 and < 1`},
		{"", "unequal = -0.5", `x.toml:10: moments.unequal = -0.5: must be a number ≥ 0 and < 1`},
		{"", "samples = 10", `x.toml:10: moments.samples = 10: must be a list of 0 to 1000 entries, each an integer from 2 to 1000000000`},
		{"", "samples = [10, 1]", `x.toml:10: moments.samples.2 = 1: must be an integer from 2 to 1000000000`},
		{"[0.01, 100]", "[1.1e30]", `x.toml:7: moments.variance.1 = 1.1e+30: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"", "samples = [10, 10]", `x.toml:10: moments.samples = [10, 10]: 10 is there twice; allowed: values that differ`},
		{"", "montecarlo_draws = 0", `x.toml:10: moments.montecarlo_draws = 0: ` + drawsWant},
		{"", "draw = 4", `x.toml:10: moments.draw: unknown key; did you mean "draws"? allowed: ` +
			`classes, draws, methods, montecarlo_draws, montecarlo_pairs, samples, spread, unequal, variance`},
		{"", "[model]", `x.toml:10: model: unknown key; allowed: effort, moments, name, overrides, seed, study`},
		{"", "[sweep]\nseed = [3, 4]", `x.toml:10: sweep: unknown key; did you mean "seed"? allowed: effort, moments, name, overrides, seed, study`},
		{"", "[moment]", `x.toml:10: moment: unknown key; did you mean "moments"? allowed: effort, moments, name, overrides, seed, study`},
		{
			"[2, 3, 10]\nspread = [0, 2.5]\nvariance = [0.01, 100]", `"2..1000"` + "\nspread = " + many(1000) + "\nvariance = [1, 2]",
			`x.toml:4: moments = {…}: asks for 1998000 points (classes × spread × variance); allowed: at most 1000000`,
		},
	})
}

// Lines: 4 [data]  7 [model]  9 [evaluate]  10 grid  11 [ablation]  12 classes
// 13 spread  14 variance  15 draws  16 [sweep]  17 lambda  18 rho  19 [[variant]]
func TestAblationErrors(t *testing.T) {
	const keys = "ablation, data, effort, evaluate, model, name, overrides, seed, study, sweep, variant"
	checkErrors(t, ablationSrc, []broken{
		{"grid = 9", "", `x.toml:9: evaluate.grid: missing; allowed: an integer from 2 to 2001`},
		{"grid = 9", "grid = 1", `x.toml:10: evaluate.grid = 1: must be an integer from 2 to 2001`},
		{"grid = 9", "snapshots = [1]\ngrid = 9", `x.toml:10: evaluate.snapshots: unknown key; allowed: grid`},
		{"classes = [3, 5]\n", "", `x.toml:11: ablation.classes: missing; allowed: ` + classesWant[8:]},
		{"[3, 5]", "[3, 3]", `x.toml:12: ablation.classes = [3, 3]: 3 is there twice; allowed: values that differ`},
		{"spread = 2\n", "", `x.toml:11: ablation.spread: missing; allowed: 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"spread = 2", "spread = [2]", `x.toml:13: ablation.spread = [2]: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"spread = 2", "spread = -2", `x.toml:13: ablation.spread = -2: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"variance = 1.5\n", "", `x.toml:11: ablation.variance: missing; allowed: 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"variance = 1.5", "variance = -1", `x.toml:14: ablation.variance = -1: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"draws = 7\n", "", `x.toml:11: ablation.draws: missing; allowed: ` + drawsWant[8:]},
		{"draws = 7", "draws = 0", `x.toml:15: ablation.draws = 0: ` + drawsWant},
		{"draws = 7", "unequal = 1\ndraws = 7", `x.toml:15: ablation.unequal = 1: must be a number ≥ 0 and < 1`},
		{"draws = 7", "draws = 7\nmethods = []", `x.toml:16: ablation.methods: unknown key; allowed: classes, draws, spread, unequal, variance`},
		{"lambda = [0.3, 0.6]\n", "", `x.toml:16: sweep.lambda: missing; allowed: ` + lambdasWant[8:]},
		{"[0.3, 0.6]", "[]", `x.toml:17: sweep.lambda = []: ` + lambdasWant},
		{"[0.3, 0.6]", "[\"lqs\"]", `x.toml:17: sweep.lambda.1 = "lqs": must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"[0.3, 0.6]", "[0.3, 0.3]", `x.toml:17: sweep.lambda = [0.3, 0.3]: 0.3 is there twice; allowed: values that differ`},
		{"[0.3, 0.6]", "[0.3, \"lsq\"]", `x.toml:17: sweep.lambda = [0.3, "lsq"]: "lsq" has no place on the axis of the maps; allowed: numbers > 0`},
		{"rho = [0, 0.5]\n", "", `x.toml:16: sweep.rho: missing; allowed: ` + rhosWant[8:]},
		{"[0.3, 0.6]", "[0.3]", `x.toml:17: sweep.lambda = [0.3]: one value makes no map; allowed: at least 2`},
		{"[0, 0.5]", "[0.5]", `x.toml:18: sweep.rho = [0.5]: one value makes no map; allowed: at least 2`},
		{`name = "total"`, "name = \"total\"\nrho = 0.4", `x.toml:23: variant.total.rho = 0.4: sweep.rho takes its place; allowed: to leave it out`},
		{`name = "total"`, "name = \"total\"\nlambda = \"slope\"\nrho = 0.5", `<nil>`},
		{"[0, 0.5]", "[1]", `x.toml:18: sweep.rho.1 = 1: must be a number ≥ 0 and < 1`},
		{"[0, 0.5]", "[0, 0.5]\nseed = \"1..2\"", `x.toml:3: seed = 3: not one of sweep.seed; allowed: "1..2"`},
		{`name = "total"`, `name = "joint"`, `x.toml:22: variant.joint.name = "joint": a variant before it has this name; allowed: names that differ`},
		{"", "[monte_carlo]", `x.toml:24: monte_carlo: unknown key; allowed: ` + keys},
		{"", "[[claim]]", `x.toml:24: claim: unknown key; allowed: ` + keys},
		{"[3, 5]", `"2..1000"`, `<nil>`},
		{
			"[3, 5]\nspread = 2\nvariance = 1.5\ndraws = 7\n[sweep]\nlambda = [0.3, 0.6]\nrho = [0, 0.5]",
			`"2..1000"` + "\nspread = 2\nvariance = 1.5\ndraws = 7\n[sweep]\nlambda = [1, 2]\nrho = " + many(501),
			`x.toml:11: ablation = {…}: asks for 1000998 points (classes × lambda × rho); allowed: at most 1000000`,
		},
		{
			"[0.3, 0.6]\nrho = [0, 0.5]", many(100) + "\nrho = " + many(51),
			`x.toml:16: sweep = {…}: asks for 10200 models (variants × lambda × rho); allowed: at most 10000`,
		},
	})
}

// Lines: 4 [calibrate]  5 classes  6 box  7 first after it
func TestCalibrateErrors(t *testing.T) {
	const rhosTo09 = `must be a list of 1 to 1000 entries, each a number ≥ 0 and ≤ 0.9`
	checkErrors(t, calibrateSrc, []broken{
		{"classes = \"2..5\"\n", "", `x.toml:4: calibrate.classes: missing; allowed: ` + classesWant[8:]},
		{"2..5", "2-5", `x.toml:5: calibrate.classes = "2-5": must be a range such as "2..10" of integers from 2 to 1000`},
		{"box = 4\n", "", `x.toml:4: calibrate.box: missing; allowed: a number ≥ 0.1 and ≤ 4`},
		{"box = 4", "box = 0", `x.toml:6: calibrate.box = 0: must be a number ≥ 0.1 and ≤ 4`},
		{"box = 4", "box = inf", `x.toml:6: calibrate.box = +inf: must be a number ≥ 0.1 and ≤ 4`},
		{"box = 4", "box = 20.5", `x.toml:6: calibrate.box = 20.5: must be a number ≥ 0.1 and ≤ 4`},
		{"", "rho = 0.5", `x.toml:7: calibrate.rho = 0.5: ` + rhosTo09},
		{"", "rho = []", `x.toml:7: calibrate.rho = []: ` + rhosTo09},
		{"", "rho = [1]", `x.toml:7: calibrate.rho.1 = 1: must be a number ≥ 0 and ≤ 0.9`},
		{"", "rho = [0.1, 0.1]", `x.toml:7: calibrate.rho = [0.1, 0.1]: 0.1 is there twice; allowed: values that differ`},
		{"", "lambda = [1]", `x.toml:7: calibrate.lambda: unknown key; allowed: box, classes, rho`},
	})
}

// Lines: 4 [stability]  5 classes  6 lambda  7 gap  8 variance  9 grid  10 draws  11 first after it
func TestStabilityErrors(t *testing.T) {
	const gap = `must be two numbers [low, high] with 0 ≤ low < high ≤ 1e+30`
	const variance = `must be two numbers [low, high] with 1e-30 ≤ low < high ≤ 1e+30`
	checkErrors(t, stabilitySrc, []broken{
		{"classes = [2, 3]\n", "", `x.toml:4: stability.classes: missing; allowed: ` + classesWant[8:]},
		{"lambda = [0.5, \"slope\", \"minimax\"]\n", "", `x.toml:4: stability.lambda: missing; allowed: ` + lambdasWant[8:]},
		{"[0.5, \"slope\", \"minimax\"]", "0.5", `x.toml:6: stability.lambda = 0.5: ` + lambdasWant},
		{"[0.5, \"slope\", \"minimax\"]", "[0.5, 0.5]", `x.toml:6: stability.lambda = [0.5, 0.5]: 0.5 is there twice; allowed: values that differ`},
		{"gap = [0, 10]\n", "", `x.toml:4: stability.gap: missing; allowed: ` + gap[8:]},
		{"[0, 10]", "10", `x.toml:7: stability.gap = 10: ` + gap},
		{"[0, 10]", "[10]", `x.toml:7: stability.gap = [10]: ` + gap},
		{"[0, 10]", "[0, 1, 2]", `x.toml:7: stability.gap = [0, 1, 2]: ` + gap},
		{"[0, 10]", "[-1, 1]", `x.toml:7: stability.gap = [-1, 1]: ` + gap},
		{"[0, 10]", "[2, 2]", `x.toml:7: stability.gap = [2, 2]: ` + gap},
		{"[0, 10]", "[0, inf]", `x.toml:7: stability.gap = [0, +inf]: ` + gap},
		{"[0, 10]", "[0, \"1\"]", `x.toml:7: stability.gap = [0, "1"]: ` + gap},
		{"variance = [0.01, 100]\n", "", `x.toml:4: stability.variance: missing; allowed: ` + variance[8:]},
		{"[0.01, 100]", "[0, 1]", `x.toml:8: stability.variance = [0, 1]: ` + variance},
		{"[0.01, 100]", "[1, nan]", `x.toml:8: stability.variance = [1, nan]: ` + variance},
		{"grid = 21\n", "", `x.toml:4: stability.grid: missing; allowed: an integer from 2 to 2001`},
		{"grid = 21", "grid = 1", `x.toml:9: stability.grid = 1: must be an integer from 2 to 2001`},
		{"draws = 50", "", `x.toml:4: stability.draws: missing; allowed: ` + drawsWant[8:]},
		{"draws = 50", "draws = 1.5", `x.toml:10: stability.draws = 1.5: ` + drawsWant},
		{"", "rho = 1", `x.toml:11: stability.rho = 1: must be a number ≥ 0 and < 1`},
		{"", "box = 1", `x.toml:11: stability.box: unknown key; allowed: classes, draws, gap, grid, lambda, rho, variance`},
		{"grid = 21", "grid = 409", `x.toml:4: stability = {…}: asks for 1003686 points (classes × lambda × grid²); allowed: at most 1000000`},
	})
}

// Lines: 4 [mc_check]  5 classes  6 rho  7 samples  8 cases  9 spread  10 variance  11 first after it
func TestMCCheckErrors(t *testing.T) {
	checkErrors(t, mcCheckSrc, []broken{
		{"classes = [2, 10]\n", "", `x.toml:4: mc_check.classes: missing; allowed: ` + classesWant[8:]},
		{"[2, 10]", "[10, 2, 10]", `x.toml:5: mc_check.classes = [10, 2, 10]: 10 is there twice; allowed: values that differ`},
		{"rho = [0.3, 0.5]\n", "", `x.toml:4: mc_check.rho: missing; allowed: ` + rhosWant[8:]},
		{"[0.3, 0.5]", "[-0.1]", `x.toml:6: mc_check.rho.1 = -0.1: must be a number ≥ 0 and < 1`},
		{"samples = 1000\n", "", `x.toml:4: mc_check.samples: missing; allowed: an integer from 2 to 1000000000`},
		{"samples = 1000", "samples = 1", `x.toml:7: mc_check.samples = 1: must be an integer from 2 to 1000000000`},
		{"cases = 4\n", "", `x.toml:4: mc_check.cases: missing; allowed: ` + drawsWant[8:]},
		{"cases = 4", "cases = 0", `x.toml:8: mc_check.cases = 0: ` + drawsWant},
		{"spread = 1\n", "", `x.toml:4: mc_check.spread: missing; allowed: 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"spread = 1", "spread = -1", `x.toml:9: mc_check.spread = -1: must be 0 or a number ≥ 1e-30 and ≤ 1e+30`},
		{"variance = 2.5", "", `x.toml:4: mc_check.variance: missing; allowed: a number ≥ 1e-30 and ≤ 1e+30`},
		{"variance = 2.5", "variance = 0", `x.toml:10: mc_check.variance = 0: must be a number ≥ 1e-30 and ≤ 1e+30`},
		{"", "draws = 1", `x.toml:11: mc_check.draws: unknown key; allowed: cases, classes, lambda, rho, samples, spread, variance`},
		{"", "lambda = [0, 1]", `x.toml:11: mc_check.lambda = [0, 1]: must be two numbers [low, high] with 1e-30 ≤ low < high ≤ 1e+30`},
		{"cases = 4", "cases = 250000", `<nil>`},
		{"cases = 4", "cases = 250001", `x.toml:4: mc_check = {…}: asks for 1000004 inputs (classes × rho × cases); allowed: at most 1000000`},
	})
}

// -set reaches the sections.
func TestSectionOverrides(t *testing.T) {
	for _, c := range []struct{ src, override, want string }{
		{momentsSrc, "moments.draws=0", `-set moments.draws=0: moments.draws = 0: ` + drawsWant},
		{momentsSrc, "moments.methods=probit", `-set moments.methods=probit: moments.methods = "probit": must be a list of 1 to 1000 entries, each "probit" or "exact"`},
		{momentsSrc, "model.rho=0", `-set model.rho=0: model: unknown key; allowed: effort, moments, name, overrides, seed, study`},
		{momentsSrc, "study=mc_check", `x.toml:4: moments: unknown key; allowed: effort, mc_check, name, overrides, seed, study`},
		{stabilitySrc, "stability.gap=[3, 1]", `-set stability.gap=[3, 1]: stability.gap = [3, 1]: must be two numbers [low, high] with 0 ≤ low < high ≤ 1e+30`},
		{calibrateSrc, "effort=fast", `-set effort=fast: effort = "fast": must be "quick" or "full"`},
	} {
		_, err := Parse("x.toml", []byte(c.src), studies, []string{c.override})
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.override, got, c.want)
		}
	}
}
