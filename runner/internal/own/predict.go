package own

import (
	"bytes"
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
	"closedform/runner/internal/learner"
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

// Validate returns an error that names the wrong flags.
func (o *Options) Validate() error {
	if o.Data == "" {
		return errors.New("need -data FILE")
	}
	return errors.Join(
		field.Refuse(o.Probability != 0 && o.Wrong < 1, "-unknown", o.Probability, "without -wrong"),
		field.Resolve(&o.Format), field.Between("-unknown", 0, 1, o.Probability),
		field.Between("-wrong", 1e-6, 1, o.Wrong), field.Between("-familiar", 0, 1, o.Familiarity))
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
	if err = s.run(ctx, 1, func(string) error { return nil }); err != nil {
		return err
	}
	if s.failed > 0 {
		err = fmt.Errorf("%d of %d rows could not be predicted", s.failed, s.rows.read)
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

// session predicts the rows of a table, one after another.
type session struct {
	network *Network
	rows    *rows
	inputs  func(row dataset.Row) (x []float64, unseen []string, err error)
	predict func(dst *classifier.Prediction, x []float64) error
	failed  int    // number of rows that could not be predicted
	scores  scores // since the last report

	// The last row: its file and line, its scaled inputs, nil if it could not be predicted, and the class and
	// the numbers that were printed, of which the last ones are the probabilities of the classes.
	place   string
	x       []float64
	p       classifier.Prediction
	class   string
	numbers []float64

	header   []string // names of the columns that are printed
	out      *csv.Writer
	stderr   io.Writer
	reported map[string]bool // words that the training table does not have
}

// open opens the network and the table. If the rows will be learned, predicting is fast after each of them,
// and the probabilities of the classes are not printed, because classes may be added.
func open(stdout, stderr io.Writer, o Options, learned bool) (*session, error) {
	n, err := Read(o.Network)
	if err != nil {
		return nil, err
	}
	s := &session{network: n, out: csv.NewWriter(stdout), stderr: stderr, reported: map[string]bool{}}
	s.predict, s.header = n.Before, strings.Fields("row class probability confidence aleatoric epistemic "+
		"mutual_information familiarity")
	if !learned {
		s.predict = n.Predict
		for _, class := range n.Classes {
			s.header = append(s.header, "p_"+class)
		}
	}
	err = s.decide(o)
	if err == nil {
		s.rows, err = openRows(o, n.Format, learned)
	}
	if err == nil {
		s.inputs, err = n.Scaler.Inputs(s.rows.Reader)
	}
	return s, err
}

// decide sets which rows are answered.
func (s *session) decide(o Options) (err error) {
	const confidence = 0.95
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

// run answers the rows from the given one on, counted from 1, and hands the label of each to use.
func (s *session) run(ctx context.Context, from int, use func(label string) error) error {
	err := s.print(s.header)
	for err == nil && s.rows.read+1 < from {
		_, _, err = s.rows.next(ctx, func(dataset.Row) error { return nil })
	}
	for err == nil {
		var label string
		if label, err = s.next(ctx); err == nil {
			err = use(label)
		}
	}
	s.report()
	if err == io.EOF {
		return nil
	}
	return err
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.stderr, format+"\n", args...) }

func (s *session) print(cells []string) error {
	_ = s.out.Write(cells[:len(s.header)]) // Error returns its error, too
	s.out.Flush()
	return s.out.Error()
}

// next answers a row and then returns its label, empty if there is none or if the row could not be predicted.
// The error is io.EOF after the last row.
func (s *session) next(ctx context.Context) (label string, err error) {
	label, bad, err := s.rows.next(ctx, s.answer)
	if k := slices.Index(s.network.Classes, label); k >= 0 {
		s.scores.add(k, s.class, s.numbers[6:])
	}
	if bad != nil {
		s.say("%v; the row is not learned", bad)
	}
	if bad != nil || s.x == nil {
		return "", err
	}
	return label, err
}

// answer predicts a row and prints the prediction. A row that cannot be predicted is reported; its class is
// dataset.Unknown, and its numbers are NaN.
func (s *session) answer(row dataset.Row) error {
	s.place, s.class = s.rows.place(row), dataset.Unknown
	x, unseen, err := s.inputs(row)
	for _, word := range unseen {
		if !s.reported[word] {
			s.reported[word] = true
			s.say("%s: %s is not in the training table; its inputs are 0", s.place, word)
		}
	}
	p := &s.p
	if err == nil {
		if err = s.predict(p, x); err != nil {
			err = fmt.Errorf("%s: %w", s.place, err)
		}
	}
	if s.x = x; err != nil {
		s.failed++
		s.x, s.numbers = nil, table.Gaps(6+len(s.network.Classes))
		s.say("%v; the row is %s", err, dataset.Unknown)
	} else {
		if p.Class != classifier.Unknown {
			s.class = s.network.Classes[p.Class]
		}
		aleatoric, epistemic := p.Details.LabelVariance()
		s.numbers = append([]float64{
			p.P[p.Details.Class()], p.Confidence, aleatoric, epistemic, p.Details.MutualInformation(), p.Familiarity,
		}, p.P...)
	}
	cells := []string{strconv.Itoa(s.rows.read + 1), s.class}
	for _, x := range s.numbers {
		cells = append(cells, table.Format(x))
	}
	return s.print(cells)
}

// report prints the scores since the last report, if there are any.
func (s *session) report() {
	if s.scores.p != nil {
		s.say("%s: %v", s.rows.File, &s.scores)
	}
	s.scores = scores{}
}

// scores are the running scores of rows whose class is known.
type scores struct {
	rows, unknown int         // rows, and those of them that were answered by unknown
	p             [][]float64 // probabilities of the classes, for each row that could be predicted
	class         []int       // the classes of these rows
}

// add adds a row with its class, the answer, and the probabilities, NaN if the row could not be predicted.
func (s *scores) add(class int, answer string, p []float64) {
	if s.rows++; answer == dataset.Unknown {
		s.unknown++
	}
	if !math.IsNaN(p[0]) {
		s.p, s.class = append(s.p, p), append(s.class, class)
	}
}

func (s *scores) String() string {
	text := fmt.Sprintf("%d rows with a class: ", s.rows)
	for i, score := range learner.Scores(s.p, s.class) {
		text += fmt.Sprintf("%s %.4g, ", learner.ScoreNames[i], score)
	}
	return text + fmt.Sprintf("unknown %.4g", float64(s.unknown)/float64(s.rows))
}
