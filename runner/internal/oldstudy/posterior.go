package study

import (
	"context"
	"fmt"

	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// posteriorStudy is the study of the distance to the exact answer: networks of
// one layer, and perceptrons where there are two classes, learn a stream of
// examples, and after some of them their predictive is compared with that of the
// exact posterior of the same prior and the likelihood of the softmax. A cell is
// one seed: all that learns is compared with one sample from the posterior.
//
// The streams of all lengths are prefixes of one: what is said after k examples of
// a long stream is what a stream of k examples leaves.
type posteriorStudy struct {
	*manifest.Posterior
	m *manifest.Manifest
}

// posteriorSpec is all that the rows of a cell follow from.
type posteriorSpec struct {
	Manifest    string
	Seed        int
	Data        manifest.Data
	Model       manifest.Model // whose prior that of the posterior is
	Models      []manifest.Model
	Perceptrons []string
	Snapshots   []int
	Grid, Draws int

	// Of the seed that is drawn, else empty.
	Mapped  []int
	Maps    []string
	MapGrid int
}

func (s *posteriorStudy) Cells() []Cell {
	var cells []Cell
	for _, seed := range s.m.Seeds {
		spec := posteriorSpec{
			Manifest: s.m.Name, Seed: seed, Data: s.Data, Model: s.Model, Models: s.Models(), Perceptrons: s.Perceptrons,
			Snapshots: s.Snapshots, Grid: s.Grid, Draws: s.Draws,
		}
		if seed == s.m.Seed {
			spec.Mapped, spec.Maps, spec.MapGrid = s.Mapped, s.Maps, s.MapGrid
		}
		cells = append(cells, Cell{
			Key:  fmt.Sprintf("seed=%d", seed),
			Spec: spec,
			Run:  func(ctx context.Context) ([]store.Table, error) { return runPosterior(ctx, spec) },
		})
	}
	return cells
}

func (s *posteriorStudy) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	tables = append(tables, s.summary(find(tables, "distance")), s.truth())
	return Report{Tables: tables, Figures: s.figures(tables)}, nil
}

// names lists all that has rows in the tables: the exact posterior, what learns,
// and equal probabilities.
func (s posteriorSpec) names() []string {
	names := []string{manifest.Exact}
	for _, model := range s.Models {
		names = append(names, model.Name)
	}
	for _, rule := range s.Perceptrons {
		names = append(names, manifest.PerceptronPrefix+rule)
	}
	return append(names, manifest.Uniform)
}

// truth says what the best predictions there can be would score, the truth
// itself: on the grid, and its error rate by the closed form of the task.
func (s *posteriorStudy) truth() store.Table {
	task := s.Data.Task()
	best := newPlane(task, s.Grid)
	error, loss, _ := best.scores(best.truth)
	return store.Table{
		Name:   "truth",
		Header: []string{"grid", "error", "log_loss", "bayes_error"},
		Rows:   [][]string{{fmt.Sprint(s.Grid), store.Float(error), store.Float(loss), store.Float(task.BayesError())}},
	}
}

var _ Experiment = (*posteriorStudy)(nil)

// plane is the grid of a task whose inputs are uniform on a square, row by row,
// the first coordinate changing fastest. Averages over it are integrals over the
// square by the trapezoidal rule: points on its border have half the weight,
// corners a quarter.
type plane struct {
	axis   []float64
	x      [][]float64
	weight []float64   // of the points, adding up to 1
	truth  [][]float64 // probabilities of the classes; nil on a boundary, where there is none
}

func newPlane(task dataset.Task, points int) *plane {
	p := &plane{axis: task.Region().Axis(0, points)}
	part := func(i int) float64 {
		if i == 0 || i == points-1 {
			return 0.5 / float64(points-1)
		}
		return 1 / float64(points-1)
	}
	for j, x2 := range p.axis {
		for i, x1 := range p.axis {
			x, truth := []float64{x1, x2}, make([]float64, task.Classes())
			if !task.ClassProbabilities(truth, x) {
				truth = nil
			}
			p.x, p.truth = append(p.x, x), append(p.truth, truth)
			p.weight = append(p.weight, part(i)*part(j))
		}
	}
	return p
}
