package main

import (
	"fmt"
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
	rows, err := dataset.ReadTable(p.data)
	if err != nil {
		return err
	}
	out, unseen, err := network.Predict(rows, p.unknown)
	if err != nil {
		return err
	}
	if len(unseen) > 0 {
		fmt.Fprintf(p.stderr, "%s: not seen in the training, and taken for none of the others: %s\n",
			p.data, strings.Join(unseen, ", "))
	}
	if p.to != "" {
		return renameio.WriteFile(p.to, out.CSV(), 0o666)
	}
	_, err = p.stdout.Write(out.CSV())
	return err
}
