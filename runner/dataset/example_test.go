package dataset_test

import (
	"fmt"
	"strings"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/dataset"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A network learns a table, and predicts new rows with their columns in another order.
func Example() {
	format := dataset.Format{
		Class:       "species",
		Missing:     dataset.MissingMean,
		Categorical: []string{"margin"},
		Ignore:      []string{"id"},
	}
	leaves := must(format.Read("testdata/leaves.csv", nil))
	fmt.Println(leaves.About())
	fmt.Println(leaves.Features())

	trainRows, testRows, err := leaves.Split(0.25, random.Source("leaves", "split"))
	if err != nil {
		panic(err)
	}
	train, test, err := dataset.Parts(leaves, trainRows, testRows)
	if err != nil {
		panic(err)
	}
	scaler := must(train.Scaler(dataset.Standard))
	train, test = scaler.Apply(train), scaler.Apply(test)

	network := must(bnn.New(bnn.Default(train.Inputs(), len(train.Classes())), random.Source("leaves", "prior")))
	set := train.Set(0, train.Len())
	for i, x := range set.X {
		if _, err := network.Observe(x, set.Class[i]); err != nil {
			panic(err)
		}
	}
	fmt.Println(train.Len(), "to train,", test.Len(), "to test")

	fresh := must(dataset.NewReader(strings.NewReader("margin;length\nsmooth;10,5\njagged;3\n"), "fresh.csv",
		dataset.Layout{Separator: ";", Decimal: ","}))
	inputs := must(scaler.Inputs(&fresh.Table))
	var p bnn.Prediction
	for range 2 {
		x, unseen, err := inputs.Read(must(fresh.Next()))
		if err != nil {
			panic(err)
		}
		if err := network.Predict(&p, x); err != nil {
			panic(err)
		}
		fmt.Println(train.Classes()[p.Class()], unseen)
	}

	// Output:
	// testdata/leaves.csv: 12 examples, 3 inputs, 2 classes: Ash 6, Elm 6
	// testdata/leaves.csv: missing values, replaced by column means: 1
	// [length margin=smooth margin=toothed]
	// 8 to train, 4 to test
	// Ash []
	// Elm [margin=jagged]
}
