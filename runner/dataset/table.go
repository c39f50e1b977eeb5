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
)

var separators = map[string]rune{",": ',', ";": ';', "tab": '\t'}

// comma returns the mark that separates cells, 0 for blanks.
func (f Format) comma() rune { return separators[cmp.Or(f.Separator, ",")] }

// Reader reads a table row by row, each as soon as its line has come. It is not safe for concurrent use.
type Reader struct {
	File    string
	Columns []string // names of the columns, which differ

	attributes []attribute // what the columns are declared as
	header     int         // line of the header
	cells      int         // number of cells of a row of the file
	format     Format
	next       func() (Row, error) // reads the next line that is not blank
	first      Row                 // the first row, if it was read in place of a header
	labels     *Reader             // the file of the classes, a row for each; nil: there is none
	class      int                 // column of the classes in labels

	lines  *bufio.Reader // of a file that is not in CSV
	arff   bool          // whether % begins a comment
	number int           // of the last line
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
		return k, fmt.Errorf("%s:%d: no column %q; the columns are %s%s", t.File, max(t.header, 1), name,
			strings.Join(t.Columns, ", "), t.hint(t.Columns[0]))
	}
	return k, nil
}

// hint says how to read a table without a header, if the first name is a number.
func (t *Reader) hint(first string) string {
	if _, ok := t.format.number(first); !ok {
		return ""
	}
	return "; if this is a row, write a header line, or train with " + t.format.set("no_header", true) +
		", which calls the columns x1, x2, …"
}

// NewReader reads the names of the columns of a table in UTF-8, packed by gzip or not. The table is in CSV
// (RFC 4180) with a header line, unless the format says otherwise. It is in ARFF, the format of Weka, OpenML
// and MOA, if its first line that is no comment begins with @relation; ARFF declares which columns are words.
// Blank lines, blanks around a cell, a byte order mark and CRLF line ends are ignored. An error names the
// file.
func NewReader(r io.Reader, file string, f Format) (*Reader, error) {
	if err := f.Resolve(); err != nil {
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
	var start strings.Builder // up to the first line that tells ARFF from CSV
	t := &Reader{File: file, format: f}
	t.next = t.nextLine
	for more := true; more; {
		line, err := in.ReadString('\n')
		start.WriteString(line)
		line = strings.ToLower(strings.TrimSpace(line))
		more = err == nil && (line == "" || line[0] == '%')
		t.arff = strings.HasPrefix(line, "@relation")
	}
	t.lines = bufio.NewReader(io.MultiReader(strings.NewReader(start.String()), in))
	if t.arff {
		t.format.Separator, t.format.Decimal = "", ""
		return t, t.readARFF()
	} else if f.Separator != "blank" {
		c := csv.NewReader(t.lines)
		c.Comma, c.TrimLeadingSpace, c.FieldsPerRecord = f.comma(), f.comma() != '\t', -1
		t.next = func() (Row, error) { return t.nextCSV(c) }
	}
	return t, t.readHeader()
}

func (t *Reader) readHeader() error {
	header, err := t.read()
	if err == io.EOF {
		err = fmt.Errorf("%s: empty; need a header line, and a line for each row", t.File)
	}
	if err = cmp.Or(err, header.Err); err != nil {
		return err
	}
	t.Columns, t.header, t.cells = header.Cells, header.Line, len(header.Cells)
	t.attributes = make([]attribute, t.cells)
	if t.format.NoHeader {
		t.Columns, t.first = nil, header
		for _, in := range plain(t.cells) {
			t.Columns = append(t.Columns, in.Column)
		}
	}
	return t.checkHeader(header.Cells)
}

// Join adds to the table the column of classes of another file, written in the format f, with a row for each row.
func (t *Reader) Join(r io.Reader, file string, f Format) (err error) {
	if t.labels, err = NewReader(r, file, f); err != nil {
		return err
	}
	name := cmp.Or(f.Class, "class")
	if len(t.labels.Columns) > 1 {
		if t.class, err = t.labels.Column(name); err != nil {
			return err
		}
	}
	if slices.Contains(t.Columns, name) {
		return fmt.Errorf("%s:%d: the column %q has classes, and %s has them, too", t.File, t.header, name, file)
	}
	t.Columns, t.attributes = append(t.Columns, name), append(t.attributes, t.labels.attributes[t.class])
	return nil
}

// Unpack returns the contents of r, unpacked if they are packed by gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if begin, _ := in.Peek(2); string(begin) != "\x1f\x8b" {
		return in, nil
	}
	return gzip.NewReader(in)
}

// checkHeader returns an error unless the first line fits the format and the columns have different names.
func (t *Reader) checkHeader(cells []string) error {
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: "+format, append([]any{t.File, t.header}, args...)...)
	}
	first := cells[0]
	if strings.HasPrefix(strings.ToLower(first), "sep=") {
		return wrong("%q is a line for spreadsheets; remove it, and name the separator", first)
	}
	const better = "one column, %q; %s makes %d of it"
	for word, mark := range separators {
		if n := strings.Count(first, string(mark)); len(cells) == 1 && n > 0 && !t.arff {
			return wrong(better, first, t.format.set("separator", word), n+1)
		}
	}
	numbers := strings.Fields(first) // a name may have blanks, too
	if len(cells) == 1 && len(numbers) > 1 && !slices.ContainsFunc(numbers, t.format.isWord) {
		return wrong(better, first, t.format.set("separator", "blank"), len(numbers))
	}
	for j, column := range t.Columns {
		if k := slices.Index(t.Columns, column); k < j {
			return wrong("columns %d and %d are both called %q%s", k+1, j+1, column, t.hint(first))
		} else if column == "" {
			return wrong("column %d has no name; need one for each column", j+1)
		}
	}
	return nil
}

// Next returns the next line that is not blank. After the last one the error is io.EOF. If a line has a wrong
// number of cells, its Row.Err wraps [csv.ErrFieldCount].
func (t *Reader) Next() (row Row, err error) {
	row, t.first = t.first, Row{}
	if row.Cells == nil {
		row, err = t.read()
	}
	for k, cell := range row.Cells {
		if slices.Contains(t.format.NoValue, cell) {
			row.Cells[k] = ""
		}
	}
	if t.labels == nil || err != nil && err != io.EOF {
		return row, err
	}
	label, end := t.labels.Next()
	switch {
	case end != nil && end != io.EOF:
		return row, end
	case end != err:
		file, line, ended := t.File, row.Line, t.labels.File
		if end == nil {
			file, line, ended = ended, label.Line, file
		}
		return row, fmt.Errorf("%s:%d: %s has ended; need a row with a class for each row", file, line, ended)
	case err == nil:
		if row.Err = cmp.Or(row.Err, label.Err); row.Err == nil {
			row.Cells = append(row.Cells, label.Cells[t.class])
		}
	}
	return row, err
}

// read reads the next row, and checks it. It adds file and line to errors.
func (t *Reader) read() (Row, error) {
	row, err := t.next()
	if err != nil && err != io.EOF {
		return row, fmt.Errorf("%s: %w", t.File, err)
	} else if err == nil && row.Err == nil && t.cells > 0 && len(row.Cells) != t.cells {
		row.Err = fmt.Errorf("%w, %d; need %d", csv.ErrFieldCount, len(row.Cells), t.cells)
		if t.arff {
			row.Err = fmt.Errorf("%w, one for each @attribute; a word with blanks needs quotes", row.Err)
		}
	}
	for k := 0; k < t.cells && err == nil && row.Err == nil; k++ {
		cell, words := row.Cells[k], t.attributes[k].words
		if words != nil && !IsMissing(cell) && !slices.Contains(words, cell) {
			row.Err = fmt.Errorf("column %q: %.40q is not declared; allowed: %s", t.Columns[k], cell, list(words, 10))
		}
	}
	if row.Err != nil {
		row.Err = fmt.Errorf("%s:%d: %w", t.File, row.Line, row.Err)
	}
	return row, err
}

func (t *Reader) nextCSV(c *csv.Reader) (row Row, err error) {
	row.Cells, err = c.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok { // also an open quote, which ends on the last line
		return Row{Line: wrong.StartLine, Err: wrong.Err}, nil
	} else if err != nil {
		return row, err
	}
	row.Line, _ = c.FieldPos(0)
	for j, cell := range row.Cells {
		row.Cells[j] = strings.TrimSpace(cell)
	}
	row.Err = t.problem(strings.Join(row.Cells, ","))
	return row, nil
}

// nextLine reads the next row of a table in ARFF, or with blanks or tabs between the cells.
func (t *Reader) nextLine() (row Row, err error) {
	line, err := t.line()
	if err != nil {
		return row, err
	}
	row = Row{Line: t.number, Cells: strings.Fields(line), Err: t.problem(line)}
	if t.arff {
		tokens, wrong := scan(line)
		words, bad := cells(tokens)
		row.Cells, row.Err = words, cmp.Or(row.Err, wrong, bad)
	}
	return row, nil
}

// line returns the next line that is not blank or a comment, without blanks at its ends.
func (t *Reader) line() (string, error) {
	for {
		line, err := t.lines.ReadString('\n')
		if err != nil && (err != io.EOF || line == "") {
			return "", err
		}
		t.number++
		if line = strings.TrimSpace(line); line != "" && !(t.arff && line[0] == '%') {
			return line, nil
		}
	}
}

// problem returns what is wrong with the characters of a cell or line, or nil.
func (t *Reader) problem(text string) error {
	switch {
	case strings.Contains(text, "\r"):
		return fmt.Errorf(`the line ends in CR alone; tr '\r' '\n' <%q >new.csv converts it`, t.File)
	case !utf8.ValidString(text):
		return fmt.Errorf("the line is not in UTF-8; iconv -f WINDOWS-1252 -t UTF-8 %q >new.csv converts it, if "+
			"it is in that encoding, and -f UTF-16 if every second byte is 0", t.File)
	case strings.Contains(text, "\x00"):
		return fmt.Errorf(`the line has a NUL byte, 0, which no text has; tr -d '\000' <%q >new.csv removes it, `+
			"and iconv -f UTF-16 -t UTF-8 converts the text if every second byte is 0", t.File)
	}
	return nil
}
