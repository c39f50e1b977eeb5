package majority

import (
	"math"
	"testing"

	check "closedform/internal/checktest"
)

func TestErrors(t *testing.T) {
	check.Refuses(t, "one class", check.Err(New(Config{}, 1, 1, nil)))
	m := check.Must(New(Config{}, 1, 2, nil))
	p, infinite := make([]float64, 2), []float64{0, math.Inf(-1)}
	for _, err := range []error{
		m.Observe(nil, 2), m.Observe(nil, -1), m.Observe(infinite, 0), m.Predict(p, infinite),
	} {
		check.Refuses(t, "a wrong class or input", err)
	}
	check.Panics(t, "", "", func() { _ = m.Predict(make([]float64, 3), nil) })
}
