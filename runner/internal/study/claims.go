package study

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

// claims is the study that gives a verdict on every claim of the paper, from what the
// other experiments have published. It has no cells: nothing is computed but means
// and intervals.
type claims struct {
	*manifest.Claims
	findings []finding // of each piece of evidence, once the tables are read
}

// finding is a piece of evidence with its number, interval and verdict.
type finding struct {
	manifest.Evidence
	n                int // rows, of which there is one for each seed, or one
	value, low, high float64
	verdict          string
}

// Verdicts.
const (
	holds  = "holds"
	fails  = "fails"
	isOpen = "open"
)

func (c *claims) Cells() []Cell { return nil }

func (c *claims) Sources() []string {
	var names []string
	for _, e := range c.Evidence {
		if !slices.Contains(names, e.Manifest) {
			names = append(names, e.Manifest)
		}
	}
	return names
}

// Use measures all evidence.
func (c *claims) Use(read func(experiment, table string) ([]byte, error)) error {
	c.findings = nil
	for i, e := range c.Evidence {
		f, err := found(e, read)
		if err != nil {
			return fmt.Errorf("evidence.%d of the claim %s: %w", i+1, e.Claim, err)
		}
		c.findings = append(c.findings, f)
	}
	return nil
}

// found measures one piece of evidence.
func found(e manifest.Evidence, read func(experiment, table string) ([]byte, error)) (finding, error) {
	data, err := read(e.Manifest, e.Table)
	if err != nil {
		return finding{}, fmt.Errorf("table = %q: %w", e.Table, err)
	}
	table, err := readPublished(e.Manifest+"/"+e.Table, data)
	if err != nil {
		return finding{}, err
	}
	f := finding{Evidence: e}
	if f.value, f.low, f.high, f.n, err = measure(e, table); err != nil {
		return finding{}, err
	}
	f.verdict = f.judge()
	return f, nil
}

// judge returns "holds" if the whole interval is on the side of the threshold that
// shows the claim, "fails" if all of it is on the other side or at the threshold,
// and "open" otherwise, also where a number is none.
func (f finding) judge() string {
	right, wrong := f.low > f.Threshold, f.high <= f.Threshold
	if f.Sense == "below" {
		right, wrong = f.high < f.Threshold, f.low >= f.Threshold
	}
	switch {
	case !(f.low <= f.value && f.value <= f.high):
		return isOpen
	case right:
		return holds
	case wrong:
		return fails
	}
	return isOpen
}

// interval says where the ends of the interval are from.
func (f finding) interval() string {
	switch {
	case f.Low != "":
		return f.Low + " to " + f.High
	case f.SE != "":
		return "1.96 " + f.SE
	}
	return f.Interval
}

// decision is what is found about a claim. All evidence under one condition is taken
// together: the condition shows the claim if every piece of it does, and does not if
// one piece fails.
type decision struct {
	of        map[string][]string // conditions by verdict, in the order of the manifest
	manifests []string            // the experiments that the evidence is from
}

func (c *claims) decide(s manifest.Statement) decision {
	d := decision{of: map[string][]string{}}
	var conditions []string
	verdict := map[string]string{}
	for _, f := range c.findings {
		if f.Claim != s.Name {
			continue
		}
		if !slices.Contains(d.manifests, f.Manifest) {
			d.manifests = append(d.manifests, f.Manifest)
		}
		switch was, ok := verdict[f.Condition]; {
		case !ok:
			conditions = append(conditions, f.Condition)
			verdict[f.Condition] = f.verdict
		case was == holds || f.verdict == fails:
			verdict[f.Condition] = f.verdict
		}
	}
	for _, condition := range conditions {
		v := verdict[condition]
		d.of[v] = append(d.of[v], condition)
	}
	return d
}

// verdict returns "holds" if all conditions show the claim, "holds with" those that
// do if only some of them do, "fails" if none does, and "open" if none does and none
// fails.
func (d decision) verdict() string {
	switch {
	case len(d.of[holds]) > 0 && len(d.of[fails])+len(d.of[isOpen]) == 0:
		return holds
	case len(d.of[holds]) > 0:
		return "holds with " + strings.Join(d.of[holds], "; ")
	case len(d.of[fails]) > 0:
		return fails
	}
	return isOpen
}

func (c *claims) Report([][]store.Table) (Report, error) {
	if len(c.findings) != len(c.Evidence) {
		return Report{}, errors.New("the tables of the other experiments were not read")
	}
	claims := store.Table{Name: "claims", Header: []string{
		"claim", "where", "sentence", "verdict", "holds_with", "fails_with", "open_with", "manifests",
	}}
	for _, s := range c.Statements {
		d := c.decide(s)
		row := []string{s.Name, s.Where, s.Sentence, d.verdict()}
		for _, v := range []string{holds, fails, isOpen} {
			row = append(row, strings.Join(d.of[v], "; "))
		}
		claims.Rows = append(claims.Rows, append(row, strings.Join(d.manifests, " ")))
	}
	evidence := store.Table{Name: "evidence", Header: []string{
		"claim", "statistic", "condition", "manifest", "table", "rows", "minus", "column", "n", "value", "low", "high", "interval", "sense", "threshold", "verdict",
	}}
	for _, f := range c.findings {
		evidence.Rows = append(evidence.Rows, []string{
			f.Claim, f.Statistic, f.Condition, f.Manifest, f.Table, filterText(f.Rows), filterText(f.Minus), f.Value, strconv.Itoa(f.n),
			store.Float(f.value), store.Float(f.low), store.Float(f.high), f.interval(), f.Sense, store.Float(f.Threshold), f.verdict,
		})
	}
	return Report{Tables: []store.Table{claims, evidence}, Figures: []Figure{{"intervals", figures.Intervals(c.groups())}}}, nil
}

func filterText(filters []manifest.Filter) string {
	var text []string
	for _, f := range filters {
		text = append(text, f.String())
	}
	return strings.Join(text, " ")
}

// groups are the claims with the intervals of their evidence against the thresholds.
func (c *claims) groups() []figures.IntervalGroup {
	var out []figures.IntervalGroup
	for _, s := range c.Statements {
		verdict, _, partly := strings.Cut(c.decide(s).verdict(), " with ")
		if partly {
			verdict = "holds with conditions"
		}
		g := figures.IntervalGroup{Title: fmt.Sprintf("%s (%s): %s", strings.TrimSuffix(s.Sentence, "."), s.Where, verdict)}
		above := "" // the statistic of the row above
		for _, f := range c.findings {
			if f.Claim != s.Name {
				continue
			}
			label := f.Statistic + ": " + f.Condition
			if f.Statistic == above {
				label = "… " + f.Condition
			}
			above = f.Statistic
			g.Intervals = append(g.Intervals, figures.Interval{
				Text: label,
				Note: fmt.Sprintf("%s [%s, %s], want %s %s", short(f.value), short(f.low), short(f.high), signs[f.Sense], short(f.Threshold)),
				Sign: f.verdict, Value: f.value, Low: f.low, High: f.high, Threshold: f.Threshold, Above: f.Sense == "above",
			})
		}
		out = append(out, g)
	}
	return out
}

// signs are the senses of evidence in signs.
var signs = map[string]string{"above": ">", "below": "<"}

// short spells a number for a reader.
func short(x float64) string {
	return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 3, 64), "-", "−")
}

var _ Sourced = (*claims)(nil)
