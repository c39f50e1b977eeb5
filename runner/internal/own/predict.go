package own

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// Options are what the flags of predict and learn say.
type Options struct {
	Network string         // file of the network
	Data    string         // table of the rows; - is the standard input
	Labels  string         // file of the classes; empty: a column of Data has them
	Format  dataset.Format // how Data is written; empty fields: as the training table
	Wrong   float64        // if below 1, the largest share of wrong answers, which sets Decision.Confidence
	To      string         // predict: CSV file for the predictions; learn: file for the network

	// These are for learn.
	From  int  // rows on earlier lines of Data, counted from 1, are left out
	Save  int  // the network is saved each time it has learned from so many rows
	Known bool // rows of classes that the network does not have are not learned

	classifier.Decision // which rows are answered
}

// Validate returns an error that names the wrong flags.
func (o *Options) Validate() error {
	if o.Data == "" {
		return errors.New("need -data FILE")
	}
	return errors.Join(
		field.Refuse(o.Probability != 0 && o.Wrong < 1, "-unknown", o.Probability, "without -wrong"),
		o.Format.Resolve(), field.Between("-unknown", 0, 1, o.Probability),
		field.Between("-wrong", 1e-6, 1, o.Wrong), field.Between("-familiar", 0, 1, o.Familiarity),
		field.Between("-from", 1, math.MaxInt, o.From), field.Between("-save", 1, math.MaxInt, o.Save))
}

// Predict prints a CSV table with the prediction of each row, or writes it to the file To. A row that cannot
// be predicted is unknown, without numbers, and reported to stderr; the error counts these rows. If the table
// has classes, Predict reports the scores, too.
func Predict(ctx context.Context, stdout, stderr io.Writer, o Options) error {
	var file bytes.Buffer
	if o.To != "" {
		stdout = &file
	}
	if err := store.Spare(cmp.Or(o.To, "-"), o.Network, o.Data, o.Labels); err != nil {
		return err
	}
	s, err := open(stdout, stderr, o, nil)
	if err == nil {
		err = s.run(ctx)
	}
	if err != nil {
		return err
	}
	if s.failed > 0 {
		err = fmt.Errorf("%d of %d rows could not be predicted", s.failed, s.read)
	}
	if o.To == "" {
		return err
	}
	text := file.Bytes()
	if strings.HasSuffix(o.To, ".gz") {
		text = store.Pack(text)
	}
	return errors.Join(store.WriteFile(o.To, text), err)
}

// Learn predicts each row, prints the prediction as Predict does, and then learns the row, if its class is in
// a column or on the line after it. It saves the network before the first row, after each Save rows, and at the
// end, and reports the scores after each 1,000 rows. If the end of ctx or of stdout has stopped it, next is the
// From that goes on, and otherwise 0. The error counts the rows that could not be learned.
func Learn(ctx context.Context, stdout, stderr io.Writer, o Options) (next int, err error) {
	err = errors.Join(store.Spare(o.To, o.Data, o.Labels), store.Spare("-", o.Network, o.Data, o.Labels))
	if err != nil {
		return 0, err
	}
	release, err := store.Hold(o.To)
	if err != nil {
		return 0, err
	}
	defer release()
	save := saver(o.To)
	s, err := open(stdout, stderr, o, save)
	if err == nil {
		err = save(s.network)
	}
	if err != nil {
		return 0, err
	}
	err = s.run(ctx)
	s.say("%s: %d rows, %d learned", o.To, s.network.Rows, s.network.Learned)
	switch unsaved := save(s.network); {
	case unsaved != nil:
		err = errors.Join(err, unsaved)
	case errors.Is(err, context.Canceled) || s.out.Error() != nil:
		next = max(o.From, s.last+1)
	case err == nil && s.last+1 < o.From:
		err = fmt.Errorf("-from %d: the last row of %s is on line %d", o.From, s.table.File, s.last)
	case err == nil && s.failed > 0:
		err = fmt.Errorf("%d of %d rows could not be learned", s.failed, s.read)
	}
	return next, err
}

// learn learns the last row. A class that the network does not have is added, unless only known ones are
// learned.
func (s *session) learn(label string) {
	n, class, err := s.network, slices.Index(s.network.Classes, label), s.labels.Add(label)
	if err == nil && class < 0 && s.options.Known {
		err = errors.New("the network does not have it")
	} else if err == nil && class < 0 {
		if err = n.AddClass(); err == nil {
			class, n.Classes = len(n.Classes), append(n.Classes, label)
			n.Added++
			s.say("%s: new class %q", s.place, label)
		}
	}
	if err == nil {
		err = n.Learn(s.x, class)
	}
	if err != nil {
		s.say("%s: class %q: %v; the row is not learned", s.place, label, err)
		s.failed++
		return
	}
	n.Learned++
}
