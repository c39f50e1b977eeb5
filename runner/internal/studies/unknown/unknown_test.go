package unknown

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest is about a file, whose first 48 examples are to train, and another file.
func manifest(file, outside string) string {
	return fmt.Sprintf(`
name = "small_unknown"; study = "unknown"; seed = 2
[data]; file = %q; train_rows = "1-48"
[unknown]; validation = 0.25; wrong = [0.1, 0.0001]; thresholds = [0.6]; unseen = ["b"]
[sweep]; seed = [1, 2]
[[outside]]; name = "far"; file = %q
[[method]]; name = "ours"; kind = "closed-form"; members = 1; rule = "adf"; bias = true; prior_var = 10; passes = 2
[[method]]; name = "filter"; kind = "kalman"
`, file, outside)
}

// far has examples of which most are away from the clusters.
var far = studytest.Corners(9)

// run runs the manifest about the examples and the far ones.
func run(t *testing.T, set data.Set, overrides ...string) table.Set {
	t.Helper()
	return studytest.Run(t, Kind, manifest(studytest.File(t, set), studytest.File(t, far)), overrides...)
}

// said is what a network predicts of some examples.
type said struct {
	p          [][]float64
	confidence []float64 // the largest probability
	wrong      []bool
}

// ours returns what the network "ours", trained by hand, predicts of the part for
// validation, the test part and the far examples.
func ours(t *testing.T, seed int, set data.Set) (validation, test, outside said) {
	t.Helper()
	src := func(purpose ...any) rand.Source { return study.Stream("small_unknown", seed, purpose...) }
	part := func(rows string) *data.Examples {
		return check.Must(data.Rows(dataset.NewExamples(set, 3), rows))
	}
	train := part("1-48")
	learn, judge, err := train.Split(0.25, src("validation"))
	check.OK(t, err)
	judged, train := train.Subset(judge), train.Subset(learn)
	scaler, cfg := check.Must(train.Scaler(dataset.Standard)), bnn.Default(2, 3)
	cfg.PriorVar = []float64{10}
	n := check.Must(bnn.NewEnsemble(cfg, 1, src("method", "ours")))
	l := learner.NewClassifier(&learner.Network{Model: n}, 3)
	x, scaled := make([]float64, 2), scaler.Apply(train)
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(src("pass", pass)).Perm(train.Len()) {
			scaled.Input(x, i)
			l.Observe(x, train.Class(i))
		}
	}
	say := func(e *data.Examples) (s said) {
		var class []int
		s.p, class = l.Test(scaler.Apply(e))
		for i, q := range s.p {
			s.confidence, s.wrong = append(s.confidence, floats.Max(q)), append(s.wrong, floats.MaxIdx(q) != class[i])
		}
		return s
	}
	return say(judged), say(part(fmt.Sprintf("49-%d", len(set.X)))), say(dataset.NewExamples(far, 4))
}

// smallest returns the least confidence that occurs with which no more than a share
// of all is decided wrong, by trying all of them.
func smallest(s said, share float64) float64 {
	least := math.Inf(1)
	for _, threshold := range s.confidence {
		var wrong float64
		for i, c := range s.confidence {
			if c >= threshold && s.wrong[i] {
				wrong++
			}
		}
		if wrong/float64(len(s.p)) <= share {
			least = min(least, threshold)
		}
	}
	return least
}

// The thresholds are those of the part for validation, the decisions those about the test part, by hand.
func TestByHand(t *testing.T) {
	set := studytest.Clusters(48)
	for _, x := range set.X { // so that there are mistakes
		x[0] *= 0.5
	}
	set = data.Set{X: slices.Concat(set.X, set.X), Class: slices.Concat(set.Class, set.Class)} // so that an example has the threshold itself
	for seed := 1; seed <= 2; seed++ {
		tables := run(t, set, fmt.Sprintf("sweep.seed=[%d]", seed), fmt.Sprintf("seed=%d", seed))
		validation, test, outside := ours(t, seed, set)
		n := float64(len(test.p))
		row := func(name string) *table.Table {
			return studytest.Rows(t, tables.Get(name), "method=ours confidence=probability")
		}
		for wanted, threshold := range map[string]float64{
			"wrong=0.1": smallest(validation, 0.1), "wrong=0.0001": smallest(validation, 0.0001), "threshold=0.6": 0.6,
		} {
			var correct, unknown, wrong float64
			for i, c := range test.confidence {
				switch {
				case c < threshold:
					unknown++
				case test.wrong[i]:
					wrong++
				default:
					correct++
				}
			}
			r := row("decisions_summary").Where("wanted", wanted)
			got := []float64{r.Nums("threshold")[0], r.Nums("correct")[0], r.Nums("unknown")[0], r.Nums("wrong")[0]}
			check.NearAll(t, wanted, got, []float64{threshold, correct / n, unknown / n, wrong / n}, 1e-12)
			if wrong+correct > 0 {
				check.Near(t, wanted+": risk", r.Nums("risk")[0], wrong/(wrong+correct), 1e-12)
			}
		}
		check.Near(t, "AURC", row("runs").Nums("aurc")[0], metric.AURC(test.confidence, test.wrong), 1e-12)
		known := append(slices.Repeat([]bool{true}, len(test.p)), make([]bool, len(outside.p))...)
		auroc := metric.AUROC(slices.Concat(test.confidence, outside.confidence), known)
		check.Near(t, "AUROC", row("outside_summary").Where("data", "far").Nums("auroc")[0], auroc, 1e-12)
	}
}

// The means are of all seeds, the curves of the seed of the manifest: they end where all is decided.
func TestTables(t *testing.T) {
	tables := run(t, studytest.Clusters(72))
	for name, rows := range map[string]int{"summary": 2 * 2, "decisions_summary": 2 * (2*2 + 1), "outside_summary": 2 * 2 * 2} {
		check.Equal(t, name, []any{tables.Get(name).Len(), tables.Get(name).Nums("seeds")[0]}, []any{rows, 2.})
	}
	for _, method := range []string{"ours", "filter"} {
		curve := studytest.Rows(t, tables.Get("risk_coverage"), "confidence=probability method="+method)
		r := studytest.Rows(t, tables.Get("runs"), "confidence=probability seed=2 method="+method)
		last := curve.Len() - 1
		end := []float64{curve.Nums("coverage")[last], curve.Nums("risk")[last]}
		check.NearAll(t, "end", end, []float64{1, r.Nums("error")[0]}, 1e-12)
	}
}

// A method may see the inputs by a scale of its own.
func TestScale(t *testing.T) {
	rows := func(method string, overrides ...string) string {
		return string(run(t, studytest.Clusters(72), overrides...).Get("runs").Where("method", method).CSV())
	}
	none := rows("ours", "method.ours.scale=none")
	check.Equal(t, "its own", []any{none, none == rows("ours")}, []any{rows("ours", "data.scale=none"), false})
	check.Equal(t, "another one's", rows("filter", "method.ours.scale=none"), rows("filter"))
}

// Each score is one of what has it.
func TestScores(t *testing.T) {
	set := studytest.Clusters(72)
	text := manifest(studytest.File(t, set), studytest.File(t, far)) + `
[[method]]; name = "six"; kind = "closed-form"; hidden_layers = [4]; members = 6
[[method]]; name = "tagi"; kind = "tagi"; hidden_layers = [4]; members = 2
[[method]]; name = "dropout"; kind = "dropout"; hidden_layers = [4]; epochs = 5
[[method]]; name = "pixels"; kind = "class-gaussian"
[[method]]; name = "layer"; output = "gaussian"
`
	tables := studytest.Run(t, Kind, text, "sweep.seed=[2]", `unknown.combine=["entropy", "first-layer-variance"]`,
		`unknown.scores=["probability", "entropy", "mutual-information", "first-layer-variance",
			"relative-mahalanobis", "density", "combined"]`)
	for name, want := range map[string][]string{
		"probability":          {"ours", "filter", "six", "tagi", "dropout", "pixels", "layer"},
		"mutual-information":   {"six", "tagi"},
		"first-layer-variance": {"ours", "six", "tagi"}, "relative-mahalanobis": {"ours", "six", "tagi"},
		"density": {"pixels", "layer"}, "combined": {"ours", "six", "tagi", "layer"},
	} {
		got := tables.Get("outside_summary").Where("confidence", name)
		check.Equal(t, name, []any{got.Distinct("method"), got.Where("data", "unseen").Len()}, []any{want, len(want)})
	}
}

// A promise is of what was predicted before it was learned: labels of noise promise nothing,
// however well they are learned. Of the answers it leaves the table has the share of wrong ones.
func TestPromise(t *testing.T) {
	set := studytest.Clusters(196)
	noise := studytest.Clusters(196)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Class {
		noise.Class[i] = rnd.IntN(3)
	}
	for _, passes := range []string{"1", "2"} { // after two passes, by the part for validation
		overrides := []string{"sweep.seed=[2]", "unknown.promise=[0.3]", "method.ours.passes=" + passes, `data.train_rows="1-148"`}
		for i, set := range []data.Set{set, noise} {
			rows := run(t, set, overrides...).Get("promises_summary")
			if rows.Len() != 2 {
				t.Fatalf("%s", rows.CSV())
			}
			for k, made := range rows.Nums("made") {
				correct, wrong, risk := rows.Nums("correct")[k], rows.Nums("wrong")[k], rows.Nums("risk")[k]
				kept := made == 1 && correct >= 0.5 && risk == wrong/(correct+wrong)
				if nothing := made == 0 && correct+wrong == 0 && math.IsNaN(risk); i == 0 && !kept || i == 1 && !nothing {
					t.Errorf("passes %s, data %d:\n%s", passes, i, rows.CSV())
				}
				check.Equal(t, fmt.Sprintf("kept with the risk %g", risk), rows.Nums("kept")[k] == 1, !(risk > 0.3))
			}
		}
	}
}

// Examples of the classes that are kept back have no part in the second training:
// others in their place change nothing of it.
func TestUnseen(t *testing.T) {
	set, other := studytest.Clusters(72), studytest.Clusters(72)
	for i, x := range other.X[:48] {
		if other.Class[i] == 1 {
			x[0], x[1] = 50-x[1], -9*x[0]
		}
	}
	a, b := run(t, set), run(t, other)
	x, y := a.Get("outside_summary").Where("data", "unseen"), b.Get("outside_summary").Where("data", "unseen")
	check.Equal(t, "with other unseen examples", []any{x.Len(), string(y.CSV())}, []any{2 * 2, string(x.CSV())})
}

// A network that breaks down is certain of nothing.
func TestBreakDown(t *testing.T) {
	tables := run(t, studytest.Clusters(72), "method.ours.rule=joint", "method.ours.lambda=3.0", "sweep.seed=[2]")
	auroc := tables.Get("outside_summary").Where("method", "ours").Where("data", "far").Nums("auroc")
	check.NearAll(t, "AUROC", auroc, []float64{0.5, 0.5}, 1e-12)
	r := tables.Get("decisions_summary").Where("method", "ours").Where("wanted", "threshold=0.6")
	check.Equal(t, "unknown and risk", fmt.Sprint(r.Nums("unknown")[0], r.Nums("risk")[0]), "1 NaN")
}

// The test part need not have all classes: what is left of it has nothing to be told
// from, or is nothing.
func TestOneClassInTheTestPart(t *testing.T) {
	for only := range 2 {
		set := studytest.Clusters(48)
		for range 5 {
			set.X, set.Class = append(set.X, set.X[only]), append(set.Class, set.Class[only])
		}
		rows := run(t, set).Get("outside_summary").Where("data", "unseen")
		if rows.Len() == 0 {
			t.Error("no rows of unseen classes")
		}
		for i, x := range rows.Nums("auroc") {
			check.Equal(t, "AUROC and FPR95 with one kind of examples", fmt.Sprint(x, rows.Nums("fpr95")[i]), "NaN NaN")
		}
	}
}

func TestSpecs(t *testing.T) {
	text := manifest(studytest.File(t, studytest.Clusters(72)), studytest.File(t, far))
	other := studytest.File(t, studytest.Clusters(75))
	studytest.Differ(t, Kind, text, "name=other", "sweep.seed=[2, 1]", "seed=1", "data.file="+other, "data.scale=none",
		"method.ours.scale=centred", "unknown.validation=0.5", "unknown.wrong=[0.1]", "unknown.promise=[0.1]",
		"unknown.thresholds=[]", "unknown.unseen=[\"c\"]", "unknown.scores=[\"entropy\"]", "unknown.combine=[\"entropy\"]",
		"outside.far.file="+other, "method.ours.passes=1", "method.ours.hidden_layers=[3]")
	s := studytest.New(t, Kind, text).Cells()[0].Spec.(spec)
	check.Equal(t, "digests of a file each", []int{len(s.Data.Digests), len(s.Outside[0].Digests)}, []int{1, 1})
	layer := strings.Replace(text, "[[method]]; name = \"filter\"; kind = \"kalman\"", "", 1)
	layer = strings.Replace(layer, "; members = 1; rule = \"adf\"; bias = true; prior_var = 10; passes = 2", "; output = \"gaussian\"", 1)
	studytest.New(t, Kind, layer, `unknown.scores=["combined"]`) // of an output layer without combine
	studytest.Refused(t, Kind, text, map[string]string{
		"unknown.wrong=[]": "unknown.wrong", "unknown.wrong=[1]": "unknown.wrong", "unknown.promise=[0]": "unknown.promise",
		"unknown.validation=0": "unknown.validation", "unknown.thresholds=[2]": "unknown.thresholds",
		"unknown.unseen=[\"d\"]":        "d is not allowed; allowed: classes of the data, all but two or more: a, b, c",
		"unknown.unseen=[\"a\", \"b\"]": "all but two or more",
		"outside.far.name=unseen":       "outside.unseen.name", "outside.far.images=x": "outside.far.images",
		"outside.far.file=gone.csv": "gone.csv", "outside.far.rows=0": "outside.far.rows",
		"unknown.combine=[\"combined\"]":             "unknown.combine",
		"unknown.scores=[\"combined\", \"entropy\"]": "unknown.combine: missing; allowed: ",
		"unknown.scores=[\"entropy\", \"entropy\"]":  "unknown.scores: entropy is there twice",
		"unknown.combine=[\"entropy\", \"entropy\"]": "unknown.combine", "method.ours.scale=x": "method.ours.scale",
		"data.train_rows=x": "data.train_rows", "method.ours.candidates=[[1]]": "method.ours.tune",
		"method.filter.hidden_layers=[9999]": "method.filter.kind",
	})
}

// The error of a word that was removed says what to do instead.
func TestFormerWords(t *testing.T) {
	text := manifest(studytest.File(t, studytest.Clusters(72)), studytest.File(t, far))
	former := map[string]string{
		"near=1": "near: not a key any more; make changed images a file", "inputs=1": "inputs: not a key any more; ",
		"outside.far.enlarge=20": "enlarge: not a key any more; ", "outside.far.labelled=1": "labelled: not a key any more; ",
		"unknown.score=entropy": "unknown.score: not a key any more; ",
	}
	for _, s := range strings.Fields("logit-variance relative-logit-variance density-ratio ridge ridge-density") {
		former["unknown.scores=[\""+s+"\"]"] = "allowed: probability, entropy, mutual-information, first-layer-variance, "
	}
	studytest.Refused(t, Kind, text, former)
}
