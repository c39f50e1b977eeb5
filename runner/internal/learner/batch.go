package learner

// Predictor puts the predictive probabilities of the classes at x into p.
type Predictor interface {
	Predict(p, x []float64) error
}

// Batch is a method that learns all examples at once, as a learner: it is fitted
// when it is first asked after an example.
type Batch struct {
	Fit func(x [][]float64, class []int) (Predictor, error)

	// Of a stream that changes: the method is fitted after every so many examples,
	// to the latest Window of them, and says before the first time that all classes
	// are equally probable. Zero: it is not.
	Window, Every int

	model Predictor
	x     [][]float64
	class []int
	seen  int
}

// Observe keeps an example.
func (b *Batch) Observe(x []float64, class int) error {
	b.x, b.class = append(b.x, append([]float64(nil), x...)), append(b.class, class)
	if past := len(b.x) - b.Window; b.Every > 0 && past > 0 {
		b.x, b.class = b.x[past:], b.class[past:]
	}
	if b.seen++; b.Every == 0 || b.seen%b.Every == 0 {
		b.model = nil
	}
	return nil
}

// Predict sets p to the probabilities at x.
func (b *Batch) Predict(p, x []float64) error {
	if b.seen < b.Every {
		copy(p, Equal(1, len(p))[0])
		return nil
	}
	if b.model == nil {
		model, err := b.Fit(b.x, b.class)
		if err != nil {
			return err
		}
		b.model = model
	}
	return b.model.Predict(p, x)
}

var _ Learner = (*Batch)(nil)
