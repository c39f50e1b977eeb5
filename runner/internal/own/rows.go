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
	"strings"

	"closedform/core/classifier"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// Rows are those of a table that a network predicts, one after another, and when one is unknown.
type Rows struct {
	Network  string         // its file
	Data     string         // the CSV file; - is the standard input
	Layout   dataset.Layout // of the CSV file; empty: that of the training table
	Class    string         // the column of classes; empty: that of the training table
	Unknown  float64        // least probability of an answer
	Wrong    float64        // in place of Unknown, if below 1, most share of wrong answers
	Familiar float64        // least familiarity of an answer
	Stderr   io.Writer      // for what looks wrong

	n      *Network
	reader *dataset.Reader
	inputs func(row dataset.Row) (x []float64, unseen []string, err error)
	column int             // of the classes; below 0: none
	unseen map[string]bool // words that were reported
	out    *csv.Writer

	x []float64 // of the last row
	p classifier.Prediction
}

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	switch {
	case r.Data == "":
		return errors.New("need -data FILE")
	case r.Unknown != 0 && r.Wrong < 1:
		return errors.New("-unknown and -wrong exclude each other")
	case !(r.Wrong > 0 && r.Wrong <= 1):
		return field.Errorf("-wrong", "%g is not allowed; allowed: a number > 0 and < 1", r.Wrong)
	}
	return cmp.Or(r.Layout.Validate(), field.Within("-unknown", r.Unknown, 0, 1),
		field.Within("-familiar", r.Familiar, 0, 1))
}

func (r *Rows) say(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) }

func (r *Rows) open() (err error) {
	if r.n, err = Read(r.Network); err != nil {
		return err
	}
	n := r.n
	n.Decision = classifier.Decision{Probability: r.Unknown, Familiarity: r.Familiar}
	if r.Wrong < 1 {
		n.Decision.Confidence, err = n.Threshold(r.Wrong, confidence)
		switch threshold := n.Decision.Confidence; {
		case err != nil:
			return fmt.Errorf("%s: %w, which -wrong needs; train the network again in one pass by [save]",
				r.Network, err)
		case math.IsInf(threshold, 1):
			r.say("%s: the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are "+
				"unknown", r.Network, r.Wrong)
		default:
			r.say("%s: least confidence of an answer: %.6g; with %g %% confidence at most %g %% of the answers are "+
				"wrong", r.Network, threshold, 100*confidence, 100*r.Wrong)
		}
	}
	file, name := os.Stdin, "standard input"
	if r.Data != "-" {
		name = r.Data
		if file, err = os.Open(r.Data); err != nil { // it is closed when the program ends
			return err
		}
	}
	r.reader, err = dataset.NewReader(file, name, dataset.Layout{
		Separator: cmp.Or(r.Layout.Separator, n.Layout.Separator),
		Decimal:   cmp.Or(r.Layout.Decimal, n.Layout.Decimal),
	})
	if err != nil {
		return err
	}
	r.column, err = r.reader.Column(cmp.Or(r.Class, n.Column, "class"))
	if err != nil && r.Class != "" {
		return err
	}
	r.unseen = map[string]bool{}
	r.inputs, err = n.Scaler.Inputs(r.reader)
	return err
}

func (r *Rows) next(ctx context.Context) (dataset.Row, error) {
	var row dataset.Row
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		row, err = r.reader.Next()
	}()
	select {
	case <-done:
		return row, err
	case <-ctx.Done():
		return dataset.Row{}, ctx.Err()
	}
}

func (r *Rows) place(row dataset.Row) string { return fmt.Sprintf("%s:%d", r.reader.File, row.Line) }

// cell returns the cell of a column; a short row, or a table without the column, has none.
func cell(row dataset.Row, column int) string {
	if column < 0 || column >= len(row.Cells) {
		return ""
	}
	return row.Cells[column]
}

func (r *Rows) predict(row dataset.Row, by func(p *classifier.Prediction, x []float64) error) error {
	x, unseen, err := r.inputs(row)
	if err != nil {
		return err
	}
	for _, word := range unseen {
		if !r.unseen[word] {
			r.unseen[word] = true
			r.say("%s: %s was not in the training; its inputs are 0", r.place(row), word)
		}
	}
	if r.x, err = x, by(&r.p, x); err != nil {
		err = fmt.Errorf("%s: %w", r.place(row), err)
	}
	return err
}

func (r *Rows) answer() (class string, probability float64) {
	if class = dataset.Unknown; r.p.Class != classifier.Unknown {
		class = r.n.Classes[r.p.Class]
	}
	return class, r.p.P[r.p.Details.Class()]
}

// Predict returns what the network says of each row. Rows that cannot be predicted are unknown, without
// numbers, and reported; failed is their number. If the table has classes, the scores are printed.
func (r *Rows) Predict(ctx context.Context) (out *table.Table, failed int, err error) {
	if err := r.open(); err != nil {
		return nil, 0, err
	}
	columns := []table.Column{table.Int("row", ""), table.Text("class", "")}
	names := []string{"probability", "confidence", "aleatoric", "epistemic", "mutual_information", "familiarity"}
	for _, class := range r.n.Classes {
		names = append(names, "p_"+class)
	}
	for _, name := range names {
		columns = append(columns, table.Num(name, ""))
	}
	out = table.New("predictions", columns...)
	var p [][]float64
	var class []int
	var rows, unknown, others int // with a class: of the network, without an answer, and of others
	for number := 1; ; number++ {
		row, err := r.next(ctx)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, 0, err
		}
		answer, truth := dataset.Unknown, cell(row, r.column)
		k := slices.Index(r.n.Classes, truth)
		if bad := r.predict(row, r.n.Predict); bad != nil {
			failed++
			r.say("%v; the row is %s", bad, dataset.Unknown)
			out.Add(number, answer, table.Gaps(len(names)))
		} else {
			var probability float64
			answer, probability = r.answer()
			aleatoric, epistemic := r.p.Details.LabelVariance()
			out.Add(number, answer, probability, r.p.Confidence, aleatoric, epistemic, r.p.Details.MutualInformation(),
				r.p.Familiarity, r.p.P)
			if k >= 0 {
				p, class = append(p, slices.Clone(r.p.P)), append(class, k)
			}
		}
		if k < 0 && !dataset.IsMissing(truth) {
			others++
		} else if k >= 0 {
			if rows++; answer == dataset.Unknown {
				unknown++
			}
		}
	}
	if p != nil {
		var scores []string
		for i, score := range learner.Scores(p, class) {
			scores = append(scores, fmt.Sprintf("%s %.4g", learner.ScoreNames[i], score))
		}
		r.say("%s: %d rows with a class: %s, unknown %.4g", r.reader.File, rows, strings.Join(scores, ", "),
			float64(unknown)/float64(rows))
	}
	if others > 0 {
		r.say("%s: %d rows of classes that the network does not have", r.reader.File, others)
	}
	return out, failed, nil
}
