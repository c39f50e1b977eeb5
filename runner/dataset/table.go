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

// Layout says how cells are separated and numbers are written in the file of a table.
type Layout struct {
	Separator string `toml:"separator,omitempty" json:"separator,omitempty"` // ",", the default, ";" or "tab"
	// the decimal mark: ".", the default, or ","
	Decimal string `toml:"decimal,omitempty" json:"decimal,omitempty"`
}

// separators are the words of Separator.
var separators = map[string]rune{"": ',', ",": ',', ";": ';', "tab": '\t'}

// Validate reports what is not allowed.
func (l Layout) Validate() error {
	if l.Decimal == "," && separators[l.Separator] == ',' {
		return field.Errorf("decimal",
			`"," is not allowed where "," separates cells; allowed: with separator = ";" or "tab"`)
	}
	return cmp.Or(field.OneOf("separator", cmp.Or(l.Separator, ","), ",", ";", "tab"),
		field.OneOf("decimal", cmp.Or(l.Decimal, "."), ".", ","))
}

// Table is a table as text.
type Table struct {
	File    string
	Columns []string // their names, which differ
	Rows    []Row

	header int // its line
	layout Layout
}

// Row is a row of a table.
type Row struct {
	Line  int      // of the file, from 1
	Cells []string // without blanks at their ends
	Err   error    // what is wrong with the line, which it names; the rows after it can be read
}

// ReadTable reads a whole table, as a [Reader] does.
func ReadTable(r io.Reader, file string, l Layout) (*Table, error) {
	in, err := NewReader(r, file, l)
	if err != nil {
		return nil, err
	}
	t := in.Table
	for {
		row, err := in.Next()
		if err == io.EOF {
			return &t, nil
		} else if err = cmp.Or(err, row.Err); err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows, row)
	}
}

// column returns the number of a column.
func (t *Table) column(name string) (int, error) {
	k := slices.Index(t.Columns, name)
	if k < 0 {
		return k, fmt.Errorf("%s:%d: no column %q; the columns are %s", t.File, max(t.header, 1), name,
			strings.Join(t.Columns, ", "))
	}
	return k, nil
}

// IsMissing reports whether a cell has no value: it is empty, NA, N/A, NaN, ? or null.
func IsMissing(cell string) bool {
	return len(cell) <= 4 && slices.Contains([]string{"", "na", "n/a", "nan", "?", "null"},
		strings.ToLower(cell))
}

// Reader reads a table row by row, as from a pipe: a row as soon as its line has come. It is not safe for
// concurrent use.
type Reader struct {
	Table // without rows
	csv   *csv.Reader
}

// NewReader reads the header line of a table in UTF-8, packed by gzip or not: the names of the columns, of
// which each row has a cell (RFC 4180). Blank lines, blanks round a cell, a byte order mark and CRLF line
// ends do not count. An error has the name of the file.
func NewReader(r io.Reader, file string, l Layout) (*Reader, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	text, err := Unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	in := bufio.NewReader(text)
	t := &Reader{Table: Table{File: file, layout: l}, csv: csv.NewReader(in)}
	t.csv.Comma = separators[l.Separator]
	t.csv.FieldsPerRecord = -1 // Next says which line has too few cells
	t.csv.TrimLeadingSpace = t.csv.Comma != '\t'
	_, _ = in.Peek(1)
	begin, _ := in.Peek(in.Buffered()) // all that is there already
	first, marked := strings.CutPrefix(string(begin), "\ufeff")
	if first, _, _ = strings.Cut(first, "\n"); marked {
		_, _ = in.Discard(len("\ufeff"))
	}
	if problem := t.problem(strings.TrimSuffix(first, "\r"), true); problem != "" {
		return nil, fmt.Errorf("%s:1: %s", file, problem)
	}
	header, err := t.NextLine()
	if err == io.EOF {
		err = fmt.Errorf("%s: empty; need a header line, and a line for each row", file)
	}
	if err = cmp.Or(err, header.Err); err != nil {
		return nil, err
	}
	t.Columns, t.header = header.Cells, header.Line
	return t, t.checkHeader()
}

// Unpack returns what r has, unpacked if it is packed by gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if begin, _ := in.Peek(2); string(begin) != "\x1f\x8b" {
		return in, nil
	}
	return gzip.NewReader(in)
}

// checkHeader returns an error if names are empty or double, or if there seems to be another separator.
func (t *Table) checkHeader() error {
	for j, column := range t.Columns {
		if k := slices.Index(t.Columns, column); k < j {
			return fmt.Errorf("%s:%d: columns %d and %d are both called %q", t.File, t.header, k+1, j+1, column)
		} else if column == "" {
			return fmt.Errorf("%s:%d: column %d has no name; need one for each column", t.File, t.header, j+1)
		}
	}
	for word, mark := range separators {
		if names := strings.Split(t.Columns[0], string(mark)); word != "" && len(t.Columns) == 1 && len(names) > 1 {
			return fmt.Errorf("%s:%d: one column, %q; separator = %q makes %d of it", t.File, t.header, t.Columns[0],
				word, len(names))
		}
	}
	return nil
}

// Next returns the next row, or io.EOF or another error after the last.
func (t *Reader) Next() (Row, error) {
	row, err := t.NextLine()
	if n := len(row.Cells); err == nil && row.Err == nil && n != len(t.Columns) {
		row.Err = fmt.Errorf("%s:%d: %d cells; need %d, as many as the header has", t.File, row.Line, n,
			len(t.Columns))
	}
	return row, err
}

// NextLine returns the next line that is not blank, however many cells it has.
func (t *Reader) NextLine() (row Row, err error) {
	row.Cells, err = t.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok { // an open quote ends on the last line
		return Row{Err: fmt.Errorf("%s:%d: %w", t.File, wrong.StartLine, wrong.Err)}, nil
	} else if err == io.EOF {
		return row, err
	} else if err != nil {
		return row, fmt.Errorf("%s: %w", t.File, err)
	}
	row.Line, _ = t.csv.FieldPos(0)
	for j, cell := range row.Cells {
		line, _ := t.csv.FieldPos(j)
		if problem := t.problem(cell, false); problem != "" && row.Err == nil {
			row.Err = fmt.Errorf("%s:%d: %s", t.File, line, problem)
		}
		row.Cells[j] = strings.TrimSpace(cell)
	}
	return row, nil
}

// problem says what is wrong with a text, the first line or a cell, and how to put it right.
func (t *Reader) problem(text string, first bool) string {
	const convert = "; iconv -f %s -t UTF-8 %q >new.csv converts it"
	word, separator, _ := strings.Cut(text, "=")
	switch {
	case strings.Contains(text, "\x00"):
		return fmt.Sprintf("a byte 0, as UTF-16 and workbooks have; need a text in UTF-8"+convert, "UTF-16", t.File)
	case strings.Contains(text, "\r"):
		return fmt.Sprintf(`the line ends in a carriage return alone; tr '\r' '\n' <%q >new.csv converts it`,
			t.File)
	case first && strings.EqualFold(word, "sep"):
		return fmt.Sprintf("%q is a line for spreadsheets; remove it, and say separator = %q", text, separator)
	case !first && !utf8.ValidString(text):
		return fmt.Sprintf("the line is not in UTF-8"+convert+", if it is in that encoding", "WINDOWS-1252", t.File)
	}
	return ""
}
