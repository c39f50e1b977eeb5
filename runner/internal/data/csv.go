package data

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readCSV reads comma-separated values (RFC 4180): a header line, then an example on
// each line. The column called class has the name of its class; all others are inputs,
// finite numbers. Blank lines, spaces round a cell, a byte order mark and CRLF line
// ends do not count. An error has the name of the file and the line.
func readCSV(content []byte, name, class string) (*Examples, error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	r.FieldsPerRecord = -1 // add says which line is too short
	r.TrimLeadingSpace = true
	e := &Examples{values: &values{file: name}}
	v := e.values
	var header []string
	for {
		record, err := r.Read()
		if err == io.EOF {
			break
		}
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, fmt.Errorf("%s:%d: %w", name, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
		}
		for j := range record {
			record[j] = strings.TrimSpace(record[j])
		}
		line, _ := r.FieldPos(0)
		if header == nil {
			header, v.width = record, len(record)-1
			if err := checkHeader(header, class); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, line, err)
			}
			continue
		}
		label, err := v.add(header, record, class)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		v.line = append(v.line, line)
		k := slices.Index(e.classes, label)
		if k < 0 {
			k, e.classes = len(e.classes), append(e.classes, label)
		}
		e.class = append(e.class, k)
	}
	if len(e.classes) < 2 {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", name, len(e.class), len(e.classes))
	}
	e.row = upTo(len(e.class))
	return e.renumbered(e.present())
}

// checkHeader returns an error unless the columns differ, and there is one for the
// class among others.
func checkHeader(header []string, class string) error {
	switch {
	case !slices.Contains(header, class):
		return fmt.Errorf("no column %q for the class; the columns are %s", class, strings.Join(header, ", "))
	case len(header) == 1:
		return fmt.Errorf("no inputs: the class %q is the only column", class)
	}
	for j, column := range header {
		if k := slices.Index(header, column); k < j {
			return fmt.Errorf("columns %d and %d are both called %q", k+1, j+1, column)
		}
	}
	return nil
}

// add appends the inputs of a record and returns the name of its class.
func (v *values) add(header, record []string, class string) (label string, err error) {
	if len(record) != len(header) {
		return "", fmt.Errorf("%d cells; need %d, as many as the header has", len(record), len(header))
	}
	for j, cell := range record {
		if cell == "" {
			return "", fmt.Errorf("column %q is empty", header[j])
		}
		if header[j] == class {
			label = cell
			continue
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil || x-x != 0 {
			return "", fmt.Errorf("column %q: %.40q is not a finite number", header[j], cell)
		}
		v.number = append(v.number, x)
	}
	return label, nil
}
