package field

import (
	"fmt"
	"slices"
	"strings"
)

// Words are those of an enumeration, in the order of its constants, which count
// from zero. With them its methods are a line each:
//
//	var rules = field.Words{"joint", "total"}
//
//	func (r Rule) String() string                   { return rules.Word(int(r)) }
//	func (r Rule) MarshalText() ([]byte, error)     { return rules.Marshal(int(r)) }
//	func (r *Rule) UnmarshalText(text []byte) error { return rules.Unmarshal((*int)(r), text) }
type Words []string

// Word returns that of a constant, and for others a text with the number.
func (w Words) Word(i int) string {
	if i < 0 || i >= len(w) {
		return fmt.Sprintf("value %d", i)
	}
	return w[i]
}

// Check returns an error unless i is one of the constants.
func (w Words) Check(key string, i int) error {
	if i < 0 || i >= len(w) {
		return Errorf(key, "%s is not allowed; allowed: %s", w.Word(i), strings.Join(w, ", "))
	}
	return nil
}

// Marshal returns the word of a constant.
func (w Words) Marshal(i int) ([]byte, error) {
	if i < 0 || i >= len(w) {
		return nil, fmt.Errorf("%s has no word", w.Word(i))
	}
	return []byte(w[i]), nil
}

// Unmarshal sets dst to the constant of the word.
func (w Words) Unmarshal(dst *int, text []byte) error {
	i := slices.Index(w, string(text))
	if i < 0 {
		return fmt.Errorf("%q is not allowed; allowed: %s", text, strings.Join(w, ", "))
	}
	*dst = i
	return nil
}
