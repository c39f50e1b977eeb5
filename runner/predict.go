package main

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
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

// predictRows writes what a trained network says of the rows of a file.
func (p *program) predictRows() error {
	network, err := trained.Read(p.predict)
	if err != nil {
		return err
	}
	decide, err := p.of(network, p.predict)
	if err != nil {
		return err
	}
	rows, err := dataset.ReadTable(p.data)
	if err != nil {
		return err
	}
	out, unseen, failed, err := network.Predict(rows, decide)
	if err != nil {
		return err
	}
	if network.Bare {
		fmt.Fprintf(p.stderr, "%s: does not say what its inputs and classes are: the columns in their order, unscaled, and numbers from 0\n", p.predict)
	}
	if network.Familiar == nil {
		fmt.Fprintf(p.stderr, "%s: does not say which inputs were learned: no column familiarity\n", p.predict)
	}
	switch {
	case p.wrong > 0 && math.IsInf(decide.Probability, 1):
		fmt.Fprintf(p.stderr, "%s: the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are unknown\n", p.predict, p.wrong)
	case p.wrong > 0:
		fmt.Fprintf(p.stderr, "%s: least probability of an answer: %.6g; with %g %% confidence at most %g %% of the answers are wrong\n",
			p.predict, decide.Probability, 100*confidence, 100*p.wrong)
	}
	if len(unseen) > 0 {
		fmt.Fprintf(p.stderr, "%s: not seen in the training, and taken for none of the others: %s\n",
			p.data, strings.Join(unseen, ", "))
	}
	for _, err := range failed {
		fmt.Fprintln(p.stderr, err)
	}
	if p.to != "" {
		return store.WriteFile(p.to, out.CSV())
	}
	_, err = p.stdout.Write(out.CSV())
	return err
}
