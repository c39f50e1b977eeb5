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
var shares = []string{
	"error", "aurc", "augrc", "correct", "unknown", "wrong", "risk", "made", "kept", "auroc", "fpr95",
}

// Tables has the means over the seeds, and of the rows by seed only the table "runs".
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	all, err := table.Merge(cells, func(t table.Set) (means table.Set) {
		by := func(name string, keys ...string) table.Groups {
			return t.Get(name).GroupBy(keys...).Shares(shares...)
		}
		means = table.Set{
			by("decisions", "method", "confidence", "wanted").
				Mean("decisions_summary", "threshold", "correct", "unknown", "wrong", "risk"),
			by("runs", "method", "confidence").Mean("summary", "error", "aurc", "augrc"),
		}
		if t.Get("promises") != nil {
			means = append(means, by("promises", "method", "promised").
				Mean("promises_summary", "made", "threshold", "correct", "unknown", "wrong", "risk", "kept"))
		}
		if t.Get("outside") != nil {
			means = append(means, by("outside", "method", "confidence", "data").
				Mean("outside_summary", "auroc", "fpr95"))
		}
		return means
	})
	bySeed := []string{"decisions", "promises", "outside"}
	return slices.DeleteFunc(all, func(t *table.Table) bool { return slices.Contains(bySeed, t.Name) }), err
}

// tables are those of a cell.
type tables struct {
	spec
	decisions, runs, promises, curve, outside *table.Table
}

func newTables(s spec) *tables {
	method := table.Text("method", "the learner")
	seed := table.Int("seed", "of the part for validation, the order and the method")
	confidence := table.Text("confidence", "the score that a decision needs enough of, see experiments/README.md")
	threshold := table.Num("threshold", "confidence from which an example is decided about")
	correct := table.Num("correct", "share of the test examples decided right")
	unknown := table.Num("unknown", "share left undecided")
	wrong := table.Num("wrong", "share decided wrong")
	risk := table.Num("risk", "share of wrong ones among the decisions")
	return &tables{
		spec: s,
		decisions: table.New("decisions", method, seed, confidence,
			table.Text("wanted", "wrong: the share of wrong decisions on the part for validation "+
				"that the threshold is chosen for; threshold: itself"),
			threshold, correct, unknown, wrong, risk),
		runs: table.New("runs", method, seed, confidence,
			table.Num("error", "share of wrong answers on the test part, all decided"),
			table.Num("aurc", "area under the risk–coverage curve"),
			table.Num("augrc", "area under the generalised one, of the share of wrong decisions among all")),
		promises: table.New("promises", method, seed,
			table.Num("promised", "largest share of wrong ones among the decisions"),
			table.Num("made", "1 if a threshold promises that share with 95 % confidence, else 0: all are unknown"),
			table.Num("threshold", "least probability of a decision"), correct, unknown, wrong, risk,
			table.Num("kept", "1 if the risk is at most the promised share, or there are no decisions")),
		curve: table.New("risk_coverage", method, confidence, threshold,
			table.Num("coverage", "share of the test examples decided about"),
			table.Num("risk", "share of wrong ones among these")),
		outside: table.New("outside", method, seed, confidence,
			table.Text("data", "what the test examples are told from; unseen: classes that were not learned"),
			table.Num("auroc", "area under the ROC curve"),
			table.Num("fpr95", "share of the others that pass where 95 % of the test examples do")),
	}
}

// set returns the tables that have rows.
func (t *tables) set() table.Set {
	all := table.Set{t.decisions, t.runs, t.promises, t.outside, t.curve}
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
		t.runs.Add(t.key(by), metric.Error(test.p, test.class),
			metric.AURC(of, test.wrong), metric.AUGRC(of, test.wrong))
		if t.Curves && slices.Contains([]score{probability, entropy, combined}, by) {
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
		t.promises.Add(t.Method.Name, t.Seed, share, made, table.Finite(threshold),
			correct, unknown, wrong, table.Finite(risk), kept)
	}
}

// key returns what a row begins with.
func (t *tables) key(by score) []any { return []any{t.Method.Name, t.Seed, string(by)} }

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
}
