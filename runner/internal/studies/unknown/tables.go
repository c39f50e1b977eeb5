package unknown

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/runner/internal/data"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// Tables has the means over the seeds. With one seed, shares of test examples have Wilson's intervals.
func (e *experiment) Tables(cells []table.Tables) table.Tables {
	merged := table.Merge(cells)
	decisions, runs := merged.Get("decisions"), merged.Get("runs")
	columns := []string{"made", "threshold", "correct", "unknown", "wrong", "risk", "kept"}
	if slices.ContainsFunc(decisions.Nums("oracle"), func(x float64) bool { return x >= 0 }) {
		columns = append(columns, "truly_kept", "oracle")
	}
	decided := decisions.Mean("decisions_summary", table.Means{
		Keys: []string{"method", "confidence", "wanted"}, Columns: columns,
	})
	summary := runs.Mean("summary", table.Means{
		Keys:    []string{"method", "confidence", "data"},
		Columns: []string{"error", "aurc", "augrc", "auroc"},
	})
	if len(e.seeds) == 1 {
		setWilson(decided, decisions.Nums("examples"), "correct", "unknown", "wrong")
		setWilson(decided, decisions.Nums("decided"), "risk")
		setWilson(summary, runs.Nums("examples"), "error")
	}
	tables := table.Tables{merged.Get("risk_coverage"), decided, summary}
	if e.Unknown.Reference != "" {
		tables = append(tables, e.paired(decisions))
	}
	return tables
}

// paired compares the decisions of each method with those of the reference in the same seeds.
func (e *experiment) paired(decisions *table.Table) *table.Table {
	reference := e.Unknown.Reference
	t := table.New("decisions_paired", slices.Concat(decisions.Rows(nil).Columns[:3], []table.Column{
		table.Int("seeds", "seeds that are averaged"),
	}, table.Interval("correct", "mean share of the test examples decided right, minus that of "+reference),
		[]table.Column{table.Num("p", "two-sided p-value of the hypothesis of no difference, Student's t")})...)
	for _, rows := range decisions.GroupBy("confidence", "wanted", "method") {
		method, by, wanted := rows.Texts("method")[0], rows.Texts("confidence")[0], rows.Texts("wanted")[0]
		if method != reference {
			other := decisions.Where("confidence", by).Where("wanted", wanted).Where("method", reference)
			d := rows.Nums("correct")
			floats.Sub(d, other.Nums("correct"))
			difference := table.NewEstimate(d, 0)
			t.Add(method, by, wanted, len(d), difference.Interval(), difference.P())
		}
	}
	corrected := table.Num("p_holm", "p-value, corrected for all rows by Holm's procedure")
	corrected.Nums = metric.Holm(t.Nums("p"))
	t.Columns = append(t.Columns, corrected)
	return t
}

// setWilson replaces the ends of the intervals of columns, which are shares of n examples in each row.
func setWilson(t *table.Table, n []float64, columns ...string) {
	for _, column := range columns {
		k := slices.Index(table.Names(t.Columns), column)
		low, high := &t.Columns[k+1], &t.Columns[k+2]
		low.Doc = "lower end of its 95 % interval, Wilson's, over the test examples"
		high.Doc = "upper end of its 95 % interval, Wilson's, over the test examples"
		for i, share := range t.Nums(column) {
			interval := table.Wilson(math.Round(share*n[i]), n[i])
			low.Nums[i], high.Nums[i] = interval[1], interval[2]
		}
	}
}

type tables struct {
	spec
	truth                  [][]float64 // the true probabilities of the classes for each test example; nil: not known
	decisions, runs, curve *table.Table
}

func newTables(s spec, test *data.Examples) *tables {
	text, num, share := table.Text, table.Num, table.Share
	method := text("method", "the learner")
	confidence := text("confidence", "the score that is compared with the threshold, see experiments/KEYS.md")
	threshold := num("threshold", "smallest confidence with which an example is decided about")
	risk := share("risk", "share of the decisions that are wrong")
	return &tables{
		s, s.truth(test),
		table.New("decisions", method, confidence,
			text("wanted", "what the threshold is chosen for. wrong: at most this share of all examples of the "+
				"validation part is decided wrong; promise: the risk is at most this, with 95 % confidence; "+
				"threshold: the threshold itself"),
			table.Flag("made", "1 if a threshold meets what is wanted, else 0, and all examples are unknown"), threshold,
			share("correct", "share of the test examples decided right"),
			share("unknown", "share of the test examples left undecided"),
			share("wrong", "share of the test examples decided wrong"), risk,
			table.Flag("kept", "1 if the risk is at most the promised one, or nothing is decided; else 0"),
			table.Int("examples", "test examples"), table.Int("decided", "test examples that are decided about"),
			table.Flag("truly_kept", "kept, with the risk by the true probabilities of a generator's classes"),
			share("oracle", "share of the test examples decided right by the true probabilities, at the promised risk")),
		table.New("runs", method, confidence,
			text("data", "test: the confidence ranks errors on the test part; another name: it separates the test "+
				"part from out-of-distribution inputs, or from unseen classes"),
			share("error", "share of wrong answers on the test part, if all examples are decided"),
			share("aurc", "area under the risk–coverage curve"),
			share("augrc", "area under the generalised risk–coverage curve, of wrong decisions among all examples"),
			share("auroc", "area under the ROC curve"), table.Int("examples", "test examples")),
		table.New("risk_coverage", method, confidence, threshold,
			share("coverage", "share of the test examples that are decided about"), risk),
	}
}

// scores returns the scores of the manifest that the predictions have.
func (t *tables) scores(p predictions) []score {
	return slices.DeleteFunc(slices.Clone(scores), func(s score) bool {
		return p.by[s] == nil || !slices.Contains(t.Unknown.Scores, s)
	})
}

// evaluate adds how well each confidence detects errors on the test part, and the decisions with thresholds
// that the manifest has, that are chosen on the validation part, or that promise a risk by the record.
func (t *tables) evaluate(l *scorer, test predictions) {
	for i, by := range t.scores(test) {
		ranking := metric.Rank(test.by[by], test.wrong)
		threshold, coverage, risk := ranking.RiskCoverage()
		t.runs.Add(t.Method.Name, string(by), "test", risk[len(risk)-1], ranking.AURC(), ranking.AUGRC(),
			math.NaN(), len(test.wrong))
		for _, share := range t.Unknown.Wrong {
			threshold := lowestThreshold(l.validation.by[by], l.validation.wrong, share)
			t.decide(test, by, "wrong="+table.Format(share), threshold, 0)
		}
		for _, threshold := range t.Unknown.Thresholds {
			if by == probability {
				t.decide(test, by, "threshold="+table.Format(threshold), threshold, 0)
			}
		}
		next := 0.0
		for k := range threshold { // keep about 200 points of the curve
			if last := k == len(threshold)-1; t.Curve && i == 0 && (coverage[k] >= next || last) {
				next = coverage[k] + 1./200
				t.curve.Add(t.Method.Name, string(by), threshold[k], coverage[k], risk[k])
			}
		}
	}
	record := l.record
	if record.Len() == 0 {
		for i, c := range l.validation.by[confidence] {
			record.Add(c, l.validation.wrong[i])
		}
	}
	for _, share := range t.Unknown.Promise {
		threshold, _ := record.Threshold(share, 0.95) // no error: the manifest's share is between 0 and 1
		t.decide(test, confidence, "promise="+table.Format(share), table.Finite(threshold), share)
	}
}

// decide adds the shares of test examples decided right, undecided and wrong; promised is 0 for no promise.
func (t *tables) decide(test predictions, by score, wanted string, threshold, promised float64) {
	decided := map[bool]float64{} // number of decisions, by whether they are wrong
	for i, wrong := range test.wrong {
		if test.by[by][i] >= threshold {
			decided[wrong]++
		}
	}
	n, correct, wrong := float64(len(test.wrong)), decided[false], decided[true]
	risk, kept, truly, oracle := wrong/n/(correct/n+wrong/n), any(math.NaN()), any(math.NaN()), math.NaN()
	if promised > 0 {
		kept = !(risk > promised)
		if t.truth != nil {
			truly, oracle = !(t.trueRisk(test, by, threshold) > promised), t.oracle(promised)
		}
	}
	made := !math.IsNaN(threshold) && !math.IsInf(threshold, 0)
	t.decisions.Add(t.Method.Name, string(by), wanted, made, threshold, correct/n, (n-correct-wrong)/n, wrong/n,
		table.Finite(risk), kept, len(test.wrong), correct+wrong, truly, oracle)
}

// truth returns the probabilities of the classes of a generator, or nil if they are not known.
func (s spec) truth(test *data.Examples) (p [][]float64) {
	if s.Data.Generator.Name == "" || s.Data.Task().Probabilities == nil {
		return nil
	}
	task := s.Data.Task()
	for i := range test.Len() {
		p = append(p, make([]float64, task.Classes))
		task.Probabilities(p[i], test.Input(i))
	}
	return p
}

// trueRisk returns the expected risk of the decisions, given the inputs.
func (t *tables) trueRisk(test predictions, by score, threshold float64) float64 {
	var wrong []float64
	for i, p := range t.truth {
		if test.by[by][i] >= threshold {
			wrong = append(wrong, 1-p[test.top[i]])
		}
	}
	return table.Mean(wrong)
}

// oracle returns the largest share of the test examples that decisions with a risk of at most the promised one
// are expected to get right, given the inputs.
func (t *tables) oracle(promised float64) float64 {
	var right []float64
	for _, p := range t.truth {
		right = append(right, floats.Max(p))
	}
	slices.Sort(right)
	slices.Reverse(right)
	wrong, n := 0.0, 0
	for _, p := range right {
		if wrong += 1 - p; wrong > promised*float64(n+1) {
			break
		}
		n++
	}
	return kernel.Sum(right[:n]) / float64(len(right))
}

// lowestThreshold returns the lowest confidence of an example, as a threshold, with which at most a share of
// all examples is decided wrong, or infinity if there is none.
func lowestThreshold(confidence []float64, wrong []bool, share float64) float64 {
	threshold, coverage, risk := metric.Rank(confidence, wrong).RiskCoverage()
	lowest := math.Inf(1)
	for i := 0; i < len(threshold) && !(coverage[i]*risk[i] > share); i++ {
		lowest = threshold[i]
	}
	return lowest
}

// distinguish adds how well each confidence separates the test examples from the others, called data.
func (t *tables) distinguish(data string, known, others predictions) {
	for _, by := range t.scores(known) {
		if others.by[by] != nil { // nil: there is no test example, and the learner lacks this score
			auroc := metric.AUROC(known.by[by], others.by[by])
			t.runs.Add(t.Method.Name, string(by), data, table.Gaps(3), auroc, len(known.wrong))
		}
	}
}
