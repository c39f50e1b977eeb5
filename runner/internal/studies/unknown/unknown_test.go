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
	"closedform/core/selective"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/study/studytest"
	"closedform/runner/internal/table"
)

// manifest is about a file, whose first 48 examples are to train, and another file.
func example(file, outside string) string {
	return fmt.Sprintf(`
name = "small_unknown"; study = "unknown"; seed = 2
[data]; file = %q; train_rows = "1-48"
[unknown]; validation = 0.25; wrong = [0.1, 0.0001]; thresholds = [0.6]; unseen = ["b"]
[sweep]; seed = [1, 2]
[[outside]]; name = "far"; file = %q
[[method]]; name = "ours"; kind = "closed-form"; members = 1; prior_var = 10; passes = 2
[[method]]; name = "filter"; kind = "kalman"
`, file, outside)
}

// far has examples of which most are away from the clusters.
var far = data.Set{
	X:     [][]float64{{0, 0}, {4, 0}, {-1, 4}, {4, 5}, {5, 0}, {-1, 5}, {4.4, 3}, {0, -0.3}, {6, 1}},
	Class: []int{0, 1, 2, 3, 1, 2, 3, 0, 1},
}

// run runs the manifest about the examples and the far ones.
func run(t *testing.T, set data.Set, overrides ...string) table.Tables {
	t.Helper()
	return studytest.Run(t, Kind, example(studytest.File(t, set), studytest.File(t, far)), overrides...)
}

// ours returns what the network "ours", trained by hand, predicts of validation, test and far examples.
func ours(t *testing.T, seed int, set data.Set) (validation, test, outside predictions) {
	t.Helper()
	src := study.Seeded{Manifest: "small_unknown", Seed: seed}.Stream
	part := func(rows string) *data.Examples {
		return check.Must(data.Rows(dataset.NewExamples(set, 3), "rows", rows))
	}
	train := part("1-48")
	train, judged, err := train.Split(0.25, src("validation"))
	check.OK(t, err)
	scaler, cfg := check.Must(train.Scaler(dataset.Standard)), bnn.Default(2, 3)
	cfg.PriorVar = []float64{10}
	l := check.Must(bnn.NewEnsemble(cfg, 1, src("method", "ours")))
	scaled := scaler.Apply(train)
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(src("pass", pass)).Perm(train.Len()) {
			check.Must(l.Observe(scaled.Input(i), train.Class(i)))
		}
	}
	predict := func(e *data.Examples) predictions {
		var p bnn.Prediction
		a := predictions{by: map[score][]float64{}}
		for i := range e.Len() {
			check.OK(t, l.Predict(&p, scaler.Apply(e).Input(i)))
			a.by[probability] = append(a.by[probability], floats.Max(p.P)/floats.Sum(p.P))
			a.wrong = append(a.wrong, floats.MaxIdx(p.P) != e.Class(i))
		}
		return a
	}
	test = predict(part(fmt.Sprintf("49-%d", len(set.X))))
	return predict(judged), test, predict(dataset.NewExamples(far, 4))
}

// decided returns which shares are decided right, not at all, and wrong by the largest probability.
func decided(a predictions, threshold float64) []float64 {
	var correct, unknown, wrong float64
	for i, c := range a.by[probability] {
		switch {
		case c < threshold:
			unknown++
		case a.wrong[i]:
			wrong++
		default:
			correct++
		}
	}
	n := float64(len(a.wrong))
	return []float64{correct / n, unknown / n, wrong / n}
}

// lowest returns the lowest confidence that occurs with which no more than a share of all is decided wrong.
func lowest(a predictions, share float64) float64 {
	lowest := math.Inf(1)
	for _, threshold := range a.by[probability] {
		if decided(a, threshold)[2] <= share {
			lowest = min(lowest, threshold)
		}
	}
	return lowest
}

// The thresholds are those of the part for validation, the decisions those about the test part, by hand.
func TestByHand(t *testing.T) {
	set := studytest.Clusters(48)
	for _, x := range set.X { // so that there are mistakes
		x[0] *= 0.5
	}
	// Each example twice, so that one has the threshold itself.
	set = data.Set{X: slices.Concat(set.X, set.X), Class: slices.Concat(set.Class, set.Class)}
	for seed := 1; seed <= 2; seed++ {
		tables := run(t, set, fmt.Sprintf("sweep.seed=[%d]", seed), fmt.Sprintf("seed=%d", seed))
		validation, test, outside := ours(t, seed, set)
		row := func(name, where string) *table.Table {
			return studytest.Rows(t, tables.Get(name), "method=ours confidence=probability "+where)
		}
		for wanted, threshold := range map[string]float64{
			"wrong=0.1": lowest(validation, 0.1), "wrong=0.0001": lowest(validation, 0.0001),
			"threshold=0.6": 0.6,
		} {
			var got []float64
			for _, column := range strings.Fields("threshold correct unknown wrong risk") {
				got = append(got, row("decisions_summary", "wanted="+wanted).Nums(column)[0])
			}
			want := decided(test, threshold)
			want = append(append([]float64{threshold}, want...), want[2]/(want[0]+want[2]))
			if want[2]+want[0] == 0 {
				got, want = got[:4], want[:4]
			}
			check.NearAll(t, wanted, got, want, 1e-12)
		}
		right := 0.0 // for Wilson's interval over the test examples
		for i, wrong := range test.wrong {
			if test.by[probability][i] >= 0.6 && !wrong {
				right++
			}
		}
		r := row("decisions_summary", "wanted=threshold=0.6")
		interval := []float64{r.Nums("correct")[0], r.Nums("correct_low")[0], r.Nums("correct_high")[0]}
		check.NearAll(t, "interval", interval, table.Wilson(right, float64(len(test.wrong))), 1e-12)
		confidence := test.by[probability]
		aurc, want := row("summary", "data=test").Nums("aurc")[0], metric.Rank(confidence, test.wrong).AURC()
		check.Near(t, "AURC", aurc, want, 1e-12)
		auroc := metric.AUROC(confidence, outside.by[probability])
		check.Near(t, "AUROC", row("summary", "data=far").Nums("auroc")[0], auroc, 1e-12)
	}
}

// A method may see the inputs by a scale of its own.
func TestScale(t *testing.T) {
	rows := func(method string, overrides ...string) string {
		return string(run(t, studytest.Clusters(72), overrides...).Get("summary").Where("method", method).CSV())
	}
	none := rows("ours", "method.ours.scale=none")
	check.Equal(t, "its own", none, rows("ours", "data.scale=none"))
	check.Equal(t, "its own and another are the same", none == rows("ours"), false)
	check.Equal(t, "another one's", rows("filter", "method.ours.scale=none"), rows("filter"))
}

// A promise is of what was predicted before it was learned: labels of noise promise nothing.
func TestPromise(t *testing.T) {
	set := studytest.Clusters(196)
	noise := studytest.Clusters(196)
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Class {
		noise.Class[i] = rnd.IntN(3)
	}
	for _, passes := range []string{"1", "2"} { // after two passes, by the part for validation
		overrides := strings.Fields("sweep.seed=[2] unknown.promise=[0.3] data.train_rows=1-148")
		overrides = append(overrides, "method.ours.passes="+passes)
		for i, set := range []data.Set{set, noise} {
			rows := run(t, set, overrides...).Get("decisions_summary").Where("wanted", "promise=0.3")
			if rows.Len() != 2 || !slices.Equal(rows.Distinct("confidence"), []string{"confidence"}) {
				t.Fatalf("%s", rows.CSV())
			}
			for k, made := range rows.Nums("made") {
				correct, wrong, risk := rows.Nums("correct")[k], rows.Nums("wrong")[k], rows.Nums("risk")[k]
				kept := made == 1 && correct >= 0.5 && risk == wrong/(correct+wrong)
				nothing := made == 0 && correct+wrong == 0 && math.IsNaN(risk)
				if i == 0 && !kept || i == 1 && !nothing || rows.Nums("kept")[k] == 1 == (risk > 0.3) {
					t.Errorf("passes %s, data %d:\n%s", passes, i, rows.CSV())
				}
			}
		}
	}
}

// The record has as many predictions as the validation part has examples, and the confidences of an ensemble,
// not its probabilities. Two passes leave none.
func TestRecord(t *testing.T) {
	file := studytest.File(t, studytest.Clusters(72))
	s := studytest.New(t, Kind, example(file, file), "unknown.promise=[0.3]", "method.ours.members=2",
		"method.ours.hidden_layers=[3]").Cells()[0].Spec.(spec)
	train, _, err := s.Data.Parts(s.Stream("data"))
	check.OK(t, err)
	check.Equal(t, "after two passes", check.Must(s.train(t.Context(), train)).record.Len(), 0)
	s.Method.Passes = 1
	learn, judge, err := train.Split(s.Unknown.Validation, s.Stream("validation"))
	check.OK(t, err)
	var want, probabilities selective.Record
	unrecorded := learn.Len() - judge.Len()
	training := learner.Training{
		Scale: s.Data.Scale, Random: func() rand.Source { return s.Stream("method", s.Method.Name) },
		Order: learner.Shuffled, Shuffle: func(pass int) rand.Source { return s.Stream("pass", pass) },
		Observing: func(c *learner.Classifier, x []float64, class int) {
			if unrecorded--; unrecorded < 0 {
				p := c.PredictNext(x)
				want.Add(p.Confidence, floats.MaxIdx(p.P) != class)
				probabilities.Add(floats.Max(p.P), floats.MaxIdx(p.P) != class)
			}
		},
	}
	check.Must(training.Run(t.Context(), s.Method, learn, nil))
	l := check.Must(s.train(t.Context(), train))
	check.Equal(t, "record", l.record, want)
	check.Equal(t, "predictions", []int{l.record.Len(), len(l.validation.wrong)}, []int{12, 12})
	check.True(t, want != probabilities, "the members do not differ")
}

// Examples of the classes that are kept back have no part in the second training.
func TestUnseen(t *testing.T) {
	set, other := studytest.Clusters(72), studytest.Clusters(72)
	for i, x := range other.X[:48] {
		if other.Class[i] == 1 {
			x[0], x[1] = 50-x[1], -9*x[0]
		}
	}
	a, b := run(t, set), run(t, other)
	x, y := a.Get("summary").Where("data", "unseen"), b.Get("summary").Where("data", "unseen")
	check.Equal(t, "rows", x.Len(), 2*2)
	check.Equal(t, "with other unseen examples", string(y.CSV()), string(x.CSV()))
}

// A network that breaks down is certain of nothing.
func TestBreakDown(t *testing.T) {
	overrides := strings.Fields("method.ours.rule=joint method.ours.lambda=3.0 sweep.seed=[2]")
	tables := run(t, studytest.Clusters(72), overrides...)
	auroc := tables.Get("summary").Where("method", "ours").Where("data", "far").Nums("auroc")
	check.NearAll(t, "AUROC", auroc, []float64{0.5, 0.5}, 1e-12)
	r := tables.Get("decisions_summary").Where("method", "ours").Where("wanted", "threshold=0.6")
	check.Equal(t, "unknown and risk", fmt.Sprint(r.Nums("unknown")[0], r.Nums("risk")[0]), "1 NaN")
}

func TestSpecs(t *testing.T) {
	text := example(studytest.File(t, studytest.Clusters(72)), studytest.File(t, far))
	other := studytest.File(t, studytest.Clusters(75))
	studytest.Differ(t, Kind, text,
		"name=other", "sweep.seed=[2, 1]", "data.file="+other, "data.scale=none",
		"method.ours.scale=centred", "unknown.validation=0.5", "unknown.wrong=[0.1]", "unknown.promise=[0.1]",
		"unknown.thresholds=[]", "unknown.unseen=[\"c\"]", "unknown.scores=[\"entropy\"]",
		"outside.far.file="+other, "method.ours.passes=1", "method.ours.hidden_layers=[3]")
	s := studytest.New(t, Kind, text).Cells()[0].Spec.(spec)
	check.Equal(t, "digests of files", len(s.Data.Digests)+len(s.Outside[0].Digests), 2)
	studytest.Refused(t, Kind, text, map[string]string{
		"unknown.unseen=[\"d\"]":        `allowed: classes of the data, all but two or more: "a", "b", "c"`,
		"unknown.unseen=[\"a\", \"b\"]": "all but two or more", "outside.far.images=x": "outside.far.images",
		"outside.far.file=gone.csv": "gone.csv", "outside.far.rows=0": "outside.far.rows",
		"method.filter.hidden_layers=[9999]": "method.filter.kind",
		"unknown.reference=theirs":           `allowed: "ours", "filter"`,
	})
}

// By the true probabilities the risk of decisions is known, and how many answers the best decisions leave.
func TestTruth(t *testing.T) {
	three := &tables{truth: [][]float64{{0.9, 0.1}, {0.005, 0.995}, {0.99, 0.01}}}
	for share, want := range map[float64]float64{0.001: 0, 0.006: 0.995 / 3, 0.01: 1.985 / 3, 0.05: 2.885 / 3} {
		check.Near(t, fmt.Sprint("right at a risk of ", share), three.oracle(share), want, 1e-12)
	}
	p := predictions{top: []int{1, 1, 0}, by: map[score][]float64{confidence: {0.7, 0.8, 0.6}}}
	check.Near(t, "risk of two decisions", three.trueRisk(p, confidence, 0.7), (0.9+0.005)/2, 1e-12)

	tables := studytest.Run(t, Kind, `
name = "truth"; study = "unknown"; seed = 1
[data]; generator = "sectors"; arms = 3; train = 400; test = 300
[unknown]; validation = 0.25; wrong = [0.1]; promise = [0.4]; reference = "ours"; scores = ["confidence"]
[sweep]; seed = "1..4"
[[method]]; name = "filter"; kind = "kalman"
[[method]]; name = "ours"; members = 1
`)
	decided, paired := tables.Get("decisions_summary"), tables.Get("decisions_paired")
	for i, correct := range decided.Nums("correct") {
		if oracle := decided.Nums("oracle")[i]; correct > oracle+0.05 || decided.Nums("kept")[i] < decided.Nums("truly_kept")[i] {
			t.Errorf("%s", decided.CSV())
		}
	}
	for _, wanted := range []string{"wrong=0.1", "promise=0.4"} {
		correct := decided.Where("wanted", wanted).Nums("correct") // of filter, ours
		difference := paired.Where("wanted", wanted)
		check.Equal(t, wanted, difference.Texts("method"), []string{"filter"})
		check.Near(t, wanted, difference.Nums("correct")[0], correct[0]-correct[1], 1e-12)
	}
}
