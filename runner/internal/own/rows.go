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
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// Rows are those of a table that a network predicts, one after another, and when one is unknown.
type Rows struct {
	Network string         // its file
	Data    string         // the CSV file; - is the standard input
	Format  dataset.Format // of the CSV file; what is empty is that of the training table
	Wrong   float64        // if below 1, most share of wrong answers, which sets Decision.Confidence
	Stderr  io.Writer      // for what looks wrong

	classifier.Decision // which rows are answered

	n      *Network
	reader *dataset.Reader
	inputs func(row dataset.Row) (x []float64, unseen []string, err error)
	column int             // of the classes; below 0: none
	unseen map[string]bool // words that were reported

	failed int // rows that could not be predicted

	save func(n *Network) error // keeps what was learned; nil: rows are not learned

	x []float64 // of the last row
	p classifier.Prediction

	// Since the last report: rows with a class, those that are unknown, and the predictions of these rows.
	scored, unknown float64
	predicted       [][]float64
	class           []int
}

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	if r.Data == "" {
		return errors.New("need -data FILE")
	}
	return cmp.Or(field.Refuse(r.Probability != 0 && r.Wrong < 1, "-unknown", "without -wrong"),
		r.Format.Validate(), field.Within("-unknown", r.Probability, 0, 1),
		field.Within("-wrong", r.Wrong, 1e-6, 1), field.Within("-familiar", r.Familiarity, 0, 1))
}

func (r *Rows) say(format string, args ...any) { fmt.Fprintf(r.Stderr, format+"\n", args...) }

func (r *Rows) open() (err error) {
	if r.n, err = Read(r.Network); err != nil {
		return err
	}
	n := r.n
	if r.Wrong < 1 {
		if r.Confidence, err = n.Threshold(r.Wrong, confidence); err != nil {
			return fmt.Errorf("%s: %w, which -wrong needs; train the network again in one pass by [save]",
				r.Network, err)
		}
		r.say("%s: least confidence of an answer: %.6g; with %g %% confidence at most %g %% of the answers are "+
			"wrong", r.Network, r.Confidence, 100*confidence, 100*r.Wrong)
		if math.IsInf(r.Confidence, 1) {
			r.say("%s: its predictions before learning are too few or too often wrong: all rows are unknown",
				r.Network)
		}
	}
	n.Decision = r.Decision
	file, name := os.Stdin, "standard input"
	if r.Data != "-" {
		name = r.Data
		if file, err = os.Open(r.Data); err != nil { // it is closed when the program ends
			return err
		}
	}
	f := n.Format
	f.Separator, f.Decimal = cmp.Or(r.Format.Separator, f.Separator), cmp.Or(r.Format.Decimal, f.Decimal)
	if r.reader, err = dataset.NewReader(file, name, f); err != nil {
		return err
	}
	r.column, err = r.reader.Column(cmp.Or(r.Format.Class, f.Class, "class"))
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

// predict returns the class of a row, and the numbers for its columns; of a bad row, dataset.Unknown and NaN.
func (r *Rows) predict(row dataset.Row) (class string, numbers []float64, bad error) {
	by := r.n.Predict
	if r.save != nil {
		by = r.n.Before
	}
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
		r.failed++
		r.say("%v; the row is %s", bad, dataset.Unknown)
		return dataset.Unknown, table.Gaps(6 + len(r.n.Classes)), bad
	}
	if class = dataset.Unknown; r.p.Class != classifier.Unknown {
		class = r.n.Classes[r.p.Class]
	}
	d := &r.p.Details
	aleatoric, epistemic := d.LabelVariance()
	numbers = []float64{
		r.p.P[d.Class()], r.p.Confidence, aleatoric, epistemic, d.MutualInformation(), r.p.Familiarity,
	}
	return class, append(numbers, r.p.P...), nil
}

// run predicts and prints the rows from a row on, which counts from 1, and learns them if there is a save.
// next is the first row that was not read with its class.
func (r *Rows) run(ctx context.Context, stdout io.Writer, from int) (next int, err error) {
	header := []string{
		"row", "class", "probability", "confidence", "aleatoric", "epistemic", "mutual_information", "familiarity",
	}
	for _, class := range r.n.Classes {
		if r.save == nil { // classes may be added
			header = append(header, "p_"+class)
		}
	}
	out := csv.NewWriter(stdout)
	write := func(cells []string) error {
		_ = out.Write(cells[:len(header)]) // Error returns it, too
		out.Flush()
		return out.Error()
	}
	err = write(header)
	for next = 1; err == nil; next++ {
		err = r.step(ctx, next, from, write)
	}
	if next--; err == io.EOF {
		err = nil
	}
	r.report()
	return next, err
}

func (r *Rows) step(ctx context.Context, number, from int, write func(cells []string) error) error {
	row, err := r.next(ctx)
	if err != nil {
		return err
	}
	if number < from {
		_, _, err := r.label(ctx, row)
		return err
	}
	class, numbers, bad := r.predict(row)
	cells := []string{strconv.Itoa(number), class}
	for _, x := range numbers {
		cells = append(cells, table.Format(x))
	}
	if err := write(cells); err != nil {
		return err
	}
	label, badLine, err := r.label(ctx, row)
	if err != nil {
		return err
	}
	if k := slices.Index(r.n.Classes, label); k >= 0 {
		if r.scored++; class == dataset.Unknown {
			r.unknown++
		}
		if bad == nil {
			r.predicted, r.class = append(r.predicted, slices.Clone(r.p.P)), append(r.class, k)
		}
	}
	if r.save == nil {
		return nil
	}
	if bad == nil && badLine == nil && !dataset.IsMissing(label) {
		badLine = r.learn(row, label)
	}
	if badLine != nil {
		r.say("%v; the row is not learned", badLine)
	}
	if r.n.Rows++; r.n.Rows%saveEvery == 0 {
		r.report()
		return r.save(r.n)
	}
	return nil
}

// label returns the class of a row, or what is wrong with its line. Another error ends the stream.
func (r *Rows) label(ctx context.Context, row dataset.Row) (label string, bad, err error) {
	switch {
	case r.column >= 0 && r.column < len(row.Cells):
		return row.Cells[r.column], nil, nil
	case r.column >= 0 || r.save == nil:
		return "", nil, nil
	}
	line, err := r.next(ctx)
	if err != nil {
		return "", nil, err
	} else if len(line.Cells) > 1 {
		return "", nil, fmt.Errorf("%s: %q is a row; need the class of the row before, as the table has no column "+
			"of classes; -class names the column", r.place(line), line.Cells)
	} else if errors.Is(line.Err, csv.ErrFieldCount) {
		line.Err = nil
	}
	return strings.Join(line.Cells, ""), line.Err, nil
}

// report prints the scores of the rows with a class since the last report.
func (r *Rows) report() {
	if r.predicted != nil {
		text := ""
		for i, score := range learner.Scores(r.predicted, r.class) {
			text += fmt.Sprintf("%s %.4g, ", learner.ScoreNames[i], score)
		}
		r.say("%s: %g rows with a class: %sunknown %.4g", r.reader.File, r.scored, text, r.unknown/r.scored)
	}
	r.scored, r.unknown, r.predicted, r.class = 0, 0, nil, nil
}

// Predict prints what the network says of each row. Rows that cannot be predicted are unknown, without
// numbers, and reported; failed is their number. If the table has classes, the scores are reported.
func (r *Rows) Predict(ctx context.Context, stdout io.Writer) (failed, rows int, err error) {
	if err = r.open(); err == nil {
		rows, err = r.run(ctx, stdout, 1)
	}
	return r.failed, rows - 1, err
}
