package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Unpack returns what r has, unpacked if it is packed by gzip.
func Unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	if begin, _ := in.Peek(2); string(begin) != "\x1f\x8b" {
		return in, nil
	}
	return gzip.NewReader(in)
}

// lineError is about one line of a text, after which others can be read.
type lineError struct{ message string }

func (e *lineError) Error() string { return e.message }

// lines passes on a text line by line, without a byte order mark. What is not a text in UTF-8 with
// lines that end in LF or CRLF is an error, which has the line.
type lines struct {
	in   *bufio.Reader
	file string
	read int // lines
	rest []byte
}

func newLines(r io.Reader, file string) *lines { return &lines{in: bufio.NewReader(r), file: file} }

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		line, err := l.in.ReadBytes('\n')
		if len(line) == 0 && err != io.EOF {
			return 0, fmt.Errorf("%s: %w", l.file, err)
		} else if len(line) == 0 {
			return 0, err
		}
		l.read++
		if l.read == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if problem := l.problem(line); problem != "" {
			return 0, &lineError{fmt.Sprintf("%s:%d: %s", l.file, l.read, problem)}
		}
		l.rest = line
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// problem says what is wrong with a line, and how to put it right.
func (l *lines) problem(line []byte) string {
	convert := func(from string) string {
		return fmt.Sprintf("iconv -f %s -t UTF-8 %q >new.csv converts it", from, l.file)
	}
	body := bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	first, rest, _ := strings.Cut(string(body), "=")
	switch {
	case l.read == 1 && (bytes.HasPrefix(line, []byte("\xff\xfe")) || bytes.HasPrefix(line, []byte("\xfe\xff"))):
		return "the table is in UTF-16, not in UTF-8; " + convert("UTF-16")
	case bytes.IndexByte(line, 0) >= 0:
		return "the line has a byte 0, as workbooks and archives have; need a table as text, one line for each row"
	case !utf8.Valid(line):
		return "the line is not in UTF-8; if the table is in Windows-1252, " + convert("WINDOWS-1252")
	case bytes.IndexByte(body, '\r') >= 0:
		return fmt.Sprintf(`the line ends in a carriage return alone; tr '\r' '\n' <%q >new.csv converts the table`,
			l.file)
	case l.read == 1 && strings.EqualFold(first, "sep"):
		return fmt.Sprintf("%q is a line for spreadsheets; remove it, and name the separator: separator = %q", body,
			rest)
	}
	return ""
}
