package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"closedform/runner/dataset"
	"closedform/runner/internal/trained"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// predictRows writes what a trained network says of the rows of a file.
func (p *program) predictRows() error {
	network, err := trained.Read(p.predict)
	if err != nil {
		return err
	}
	decide := trained.Decision{Probability: p.unknown}
	if p.wrong > 0 {
		if network.Record == nil {
			return fmt.Errorf("%s: has no record of predictions before learning, which -wrong needs; train the network again in one pass by [save]", p.predict)
		}
		decide.Probability = network.Record.Threshold(p.wrong, confidence)
	}
	if decide.Probability > 0 {
		if slices.Contains(network.Classes, trained.Unknown) {
			return fmt.Errorf("%s: has a class named %s; rename it to use -unknown or -wrong", p.predict, trained.Unknown)
		}
		decide.Familiarity = p.familiar
	}
	rows, err := dataset.ReadTable(p.data)
	if err != nil {
		return err
	}
	out, unseen, err := network.Predict(rows, decide)
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
	if p.to != "" {
		if err := renameio.WriteFile(p.to, out.CSV(), 0o666); err != nil {
			return fmt.Errorf("-to %s: %w", p.to, err)
		}
		return nil
	}
	_, err = p.stdout.Write(out.CSV())
	return err
}
