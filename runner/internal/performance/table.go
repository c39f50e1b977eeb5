package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
)

// tolerances are the errors to be reached.
var tolerances = []float64{1e-3, 1e-4, 1e-6}

// markdown returns the table.
func markdown(rows []row) []byte {
	var b bytes.Buffer
	b.WriteString("| n | method | error of p | one call |")
	for _, t := range tolerances {
		fmt.Fprintf(&b, " to reach %s |", strings.Replace(fmt.Sprintf("%.0e", t), "e-0", "e-", 1))
	}
	b.WriteString("\n| ---: | --- | ---: | ---: |" + strings.Repeat(" ---: |", len(tolerances)) + "\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %d | %s | %s | %s |", r.classes, r.method, r.bound+size(r.error), duration(r.seconds))
		for _, t := range tolerances {
			if seconds, ok := r.reach(t); ok {
				fmt.Fprintf(&b, " %s |", duration(seconds))
			} else {
				b.WriteString(" never |")
			}
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// size spells an error with two digits.
func size(x float64) string {
	if x >= 1e-3 {
		return fmt.Sprintf("%.2g", x)
	}
	return strings.Replace(fmt.Sprintf("%.1e", x), "e-0", "e-", 1)
}

// duration spells a time with two digits, from nanoseconds to years.
func duration(seconds float64) string {
	units := []struct {
		size float64
		name string
	}{
		{365.25 * 86400, "years"}, {86400, "days"}, {3600, "h"}, {60, "min"}, {1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"},
	}
	for _, u := range units {
		if x := seconds / u.size; x >= 1 {
			digits := max(0, 1-int(math.Log10(x)))
			step := math.Pow(10, math.Floor(math.Log10(x))-1)
			return fmt.Sprintf("%.*f %s", digits, math.Round(x/step)*step, u.name)
		}
	}
	return fmt.Sprintf("%.2g s", seconds)
}

const (
	begin = "<!-- performance: written by make performance -->\n"
	end   = "<!-- end of performance -->\n"
)

// replace puts the table between the marks in the text.
func replace(text, table []byte) ([]byte, error) {
	i, j := bytes.Index(text, []byte(begin)), bytes.Index(text, []byte(end))
	if i < 0 || j < i {
		return nil, errors.New("no lines " + strings.TrimSpace(begin) + " and " + strings.TrimSpace(end))
	}
	return bytes.Join([][]byte{text[:i+len(begin)], table, text[j:]}, nil), nil
}
