package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

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
	switch {
	case bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")):
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(content)
		if err != nil || bytes.ContainsRune(text, utf8.RuneError) {
			return "", errors.New("begins as UTF-16 text, but goes on otherwise")
		}
		content = text
	case !utf8.Valid(content):
		open := func(b byte) bool { return charmap.Windows1252.DecodeByte(b) == utf8.RuneError }
		if i := slices.IndexFunc(content, open); i >= 0 {
			return "", fmt.Errorf("line %d has the byte %#x, neither UTF-8 nor Windows-1252; allowed: these, Latin-1,"+
				" and UTF-16 with a byte order mark", 1+bytes.Count(content[:i], []byte("\n")), content[i])
		}
		text, err := charmap.Windows1252.NewDecoder().Bytes(content)
		if err != nil {
			return "", err
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
