// Package claims gives a verdict on each claim of the paper, from the tables of other experiments.
package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "claims",
	Asks: "Which of the paper's claims hold?",
	New:  study.Decoded(func(*manifest.Manifest) *experiment { return new(experiment) }),
}

type experiment struct {
	study.Plain
	Claims   []claim    `toml:"claim" allowed:"at least one table headed [[claim]]"`
	Evidence []evidence `toml:"evidence" allowed:"at least one table headed [[evidence]] for each claim"`
}

// claim is a sentence of the paper.
type claim struct {
	Name     string `toml:"name" allowed:"what the evidence calls it"`
	Sentence string `toml:"sentence" allowed:"what is claimed"`
}

// evidence is a number with an interval, from a column of a table that an experiment has published, and
// the threshold on one side of which the number shows a claim.
type evidence struct {
	Claim     string `toml:"claim" allowed:"the name of a [[claim]]"`
	Statistic string `toml:"statistic" allowed:"what the number is, in words"`
	Condition string `toml:"condition" allowed:"under which condition it shows the claim, in words"`

	Manifest string   `toml:"manifest" allowed:"the name of an experiment"`
	Table    string   `toml:"table" allowed:"the name of a table"`
	Rows     []string `toml:"rows"`            // the rows that are taken, "column=text" each; none: all
	Minus    []string `toml:"minus,omitempty"` // rows that are subtracted, seed by seed: Rows but for these
	Value    string   `toml:"value" allowed:"a column of the table"`
	Interval interval `toml:"interval"`

	Sense     string  `toml:"sense" allowed:"above or below"`
	Threshold float64 `toml:"threshold" allowed:"a number"`

	// Measured:
	number, low, high float64
	n                 int // rows that the number comes from
}

// interval says where the interval of a number comes from.
type interval string

const (
	student interval = "t"       // 95 %, Student's t, over one row for each seed; the default
	extent  interval = "range"   // from the smallest to the largest of the rows
	columns interval = "columns" // the columns VALUE_low and VALUE_high of one row
)

func (e *evidence) Validate() error {
	e.Interval = cmp.Or(e.Interval, student)
	if e.Interval == columns && len(e.Minus) > 0 {
		return field.Errorf("minus", `%q; allowed: with another interval than "columns"`, e.Minus)
	}
	return cmp.Or(field.OneOf("interval", e.Interval, student, extent, columns),
		field.OneOf("sense", e.Sense, "above", "below"))
}

func (e *experiment) Validate() (err error) {
	var claims []string
	for _, c := range e.Claims {
		claims = append(claims, c.Name)
	}
	for i, v := range e.Evidence {
		err = cmp.Or(err, field.OneOf(fmt.Sprintf("evidence.%d.claim", i+1), v.Claim, claims...))
	}
	return err
}

// Sources implements [study.Derived].
func (e *experiment) Sources() (names []string) {
	for _, v := range e.Evidence {
		names = append(names, v.Manifest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Use implements [study.Derived]: it measures all evidence.
func (e *experiment) Use(read func(experiment, table string) (*table.Table, error)) error {
	for i := range e.Evidence {
		v := &e.Evidence[i]
		t, err := read(v.Manifest, v.Table)
		if err == nil {
			err = v.measure(t)
		}
		if err != nil {
			return fmt.Errorf("evidence.%d: %s/%s: %w", i+1, v.Manifest, v.Table, err)
		}
	}
	return nil
}

// Tables has the verdicts on the claims, and those of the evidence.
func (e *experiment) Tables([]table.Set) (table.Set, error) {
	text := table.Text
	claims := table.New("claims",
		text("claim", "its name"), text("sentence", "what the abstract of the paper claims"),
		text("holds_with", "conditions under which the evidence shows the claim"),
		text("fails_with", "conditions under which the evidence shows that it fails"),
		text("open_with", "conditions under which it is undecided"))
	for _, c := range e.Claims {
		conditions := conditions(e.Evidence, c.Name)
		with := func(verdict string) string { return strings.Join(conditions[verdict], "; ") }
		claims.Add(c.Name, c.Sentence, with(holds), with(fails), with(undecided))
	}
	number, count := table.Num, table.Int
	evidence := table.New("evidence",
		text("claim", "its name"), text("statistic", "what the number is"),
		text("condition", "under which it was found"),
		text("source", "the experiment and its table, the rows that were taken, and the column"),
		text("minus", "what else the rows have that were subtracted, seed by seed"),
		count("n", "rows that the number comes from"), number("value", "the number, a mean over the rows"),
		number("low", "lower end of its interval"), number("high", "upper end"),
		text("interval", "t: 95 %, Student's; range: smallest to largest; columns: NAME_low and NAME_high"),
		text("sense", "side of the threshold that shows the claim"), number("threshold", ""),
		text("verdict", "holds, fails or open"))
	for _, v := range e.Evidence {
		source := slices.Concat([]string{v.Manifest + "/" + v.Table}, v.Rows, []string{v.Value})
		evidence.Add(v.Claim, v.Statistic, v.Condition, strings.Join(source, " "), strings.Join(v.Minus, " "),
			v.n, v.number, v.low, v.high, string(v.Interval), v.Sense, v.Threshold, v.verdict())
	}
	return table.Set{claims, evidence}, nil
}
