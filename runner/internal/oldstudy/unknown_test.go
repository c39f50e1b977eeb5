package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/metric"
)

// unknownOf is a manifest about the file, whose first 48 examples are to train, and
// another file.
func unknownOf(file, outside string) string {
	return fmt.Sprintf(`
name  = "small_unknown"
study = "unknown"
seed  = 2
[data]
file       = %q
train_rows = "1-48"
[unknown]
validation = 0.25
wrong      = [0.1, 0.0001]
thresholds = [0.6]
unseen     = ["b"]
[sweep]
seed = [1, 2]
[[outside]]
name = "far"
file = %q
[[method]]
name = "ours"
kind = "closed-form"
rule = "adf"
bias = true
prior = "scaled"
passes = 2
[[method]]
name = "filter"
kind = "kalman"
`, file, outside)
}

// far returns examples a long way from the clusters.
func far() []cluster {
	all := clusters(9)
	for i := range all {
		all[i].x, all[i].y = 0.5*all[i].x-2, 0.5*all[i].y+2
	}
	return all
}

// said is what a network says of some examples.
type said struct {
	p          [][]float64
	confidence []float64 // the largest probability
	wrong      []bool
}

// ours returns what the network "ours" says, driven by hand, of the validation and
// the test part and of what is outside.
func ours(t *testing.T, seed int, all, outside []cluster) (validation, test, other said) {
	t.Helper()
	src := func(purpose ...any) rand.Source {
		return random.Source(append([]any{"small_unknown", seed}, purpose...)...)
	}
	examples := func(clusters []cluster) *dataset.Examples {
		var set dataset.Set
		for _, e := range clusters {
			set.X, set.Class = append(set.X, []float64{e.x, e.y}), append(set.Class, e.class)
		}
		return dataset.NewExamples(set, 3)
	}
	train := examples(all[:48])
	learn, judge, err := train.SplitFraction(0.25, src("validation"))
	if err != nil {
		t.Fatal(err)
	}
	judged := train.Subset(judge)
	train = train.Subset(learn)
	scaler, err := train.Scaler(dataset.Standard)
	if err != nil {
		t.Fatal(err)
	}
	n, err := bnn.New(bnn.Config{
		Layers: []int{2, 3}, Bias: true, Output: bnn.ADF, Prior: bnn.ScaledPrior, PriorVar: 10,
		Softmax: softmax.Probit{Lambda: softmax.SlopeLambda(3, 0.5), Rho: 0.5},
	}, src("method", "ours"))
	if err != nil {
		t.Fatal(err)
	}
	set := scaler.Apply(train).Set()
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(src("pass", pass)).Perm(len(set.X)) {
			if _, err := n.Observe(set.X[i], set.Class[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	say := func(e *dataset.Examples) (s said) {
		set := scaler.Apply(e).Set()
		var p bnn.Prediction
		for i, x := range set.X {
			if err := n.Predict(&p, x); err != nil {
				t.Fatal(err)
			}
			q := slices.Clone(p.P)
			floats.Scale(1/floats.Sum(q), q)
			s.p = append(s.p, q)
			s.confidence = append(s.confidence, floats.Max(q))
			s.wrong = append(s.wrong, floats.MaxIdx(q) != set.Class[i])
		}
		return s
	}
	return say(judged), say(examples(all[48:])), say(examples(outside))
}

// The thresholds are those of the validation part, the decisions those about the test
// part, by hand.
func TestUnknownByHand(t *testing.T) {
	all := clusters(48)
	for i := range all { // so that there are mistakes
		all[i].x *= 0.5
	}
	all = slices.Concat(all, all) // so that an example has the threshold itself
	o := run(t, parse(t, unknownOf(csvFile(t, all), csvFile(t, far()))))
	for _, seed := range []int{1, 2} {
		validation, test, other := ours(t, seed, all, far())
		of := record{"method": "ours", "seed": strconv.Itoa(seed), "confidence": bnn.Probability.String()}
		for wanted, threshold := range map[string]float64{"wrong=0.1": smallestThreshold(validation, 0.1), "wrong=0.0001": smallestThreshold(validation, 0.0001), "threshold=0.6": 0.6} {
			of["wanted"] = wanted
			r := records(t, o.report.Tables, "decisions", of)
			if len(r) != 1 {
				t.Fatalf("%s: %d rows", wanted, len(r))
			}
			near(t, wanted+": threshold", r[0].number(t, "threshold"), threshold, 1e-12)
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
			n := float64(len(test.p))
			near(t, wanted+": correct", r[0].number(t, "correct"), correct/n, 1e-12)
			near(t, wanted+": unknown", r[0].number(t, "unknown"), unknown/n, 1e-12)
			near(t, wanted+": wrong", r[0].number(t, "wrong"), wrong/n, 1e-12)
			if wrong+correct > 0 {
				near(t, wanted+": risk", r[0].number(t, "risk"), wrong/(wrong+correct), 1e-12)
			}
		}
		delete(of, "wanted")
		selection := records(t, o.report.Tables, "selection", of)[0]
		near(t, "AURC", selection.number(t, "aurc"), metric.AURC(test.confidence, test.wrong), 1e-12)
		of["data"] = "far"
		r := records(t, o.report.Tables, "outside", of)[0]
		var pairs float64
		for _, in := range test.confidence {
			for _, out := range other.confidence {
				switch {
				case in > out:
					pairs++
				case in == out:
					pairs += 0.5
				}
			}
		}
		near(t, "AUROC", r.number(t, "auroc"), pairs/float64(len(test.p)*len(other.p)), 1e-12)

		for i, r := range records(t, o.report.Tables, "predictions", record{"method": "ours", "seed": strconv.Itoa(seed), "data": "test", "class": ""}) {
			t.Errorf("prediction %d of the test part has no class: %v", i, r)
		}
		predictions := records(t, o.report.Tables, "predictions", record{"method": "ours", "seed": strconv.Itoa(seed), "data": "far"})
		if len(predictions) != len(other.p) {
			t.Errorf("%d predictions of other data", len(predictions))
		}
		for i, r := range predictions {
			for j, text := range strings.Fields(r["p"]) {
				p, err := strconv.ParseFloat(text, 64)
				if err != nil {
					t.Fatal(err)
				}
				near(t, "p", p, other.p[i][j], 1e-5)
			}
		}
	}
}

// smallestThreshold returns the least confidence that occurs, with which no more than a share of
// all is answered wrong, by trying all of them.
func smallestThreshold(s said, share float64) float64 {
	least := math.Nextafter(1, 2)
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

// The share is that of all examples, not of those that are answered.
func TestLeastThreshold(t *testing.T) {
	confidence := []float64{0.9, 0.8, 0.8, 0.3}
	for _, c := range []struct {
		wrong []bool
		share float64
		want  float64
	}{
		{[]bool{false, true, false, false}, 0.25, 0.3},
		{[]bool{false, true, false, false}, 0.2, 0.9},
		{[]bool{false, true, true, false}, 0.25, 0.9}, // equal confidences stand together
		{[]bool{true, false, false, false}, 0.2, math.Nextafter(1, 2)},
		{[]bool{false, false, false, true}, 0.2, 0.8},
	} {
		if got := leastThreshold(confidence, c.wrong, c.share); got != c.want {
			t.Errorf("%v, %g: %v, want %v", c.wrong, c.share, got, c.want)
		}
	}
}

// Neither the thresholds nor what is learned follow from the test part.
func TestUnknownChoosesWithoutTest(t *testing.T) {
	all := clusters(72)
	other := slices.Clone(all)
	for i := 48; i < 72; i++ {
		other[i].class = (other[i].class + 1) % 3
	}
	outside := csvFile(t, far())
	a := run(t, parse(t, unknownOf(csvFile(t, all), outside)))
	b := run(t, parse(t, unknownOf(csvFile(t, other), outside)))
	moved := false
	for i, r := range records(t, a.report.Tables, "decisions", nil) {
		s := records(t, b.report.Tables, "decisions", nil)[i]
		if r["threshold"] != s["threshold"] {
			t.Errorf("%v and with another test part %v", r, s)
		}
		moved = moved || r["wrong"] != s["wrong"]
	}
	if !moved {
		t.Error("no decision follows the test part")
	}
}

// Examples of the classes that are kept back have no part in the second training:
// others in their place change nothing of it, and it knows the other classes only.
func TestUnseenClassesAreNotLearned(t *testing.T) {
	all := clusters(72)
	other := slices.Clone(all)
	for i := range 48 {
		if other[i].class == 1 {
			other[i].x, other[i].y = 50-other[i].y, -9*other[i].x
		}
	}
	outside := csvFile(t, far())
	a := run(t, parse(t, unknownOf(csvFile(t, all), outside)))
	b := run(t, parse(t, unknownOf(csvFile(t, other), outside)))
	rows := records(t, a.report.Tables, "outside", record{"data": "unseen"})
	if len(rows) != 2*3+2*2 {
		t.Errorf("%d rows", len(rows))
	}
	for i, r := range rows {
		if s := records(t, b.report.Tables, "outside", record{"data": "unseen"})[i]; s["auroc"] != r["auroc"] || s["fpr95"] != r["fpr95"] {
			t.Errorf("%v and with other unseen examples %v", r, s)
		}
	}
	predictions := records(t, a.report.Tables, "predictions", record{"data": "unseen", "method": "ours", "seed": "1"})
	if len(predictions) != 8 { // those of the test part
		t.Errorf("%d predictions", len(predictions))
	}
	for _, r := range predictions {
		if n := len(strings.Fields(r["p"])); n != 2 || r["class"] != "" {
			t.Errorf("%d probabilities: %v", n, r)
		}
	}
}

func TestUnknownTables(t *testing.T) {
	o := run(t, parse(t, unknownOf(csvFile(t, clusters(72)), csvFile(t, far()))))
	if len(o.cells) != 2*2*2 {
		t.Errorf("%d cells", len(o.cells))
	}
	checkPure(t, o)
	checkOrder(t, o)
	for _, r := range records(t, o.report.Tables, "decisions", nil) {
		near(t, "shares", r.number(t, "correct")+r.number(t, "unknown")+r.number(t, "wrong"), 1, 1e-12)
		if r["method"] == "filter" && r["confidence"] == bnn.Epistemic.String() {
			t.Errorf("a filter without variances has %v", r)
		}
	}
	if len(o.report.Figures) != 1 || o.report.Figures[0].Name != "risk_coverage" {
		t.Errorf("%d figures", len(o.report.Figures))
	}
	// The curve ends where all is answered, with the error.
	for _, method := range []string{"ours", "filter"} {
		curve := records(t, o.report.Tables, "risk_coverage", record{"method": method, "confidence": bnn.Probability.String()})
		last := curve[len(curve)-1]
		near(t, "coverage", last.number(t, "coverage"), 1, 1e-12)
		s := records(t, o.report.Tables, "selection", record{"method": method, "seed": "2", "confidence": bnn.Probability.String()})[0]
		near(t, "risk", last.number(t, "risk"), s.number(t, "error"), 1e-12)
	}
}

// A network that breaks down is certain of nothing.
func TestUnknownFailure(t *testing.T) {
	o := run(t, parse(t, unknownOf(csvFile(t, clusters(72)), csvFile(t, far())), "method.ours.rule=joint", "method.ours.lambda=3.0", "sweep.seed=[2]"))
	for _, r := range records(t, o.report.Tables, "outside", record{"method": "ours", "data": "far"}) {
		near(t, "AUROC by "+r["confidence"], r.number(t, "auroc"), 0.5, 1e-12)
	}
	r := records(t, o.report.Tables, "decisions", record{"method": "ours", "wanted": "threshold=0.6"})[0]
	if r["unknown"] != "1" || r["risk"] != "" {
		t.Errorf("%v", r)
	}
}

// The test part need not have all classes: what is left of it has nothing to be told
// from, or is nothing.
func TestUnknownWithOneClassInTheTestPart(t *testing.T) {
	for _, only := range []int{0, 1} {
		all := clusters(48)
		for range 5 {
			all = append(all, all[only])
		}
		o := run(t, parse(t, unknownOf(csvFile(t, all), csvFile(t, far()))))
		rows := records(t, o.report.Tables, "outside", record{"data": "unseen"})
		if len(rows) == 0 {
			t.Error("no rows of unseen classes")
		}
		for _, r := range rows {
			if r["auroc"] != "" || r["fpr95"] != "" {
				t.Errorf("AUROC %s, false positives %s with one kind of examples", r["auroc"], r["fpr95"])
			}
		}
	}
}
