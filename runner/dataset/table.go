package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
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

// ReadTable reads a file as [ParseTable] does, and - as standard input.
func ReadTable(path string) (*Table, error) {
	var content []byte
	var err error
	if path == "-" {
		content, err = io.ReadAll(os.Stdin)
	} else {
		content, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, err
	}
	return ParseTable(content, path)
}

// Open opens a file for reading, unpacked if it is packed by gzip.
func Open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := Unpack(file)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{text, file}, nil
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
	t := rows.table
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

// check returns an error if two columns have the same name.
func (t *Table) check() error {
	first := map[string]int{}
	for j, column := range t.Columns {
		if k, twice := first[column]; twice {
			return fmt.Errorf("%s:%d: columns %d and %d are both called %q", t.File, t.header, k+1, j+1, column)
		}
		first[column] = j
	}
	return nil
}

// separator returns what splits header and first row into the same number of cells, the
// most if there are several, or the header alone if nothing does.
func separator(text string) (rune, error) {
	commas, most := ",", [2]int{}
	for _, comma := range ",;\t" {
		r := newReader(strings.NewReader(text), comma)
		header, err := r.Read()
		row, end := r.Read()
		if err != nil || len(header) == 1 {
			continue
		}
		cells := [2]int{0, len(header)}
		if end == io.EOF || end == nil && len(row) == len(header) {
			cells[0] = 1
		}
		switch slices.Compare(cells[:], most[:]) {
		case 1:
			commas, most = string(comma), cells
		case 0:
			commas += string(comma)
		}
	}
	if len(commas) > 1 {
		return 0, fmt.Errorf("cells may be separated by any of %q; allowed: one of these, others in quotes", commas)
	}
	return rune(commas[0]), nil
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

// IsMissing reports whether a cell has no value: it is empty, NA, NaN, ? or null.
func IsMissing(cell string) bool {
	return len(cell) <= 4 && slices.Contains([]string{"", "na", "nan", "?", "null"}, strings.ToLower(cell))
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
	if bytes.HasPrefix(content, []byte("\x1f\x8b")) {
		r, err := Unpack(bytes.NewReader(content))
		if err == nil {
			content, err = io.ReadAll(r)
		}
		if err != nil {
			return "", err
		}
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
