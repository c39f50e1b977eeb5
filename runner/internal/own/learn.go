package own

import (
	"context"
	"errors"
	"io"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// saveEvery is the number of rows after which the network is saved.
const saveEvery = 1000

// Learn predicts each row, prints the prediction as Predict does, and then learns the row, if its class is in
// a column or on the line after it. It saves the network before the first row, again and again, and at the
// end. next is the first row that was not read with its class.
func Learn(ctx context.Context, stdout, stderr io.Writer, o Options) (next int, err error) {
	release, err := store.Hold(o.To)
	if err != nil {
		return o.From, err
	}
	defer release()
	save := saver(o.To)
	s, err := open(stdout, stderr, o, true)
	if err == nil {
		err = save(s.network)
	}
	if err != nil {
		return o.From, err
	}
	err = s.run(ctx, o.From, func(label string) error {
		s.learn(label)
		if s.network.Rows++; s.network.Rows%saveEvery != 0 {
			return nil
		}
		s.report()
		return save(s.network)
	})
	s.say("%s: %d rows, %d learned", o.To, s.network.Rows, s.network.Learned)
	return s.rows.read + 1, errors.Join(err, save(s.network))
}

// learn learns the last row, unless it has no label. A class that the network does not have is added.
func (s *session) learn(label string) {
	if dataset.IsMissing(label) {
		return
	}
	n, class, err := s.network, slices.Index(s.network.Classes, label), error(nil)
	if label == dataset.Unknown {
		err = errors.New("the word for no class")
	} else if class < 0 {
		if err = n.AddClass(); err == nil {
			class, n.Classes = len(n.Classes), append(n.Classes, label)
			n.Added++
			s.say("%s: new class %q", s.place, label)
		}
	}
	if err == nil {
		err = n.Learn(s.x, class)
	}
	if err != nil {
		s.say("%s: class %q: %v; the row is not learned", s.place, label, err)
		return
	}
	n.Learned++
}
