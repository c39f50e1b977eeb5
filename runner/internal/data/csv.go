package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// readCSV reads comma-separated values (RFC 4180). The first line has the names of
// the columns, each line after it an example. The column called class has the name of
// its class; all others are inputs, finite numbers, in the order of the file.
//
// Blank lines, spaces round a cell, a byte order mark and CRLF line ends do not
// count. All else that is wrong is an error with the name of the file and the line.
func readCSV(content []byte, name, class string) (*Examples, error) {
	c := csvFile{name: name, r: csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))}
	c.r.FieldsPerRecord = -1 // The error of c.example says more.
	c.r.TrimLeadingSpace = true
	c.r.ReuseRecord = true
	if err := c.header(class); err != nil {
		return nil, err
	}
	e := &Examples{values: &values{file: name, width: len(c.column) - 1}}
	number := make(map[string]int)
	for {
		record, err := c.record()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		label, err := c.example(e.values, record)
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
	if len(e.classes) < 2 {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", name, len(e.class), len(e.classes))
	}
	e.row = upTo(len(e.class))
	return e.renumbered(e.present())
}

// csvFile is a CSV file that is being read.
type csvFile struct {
	name   string
	r      *csv.Reader
	column []string
	class  int // column of the class
}

// record returns the cells of the next line that is not blank, without the spaces
// round them, or io.EOF.
func (c *csvFile) record() ([]string, error) {
	record, err := c.r.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, fmt.Errorf("%s:%d: %w", c.name, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
	}
	for j := range record {
		record[j] = strings.TrimSpace(record[j])
	}
	return record, err
}

// header reads the names of the columns and finds the class among them.
func (c *csvFile) header(class string) error {
	record, err := c.record()
	if err == io.EOF {
		return fmt.Errorf("%s: no header: the file is empty", c.name)
	}
	if err != nil {
		return err
	}
	c.column = slices.Clone(record)
	for j, column := range c.column {
		if column == "" {
			return c.errorf(j, "column %d has no name", j+1)
		}
		if k := slices.Index(c.column, column); k < j {
			return c.errorf(j, "columns %d and %d are both called %q", k+1, j+1, column)
		}
	}
	if c.class = slices.Index(c.column, class); c.class < 0 {
		return c.errorf(0, "no column %q for the class; the columns are %s", class, strings.Join(c.column, ", "))
	}
	if len(c.column) == 1 {
		return c.errorf(0, "no inputs: the class %q is the only column", class)
	}
	return nil
}

// example appends the inputs of a record to v and returns the name of its class.
func (c *csvFile) example(v *values, record []string) (class string, err error) {
	if len(record) != len(c.column) {
		return "", c.errorf(0, "%d cells, need %d, as many as the header has", len(record), len(c.column))
	}
	for j, cell := range record {
		if cell == "" {
			return "", c.errorf(j, "column %q is empty", c.column[j])
		}
		if j == c.class {
			continue
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return "", c.errorf(j, "column %q: %.40q is not a finite number", c.column[j], cell)
		}
		v.number = append(v.number, x)
	}
	line, _ := c.r.FieldPos(0)
	v.line = append(v.line, line)
	return record[c.class], nil
}

// errorf returns an error about cell j of the last record.
func (c *csvFile) errorf(j int, format string, args ...any) error {
	line, _ := c.r.FieldPos(j)
	return fmt.Errorf("%s:%d: %s", c.name, line, fmt.Sprintf(format, args...))
}
