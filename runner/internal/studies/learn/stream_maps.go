package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// atlas has the maps of a network that learns data of two inputs, over all of the training
// part; and this part, in the order in which it is learned.
type atlas struct {
	maps, train *table.Table
	points      [][]float64
	scaled      *data.Examples // the points as the network sees them
}

// newAtlas returns one without maps.
func (c *streamCell) newAtlas(train *data.Examples, scaler dataset.Scaler) *atlas {
	set, order := train.Set(0, train.Len()), make([]int, train.Len())
	for i := range order {
		order[i] = i
	}
	if src := c.order(1); src != nil {
		order = rand.New(src).Perm(len(order))
	}
	place := []table.Column{table.Num("x1", "the first input"), table.Num("x2", "the second")}
	k := table.Int("k", "number of an example in the first pass")
	class := []table.Column{table.Int("class", "its class, from 1"), table.Text("label", "the name of the class")}
	a := &atlas{train: c.table("train", slices.Concat([]table.Column{k}, place, class)...)}
	axes := [2][]float64{}
	for k, i := range order {
		a.train.Add(c.at(), k+1, set.X[i], set.Class[i]+1, train.Classes()[set.Class[i]])
		axes[0], axes[1] = append(axes[0], set.X[i][0]), append(axes[1], set.X[i][1])
	}
	var region data.Region
	for i, values := range axes {
		low, high := floats.Min(values), floats.Max(values)
		margin := 0.05 * (high - low)
		if margin == 0 {
			margin = 1
		}
		region.Low[i], region.High[i] = low-margin, high+margin
	}
	a.points = region.Grid(c.Evaluate.Grid).Points
	classes := len(train.Classes())
	a.scaled = scaler.Apply(dataset.NewExamples(data.Set{X: a.points, Class: make([]int, len(a.points))}, classes))
	columns := append([]table.Column{table.Int("k", "examples seen")}, place...)
	for _, of := range [][2]string{{"p", "mean"}, {"var", "variance"}} {
		for j := 1; j <= classes; j++ {
			doc := fmt.Sprintf("%s of the probability of class %d", of[1], j)
			columns = append(columns, table.Num(fmt.Sprint(of[0], j), doc).Rounded(6))
		}
	}
	a.maps = c.table("maps", columns...)
	a.maps.Packed = true
	return a
}

// draw writes down what the network says after k examples; nothing is said where it
// breaks down.
func (a *atlas) draw(c *streamCell, k int) {
	network := c.learner.Learner.(*learner.Network)
	x, classes := make([]float64, data.Inputs), len(c.train.Classes())
	for i, point := range a.points {
		a.scaled.Input(x, i)
		var got bnn.Prediction
		if network.Model.Predict(&got, x) != nil {
			a.maps.Add(c.at(), k, point, table.Gaps(2*classes))
			continue
		}
		var variances []float64
		for j := range got.P {
			variances = append(variances, got.Cov.At(j, j))
		}
		a.maps.Add(c.at(), k, point, got.P, variances)
	}
}
