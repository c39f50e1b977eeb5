package study

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"closedform/runner/internal/dataset"
	store "closedform/runner/internal/oldstore"
)

var _ Timed = (*compare)(nil)

// Measure implements [Timed]: how long every method takes to learn every set, with
// the hyper-parameters that were chosen on the first split, and to predict an
// example. Choosing takes as many times longer as there are candidates.
func (c *compare) Measure(ctx context.Context, tables []store.Table) (Report, error) {
	t := store.Table{Name: "timing_methods", Header: []string{"set", "method", "train", "learn_seconds", "predict_microseconds"}}
	scores := find(tables, "scores").where("seed", strconv.Itoa(c.m.Seeds[0]))
	for _, set := range c.Sets {
		for _, method := range c.Methods {
			s := compareSpec{c.m.Name, c.m.Seeds[0], set, method, c.Validation, c.classes()}
			row := scores.where("set", set.Name).where("method", method.Name)
			hyper, err := s.chosen(row.Rows[0][row.column("chosen")])
			if err != nil {
				return Report{}, err
			}
			train, test, err := set.Source.Unscaled(s.stream("data", set.Name))
			if err != nil {
				return Report{}, err
			}
			scaler, err := train.Scaler(dataset.Scaling(set.Source.Scale))
			if err != nil {
				return Report{}, err
			}
			begin := time.Now() // a batch method fits when it is first asked
			p, _, _, err := s.learn(ctx, hyper, train, test.Subset([]int{0}))
			if err != nil {
				return Report{}, err
			}
			learned := time.Now()
			answer(p, scaler.Apply(test))
			t.Rows = append(t.Rows, []string{
				set.Name, method.Name, strconv.Itoa(train.Len()), store.Float(learned.Sub(begin).Seconds()),
				store.Float(float64(time.Since(learned).Nanoseconds()) / 1000 / float64(test.Len())),
			})
		}
	}
	return Report{Tables: []store.Table{t}}, nil
}

// chosen returns the hyper-parameters that a field of the column chosen names.
func (s compareSpec) chosen(text string) (map[string]float64, error) {
	values := make([]float64, len(s.Method.Tune))
	for i, word := range strings.Fields(text) {
		_, number, _ := strings.Cut(word, "=")
		var err error
		if values[i], err = strconv.ParseFloat(number, 64); err != nil {
			return nil, fmt.Errorf("%s, %s: chosen %q: %w", s.Set.Name, s.Method.Name, text, err)
		}
	}
	return s.Method.With(values), nil
}
