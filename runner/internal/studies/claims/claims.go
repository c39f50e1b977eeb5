// Package claims gives a verdict on every claim of the paper, from what the other
// experiments have published, and compares them with what others have published. Nothing is
// computed but means and intervals.
package claims

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "claims",
	Asks: "What do all other experiments say to the claims of the paper?",
	New:  study.Decoded(func(m *config.Manifest) *experiment { return &experiment{name: m.Name} }),
}

type experiment struct {
	study.Plain
	Claims   []claim    `toml:"claim" allowed:"at least one table headed [[claim]]"`
	Evidence []evidence `toml:"evidence" allowed:"at least one table headed [[evidence]] for each claim"`

	name     string
	findings []finding // of each piece of evidence, once the tables are read
}

// claim is a sentence of the paper.
type claim struct {
	Name     string `toml:"name" allowed:"what the evidence calls it"`
	Sentence string `toml:"sentence" allowed:"what is claimed"`
	Where    string `toml:"where" allowed:"where the paper says it"`
}

// evidence is a number with an interval, from a table of an experiment, and the
// threshold on one side of which it shows a claim.
type evidence struct {
	Claim     string `toml:"claim" allowed:"the name of a [[claim]]"`
	Statistic string `toml:"statistic" allowed:"what the number is, in words"`
	Condition string `toml:"condition" allowed:"under which condition it shows the claim, in words"`

	Number
	Minus []string `toml:"minus,omitempty"` // rows that are subtracted, seed by seed: Rows but for these

	// Where the interval comes from. With Low and High, columns of its ends, there must be one row.
	// Without them there is a row for each seed, and Interval is "t", Student's over these, or
	// "range", from the least to the largest.
	Low      string `toml:"low,omitempty"`
	High     string `toml:"high,omitempty"`
	Interval string `toml:"interval"`

	Sense     string  `toml:"sense" allowed:"\"above\" or \"below\""`
	Threshold float64 `toml:"threshold" allowed:"a number"`
}

// Number is where a number comes from: a column of a table that an experiment has published.
type Number struct {
	Manifest string   `toml:"manifest" allowed:"the name of an experiment"`
	Table    string   `toml:"table" allowed:"the name of a table"`
	Rows     []string `toml:"rows"` // which rows of the table are taken, "column=text" each; none: all
	Value    string   `toml:"value" allowed:"a column of the table"`
}

// column returns that of a filter "column=text".
func column(filter string) string { return filter[:max(0, strings.Index(filter, "="))] }

func (e *evidence) Validate() error {
	e.Interval = cmp.Or(e.Interval, "t")
	for _, f := range slices.Concat(e.Rows, e.Minus) {
		if column(f) == "" {
			return field.Errorf("rows", `%q is not allowed; allowed: "column=text", such as "method=joint"`, f)
		}
	}
	switch {
	case (e.Low == "") != (e.High == ""):
		return field.Errorf("low", "allowed: low and high together, or none of them")
	case e.Interval != "t" && (e.Interval != "range" || e.Low != ""):
		return field.Errorf("interval", `%q is not allowed; allowed: "t", and without low and high "range"`, e.Interval)
	case e.Low != "" && len(e.Minus) > 0:
		return field.Errorf("minus", "differences have an interval over the seeds only; allowed: without low and high")
	case e.Sense != "above" && e.Sense != "below":
		return field.Errorf("sense", `%q is not allowed; allowed: "above" or "below"`, e.Sense)
	case math.IsNaN(e.Threshold):
		return field.Errorf("threshold", "NaN is not allowed; allowed: a number")
	}
	return nil
}

func (e *experiment) Validate() error {
	for _, c := range e.Claims {
		if !slices.ContainsFunc(e.Evidence, func(v evidence) bool { return v.Claim == c.Name }) {
			return field.Errorf("claim."+c.Name, "no evidence; allowed: at least one [[evidence]] with claim = %q", c.Name)
		}
	}
	for i, v := range e.Evidence {
		if v.Manifest == e.name || !slices.ContainsFunc(e.Claims, func(c claim) bool { return v.Claim == c.Name }) {
			return field.Errorf(fmt.Sprintf("evidence.%d.claim", i+1), "%q from %s; allowed: the name of a claim, from another manifest", v.Claim, v.Manifest)
		}
	}
	return nil
}

func (e *experiment) Sources() (names []string) {
	for _, v := range e.Evidence {
		names = append(names, v.Manifest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Use implements [study.Derived]: it measures all evidence.
func (e *experiment) Use(read func(experiment, table string) (*table.Table, error)) error {
	e.findings = nil
	for i, v := range e.Evidence {
		t, err := read(v.Manifest, v.Table)
		if err != nil {
			return err
		}
		f, err := v.measure(t)
		if err != nil {
			return fmt.Errorf("evidence.%d of the claim %s: %s/%s: %w", i+1, v.Claim, v.Manifest, v.Table, err)
		}
		e.findings = append(e.findings, f)
	}
	return nil
}

var _ study.Derived = (*experiment)(nil)

// decide returns the verdict on a claim, and its conditions by their verdicts, in the order of the
// manifest. A condition shows the claim if all evidence under it does, and does not if one piece
// fails. The verdict is "holds" if all conditions show the claim, "holds with" those that do if only some
// do, "fails" if none does, and "open" if none does and none fails.
func decide(findings []finding) (verdict string, with map[string][]string) {
	var conditions []string
	verdicts := map[string]string{}
	for _, f := range findings {
		switch was, ok := verdicts[f.Condition]; {
		case !ok:
			conditions = append(conditions, f.Condition)
			verdicts[f.Condition] = f.verdict()
		case was == holds || f.verdict() == fails:
			verdicts[f.Condition] = f.verdict()
		}
	}
	with = map[string][]string{}
	for _, c := range conditions {
		with[verdicts[c]] = append(with[verdicts[c]], c)
	}
	switch {
	case len(with[holds]) == len(conditions):
		return holds, with
	case len(with[holds]) > 0:
		return "holds with " + strings.Join(with[holds], "; "), with
	case len(with[fails]) > 0:
		return fails, with
	}
	return isOpen, with
}

func (e *experiment) Tables([]table.Set) (table.Set, error) {
	if len(e.findings) != len(e.Evidence) {
		return nil, errors.New("the tables of the other experiments were not read")
	}
	claims := table.New("claims",
		table.Text("claim", "its name"), table.Text("where", "in the paper"), table.Text("sentence", "what is claimed"),
		table.Text("verdict", "holds, holds with some conditions, fails or open"),
		table.Text("holds_with", "conditions under which the evidence shows the claim"), table.Text("fails_with", "those under which it does not"),
		table.Text("open_with", "those under which it is undecided"), table.Text("manifests", "experiments that the evidence is from"))
	for _, c := range e.Claims {
		findings := slices.DeleteFunc(slices.Clone(e.findings), func(f finding) bool { return f.Claim != c.Name })
		var manifests []string
		for _, f := range findings {
			if !slices.Contains(manifests, f.Manifest) {
				manifests = append(manifests, f.Manifest)
			}
		}
		verdict, with := decide(findings)
		join := func(verdict string) string { return strings.Join(with[verdict], "; ") }
		claims.Add(c.Name, c.Where, c.Sentence, verdict, join(holds), join(fails), join(isOpen), strings.Join(manifests, " "))
	}
	t := table.New("evidence",
		table.Text("claim", "its name"), table.Text("statistic", "what the number is"), table.Text("condition", "under which it was found"),
		table.Text("manifest", "the experiment"), table.Text("table", "of it"), table.Text("rows", "that were taken"),
		table.Text("minus", "rows that were subtracted, seed by seed"), table.Text("column", "of the number"), table.Int("n", "rows that it comes from"),
		table.Num("value", "the number, a mean over the seeds"), table.Num("low", "lower end of its interval"), table.Num("high", "upper end"),
		table.Text("interval", "t: 95 %, Student's; range: least to largest; else the columns that give it"),
		table.Text("sense", "side of the threshold that shows the claim"), table.Num("threshold", ""), table.Text("verdict", "holds, fails or open"))
	for _, f := range e.findings {
		interval := f.Interval
		if f.Low != "" {
			interval = f.Low + " to " + f.High
		}
		t.Add(f.Claim, f.Statistic, f.Condition, f.Manifest, f.Table, strings.Join(f.Rows, " "), strings.Join(f.Minus, " "), f.Value, f.n,
			f.value, f.low, f.high, interval, f.Sense, f.Threshold, f.verdict())
	}
	return table.Set{claims, t}, nil
}
