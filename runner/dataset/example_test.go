package dataset_test

import (
	"fmt"
	"strings"

	"closedform/core/classifier"
	"closedform/core/random"
	"closedform/runner/dataset"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A classifier learns a table, and predicts new rows with their columns in another order.
func Example() {
	format := dataset.Format{
		Class: "species", Missing: dataset.MissingMean, Categorical: []string{"margin"}, Ignore: []string{"id"},
	}
	leaves := must(format.Read("testdata/leaves.csv", "", nil))
	fmt.Println(leaves.About())
	scaler := must(leaves.Scaler(dataset.Standard))
	set := scaler.Apply(leaves).Set(0, leaves.Len())
	options := classifier.Options{Inputs: leaves.Inputs(), Classes: len(leaves.Classes())}
	c := must(classifier.New(options, random.Source("leaves")))
	for i, x := range set.X {
		if err := c.Learn(x, set.Class[i]); err != nil {
			panic(err)
		}
	}

	rows := must(dataset.NewReader(strings.NewReader("margin;length\nsmooth;10,5\njagged;3\n"), "new.csv",
		dataset.Format{Separator: ";", Decimal: ","}))
	inputs, snapshot := must(scaler.Inputs(rows)), must(c.Snapshot())
	for range 2 {
		x, unseen, err := inputs(must(rows.Next()))
		if err != nil {
			panic(err)
		}
		var p classifier.Prediction
		if err := snapshot.Predict(&p, x); err != nil {
			panic(err)
		}
		fmt.Println(leaves.Classes()[p.Details.Class()], unseen)
	}
	// Output:
	// testdata/leaves.csv: 12 examples, 3 inputs, 2 classes: Ash 6, Elm 6
	// Ash []
	// Elm [margin=jagged]
}
