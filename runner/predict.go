package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"closedform/runner/dataset"
	"closedform/runner/internal/trained"
)

// predictRows writes what a trained network says of the rows of a file.
func (p *program) predictRows() error {
	network, err := trained.Read(p.predict)
	if err != nil {
		return err
	}
	if p.unknown > 0 && slices.Contains(network.Classes, trained.Unknown) {
		return fmt.Errorf("%s: has a class named %s, which -unknown %g could not be told from", p.predict, trained.Unknown, p.unknown)
	}
	rows, err := dataset.ReadTable(p.data)
	if err != nil {
		return err
	}
	out, unseen, err := network.Predict(rows, p.unknown)
	if err != nil {
		return err
	}
	if network.Bare {
		fmt.Fprintf(p.stderr, "%s: does not say what its inputs and classes are: the columns in their order, unscaled, and numbers from 0\n", p.predict)
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
