package claims

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/table"
)

// decision has the conditions of a claim by their verdicts, in the order of the manifest. A condition
// shows the claim if all evidence under it does, and does not if one piece fails.
type decision map[string][]string

func decide(findings []finding) decision {
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
	d := decision{}
	for _, c := range conditions {
		d[verdicts[c]] = append(d[verdicts[c]], c)
	}
	return d
}

// verdict returns "holds" if all conditions show the claim, "holds with" those that do if only some do,
// "fails" if none does, and "open" if none does and none fails.
func (d decision) verdict() string {
	switch {
	case len(d[holds]) > 0 && len(d[fails])+len(d[isOpen]) == 0:
		return holds
	case len(d[holds]) > 0:
		return "holds with " + strings.Join(d[holds], "; ")
	case len(d[fails]) > 0:
		return fails
	}
	return isOpen
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
		d := decide(findings)
		join := func(verdict string) string { return strings.Join(d[verdict], "; ") }
		claims.Add(c.Name, c.Where, c.Sentence, d.verdict(), join(holds), join(fails), join(isOpen), strings.Join(manifests, " "))
	}
	t := table.New("evidence",
		table.Text("claim", "its name"), table.Text("statistic", "what the number is"), table.Text("condition", "under which it was found"),
		table.Text("manifest", "the experiment"), table.Text("table", "of it"), table.Text("rows", "that were taken"),
		table.Text("minus", "rows that were subtracted, seed by seed"), table.Text("column", "of the number"), table.Int("n", "rows that it comes from"),
		table.Num("value", "the number, a mean over the seeds"), table.Num("low", "lower end of its interval"), table.Num("high", "upper end"),
		table.Text("interval", "t: 95 %, Student's; range: least to largest; else the columns that give it"),
		table.Text("sense", "side of the threshold that shows the claim"), table.Num("threshold", ""), table.Text("verdict", "holds, fails or open"))
	for _, f := range e.findings {
		t.Add(f.Claim, f.Statistic, f.Condition, f.Manifest, f.Table, join(f.Rows), join(f.Minus), f.Value, f.n,
			f.value, f.low, f.high, f.source(), f.Sense, f.Threshold, f.verdict())
	}
	return table.Set{claims, t}, nil
}

func join(filters []filter) string { return strings.Trim(fmt.Sprint(filters), "[]") }

// source says where the ends of the interval are from.
func (e *evidence) source() string {
	switch {
	case e.Low != "":
		return e.Low + " to " + e.High
	case e.SE != "":
		return "1.96 " + e.SE
	}
	return e.Interval
}
