package own

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"closedform/core/classifier"
	"closedform/core/selective"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// session predicts the rows of a table, one after another.
type session struct {
	options Options
	network *Network
	// save saves the network; nil: the rows are not learned. If they are learned, and there is no column of
	// labels, the line after each row is its label.
	save  func(*Network) error
	model interface {
		Predict(dst *classifier.Prediction, x []float64) error
		Threshold(share, confidence float64) (float64, error)
	}
	table   *dataset.Reader
	labels  dataset.Labels
	column  int // index of the column of labels; negative: there is none
	inputs  func(row dataset.Row) (x []float64, unseen []string, err error)
	last    int    // line of the last row that was read with its label
	read    int    // number of rows that were predicted and read with their labels
	failed  int    // number of rows that could not be predicted or, if they are learned, not learned
	promise string // what was promised of the answers; empty: nothing
	scores  scores // scores since the last report

	// The last row: its file and line, its scaled inputs, nil if it could not be predicted, its prediction, and
	// the class that was printed.
	place string
	x     []float64
	p     classifier.Prediction
	class string

	header   []string // names of the columns that are printed
	out      *csv.Writer
	stderr   io.Writer
	reported map[string]bool // words not in the training table that were reported
}

// scores are the running scores of rows that have a class.
type scores struct {
	rows, answered, wrong int         // number of rows, of answers other than unknown, and of wrong answers
	p                     [][]float64 // probabilities, for each predicted row
	class                 []int       // class of each row in p
	lacking               []string    // classes that the network did not have, one for each of their rows
}

// open opens the network and the table. If save is not nil, the rows will be learned: predicting is fast after
// each of them, and the probabilities of the classes are not printed, because classes may be added.
func open(stdout, stderr io.Writer, o Options, save func(*Network) error) (*session, error) {
	n, err := Read(o.Network)
	if err != nil {
		return nil, err
	}
	s := &session{options: o, network: n, save: save, model: n.Classifier, reported: map[string]bool{}}
	s.out, s.stderr = csv.NewWriter(stdout), stderr
	s.header = strings.Fields("row class probability confidence aleatoric epistemic mutual_information familiarity")
	if save == nil {
		if s.model, err = n.Snapshot(); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Network, err)
		}
		for _, class := range n.Classes {
			s.header = append(s.header, "p_"+class)
		}
	}
	if err = s.decide(); err == nil {
		err = s.openTable()
	}
	return s, err
}

// openTable opens the table of the options. Format fields that are empty are those of the training table.
func (s *session) openTable() (err error) {
	o, f, file, name := s.options, s.network.Format, os.Stdin, "standard input"
	if o.Data != "-" {
		name = o.Data
		if file, err = os.Open(name); err != nil { // the end of the program closes files
			return err
		}
	}
	f.Separator, f.Decimal = cmp.Or(o.Format.Separator, f.Separator), cmp.Or(o.Format.Decimal, f.Decimal)
	f.Class = cmp.Or(o.Format.Class, f.Class, "class")
	f.Flags, f.AsWritten = true, f.AsWritten || o.Format.AsWritten
	f.NoValue = slices.Concat(f.NoValue, o.Format.NoValue)
	s.network.Format.AsWritten = f.AsWritten // for classes that it adds
	s.labels = f.Labels(s.network.Classes)
	if s.table, err = dataset.NewReader(file, name, f); err != nil {
		return err
	}
	if o.Labels != "" {
		if file, err = os.Open(o.Labels); err == nil {
			err = s.table.Join(file, o.Labels, f)
		}
		if err != nil {
			return err
		}
	}
	s.column, err = s.table.Column(f.Class)
	if err != nil && o.Format.Class != "" {
		return err
	}
	s.inputs, err = s.network.Scaler.Inputs(s.table)
	return err
}

// decide sets which rows are answered, and says what is promised of the answers.
func (s *session) decide() (err error) {
	const confidence = 0.95
	o := &s.options
	if o.Wrong == 1 {
		return nil
	}
	o.Confidence, err = s.model.Threshold(o.Wrong, confidence)
	switch {
	case err != nil:
		return fmt.Errorf("%s: -wrong %g: %w; train the network again, in one pass over shuffled rows, by a "+
			"manifest with [save]", o.Network, o.Wrong, err)
	case math.IsInf(o.Confidence, 1):
		smallest, _ := selective.Smallest(s.model.Threshold, confidence) // no error, as above
		s.say("%s: -wrong %g cannot be promised, and all rows are unknown: the predictions before learning are "+
			"too few or too often wrong; -wrong %g could be promised", o.Network, o.Wrong, smallest)
	default:
		s.promise = fmt.Sprintf("; promised: at most %.4g %%", 100*o.Wrong)
		s.say("%s: promised with %g %% confidence: at most %.4g %% of the answers are wrong, for new rows like "+
			"those learned; rows with a confidence below %.6g are unknown", o.Network, 100*confidence, 100*o.Wrong,
			o.Confidence)
	}
	return nil
}

// run answers the rows from the line From on, and learns them if they are learned.
func (s *session) run(ctx context.Context) error {
	err := s.print(s.header)
	for err == nil {
		err = s.next(ctx)
	}
	s.report()
	if err == io.EOF {
		err = nil
		if s.read == 0 && s.save == nil {
			s.say("%s: a header without rows", s.table.File)
		}
	}
	return err
}

// next answers a row, only then reads its label, and learns it.
func (s *session) next(ctx context.Context) error {
	row, err := s.line(ctx)
	if err == nil && row.Line >= s.options.From {
		err = s.answer(row)
	}
	if err != nil {
		return err
	}
	label, bad, err := s.label(ctx, row)
	if err != nil {
		return err
	}
	if s.last = row.Line; s.last < s.options.From {
		return nil
	}
	s.read++
	switch {
	case bad != nil:
		s.say("%v; the row is not learned", bad)
		if s.x != nil {
			s.failed++
		}
	case !dataset.IsMissing(label):
		s.score(label)
		if s.x != nil && s.save != nil {
			s.learn(label)
		}
	}
	if s.save == nil {
		return nil
	}
	if s.network.Rows++; s.network.Rows%1000 == 0 {
		s.report()
	}
	if s.read%s.options.Save != 0 {
		return nil
	}
	return s.save(s.network)
}

// label returns the label of a row, "" if there is none; bad says what is wrong with the line of the label.
func (s *session) label(ctx context.Context, row dataset.Row) (label string, bad, err error) {
	switch {
	case s.column >= 0 && s.column < len(row.Cells):
		return row.Cells[s.column], nil, nil
	case s.column >= 0 || s.save == nil:
		return "", nil, nil
	}
	row, err = s.line(ctx)
	if len(row.Cells) > 1 {
		err = fmt.Errorf("%s:%d: found the row %q, need the class of the row before: the table has no column of "+
			"classes; -class names the column", s.table.File, row.Line, row.Cells)
	} else if !errors.Is(row.Err, csv.ErrFieldCount) {
		bad = row.Err
	}
	return strings.Join(row.Cells, ""), bad, err
}

// line reads the next line, or returns the error of the context when it ends.
func (s *session) line(ctx context.Context) (dataset.Row, error) {
	var row dataset.Row
	var err error
	done := make(chan struct{})
	go func() {
		row, err = s.table.Next()
		close(done)
	}()
	select {
	case <-done:
		return row, err
	case <-ctx.Done():
		return dataset.Row{}, ctx.Err()
	}
}

// answer predicts a row and prints the prediction. A row that cannot be predicted is reported; its class is
// dataset.Unknown, and its numbers are NaN.
func (s *session) answer(row dataset.Row) error {
	s.place, s.class = fmt.Sprintf("%s:%d", s.table.File, row.Line), dataset.Unknown
	x, unseen, err := s.inputs(row)
	for _, word := range unseen {
		if !s.reported[word] {
			s.reported[word] = true
			s.say("%s: %s is not in the training table; its inputs are 0", s.place, word)
		}
	}
	p := &s.p
	if err == nil {
		if err = s.model.Predict(p, x); err != nil {
			err = fmt.Errorf("%s: %w", s.place, err)
		}
	}
	var numbers []float64
	if s.x = x; err != nil {
		s.failed++
		s.x, numbers = nil, table.Gaps(6+len(s.network.Classes))
		s.say("%v; the row is %s", err, dataset.Unknown)
	} else {
		if s.options.Answers(p) {
			s.class = s.network.Classes[p.Details.Class()]
		}
		aleatoric, epistemic := p.Details.LabelVariance()
		numbers = append([]float64{
			p.P[p.Details.Class()], p.Confidence, aleatoric, epistemic, p.Details.MutualInformation(), p.Familiarity,
		}, p.P...)
	}
	cells := []string{strconv.Itoa(row.Line), s.class}
	for _, x := range numbers {
		cells = append(cells, table.Format(x))
	}
	return s.print(cells)
}

func (s *session) say(format string, args ...any) { fmt.Fprintf(s.stderr, format+"\n", args...) }

func (s *session) print(cells []string) error {
	_ = s.out.Write(cells[:len(s.header)]) // s.out.Error returns the error, too
	s.out.Flush()
	return s.out.Error()
}

// score adds the last row to the scores. A class that the network lacks has probability 0, so its rows count as
// wrong.
func (s *session) score(label string) {
	c := &s.scores
	err := s.labels.Add(label)
	if id := "class=" + label; err != nil && s.save == nil && !s.reported[id] {
		s.reported[id] = true
		s.say("%s: class %q: %v; answers to rows of this class are wrong", s.place, label, err)
	}
	if c.rows++; s.class != dataset.Unknown {
		c.answered++
		if s.class != label {
			c.wrong++
		}
	}
	if s.x == nil {
		return
	}
	p, class := slices.Clone(s.p.P), slices.Index(s.network.Classes, label)
	if class < 0 {
		class, c.lacking = len(p), append(c.lacking, label)
		p = append(p, 0)
	}
	c.p, c.class = append(c.p, p), append(c.class, class)
}

// report prints the scores since the last report, if there are any.
func (s *session) report() {
	c := s.scores
	if c.rows > 0 {
		s.say("%s: %d rows with a class: %d answered, %d of the answers wrong (%.3g %%)%s", s.table.File, c.rows,
			c.answered, c.wrong, 100*float64(c.wrong)/float64(max(1, c.answered)), s.promise)
	}
	if c.lacking != nil {
		s.say("%s: rows of classes that the network did not have when it predicted them, which count as wrong: %s",
			s.table.File, listed(c.lacking))
	}
	if c.p != nil {
		text := ""
		for i, score := range learner.Scores(c.p, c.class) {
			text += fmt.Sprintf(", %s %.4g", learner.ScoreNames[i], score)
		}
		s.say("%s: scores of %d rows, unknown ones included: %s", s.table.File, len(c.p), text[2:])
	}
	s.scores = scores{}
}

// listed returns the first ten different words, and how often each is there.
func listed(words []string) string {
	var list []string
	count := map[string]int{}
	for _, word := range words {
		count[word]++
	}
	for _, word := range words {
		if count[word] > 0 {
			list = append(list, fmt.Sprintf("%q (%d)", word, count[word]))
			delete(count, word)
		}
	}
	if len(list) > 10 {
		list = append(list[:10], "…")
	}
	return strings.Join(list, ", ")
}
