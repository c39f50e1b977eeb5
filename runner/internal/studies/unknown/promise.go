package unknown

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// train returns the trained learner, and a record of how it predicted the examples of the second
// half of the pass before it learned them. The record is empty without promises, and of what
// learns all examples at once or in several passes.
func (s spec) train(ctx context.Context, train *data.Examples) (l *learner.Tolerant, r bnn.TrackRecord, err error) {
	src, order := s.Stream("method", s.Method.Name), s.order
	if len(s.Unknown.Promise) == 0 || !s.Method.Online() || s.Method.Passes > 1 || s.Method.OwnOrders {
		l, err = s.Method.Train(ctx, train, src, order)
		return l, r, err
	}
	if l, err = s.Method.Learner(train.Inputs(), len(train.Classes()), src); err != nil {
		return nil, r, err
	}
	seen := 0
	course := learner.Course{Examples: train, Order: order, Before: func(x []float64, class, _ int) {
		if seen++; seen > train.Len()/2 {
			p := l.Before(x)
			r.Add(floats.Max(p), floats.MaxIdx(p) != class)
		}
	}}
	return l, r, course.Train(ctx, l)
}

// promise writes down what becomes of the test part with thresholds of the largest probability
// that promise that at most a share of the answers is wrong, by a record or, if that is empty, by
// the part for validation.
func (t *tables) promise(r bnn.TrackRecord, validation, test predictions) {
	if len(r.Predicted) == 0 {
		for i, p := range validation.p {
			r.Add(floats.Max(p), validation.wrong[i])
		}
	}
	for _, share := range t.Unknown.Promise {
		threshold := r.Threshold(share, 0.95)
		correct, unknown, wrong := decided(test, probability, threshold)
		risk, kept, made := wrong/(correct+wrong), 1., 1.
		if risk > share {
			kept = 0
		}
		if math.IsInf(threshold, 1) {
			threshold, made = math.NaN(), 0
		}
		t.promises.Add(t.Method.Name, t.Inputs.Name, t.Seed, share, made, table.Finite(threshold), correct, unknown, wrong, table.Finite(risk), kept)
	}
}
