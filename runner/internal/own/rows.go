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

// Rows are those of a table that a network predicts, one after another, and when one is unknown.
type Rows struct {
	Network  string         // its file
	Data     string         // the CSV file; - is the standard input
	Format   dataset.Format // of the CSV file; what is empty is that of the training table
	Unknown  float64        // least probability of an answer
	Wrong    float64        // in place of Unknown, if below 1, most share of wrong answers
	Familiar float64        // least familiarity of an answer
	Stderr   io.Writer      // for what looks wrong

	n      *Network
	reader *dataset.Reader
	inputs func(row dataset.Row) (x []float64, unseen []string, err error)
	column int             // of the classes; below 0: none
	unseen map[string]bool // words that were reported

	x []float64 // of the last row
	p classifier.Prediction

	learned, wrong int
}

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	switch {
	case r.Data == "":
		return errors.New("need -data FILE")
	case r.Unknown != 0 && r.Wrong < 1:
		return errors.New("-unknown and -wrong exclude each other")
	}
	return cmp.Or(r.Format.Validate(), field.Within("-unknown", r.Unknown, 0, 1),
		field.Within("-wrong", r.Wrong, 1e-6, 1), field.Within("-familiar", r.Familiar, 0, 1))
}

func (r *Rows) say(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) }

func (r *Rows) open() (err error) {
	if r.n, err = Read(r.Network); err != nil {
		return err
	}
	n := r.n
	n.Decision = classifier.Decision{Probability: r.Unknown, Familiarity: r.Familiar}
	if r.Wrong < 1 {
		threshold, err := n.Threshold(r.Wrong, confidence)
		switch n.Decision.Probability = threshold; {
		case err != nil:
			return fmt.Errorf("%s: %w, which -wrong needs; train the network again in one pass by [save]",
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
			return err
		}
	}
	f := dataset.Format{
		Class:     cmp.Or(r.Format.Class, n.Format.Class, "class"),
		Separator: cmp.Or(r.Format.Separator, n.Format.Separator),
		Decimal:   cmp.Or(r.Format.Decimal, n.Format.Decimal),
	}
	if r.reader, err = dataset.NewReader(file, name, f); err != nil {
		return err
	}
	r.column, err = r.reader.Column(f.Class)
	if err != nil && r.Format.Class != "" {
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

// predict returns the class of a row and its probability; of a bad row, dataset.Unknown and NaN.
func (r *Rows) predict(row dataset.Row, by func(p *classifier.Prediction, x []float64) error) (
	class string, probability float64, bad error,
) {
	var unseen []string
	r.x, unseen, bad = r.inputs(row)
	for _, word := range unseen {
		if !r.unseen[word] {
			r.unseen[word] = true
			r.say("%s: %s was not in the training; its inputs are 0", r.place(row), word)
		}
	}
	if bad == nil {
		if bad = by(&r.p, r.x); bad != nil {
			bad = fmt.Errorf("%s: %w", r.place(row), bad)
		}
	}
	if bad != nil {
		return dataset.Unknown, math.NaN(), bad
	}
	if class = dataset.Unknown; r.p.Class != classifier.Unknown {
		class = r.n.Classes[r.p.Class]
	}
	return class, r.p.P[r.p.Details.Class()], nil
}

// Predict returns what the network says of each row. Rows that cannot be predicted are unknown, without
// numbers, and reported; failed is their number. If the table has classes, the scores are printed.
func (r *Rows) Predict(ctx context.Context) (out *table.Table, failed int, err error) {
	if err := r.open(); err != nil {
		return nil, 0, err
	}
	names := []string{"probability", "aleatoric", "epistemic", "mutual_information", "familiarity"}
	for _, class := range r.n.Classes {
		names = append(names, "p_"+class)
	}
	out = table.New("predictions", table.Int("row", ""), table.Text("class", ""))
	for _, name := range names {
		out.Columns = append(out.Columns, table.Num(name, ""))
	}
	var p [][]float64
	var class []int
	var rows, unknown, others int // with a class: of the network, without an answer, and of others
	for {
		row, err := r.next(ctx)
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, 0, err
		}
		answer, probability, bad := r.predict(row, r.n.Predict)
		numbers := table.Gaps(len(names))
		if bad != nil {
			failed++
			r.say("%v; the row is %s", bad, answer)
		} else {
			aleatoric, epistemic := r.p.Details.LabelVariance()
			numbers = append([]float64{probability, aleatoric, epistemic, r.p.Details.MutualInformation(),
				r.p.Familiarity}, r.p.P...)
		}
		out.Add(out.Len()+1, answer, numbers)
		truth := cell(row, r.column)
		k := slices.Index(r.n.Classes, truth)
		if k < 0 && !dataset.IsMissing(truth) {
			others++
		}
		if k < 0 {
			continue
		}
		if rows++; answer == dataset.Unknown {
			unknown++
		}
		if bad == nil {
			p, class = append(p, slices.Clone(r.p.P)), append(class, k)
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
