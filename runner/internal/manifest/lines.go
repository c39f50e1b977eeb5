package manifest

import (
	"fmt"
	"strconv"
	"strings"
)

// The limits of the source. The decoder keeps the full name of every key, so
// without them a small file could ask for much memory.
const (
	maxKey   = 64 // bytes of a key as it is written, all its dotted parts together
	maxParts = 4  // dotted parts of a key
	maxDepth = 6  // brackets and braces within each other
)

// index says where the keys of a TOML source were written.
type index struct {
	places map[string]place // by path; list entries only if on another line than their list

	// Where the source goes beyond a limit: what it is and its line.
	limit string
	line  int
}

// indexLines reads src far enough to know where its keys are. It stops, and
// leaves the judgement to the decoder, at what it cannot read.
func indexLines(src string) index {
	s := newScanner(src)
	s.document()
	return s.index
}

// scanner walks over a TOML source. Its methods return false where it stops.
type scanner struct {
	rest  string
	line  int
	depth int
	table string // the path of the table whose keys are being read
	index
	blocks map[string]int // by path of a list of tables, the number of its [[headers]]
}

func newScanner(src string) *scanner {
	return &scanner{
		rest:   strings.TrimPrefix(src, bom),
		line:   1,
		index:  index{places: map[string]place{}},
		blocks: map[string]int{},
	}
}

// skip goes n bytes on.
func (s *scanner) skip(n int) {
	s.line += strings.Count(s.rest[:n], "\n")
	s.rest = s.rest[n:]
}

// accept goes past prefix if it comes next.
func (s *scanner) accept(prefix string) bool {
	if !strings.HasPrefix(s.rest, prefix) {
		return false
	}
	s.skip(len(prefix))
	return true
}

// blank goes past blanks within a line.
func (s *scanner) blank() {
	s.skip(len(s.rest) - len(strings.TrimLeft(s.rest, " \t")))
}

// space goes past blanks, line ends and comments.
func (s *scanner) space() {
	for {
		s.skip(len(s.rest) - len(strings.TrimLeft(s.rest, " \t\r\n")))
		if !strings.HasPrefix(s.rest, "#") {
			return
		}
		s.skip(s.until("\n"))
	}
}

// until returns the number of bytes before the first of chars.
func (s *scanner) until(chars string) int {
	if i := strings.IndexAny(s.rest, chars); i >= 0 {
		return i
	}
	return len(s.rest)
}

// beyond stops the scanner at a limit.
func (s *scanner) beyond(format string, args ...any) bool {
	s.limit, s.index.line = fmt.Sprintf(format, args...), s.line
	return false
}

// document reads table headers and key = value to the end of the source.
func (s *scanner) document() bool {
	for {
		s.space()
		line := s.line
		switch {
		case s.rest == "":
			return true
		case s.accept("[["):
			keys, ok := s.key()
			if !ok || !s.accept("]]") {
				return false
			}
			last := len(keys) - 1
			list := join(s.header(keys[:last]), keys[last])
			s.note(list, line)
			s.table = join(list, strconv.Itoa(s.blocks[list]))
			s.blocks[list]++
			s.note(s.table, line)
		case s.accept("["):
			keys, ok := s.key()
			if !ok || !s.accept("]") {
				return false
			}
			s.table = s.header(keys)
			s.places[s.table] = place{line: line}
		default:
			if !s.pair(s.table) {
				return false
			}
		}
	}
}

// header returns the path of a table header: a list of tables on the way
// stands for its last table.
func (s *scanner) header(keys []string) string {
	path := ""
	for _, k := range keys {
		path = join(path, k)
		s.note(path, s.line)
		if n := s.blocks[path]; n > 0 {
			path = join(path, strconv.Itoa(n-1))
		}
	}
	return path
}

// note records the line of path unless it has one.
func (s *scanner) note(path string, line int) {
	if _, ok := s.places[path]; !ok {
		s.places[path] = place{line: line}
	}
}

// pair reads key = value in the table at path.
func (s *scanner) pair(path string) bool {
	line := s.line
	keys, ok := s.key()
	if !ok || !s.accept("=") {
		return false
	}
	for _, k := range keys {
		path = join(path, k)
		s.note(path, line)
	}
	s.blank()
	return s.value(path, line)
}

// key reads a dotted key and the blanks round it.
func (s *scanner) key() ([]string, bool) {
	s.blank()
	start := s.rest
	var keys []string
	for {
		var k string
		switch before := s.rest; {
		case s.accept(`"`):
			if !s.quoted('"') {
				return nil, false
			}
			k = before[:len(before)-len(s.rest)]
			// Go's escapes are nearly TOML's. With another the key is not
			// found in the index, and its table's line stands in for its own.
			if unquoted, err := strconv.Unquote(k); err == nil {
				k = unquoted
			}
		case s.accept(`'`):
			if !s.quoted('\'') {
				return nil, false
			}
			k = before[1 : len(before)-len(s.rest)-1]
		default:
			n := s.until(" \t\r\n\x00.=[]{},#\"'")
			if n == 0 {
				return nil, false
			}
			k = s.rest[:n]
			s.skip(n)
		}
		keys = append(keys, k)
		if len(start)-len(s.rest) > maxKey || len(keys) > maxParts {
			return nil, s.beyond("key too long; allowed: at most %d bytes and %d dotted parts", maxKey, maxParts)
		}
		s.blank()
		if !s.accept(".") {
			return keys, true
		}
		s.blank()
	}
}

// quoted reads the rest of a string of one line.
func (s *scanner) quoted(quote byte) bool {
	for i := 0; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case c == quote:
			s.skip(i + 1)
			return true
		case c == '\\' && quote == '"':
			i++
		case c == '\n':
			return false
		}
	}
	return false
}

// quotedLines reads the rest of a string of several lines. Up to two quotes
// may stand before the three that end it.
func (s *scanner) quotedLines(end string) bool {
	for i := 0; i < len(s.rest); i++ {
		switch {
		case strings.HasPrefix(s.rest[i:], end):
			for range 2 {
				if strings.HasPrefix(s.rest[i+1:], end) {
					i++
				}
			}
			s.skip(i + len(end))
			return true
		case s.rest[i] == '\\' && end == `"""`:
			i++
		}
	}
	return false
}

// value reads the value of the key at path, which is in the given line.
func (s *scanner) value(path string, line int) bool {
	switch {
	case s.accept(`"""`):
		return s.quotedLines(`"""`)
	case s.accept(`'''`):
		return s.quotedLines(`'''`)
	case s.accept(`"`):
		return s.quoted('"')
	case s.accept(`'`):
		return s.quoted('\'')
	case s.accept("["):
		return s.nested("]", func(i int) bool {
			entry := join(path, strconv.Itoa(i))
			if s.line != line {
				s.note(entry, s.line)
			}
			return s.value(entry, s.line)
		})
	case s.accept("{"):
		return s.nested("}", func(int) bool { return s.pair(path) })
	}
	n := s.until(",]}#\n")
	s.skip(n)
	return n > 0
}

// nested reads entries between commas up to end.
func (s *scanner) nested(end string, entry func(i int) bool) bool {
	if s.depth == maxDepth {
		return s.beyond("nested too deep; allowed: at most %d brackets and braces", maxDepth)
	}
	s.depth++
	for i := 0; ; i++ {
		s.space()
		if s.accept(end) {
			s.depth--
			return true
		}
		if !entry(i) {
			return false
		}
		s.space()
		if !s.accept(",") && !strings.HasPrefix(s.rest, end) {
			return false
		}
	}
}
