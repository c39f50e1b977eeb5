package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// decision says when a row is unknown.
type decision struct {
	unknown, wrong, familiar float64 // least probability of an answer, share of wrong answers, least familiarity
}

func (d *decision) flags(flags *flag.FlagSet) {
	flags.Float64Var(&d.unknown, "unknown", 0, "least `probability` for a class; below it the class is unknown")
	flags.Float64Var(&d.wrong, "wrong", 0, "choose that probability such that, with 95 % confidence, at most a `share` of the answers is wrong")
	flags.Float64Var(&d.familiar, "familiar", 0.01, "with -unknown or -wrong: least `familiarity` of an answer, a p-value of the inputs; 0: any")
}

// problem says what is not allowed.
func (d *decision) problem() string {
	switch {
	case d.unknown != 0 && d.wrong != 0:
		return "-unknown and -wrong exclude each other"
	case !(d.wrong >= 0 && d.wrong < 1):
		return fmt.Sprintf("-wrong %g: need a share, above 0 and below 1", d.wrong)
	case !(d.familiar >= 0 && d.familiar <= 1):
		return fmt.Sprintf("-familiar %g: need a p-value, from 0 to 1", d.familiar)
	case !(d.unknown >= 0 && d.unknown <= 1):
		return fmt.Sprintf("-unknown %g: need a probability, from 0 to 1", d.unknown)
	}
	return ""
}

// of returns the decision for a network that was read from a file.
func (d *decision) of(n *trained.Network, file string) (trained.Decision, error) {
	decide := trained.Decision{Probability: d.unknown}
	if d.wrong > 0 {
		if n.Record == nil {
			return decide, fmt.Errorf("%s: has no record of predictions before learning, which -wrong needs; train the network again in one pass by [save]", file)
		}
		decide.Probability = n.Record.Threshold(d.wrong, confidence)
	}
	if decide.Probability > 0 {
		if slices.Contains(n.Classes, trained.Unknown) {
			return decide, fmt.Errorf("%s: has a class named %s; rename it to use -unknown or -wrong", file, trained.Unknown)
		}
		decide.Familiarity = d.familiar
	}
	return decide, nil
}

func (p *program) predictCommand(f *flag.FlagSet) action {
	data := f.String("data", "", "CSV `file` with rows, .csv.gz if it is packed; - is standard input. Columns are found by their names")
	id := f.String("id", "", "`column` to begin the predictions with (default: the numbers of the rows)")
	to := f.String("to", "", "CSV `file` for the predictions (default: standard output)")
	var d decision
	d.flags(f)
	return func(_ context.Context, args []string) error {
		if problem := d.problem(); problem != "" || *data == "" {
			return misuse("predict: %s", cmp.Or(problem, "need predict NETWORK -data FILE"))
		}
		out, err := p.predictRows(args[0], *data, *id, d)
		if err != nil {
			return err
		}
		if *to != "" {
			return store.WriteFile(*to, out.CSV())
		}
		_, err = p.stdout.Write(out.CSV())
		return err
	}
}

// predictRows returns what the network in a file says of the rows of another.
func (p *program) predictRows(file, data, id string, d decision) (*table.Table, error) {
	network, err := trained.Read(file)
	if err != nil {
		return nil, err
	}
	decide, err := d.of(network, file)
	if err != nil {
		return nil, err
	}
	in, data, err := openRows(data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data, err)
	}
	rows, err := dataset.ParseTable(text, data)
	if err != nil {
		return nil, err
	}
	ids, err := takeID(rows, id, network.Bare)
	if err != nil {
		return nil, err
	}
	out, unseen, failed, err := network.Predict(rows, decide)
	if err != nil {
		return nil, err
	}
	if out.Has(ids.Name) {
		return nil, fmt.Errorf("-id %s: the predictions have such a column, too; rename it in %s", id, data)
	}
	out.Columns = slices.Insert(out.Columns, 0, ids)
	say := func(format string, args ...any) { fmt.Fprintf(p.stderr, file+": "+format+"\n", args...) }
	if network.Bare {
		say("does not say what its inputs and classes are: the columns in their order, unscaled, and numbers from 0")
	}
	if network.Familiar == nil {
		say("does not say which inputs were learned: no column familiarity")
	}
	switch {
	case d.wrong > 0 && math.IsInf(decide.Probability, 1):
		say("the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are unknown", d.wrong)
	case d.wrong > 0:
		say("least probability of an answer: %.6g; with %g %% confidence at most %g %% of the answers are wrong",
			decide.Probability, 100*confidence, 100*d.wrong)
	}
	if len(unseen) > 0 {
		fmt.Fprintf(p.stderr, "%s: not seen in the training, and taken for none of the others: %s\n", data, strings.Join(unseen, ", "))
	}
	for _, err := range failed {
		fmt.Fprintln(p.stderr, err)
	}
	return out, nil
}

// openRows opens a table, of which - is that of the standard input, and returns its name for messages.
func openRows(file string) (rows io.ReadCloser, name string, err error) {
	rows, err = dataset.Open(file)
	if name = file; file == "-" {
		name = "standard input"
	}
	return rows, name, err
}

// takeID returns the column of rows that tells them apart, or without a name their numbers. The column is taken out
// of the table if all of them are inputs.
func takeID(rows *dataset.Table, name string, inputs bool) (ids table.Column, err error) {
	column := slices.Index(rows.Columns, name)
	switch {
	case name == "":
		ids = table.Int("row", "")
	case column < 0:
		return ids, fmt.Errorf("%s: no column %q; the columns are %q", rows.File, name, rows.Columns)
	default:
		ids = table.Text(name, "")
	}
	for i, cells := range rows.Cells {
		if name == "" {
			ids.Nums = append(ids.Nums, float64(i+1))
			continue
		}
		ids.Texts = append(ids.Texts, cells[column])
		if inputs {
			rows.Cells[i] = slices.Delete(cells, column, column+1)
		}
	}
	if inputs && name != "" {
		rows.Columns = slices.Delete(rows.Columns, column, column+1)
	}
	return ids, nil
}
