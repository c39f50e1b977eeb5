package field

import (
	"fmt"
	"slices"
	"strings"
)

// Words are those of an enumeration, in the order of its constants, which count
// from 0. An enumeration hands its String, MarshalText and UnmarshalText on to
// them.
type Words []string

// Word returns the word of a constant, or its number if it has none.
func (w Words) Word(i int) string {
	if i < 0 || i >= len(w) {
		return fmt.Sprint(i)
	}
	return w[i]
}

// Marshal returns the word of a constant, or an error if it has none.
func (w Words) Marshal(i int) ([]byte, error) {
	if i < 0 || i >= len(w) {
		return nil, fmt.Errorf("%d is not allowed; %s", i, w.allowed())
	}
	return []byte(w[i]), nil
}

// Unmarshal sets dst to the constant of a word. It returns an error that lists the
// words if there is none.
func Unmarshal[T ~int](dst *T, text []byte, w Words) error {
	i := slices.Index(w, string(text))
	if i < 0 {
		return fmt.Errorf("%q is not allowed; %s", text, w.allowed())
	}
	*dst = T(i)
	return nil
}

// OneOf returns an error unless the constant has a word.
func OneOf[T ~int](key string, x T, w Words) error {
	if _, err := w.Marshal(int(x)); err != nil {
		return &Error{key, err.Error()}
	}
	return nil
}

func (w Words) allowed() string { return "allowed: " + strings.Join(w, ", ") }
