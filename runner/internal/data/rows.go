package data

import (
	"fmt"

	"closedform/internal/field"
)

// rowRange reads a range of rows, counted from 1, such as "1-4435".
func rowRange(text string) (first, last int, err error) {
	var rest string
	if n, _ := fmt.Sscanf(text, "%d-%d%s", &first, &last, &rest); n != 2 || first < 1 || last < first {
		err = fmt.Errorf("%q is not allowed; allowed: FIRST-LAST with 1 ≤ FIRST ≤ LAST", text)
	}
	return first, last, err
}

// Rows returns the examples in a range of rows; if the text is empty, all of them.
func Rows(e *Examples, text string) (*Examples, error) {
	if text == "" {
		return e, nil
	}
	rows, _, err := splitRows(e, text)
	if err != nil {
		return nil, err
	}
	return e.Subset(rows), nil
}

// CheckRows returns an error unless the value of a key is empty or a range of rows.
func CheckRows(key, text string) error {
	if _, _, err := rowRange(text); text != "" && err != nil {
		return field.Errorf(key, "%v", err)
	}
	return nil
}

// splitRows returns the numbers of the examples in a range of rows, and of the rest.
func splitRows(e *Examples, text string) (in, rest []int, err error) {
	first, last, err := rowRange(text)
	if err == nil && (last > e.Len() || last-first+1 == e.Len()) {
		err = fmt.Errorf("%q is not allowed; allowed: from 1 to %d, and not all of them", text, e.Len())
	}
	if err != nil {
		return nil, nil, err
	}
	for i := range e.Len() {
		if first <= i+1 && i+1 <= last {
			in = append(in, i)
		} else {
			rest = append(rest, i)
		}
	}
	return in, rest, nil
}
