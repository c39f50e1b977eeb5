package unknown

import (
	"slices"

	"closedform/core/bnn"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		return table.Set{
			t.Get("decisions").GroupBy("method", "confidence", "wanted").Mean("decisions_summary", "threshold", "correct", "unknown", "wrong", "risk"),
			t.Get("runs").GroupBy("method", "confidence").Mean("summary", "error", "aurc"),
			t.Get("outside").GroupBy("method", "confidence", "data").Mean("outside_summary", "auroc", "fpr95"),
		}
	})
}

// tables are those of a cell.
type tables struct {
	spec
	names                                        []string // of the classes that were learned
	decisions, runs, curve, outside, predictions *table.Table
}

func newTables(s spec, names []string) *tables {
	method, seed := table.Text("method", "the learner"), table.Int("seed", "of the part for validation, the order and the method")
	kinds := "what a decision needs enough of: the largest probability, " +
		"one minus the entropy in units of its largest value, or one minus the epistemic share of the variance of the label"
	if s.Unknown.MutualInformation {
		kinds += ", or one minus the mutual information of label and member in the units of the entropy"
	}
	confidence := table.Text("confidence", kinds)
	t := &tables{spec: s, names: names}
	t.decisions = table.New("decisions", method, seed, confidence,
		table.Text("wanted", "wrong: the share of wrong decisions on the part for validation that the threshold is chosen for; threshold: itself"),
		table.Num("threshold", "confidence from which an example is decided about"),
		table.Num("correct", "share of the test examples decided right"), table.Num("unknown", "share left undecided"),
		table.Num("wrong", "share decided wrong"), table.Num("risk", "share of wrong ones among the decisions"))
	t.runs = table.New("runs", method, seed, confidence,
		table.Num("error", "share of wrong answers on the test part, all decided"), table.Num("aurc", "area under the risk–coverage curve"))
	t.curve = table.New("risk_coverage", method, confidence,
		table.Num("threshold", "confidence from which an example is decided about"),
		table.Num("coverage", "share of the test examples decided about"), table.Num("risk", "share of wrong ones among these"))
	t.outside = table.New("outside", method, seed, confidence,
		table.Text("data", "what the test examples are told from; unseen: examples of classes that were kept from the training"),
		table.Num("auroc", "area under the ROC curve"), table.Num("fpr95", "share of the others that pass where 95 % of the test examples do"))
	t.predictions = table.New("predictions", method, seed, table.Text("data", "test, or as in outside"),
		table.Int("example", "of these data, from 1"), table.Text("class", "the true one, of the test part"),
		table.Text("p", "probabilities of the classes that were learned"),
		table.Num("epistemic", "one minus the epistemic share of the variance of the label").Rounded(6))
	t.predictions.Packed = true
	return t
}

// set returns the tables that have rows.
func (t *tables) set() table.Set {
	all := table.Set{t.decisions, t.runs, t.outside, t.predictions, t.curve}
	return slices.DeleteFunc(all, func(t *table.Table) bool { return t.Len() == 0 })
}

// decide writes down what share of the test examples is decided right, wrong and
// not at all, with thresholds that were fixed before or that the part for
// validation gives, and how well the confidences sort the errors out.
func (t *tables) decide(validation, test predictions) {
	for _, by := range test.by() {
		for _, share := range t.Unknown.Wrong {
			t.decision(by, "wrong="+table.Format(share), leastThreshold(validation.confidence[by], validation.wrong, share), test)
		}
		if by == bnn.Probability {
			for _, threshold := range t.Unknown.Thresholds {
				t.decision(by, "threshold="+table.Format(threshold), threshold, test)
			}
		}
		t.runs.Add(t.Method.Name, t.Seed, by.String(), metric.Error(test.p, test.class), metric.AURC(test.confidence[by], test.wrong))
		if t.Curves {
			t.riskCoverage(by, test)
		}
	}
}

func (t *tables) decision(by bnn.Confidence, wanted string, threshold float64, test predictions) {
	var correct, wrong float64
	n := float64(len(test.p))
	for i, mistake := range test.wrong {
		switch {
		case !(test.confidence[by][i] >= threshold):
		case mistake:
			wrong++
		default:
			correct++
		}
	}
	t.decisions.Add(t.Method.Name, t.Seed, by.String(), wanted,
		threshold, correct/n, (n-correct-wrong)/n, wrong/n, table.Finite(wrong/(correct+wrong)))
}

// curvePoints is the number of points of a curve that is written down.
const curvePoints = 200

func (t *tables) riskCoverage(by bnn.Confidence, test predictions) {
	threshold, coverage, risk := metric.RiskCoverage(test.confidence[by], test.wrong)
	next := 0.0
	for i := range threshold {
		if coverage[i] < next && i < len(threshold)-1 {
			continue
		}
		next = coverage[i] + 1./curvePoints
		t.curve.Add(t.Method.Name, by.String(), threshold[i], coverage[i], risk[i])
	}
}

// distinguish writes down how well the confidences tell the test examples from
// others.
func (t *tables) distinguish(data string, inside, outside predictions) {
	for _, by := range inside.by() {
		score := slices.Concat(inside.confidence[by], outside.confidence[by])
		known := slices.Concat(slices.Repeat([]bool{true}, len(inside.p)), make([]bool, len(outside.p)))
		t.outside.Add(t.Method.Name, t.Seed, by.String(), data,
			table.Finite(metric.AUROC(score, known)), table.Finite(metric.FalsePositives(score, known, 0.95)))
	}
	t.list(data, outside)
}

// list writes down the probabilities of all examples.
func (t *tables) list(data string, a predictions) {
	for i, p := range a.p {
		class, epistemic := "", table.Gaps(1)
		if data == testPart {
			class = t.names[a.class[i]]
		}
		if e := a.confidence[bnn.Epistemic]; e != nil {
			epistemic = e[i : i+1]
		}
		t.predictions.Add(t.Method.Name, t.Seed, data, i+1, class, table.List(p, 6), epistemic)
	}
}
