package dataset

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"closedform/internal/field"
)

var separators = map[string]rune{",": ',', ";": ';', "tab": '\t'}

func (f Format) comma() rune { return separators[cmp.Or(f.Separator, ",")] }

// Reader reads a table row by row, each as soon as its line has come. It is not safe for concurrent use.
type Reader struct {
	File    string
	Columns []string // names of the columns, which differ

	header int // line of the header
	format Format
	csv    *csv.Reader
}

// Row is a row of a table.
type Row struct {
	Line  int      // line of the file, from 1
	Cells []string // cells without blanks at their ends
	Err   error    // what is wrong with the line, with file and line; the rows after it can be read
}

// Column returns the index of the column with the given name, or an error that lists the columns.
func (t *Reader) Column(name string) (int, error) {
	k := slices.Index(t.Columns, name)
	if k < 0 {
		return k, fmt.Errorf("%s:%d: no column %q; the columns are %s", t.File, max(t.header, 1), name,
			strings.Join(t.Columns, ", "))
	}
	return k, nil
}

// NewReader reads the header line, the names of the columns, of a CSV table (RFC 4180) in UTF-8, packed by
// gzip or not. Blank lines, blanks around a cell, a byte order mark and CRLF line ends are ignored. An error
// names the file.
func NewReader(r io.Reader, file string, f Format) (*Reader, error) {
	if err := field.Resolve(&f); err != nil {
		return nil, err
	}
	text, err := Unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	in := bufio.NewReader(text)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		_, _ = in.Discard(3)
	}
	t := &Reader{File: file, format: f, csv: csv.NewReader(in)}
	t.csv.Comma = f.comma()
	t.csv.TrimLeadingSpace = t.csv.Comma != '\t'
	header, err := t.Next()
	if err == io.EOF {
		err = fmt.Errorf("%s: empty; need a header line, and a line for each row", file)
	}
	if err = cmp.Or(err, header.Err); err != nil {
		return nil, err
	}
	t.Columns, t.header = header.Cells, header.Line
	return t, t.checkHeader()
}

// Unpack returns the contents of r, unpacked if they are packed by gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if begin, _ := in.Peek(2); string(begin) != "\x1f\x8b" {
		return in, nil
	}
	return gzip.NewReader(in)
}

func (t *Reader) checkHeader() error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: "+format, append([]any{t.File, t.header}, args...)...)
	}
	first := t.Columns[0]
	if strings.HasPrefix(strings.ToLower(first), "sep=") {
		return wrong("%q is a line for spreadsheets; remove it, and name the separator", first)
	}
	for word, mark := range separators {
		if n := strings.Count(first, string(mark)); len(t.Columns) == 1 && n > 0 {
			return wrong("one column, %q; separator = %q makes %d of it", first, word, n+1)
		}
	}
	for j, column := range t.Columns {
		if k := slices.Index(t.Columns, column); k < j {
			return wrong("columns %d and %d are both called %q", k+1, j+1, column)
		} else if column == "" {
			return wrong("column %d has no name; need one for each column", j+1)
		}
	}
	return nil
}

// Next returns the next line that is not blank. After the last one the error is io.EOF. If a line has a wrong
// number of cells, its Row.Err wraps [csv.ErrFieldCount].
func (t *Reader) Next() (row Row, err error) {
	row.Cells, err = t.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok { // also an open quote, which ends on the last line
		row.Line, err = wrong.StartLine, wrong.Err
		if err == csv.ErrFieldCount {
			err = fmt.Errorf("%w, %d; the header has %d", err, len(row.Cells), len(t.Columns))
		}
		row.Err = fmt.Errorf("%s:%d: %w", t.File, row.Line, err)
	} else if err == io.EOF {
		return row, err
	} else if err != nil {
		return row, fmt.Errorf("%s: %w", t.File, err)
	}
	for j, cell := range row.Cells {
		line, _ := t.csv.FieldPos(j)
		if row.Cells[j] = strings.TrimSpace(cell); j == 0 {
			row.Line = line
		}
		if problem := t.problem(cell); problem != "" {
			row.Err = fmt.Errorf("%s:%d: %s", t.File, line, problem)
		}
	}
	return row, nil
}

// problem returns what is wrong with the characters of a cell, or "".
func (t *Reader) problem(text string) string {
	switch {
	case strings.Contains(text, "\r"):
		return fmt.Sprintf(`the line ends in CR alone; tr '\r' '\n' <%q >new.csv converts it`, t.File)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return fmt.Sprintf("the line is not in UTF-8; iconv -f WINDOWS-1252 -t UTF-8 %q >new.csv converts it, if "+
			"it is in that encoding, and -f UTF-16 if every second byte is 0", t.File)
	}
	return ""
}
