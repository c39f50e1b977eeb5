package fetch

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// convert makes a file of the parts of a source.
func (f *File) convert(s *Source, parts [][]byte) ([]byte, error) {
	switch {
	case f.Header != "":
		return s.table(f.Header, parts)
	case f.IDX != "":
		return s.cut(f.IDX, parts[0])
	}
	return parts[0], nil // published as it is
}

// table returns the rows of all parts under a header, as comma-separated lines.
// In this order, it leaves out the first Skip lines of every part and blank lines,
// splits the others at Separator, takes Columns, leaves out rows with a field that
// is Missing, writes the zero before a bare decimal point, and puts right what
// Corrections say. Fields are not quoted.
func (s *Source) table(header string, parts [][]byte) ([]byte, error) {
	width := strings.Count(header, ",") + 1
	var rows [][]string
	for p, part := range parts {
		n := 0
		for line := range strings.Lines(string(part)) {
			line = strings.TrimRight(line, "\r\n")
			if n++; n <= s.Skip || strings.TrimSpace(line) == "" {
				continue
			}
			row, err := s.fields(line, width)
			if err != nil {
				return nil, fmt.Errorf("part %d, line %d: %w", p+1, n, err)
			}
			if s.Missing != "" && slices.Contains(row, s.Missing) {
				continue
			}
			rows = append(rows, row)
		}
	}
	for _, c := range s.Corrections {
		if c.Row > len(rows) {
			return nil, fmt.Errorf("row %d is to be corrected, and there are %d", c.Row, len(rows))
		}
		cell := &rows[c.Row-1][c.Column-1]
		if *cell != c.Was {
			return nil, fmt.Errorf("row %d, column %d is %q, and is to be corrected from %q to %q", c.Row, c.Column, *cell, c.Was, c.Is)
		}
		*cell = c.Is
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, header)
	for _, row := range rows {
		fmt.Fprintln(&out, strings.Join(row, ","))
	}
	return out.Bytes(), nil
}

// fields returns the fields of a line that are kept, as many as width.
func (s *Source) fields(line string, width int) ([]string, error) {
	var all []string
	switch s.Separator {
	case " ":
		all = strings.Fields(line)
	case "":
		all = strings.Split(line, ",")
	default:
		all = strings.Split(line, s.Separator)
	}
	row := all
	if s.columns != nil {
		row = make([]string, width)
		for i, c := range s.columns {
			if c >= len(all) {
				return nil, fmt.Errorf("%d fields, need column %d", len(all), c+1)
			}
			row[i] = all[c]
		}
	} else if len(all) != width {
		return nil, fmt.Errorf("%d fields, need %d", len(all), width)
	}
	if s.LeadingZero {
		for i, field := range row {
			if strings.HasPrefix(field, ".") {
				row[i] = "0" + field
			}
		}
	}
	return row, nil
}
