package own

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
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

// confidence is the confidence with which -wrong limits the share of wrong answers.
const confidence = 0.95

// session predicts the rows of a table, one after another.
type session struct {
	network *Network
	rows    *rows
	inputs  func(row dataset.Row) (x []float64, unseen []string, err error)
	predict func(dst *classifier.Prediction, x []float64) error
	failed  int    // number of rows that could not be predicted
	scores  scores // since the last report

	// Of the last row: its file and line, its inputs and its prediction.
	place string
	x     []float64
	p     classifier.Prediction

	header   []string // names of the columns that are printed
	out      *csv.Writer
	stderr   io.Writer
	reported map[string]bool // words that the training table does not have
}

// open opens the network and the table. If the rows will be learned, predicting is fast after each of them, and
// the probabilities of the classes are not printed, because classes may be added.
func open(stdout, stderr io.Writer, o Options, learned bool) (*session, error) {
	n, err := Read(o.Network)
	if err != nil {
		return nil, err
	}
	s := &session{network: n, out: csv.NewWriter(stdout), stderr: stderr, reported: map[string]bool{}}
	s.predict, s.header = n.Before, []string{
		"row", "class", "probability", "confidence", "aleatoric", "epistemic", "mutual_information", "familiarity",
	}
	if !learned {
		s.predict = n.Predict
		for _, class := range n.Classes {
			s.header = append(s.header, "p_"+class)
		}
	}
	if err = s.decide(o); err != nil {
		return nil, err
	}
	if s.rows, err = openRows(o, n.Format, learned); err != nil {
		return nil, err
	}
	s.inputs, err = n.Scaler.Inputs(s.rows.Reader)
	return s, err
}

// decide sets which rows are answered.
func (s *session) decide(o Options) (err error) {
	if o.Wrong < 1 {
		if o.Confidence, err = s.network.Threshold(o.Wrong, confidence); err != nil {
			return fmt.Errorf("%s: %w, which -wrong needs; train the network again in one pass by [save]",
				o.Network, err)
		}
		text := fmt.Sprintf("rows with a confidence below %.6g are unknown; with %g %% confidence at most %g %% "+
			"of the answers are wrong", o.Confidence, 100*confidence, 100*o.Wrong)
		if math.IsInf(o.Confidence, 1) {
			text = "all rows are unknown: the predictions before learning are too few or too often wrong"
		}
		s.say("%s: %s", o.Network, text)
	}
	s.network.Decision = o.Decision
	return nil
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.stderr, format+"\n", args...) }

func (s *session) print(cells []string) error {
	_ = s.out.Write(cells[:len(s.header)]) // Error returns its error, too
	s.out.Flush()
	return s.out.Error()
}

// next reads a row, predicts it, prints the prediction, and then reads the label of the row. The label is empty
// if there is none, or if the row could not be predicted. The error is io.EOF after the last row.
func (s *session) next(ctx context.Context) (label string, err error) {
	row, err := s.rows.next(ctx)
	if err != nil {
		return "", err
	}
	s.place = s.rows.place(row)
	class, numbers, bad := s.answer(row)
	if bad != nil {
		s.failed++
		s.say("%v; the row is %s", bad, class)
	}
	cells := []string{strconv.Itoa(s.rows.read + 1), class}
	for _, x := range numbers {
		cells = append(cells, table.Format(x))
	}
	if err = s.print(cells); err != nil {
		return "", err
	}
	label, badLabel, err := s.rows.label(ctx, row)
	if k := slices.Index(s.network.Classes, label); k >= 0 {
		s.scores.add(k, class, numbers[6:])
	}
	if badLabel != nil {
		s.say("%v; the row is not learned", badLabel)
	}
	if bad != nil || badLabel != nil {
		return "", err
	}
	return label, err
}

// answer returns the class of a row and the numbers that are printed after it, the last ones being the
// probabilities of the classes. If the row cannot be predicted, they are dataset.Unknown and NaN.
func (s *session) answer(row dataset.Row) (class string, numbers []float64, err error) {
	var unseen []string
	s.x, unseen, err = s.inputs(row)
	for _, word := range unseen {
		if !s.reported[word] {
			s.reported[word] = true
			s.say("%s: %s is not in the training table; its inputs are 0", s.place, word)
		}
	}
	if err == nil {
		if err = s.predict(&s.p, s.x); err != nil {
			err = fmt.Errorf("%s: %w", s.place, err)
		}
	}
	if err != nil {
		return dataset.Unknown, table.Gaps(6 + len(s.network.Classes)), err
	}
	if class = dataset.Unknown; s.p.Class != classifier.Unknown {
		class = s.network.Classes[s.p.Class]
	}
	d := &s.p.Details
	aleatoric, epistemic := d.LabelVariance()
	return class, append([]float64{
		s.p.P[d.Class()], s.p.Confidence, aleatoric, epistemic, d.MutualInformation(), s.p.Familiarity,
	}, s.p.P...), nil
}

// report prints the scores since the last report.
func (s *session) report() {
	if text := s.scores.String(); text != "" {
		s.say("%s: %s", s.rows.File, text)
	}
	s.scores = scores{}
}
