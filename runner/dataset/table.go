package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Table is what a file of comma-separated values has: text.
type Table struct {
	File    string
	Columns []string   // their names, which differ
	Cells   [][]string // row by row, without blanks at their ends
	Line    []int      // of the file, by row, from 1

	header int  // its line
	comma  rune // what is between cells
}

// ReadTable reads a file as [ParseTable] does.
func ReadTable(path string) (*Table, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ParseTable(content, path)
}

// Unpack returns what r has, unpacked if it is packed by gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if begin, _ := in.Peek(2); string(begin) != "\x1f\x8b" {
		return in, nil
	}
	return gzip.NewReader(in)
}

// ParseTable reads values that are separated by commas, semicolons or tabs (RFC 4180): a
// header line, then rows with as many cells. What separates them, and the encoding, are
// recognised; what is packed by gzip is unpacked. Blank lines, spaces round a cell, a byte order mark and CRLF line ends do
// not count. An error has the name of the file and the line.
func ParseTable(content []byte, file string) (*Table, error) {
	text, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rows, err := newRows(strings.NewReader(text), text, file)
	if err != nil {
		return nil, err
	}
	t := rows.Table
	t.Cells, t.Line = nil, nil
	for {
		row, err := rows.Next()
		if err == io.EOF {
			return &t, nil
		} else if err != nil {
			return nil, err
		}
		t.Cells, t.Line = append(t.Cells, row.Cells[0]), append(t.Line, row.Line[0])
	}
}

// separator returns which of commas, semicolons and tabs make the most cells of a header.
func separator(header string) (separator rune) {
	separator, most := ',', 1
	for _, comma := range ",;\t" {
		if cells, err := newReader(strings.NewReader(header), comma).Read(); err == nil && len(cells) > most {
			separator, most = comma, len(cells)
		}
	}
	return separator
}

// column returns the number of a column.
func (t *Table) column(name string) (int, error) {
	k := slices.Index(t.Columns, name)
	if k < 0 {
		return k, fmt.Errorf("%s:%d: no column %q; the columns, by %q, are %s",
			t.File, max(t.header, 1), name, t.comma, strings.Join(t.Columns, ", "))
	}
	return k, nil
}

// errorf returns an error about a cell.
func (t *Table) errorf(row, column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: column %q%s", t.File, t.Line[row], t.Columns[column], fmt.Sprintf(format, args...))
}

// IsMissing reports whether a cell has no value: it is empty, NA, N/A, NaN, ? or null.
func IsMissing(cell string) bool {
	return len(cell) <= 4 && slices.Contains([]string{"", "na", "n/a", "nan", "?", "null"}, strings.ToLower(cell))
}

// numbers hands on the numbers in column k, row by row, NaN where one is missing.
// Where cells are not separated by commas, one may stand for the decimal point, unless
// the column has points, too.
func (t *Table) numbers(k int, put func(row int, x float64)) error {
	has := func(mark string) int {
		return slices.IndexFunc(t.Cells, func(row []string) bool { return strings.Contains(row[k], mark) })
	}
	decimals := t.comma != ',' && has(",") >= 0
	if row := has("."); decimals && row >= 0 {
		return t.errorf(row, k, ": %.40q has a point, line %d a comma; allowed: one of them in a column",
			t.Cells[row][k], t.Line[has(",")])
	}
	for i, row := range t.Cells {
		text := row[k]
		if IsMissing(text) {
			text = "NaN"
		} else if decimals {
			text = strings.ReplaceAll(text, ",", ".")
		}
		x, err := strconv.ParseFloat(text, 64)
		if errors.Is(err, strconv.ErrSyntax) {
			return t.errorf(i, k, `: %.40q is not a number; columns of words are named in categorical = [%q],`+
				` or in ignore`, row[k], t.Columns[k])
		} else if err != nil || x-x != 0 && !IsMissing(row[k]) {
			return t.errorf(i, k, ": %.40q is not a finite number", row[k])
		}
		put(i, x)
	}
	return nil
}

// decode returns the text of a file: UTF-16 with a byte order mark, UTF-8 with or without
// one or, if it is not that, Windows-1252, of which Latin-1 is a part.
func decode(content []byte) (string, error) {
	r, err := Unpack(bytes.NewReader(content))
	if err == nil {
		content, err = io.ReadAll(r)
	}
	if err != nil {
		return "", err
	}
	if !utf8.Valid(content) {
		text, _, err := transform.Bytes(unicode.BOMOverride(charmap.Windows1252.NewDecoder()), content)
		if i := bytes.IndexRune(text, utf8.RuneError); err != nil || i >= 0 {
			return "", fmt.Errorf("line %d is not in the encoding of the file; allowed: UTF-8, Windows-1252, Latin-1,"+
				" and UTF-16 with a byte order mark", 1+bytes.Count(text[:max(i, 0)], []byte("\n")))
		}
		content = text
	}
	if i := bytes.IndexByte(content, 0); i >= 0 {
		return "", fmt.Errorf("line %d has a byte 0, as workbooks, archives and UTF-16 without a byte order mark have;"+
			" allowed: a text file with commas, semicolons or tabs",
			1+bytes.Count(content[:i], []byte("\n")))
	}
	return strings.TrimPrefix(string(content), "\ufeff"), nil
}

// Rows reads a table row by row, as from a pipe: a row as soon as its line has come. The text is
// UTF-8. It is not safe for concurrent use.
type Rows struct {
	Table // with the last row alone
	csv   *csv.Reader
	err   error
}

// NewRows reads the header line, in which commas, semicolons or tabs separate cells, the kind that makes
// the most of them. An error has the name of the file.
func NewRows(r io.Reader, file string) (*Rows, error) {
	in := bufio.NewReader(r)
	var header string
	for strings.TrimSpace(header) == "" {
		line, err := in.ReadString('\n')
		header += strings.TrimPrefix(line, "\ufeff")
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	if !utf8.ValidString(header) {
		return nil, fmt.Errorf("%s:1: not in UTF-8; allowed: UTF-8, where rows are read one after another", file)
	}
	return newRows(io.MultiReader(strings.NewReader(header), in), header, file)
}

// newRows reads the header of a text, whose beginning says what separates cells.
func newRows(text io.Reader, beginning, file string) (*Rows, error) {
	comma := separator(beginning)
	r := &Rows{Table: Table{File: file, comma: comma}, csv: newReader(text, comma)}
	if err := r.next(); err == io.EOF {
		return nil, cmp.Or(r.err, fmt.Errorf("%s: empty; need a header line, and a line for each row", file))
	} else if err != nil {
		return nil, err
	}
	t := &r.Table
	t.Columns, t.header = t.Cells[0], t.Line[0]
	for j, column := range t.Columns {
		if k := slices.Index(t.Columns, column); k < j {
			return nil, fmt.Errorf("%s:%d: columns %d and %d are both called %q", file, t.header, k+1, j+1, column)
		}
	}
	return r, nil
}

func newReader(text io.Reader, comma rune) *csv.Reader {
	r := csv.NewReader(text)
	r.Comma = comma
	r.FieldsPerRecord = -1 // Next says which line is too short
	r.TrimLeadingSpace = comma != '\t'
	return r
}

// Err returns the error of reading that Next and NextLine returned io.EOF for, if any.
func (r *Rows) Err() error { return r.err }

// Next returns a table of the next row, valid until the next call, or io.EOF. After another error, which
// has the line, the rows after it can still be read.
func (r *Rows) Next() (*Table, error) {
	if err := r.next(); err != nil {
		return nil, err
	}
	if t := &r.Table; len(t.Cells[0]) != len(t.Columns) {
		return t, fmt.Errorf("%s:%d: %d cells; need %d, as many as the header has", t.File, t.Line[0], len(t.Cells[0]), len(t.Columns))
	}
	return &r.Table, nil
}

// NextLine returns the next line that is not blank, for a value that belongs to the row before it.
func (r *Rows) NextLine() (string, error) {
	if err := r.next(); err != nil {
		return "", err
	}
	return strings.Join(r.Cells[0], string(r.comma)), nil
}

// next reads a record into the only row of the table.
func (r *Rows) next() error {
	record, err := r.csv.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return fmt.Errorf("%s:%d: %w", r.File, wrong.StartLine, wrong.Err) // An open quote ends on the last line.
	} else if err != nil {
		if err != io.EOF {
			r.err = fmt.Errorf("%s: %w", r.File, err)
		}
		return io.EOF
	}
	for j := range record {
		record[j] = strings.TrimSpace(record[j])
	}
	line, _ := r.csv.FieldPos(0)
	r.Cells, r.Line = append(r.Cells[:0], record), append(r.Line[:0], line)
	return nil
}
