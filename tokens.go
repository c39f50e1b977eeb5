package closedform

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"
)

// goTokens returns what counts of a Go file: its tokens and its //go: directives. Automatic semicolons are
// as written ones; commas and semicolons that a bracket after them makes superfluous do not count.
func goTokens(src []byte) ([]byte, error) {
	var (
		s    scanner.Scanner
		errs scanner.ErrorList
		out  []byte
		held token.Token // a comma or a semicolon that may be superfluous
	)
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, errs.Add, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		if tok == token.COMMENT && !strings.HasPrefix(text, "//go:") {
			continue
		}
		// A comma before ] is not superfluous: type T[P *C,] is no array.
		if held != token.ILLEGAL && tok != token.RPAREN && tok != token.RBRACE {
			out = append(out, held.String()...)
		}
		held = token.ILLEGAL
		switch {
		case tok == token.EOF:
			return out, errs.Err()
		case tok == token.COMMA || tok == token.SEMICOLON:
			held = tok
		case tok == token.COMMENT || tok.IsLiteral():
			out = strconv.AppendQuote(append(out, tok.String()...), text)
		default:
			out = append(append(out, ' '), tok.String()...)
		}
	}
}
