package unknown

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// shares are the columns, of all tables, whose numbers are from 0 to 1.
var shares = []string{"error", "aurc", "augrc", "correct", "unknown", "wrong", "risk", "made", "kept", "auroc", "fpr95"}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) (out table.Set) {
		t.Pack("decisions", "promises")
		by := func(name string, keys ...string) table.Groups {
			return t.Get(name).GroupBy(slices.Concat([]string{"method", "inputs", "confidence"}, keys)...).Shares(shares...)
		}
		out = table.Set{
			by("decisions", "wanted").Mean("decisions_summary", "threshold", "correct", "unknown", "wrong", "risk"),
			by("runs").Mean("summary", "error", "aurc", "augrc"),
		}
		if t.Get("promises") != nil {
			promises := t.Get("promises").GroupBy("method", "inputs", "promised").Shares(shares...)
			out = append(out, promises.Mean("promises_summary", "made", "threshold", "correct", "unknown", "wrong", "risk", "kept"))
		}
		if t.Get("outside") != nil {
			out = append(out, by("outside", "data").Mean("outside_summary", "auroc", "fpr95"))
		}
		if t.Get("near") != nil {
			near := by("near", "data", "degree")
			out = append(out, near.Mean("near_summary", "error", "correct", "unknown", "wrong", "auroc"))
		}
		return out
	})
}

// tables are those of a cell.
type tables struct {
	spec
	names                                                           []string // of the classes that were learned
	decisions, runs, promises, curve, outside, changed, predictions *table.Table
}

func newTables(s spec, names []string) *tables {
	method, seed := table.Text("method", "the learner"), table.Int("seed", "of the part for validation, the order and the method")
	in := table.Text("inputs", "what is left of the inputs, see [[inputs]] of the manifest")
	confidence := table.Text("confidence", "what a decision needs enough of: the largest probability, one minus "+
		"the entropy, one minus the mutual information of label and member, or another score of experiments/README.md")
	t := &tables{spec: s, names: names}
	correct, unknown := table.Num("correct", "share of the test examples decided right"), table.Num("unknown", "share left undecided")
	wrong := table.Num("wrong", "share decided wrong")
	t.decisions = table.New("decisions", method, in, seed, confidence,
		table.Text("wanted", "wrong: the share of wrong decisions on the part for validation that the threshold is chosen for; threshold: itself"),
		table.Num("threshold", "confidence from which an example is decided about"),
		correct, unknown, wrong, table.Num("risk", "share of wrong ones among the decisions"))
	t.runs = table.New("runs", method, in, seed, confidence,
		table.Num("error", "share of wrong answers on the test part, all decided"),
		table.Num("aurc", "area under the risk–coverage curve"),
		table.Num("augrc", "area under the generalised one, of the share of wrong decisions among all"))
	t.promises = table.New("promises", method, in, seed,
		table.Num("promised", "largest share of wrong ones among the answers"),
		table.Num("made", "1 if a threshold promises that share with 95 % confidence, else 0: all are unknown"),
		table.Num("threshold", "least probability of an answer"), correct, unknown, wrong,
		table.Num("risk", "share of wrong ones among the answers"), table.Num("kept", "1 if the risk is at most the promised share, or there are no answers"))
	t.curve = table.New("risk_coverage", method, confidence,
		table.Num("threshold", "confidence from which an example is decided about"),
		table.Num("coverage", "share of the test examples decided about"), table.Num("risk", "share of wrong ones among these"))
	t.outside = table.New("outside", method, in, seed, confidence,
		table.Text("data", "what the test examples are told from; unseen: examples of classes that were kept from the training"),
		table.Num("auroc", "area under the ROC curve"), table.Num("fpr95", "share of the others that pass where 95 % of the test examples do"))
	t.changed = table.New("near", method, in, seed, confidence,
		table.Text("data", "how test images were changed, or labelled data from elsewhere"), table.Num("degree", "how much"),
		table.Num("error", "share of wrong answers, all decided"), correct, unknown, wrong,
		table.Num("auroc", "area under the ROC curve, of the test examples against these"))
	t.predictions = table.New("predictions", method, seed, table.Text("data", "test, or as in outside"),
		table.Int("example", "of these data, from 1"), table.Text("class", "the true one, of the test part"),
		table.Text("p", "probabilities of the classes that were learned"),
		table.Num("confidence", "the score that the manifest names").Rounded(6))
	t.predictions.Packed = true
	return t
}

// set returns the tables that have rows.
func (t *tables) set() table.Set {
	all := table.Set{t.decisions, t.runs, t.promises, t.outside, t.changed, t.predictions, t.curve}
	return slices.DeleteFunc(all, func(t *table.Table) bool { return t.Len() == 0 })
}

// decide writes down what share of the test examples is decided right, wrong and not at all, with
// thresholds that were fixed before or that the part for validation gives, and how well the
// confidences sort the errors out.
func (t *tables) decide(validation, test predictions) {
	for _, by := range test.scores {
		of := test.by[by]
		add := func(wanted string, threshold float64) {
			correct, unknown, wrong := decided(test, by, threshold)
			t.decisions.Add(t.key(by), wanted, threshold, correct, unknown, wrong, table.Finite(wrong/(correct+wrong)))
		}
		for _, share := range t.Unknown.Wrong {
			add("wrong="+table.Format(share), leastThreshold(validation.by[by], validation.wrong, share))
		}
		if by == probability {
			for _, threshold := range t.Unknown.Thresholds {
				add("threshold="+table.Format(threshold), threshold)
			}
		}
		t.runs.Add(t.key(by), metric.Error(test.p, test.class), metric.AURC(of, test.wrong), metric.AUGRC(of, test.wrong))
		if t.Curves && slices.Contains([]score{probability, entropy, t.Unknown.Score}, by) {
			t.riskCoverage(by, test)
		}
	}
}

// promise writes down what becomes of the test part with thresholds of the largest probability
// that promise that at most a share of the answers is wrong, by a record or, if that is empty, by
// the part for validation.
func (t *tables) promise(r bnn.TrackRecord, validation, test predictions) {
	if len(r.Predicted) == 0 {
		for i, p := range validation.p {
			r.Add(floats.Max(p), validation.wrong[i])
		}
	}
	for _, share := range t.Unknown.Promise {
		threshold := r.Threshold(share, 0.95)
		correct, unknown, wrong := decided(test, probability, threshold)
		risk, kept, made := wrong/(correct+wrong), 1., 1.
		if risk > share {
			kept = 0
		}
		if math.IsInf(threshold, 1) {
			threshold, made = math.NaN(), 0
		}
		t.promises.Add(t.Method.Name, t.Inputs.Name, t.Seed, share, made, table.Finite(threshold), correct, unknown, wrong, table.Finite(risk), kept)
	}
}

// key returns what a row begins with.
func (t *tables) key(by score) []any { return []any{t.Method.Name, t.Inputs.Name, t.Seed, string(by)} }

// leastThreshold returns the least confidence among those that occur with which no
// more than a share of all examples is decided wrong; infinite if there is none.
func leastThreshold(confidence []float64, wrong []bool, share float64) float64 {
	threshold, coverage, risk := metric.RiskCoverage(confidence, wrong)
	least := math.Inf(1)
	for i, t := range threshold {
		if coverage[i]*risk[i] > share {
			break
		}
		least = t
	}
	return least
}

// decided returns the shares that are decided right, not at all, and wrong.
func decided(a predictions, by score, threshold float64) (correct, unknown, wrong float64) {
	n := float64(len(a.p))
	for i, mistake := range a.wrong {
		switch {
		case !(a.by[by][i] >= threshold):
			unknown++
		case mistake:
			wrong++
		default:
			correct++
		}
	}
	return correct / n, unknown / n, wrong / n
}

// near writes down what becomes of examples of the same classes that are changed, decided
// about with the threshold for the first share of wrong decisions.
func (t *tables) near(kind string, degree float64, validation, inside, changed predictions) {
	by := inside.standing(t.Unknown.Score)
	least := leastThreshold(validation.by[by], validation.wrong, t.Unknown.Wrong[0])
	correct, unknown, wrong := decided(changed, by, least)
	auroc, _ := metric.Detection(inside.by[by], changed.by[by])
	t.changed.Add(t.key(by), kind, degree, metric.Error(changed.p, changed.class), correct, unknown, wrong, auroc)
}

// curvePoints is the number of points of a curve that is written down.
const curvePoints = 200

func (t *tables) riskCoverage(by score, test predictions) {
	threshold, coverage, risk := metric.RiskCoverage(test.by[by], test.wrong)
	next := 0.0
	for i := range threshold {
		if coverage[i] < next && i < len(threshold)-1 {
			continue
		}
		next = coverage[i] + 1./curvePoints
		t.curve.Add(t.Method.Name, string(by), threshold[i], coverage[i], risk[i])
	}
}

// distinguish writes down how well the confidences tell the test examples from others.
func (t *tables) distinguish(data string, inside, outside predictions) {
	for _, by := range inside.scores {
		if outside.by[by] == nil { // there is no test example, and the learner does not have this
			continue
		}
		auroc, passed := metric.Detection(inside.by[by], outside.by[by])
		t.outside.Add(t.key(by), data, auroc, passed)
	}
	t.list(data, outside)
}

// list writes down the probabilities of all examples.
func (t *tables) list(data string, a predictions) {
	if !t.List || len(a.p) == 0 {
		return
	}
	by := a.by[a.standing(t.Unknown.Score)]
	for i, p := range a.p {
		class := ""
		if data == testPart {
			class = t.names[a.class[i]]
		}
		t.predictions.Add(t.Method.Name, t.Seed, data, i+1, class, table.List(p, 6), by[i])
	}
}
