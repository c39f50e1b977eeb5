package own

import (
	"encoding/json"

	"closedform/runner/dataset"
)

// former is the note of files that were written before 26 November 2026.
type former struct {
	Column string
	Layout struct{ Separator, Decimal string }
	Scaler struct {
		Features            []dataset.Input
		Fill, Shift, Factor []float64
	}
	Counts struct{ Rows, Learned, Added int }
}

// readFormer sets what a former note says, if the lengths fit.
func (n *Network) readFormer() {
	var old former
	if json.Unmarshal(n.Note, &old) != nil {
		return
	}
	s, inputs := old.Scaler, old.Scaler.Features
	fits := func(list []float64) bool { return len(list) == 0 || len(list) == len(inputs) }
	if !fits(s.Fill) || !fits(s.Shift) || len(s.Factor) != len(s.Shift) {
		return
	}
	for j := range inputs {
		inputs[j].Factor = 1
		if s.Shift != nil {
			inputs[j].Shift, inputs[j].Factor = s.Shift[j], s.Factor[j]
		}
		if s.Fill != nil {
			inputs[j].Fill = &s.Fill[j]
		}
	}
	n.Scaler, n.Rows, n.Learned, n.Added = inputs, old.Counts.Rows, old.Counts.Learned, old.Counts.Added
	n.Format = dataset.Format{Class: old.Column, Separator: old.Layout.Separator, Decimal: old.Layout.Decimal}
}
