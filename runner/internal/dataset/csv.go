package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// LoadCSV reads a file as ReadCSV does.
func LoadCSV(path, class string) (*Examples, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	defer f.Close()
	return ReadCSV(f, path, class)
}

// ReadCSV reads comma-separated values (RFC 4180). The first line has the names
// of the columns, each line after it an example. The column called class has the
// name of its class; all others are inputs, finite numbers, in the order of the
// file. Classes are in numerical order if all their names are integers, else in
// the order of the text.
//
// Blank lines, spaces round a cell, a byte order mark and CRLF line ends do not
// count. All else that is wrong is an error, which gives the name of the file and
// the line: no header, a column without a name or two with one, no column of
// that class or no other, a row that is too short or too long, an empty cell, a
// cell that is not a finite number, no examples, fewer than two classes.
func ReadCSV(r io.Reader, name, class string) (*Examples, error) {
	buffered := bufio.NewReader(r)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		buffered.Discard(len(mark))
	}
	c := csvFile{name: name, r: csv.NewReader(buffered)}
	c.r.FieldsPerRecord = -1 // The error of c.example says more.
	c.r.TrimLeadingSpace = true
	c.r.ReuseRecord = true
	if err := c.header(class); err != nil {
		return nil, err
	}
	e := &Examples{}
	t := &numbers{width: len(c.column) - 1, file: name}
	number := make(map[string]int)
	for {
		record, err := c.record()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		label, err := c.example(t, record)
		if err != nil {
			return nil, err
		}
		k, ok := number[label]
		if !ok {
			label = strings.Clone(label) // else the whole line stays in memory
			k = len(number)
			number[label] = k
			e.classes = append(e.classes, label)
		}
		e.class = append(e.class, k)
	}
	if len(e.class) == 0 {
		return nil, fmt.Errorf("dataset: %s: no examples after the header", name)
	}
	if len(e.classes) == 1 {
		return nil, fmt.Errorf("dataset: %s: all examples have the class %q; need at least 2 classes", name, e.classes[0])
	}
	e.table, e.row = t, upTo(len(e.class))
	return e.renumbered(e.present())
}

// csvFile is a CSV file that is being read.
type csvFile struct {
	name   string
	r      *csv.Reader
	column []string
	class  int // column of the class
}

// record returns the cells of the next line that is not blank, without the
// spaces round them, or io.EOF.
func (c *csvFile) record() ([]string, error) {
	record, err := c.r.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, fmt.Errorf("dataset: %s:%d: %w", c.name, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
	}
	if err != nil {
		if err != io.EOF {
			err = fmt.Errorf("dataset: %s: %w", c.name, err)
		}
		return nil, err
	}
	for j := range record {
		record[j] = strings.TrimSpace(record[j])
	}
	return record, nil
}

// header reads the names of the columns and finds the class among them.
func (c *csvFile) header(class string) error {
	record, err := c.record()
	if err == io.EOF {
		return fmt.Errorf("dataset: %s: no header: the file is empty", c.name)
	}
	if err != nil {
		return err
	}
	c.column = slices.Clone(record)
	first := make(map[string]int)
	for j, column := range c.column {
		if column == "" {
			return fmt.Errorf("dataset: %s:%d: column %d has no name", c.name, c.line(j), j+1)
		}
		if k, ok := first[column]; ok {
			return fmt.Errorf("dataset: %s:%d: columns %d and %d are both called %q", c.name, c.line(j), k+1, j+1, column)
		}
		first[column] = j
	}
	var ok bool
	if c.class, ok = first[class]; !ok {
		return fmt.Errorf("dataset: %s:%d: no column %q for the class; the columns are %s", c.name, c.line(0), class, list(c.column))
	}
	if len(c.column) == 1 {
		return fmt.Errorf("dataset: %s:%d: no inputs: the class %q is the only column", c.name, c.line(0), class)
	}
	return nil
}

// example appends the inputs of a record to t and returns the name of its class.
func (c *csvFile) example(t *numbers, record []string) (class string, err error) {
	if len(record) != len(c.column) {
		return "", fmt.Errorf("dataset: %s:%d: %d cells, need %d, as many as the header has", c.name, c.line(0), len(record), len(c.column))
	}
	for j, cell := range record {
		if cell == "" {
			return "", fmt.Errorf("dataset: %s:%d: column %q is empty", c.name, c.line(j), c.column[j])
		}
		if j == c.class {
			continue
		}
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return "", fmt.Errorf("dataset: %s:%d: column %q: %.40q is not a finite number", c.name, c.line(j), c.column[j], cell)
		}
		t.value = append(t.value, v)
	}
	t.line = append(t.line, c.line(0))
	return record[c.class], nil
}

// line returns the line of cell j of the last record.
func (c *csvFile) line(j int) int {
	line, _ := c.r.FieldPos(j)
	return line
}
