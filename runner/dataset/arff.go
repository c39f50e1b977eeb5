package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// attribute is what an ARFF file declares a column to be; the columns of other tables have the zero value.
type attribute struct {
	words []string // the words of a nominal attribute, in their order
	text  string   // "string" or "date"; else ""
}

// readARFF reads the header of an ARFF file: a name and a type for each column.
func (t *Reader) readARFF() error {
	for {
		line, err := t.line()
		if err == io.EOF {
			err = errors.New("no line @data; need one, and a line for each row")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", t.File, err)
		}
		tokens, err := scan(line)
		if err = cmp.Or(t.problem(line), err); err == nil {
			switch keyword := strings.ToLower(tokens[0].text); {
			case keyword == "@relation" && t.Columns == nil:
			case keyword == "@attribute":
				err = t.declare(tokens[1:])
			case keyword == "@data" && t.Columns != nil:
				t.header, t.cells = t.number, len(t.Columns)
				return t.checkHeader(t.Columns)
			default:
				err = fmt.Errorf("found %q; need @relation, @attribute for each column, then @data", keyword)
			}
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", t.File, t.number, err)
		}
	}
}

// declare adds the column that a line @attribute declares.
func (t *Reader) declare(tokens []token) (err error) {
	if len(tokens) < 2 || tokens[0].mark() {
		return errors.New("need a name and a type after @attribute; a name with blanks needs quotes")
	}
	var a attribute
	name, kind, last := tokens[0].text, strings.ToLower(tokens[1].text), len(tokens)-1
	switch {
	case tokens[1].kind == '{' && tokens[last].kind == '}':
		if a.words, err = cells(tokens[2:last]); err != nil {
			return fmt.Errorf("words of %q: %w", name, err)
		}
		for i, word := range a.words {
			if IsMissing(word) || slices.Contains(a.words[:i], word) {
				return fmt.Errorf("words of %q: %q; need each word once, and quotes around a word ?", name, word)
			}
		}
	case slices.Contains([]string{"numeric", "real", "integer"}, kind) && last == 1:
	case kind == "string" && last == 1, kind == "date" && last <= 2:
		a.text = kind
	default:
		return fmt.Errorf("%q has a type that is not read; allowed: numeric, real, integer, {words} on one line, "+
			"and for columns that are no inputs string and date", name)
	}
	t.Columns, t.attributes = append(t.Columns, name), append(t.attributes, a)
	return nil
}

// token is a word or mark of a line. Its kind is the mark { or } or a comma, ' for a quoted word, or 0.
type token struct {
	text string
	kind byte
}

func (k token) mark() bool { return k.kind != 0 && k.kind != '\'' }

var (
	first   = regexp.MustCompile(`^([{},]|'([^'\\]|\\['"\\%nt])*'|"([^"\\]|\\['"\\%nt])*"|[^{},'"% \t]+)`)
	escapes = strings.NewReplacer(`\'`, "'", `\"`, `"`, `\\`, `\`, `\%`, "%", `\n`, "\n", `\t`, "\t")
)

// scan splits a line up to its comment as Weka does: marks, quotes and blanks end a word.
func scan(line string) (tokens []token, err error) {
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" || line[0] == '%' {
			return tokens, nil
		}
		next := token{text: first.FindString(line)}
		n := len(next.text)
		switch {
		case n == 0:
			return nil, fmt.Errorf(`%.40q: no closing quote, or an escape other than \' \" \\ \%% \n \t`, line)
		case strings.Contains("{},", next.text):
			next.kind = line[0]
		case line[0] == '\'' || line[0] == '"':
			next = token{strings.TrimSpace(escapes.Replace(line[1 : n-1])), '\''}
		}
		if line = line[n:]; !next.mark() && line != "" && strings.IndexByte("{}, \t%", line[0]) < 0 {
			return nil, fmt.Errorf(`%.20q after %.20q: need quotes, and \' for a quote in them`, line, next.text)
		}
		tokens = append(tokens, next)
	}
}

// cells returns the words between commas or blanks. Only a ? without quotes is no value: another word that
// [IsMissing] would take for none keeps quotes, such as '?'.
func cells(tokens []token) (cells []string, err error) {
	empty := true // before and after a comma
	for _, next := range append(slices.Clip(tokens), token{kind: ','}) {
		switch {
		case !next.mark():
			if IsMissing(next.text) && (next.text != "?" || next.kind != 0) {
				next.text = "'" + next.text + "'"
			}
			cells, empty = append(cells, next.text), false
			continue
		case next.kind != ',':
			return nil, errors.New("braces: sparse rows and weights of rows are not read; write a row with a value " +
				"for each column (Weka's filter SparseToNonSparse)")
		case empty:
			return nil, errors.New("an empty cell; need a value, or ? for none")
		}
		empty = true
	}
	return cells, nil
}
