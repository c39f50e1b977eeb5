package own

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// Options are what the flags of predict and learn say.
type Options struct {
	Network string         // file of the network
	Data    string         // CSV file of the rows; - is the standard input
	Format  dataset.Format // how Data is written; empty fields: as the training table
	Wrong   float64        // if below 1, the largest share of wrong answers, which sets Decision.Confidence
	From    int            // learn: the first row to predict and learn, from 1
	To      string         // predict: CSV file for the predictions; learn: file for the network

	classifier.Decision // which rows are answered
}

// Validate returns an error that names the first wrong flag.
func (o *Options) Validate() error {
	if o.Data == "" {
		return errors.New("need -data FILE")
	}
	return cmp.Or(field.Refuse(o.Probability != 0 && o.Wrong < 1, "-unknown", "without -wrong"),
		o.Format.Validate(), field.Within("-unknown", o.Probability, 0, 1),
		field.Within("-wrong", o.Wrong, 1e-6, 1), field.Within("-familiar", o.Familiarity, 0, 1))
}

// Predict prints a CSV table with the prediction of each row, or writes it to the file To. A row that cannot
// be predicted is unknown, without numbers, and reported to stderr; the error counts these rows. If the table
// has classes, Predict reports the scores, too.
func Predict(ctx context.Context, stdout, stderr io.Writer, o Options) error {
	var file bytes.Buffer
	if o.To != "" {
		stdout = &file
	}
	s, err := open(stdout, stderr, o, false)
	if err != nil {
		return err
	}
	err = s.print(s.header)
	for err == nil {
		_, err = s.next(ctx)
	}
	if s.report(); err != io.EOF {
		return err
	}
	if err = nil; s.failed > 0 {
		err = fmt.Errorf("%d of %d rows could not be predicted", s.failed, s.rows.read)
	}
	text := file.Bytes()
	if strings.HasSuffix(o.To, ".gz") {
		text = store.Pack(text)
	}
	if o.To != "" {
		err = errors.Join(store.WriteFile(o.To, text), err)
	}
	return err
}
