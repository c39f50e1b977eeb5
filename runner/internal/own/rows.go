package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// Rows are those of a table, for a network, and when one is unknown.
type Rows struct {
	Network  string         // its file
	Data     string         // the CSV file; - is the standard input
	Layout   dataset.Layout // of the CSV file; empty: that of the training table
	Class    string         // the column of classes; empty: that of the training table
	Unknown  float64        // least probability of an answer
	Wrong    float64        // in place of Unknown, most share of wrong answers
	Familiar float64        // least familiarity of an answer
	Stderr   io.Writer      // for what looks wrong
}

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	switch {
	case r.Data == "":
		return errors.New("need -data FILE")
	case r.Unknown != 0 && r.Wrong != 0:
		return errors.New("-unknown and -wrong exclude each other")
	}
	return cmp.Or(r.Layout.Validate(), field.Within("-unknown", r.Unknown, 0, 1),
		field.Fraction("-wrong", r.Wrong), field.Within("-familiar", r.Familiar, 0, 1))
}

// say prints a line about a row, or about the file of the network.
func (r *Rows) say(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) }

// stream is a network that predicts rows, one after another.
type stream struct {
	*Rows
	*Network
	reader *dataset.Reader
	inputs *dataset.Inputs
	column int             // of the classes; below 0: none
	unseen map[string]bool // words that were reported

	x []float64 // of the last row
	p classifier.Prediction
}

// open reads the network, and the header of the table.
func (r *Rows) open() (*stream, error) {
	n, err := Read(r.Network)
	if err != nil {
		return nil, err
	}
	if n.Decision = (classifier.Decision{Probability: r.Unknown, Familiarity: r.Familiar}); r.Wrong > 0 {
		threshold, err := n.Threshold(r.Wrong, confidence)
		switch n.Decision.Probability = threshold; {
		case err != nil:
			return nil, fmt.Errorf("%s: %w, which -wrong needs; train the network again in one pass by [save]",
				r.Network, err)
		case math.IsInf(threshold, 1):
			r.say("%s: the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are "+
				"unknown", r.Network, r.Wrong)
		default:
			r.say("%s: least probability of an answer: %.6g; with %g %% confidence at most %g %% of the answers are "+
				"wrong", r.Network, threshold, 100*confidence, 100*r.Wrong)
		}
	}
	file, name := os.Stdin, "standard input"
	if r.Data != "-" {
		name = r.Data
		if file, err = os.Open(r.Data); err != nil { // it is closed when the program ends
			return nil, err
		}
	}
	s := &stream{Rows: r, Network: n, unseen: map[string]bool{}}
	s.reader, err = dataset.NewReader(file, name, dataset.Layout{
		Separator: cmp.Or(r.Layout.Separator, n.Layout.Separator),
		Decimal:   cmp.Or(r.Layout.Decimal, n.Layout.Decimal),
	})
	if err != nil {
		return nil, err
	}
	s.column = slices.Index(s.reader.Columns, cmp.Or(r.Class, n.Column, "class"))
	if s.column < 0 && r.Class != "" {
		return nil, fmt.Errorf("%s: no column %q; the columns are %q", name, r.Class, s.reader.Columns)
	}
	s.inputs, err = n.Scaler.Inputs(s.reader)
	return s, err
}

// wait reads a row, or returns an error when ctx is cancelled; read then goes on by itself.
func wait(ctx context.Context, read func() (dataset.Row, error)) (dataset.Row, error) {
	type result struct {
		row dataset.Row
		err error
	}
	done := make(chan result, 1)
	go func() {
		row, err := read()
		done <- result{row, err}
	}()
	select {
	case r := <-done:
		return r.row, r.err
	case <-ctx.Done():
		return dataset.Row{}, ctx.Err()
	}
}

// predict predicts a row by a method of the classifier.
func (s *stream) predict(row dataset.Row, by func(p *classifier.Prediction, x []float64) error) error {
	x, unseen, err := s.inputs.Read(row)
	if err != nil {
		return err
	}
	for _, word := range unseen {
		if !s.unseen[word] {
			s.unseen[word] = true
			s.say("%s:%d: %s was not in the training; its inputs are 0", s.reader.File, row.Line, word)
		}
	}
	if s.x, err = x, by(&s.p, x); err != nil {
		err = fmt.Errorf("%s:%d: %w", s.reader.File, row.Line, err)
	}
	return err
}

// answer returns the class of the row that was predicted last, or Unknown, and its probability.
func (s *stream) answer() (class string, probability float64) {
	probability = s.p.P[s.p.Details.Class()]
	if s.p.Class == classifier.Unknown {
		return dataset.Unknown, probability
	}
	return s.Classes[s.p.Class], probability
}

// Predict returns what the network says of each row, after the value of the row in the column id, or without
// one its number. Rows that cannot be predicted are unknown, without numbers, and reported; failed is their
// number.
func (r *Rows) Predict(ctx context.Context, id string) (out *table.Table, failed int, err error) {
	s, err := r.open()
	if err != nil {
		return nil, 0, err
	}
	key := slices.Index(s.reader.Columns, id)
	columns := []table.Column{table.Int("row", ""), table.Text("class", "")}
	if id != "" {
		columns[0] = table.Text(id, "")
	}
	names := []string{"probability", "aleatoric", "epistemic", "mutual_information", "familiarity"}
	for _, class := range s.Classes {
		names = append(names, "p_"+class)
	}
	for _, name := range names {
		columns = append(columns, table.Num(name, ""))
	}
	switch out = table.New("predictions", columns...); {
	case id != "" && key < 0:
		return nil, 0, fmt.Errorf("%s: no column %q; the columns are %q", s.reader.File, id, s.reader.Columns)
	case slices.Contains(table.Names(columns[1:]), id):
		return nil, 0, fmt.Errorf("-id %s: the predictions have such a column; rename it in %s", id, s.reader.File)
	}
	var k known
	for number := 1; ; number++ {
		row, err := wait(ctx, s.reader.Next)
		if err == io.EOF {
			k.say(s)
			return out, failed, nil
		} else if err != nil {
			return nil, 0, err
		}
		cells := []any{number}
		if id != "" {
			cells[0] = slices.Concat(row.Cells, make([]string, key+1))[key] // of a short row nothing
		}
		err = s.predict(row, s.Network.Predict)
		if k.add(s, row, err != nil); err != nil {
			failed++
			s.say("%v; the row is %s", err, dataset.Unknown)
			out.Add(append(cells, dataset.Unknown, table.Gaps(len(names)))...)
			continue
		}
		class, probability := s.answer()
		aleatoric, epistemic := s.p.Details.LabelVariance()
		out.Add(append(cells, class, probability, aleatoric, epistemic, s.p.Details.MutualInformation(),
			s.p.Familiarity, s.p.P)...)
	}
}

// known has the rows whose class the table has.
type known struct {
	p                     [][]float64 // of those that could be predicted
	class                 []int
	rows, unknown, others int // unknown were not answered, others have a class that the network does not have
}

// add takes note of a row that was predicted, or failed to be.
func (k *known) add(s *stream, row dataset.Row, failed bool) {
	if s.column < 0 || s.column >= len(row.Cells) || dataset.IsMissing(row.Cells[s.column]) {
		return
	}
	class := slices.Index(s.Classes, row.Cells[s.column])
	if class < 0 {
		k.others++
		return
	}
	if k.rows++; failed || s.p.Class == classifier.Unknown {
		k.unknown++
	}
	if !failed {
		k.p, k.class = append(k.p, slices.Clone(s.p.P)), append(k.class, class)
	}
}

// say prints the scores.
func (k *known) say(s *stream) {
	if len(k.p) > 0 {
		var scores []string
		for i, score := range learner.Scores(k.p, k.class) {
			scores = append(scores, fmt.Sprintf("%s %.4g", learner.ScoreNames[i], score))
		}
		s.say("%s: %d rows with a class: %s, unknown %.4g", s.reader.File, k.rows, strings.Join(scores, ", "),
			float64(k.unknown)/float64(k.rows))
	}
	if k.others > 0 {
		s.say("%s: %d rows of classes that the network does not have", s.reader.File, k.others)
	}
}
