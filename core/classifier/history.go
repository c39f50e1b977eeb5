package classifier

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/readout"
	"closedform/core/selective"
	"closedform/internal/kernel"
)

// History is what a [Classifier] keeps of its examples apart from the model: the distribution of the inputs,
// and how each example was predicted before it was learned. The zero value, for a model that was trained
// elsewhere, keeps nothing and counts all inputs as familiar.
type History struct {
	Familiar *familiar.Inputs `json:"familiar,omitempty"` // distribution of the inputs; nil: not kept
	Record   *Record          `json:"record,omitempty"`   // nil: not kept

	// Scaling scales the inputs for the model; nil: they are not scaled. It observes each example after Add.
	Scaling *Scaling `json:"scaling,omitempty"`
}

// Record has the predictions of the latest examples before they were learned, by a model as it is along the
// stream, and as a snapshot would predict.
type Record struct {
	Next  Recent         `json:"next"`
	Whole Recent         `json:"whole"`
	Rows  repeats        `json:"rows"`            // hashes of the latest rows
	Order *mixture.Order `json:"order,omitempty"` // the order of the classes; nil: the model keeps it
}

// Recent has the predictions of at least the last half of the examples, as early predictions are worse than
// later ones, and a concept may have drifted. It drops the others at numbers of examples that do not depend
// on the predictions.
type Recent struct {
	Earlier selective.Record `json:"earlier"`
	Latest  selective.Record `json:"latest"` // the predictions after those of Earlier
}

// NewHistory returns an empty history for inputs of the given length, at least 1.
func NewHistory(inputs int) *History {
	return &History{Familiar: familiar.New(inputs), Record: new(Record)}
}

// forecast is a prediction of an example before it is learned.
type forecast struct {
	next, whole answer    // by the model, and with the weights of a snapshot
	p           []float64 // distribution of the label
}

// answer is the most probable class, and the confidence in it.
type answer struct {
	class      int
	confidence float64
}

// set sets f to a prediction by the model, right after it.
func (f *forecast) set(m bnn.Model, p *bnn.Prediction) {
	f.next = answer{p.Class(), p.Confidence()}
	f.whole = f.next
	if m, ok := m.(*mixture.Mixture); ok {
		f.whole.class, f.whole.confidence = m.ByWholeStream(p)
	}
	f.p = append(f.p[:0], p.P...)
	floats.Scale(1/p.Sum(), f.p)
}

// Add adds an example of a class with its prediction p by the model, which learns the example next.
// [Classifier.Learn] calls Add; a program that trains the model itself calls it in the first pass, right after
// the prediction. A row that is the same as an earlier one, with its class, adds no prediction.
func (h *History) Add(m bnn.Model, p *bnn.Prediction, x []float64, class int) {
	var f forecast
	f.set(m, p)
	var scaled []float64
	h.add(m, &f, x, h.Scaling.apply(&scaled, x), class)
}

// add adds an example with the inputs x, of which the model has the scaled ones.
func (h *History) add(m bnn.Model, f *forecast, x, scaled []float64, class int) {
	if h.Familiar != nil {
		_ = h.Familiar.Observe(x, class) // the distribution leaves out inputs beyond ±1e100
	}
	r := h.Record
	if r == nil {
		return
	}
	if _, ok := m.(*mixture.Mixture); !ok {
		if r.Order == nil {
			_, classes := m.Shape()
			r.Order = mixture.NewOrder(classes)
		}
		r.Order.Add(scaled, class, []float64{kernel.Log(f.p[class])})
	}
	if !r.Rows.add(x, class) {
		r.Next.add(f.next.confidence, f.next.class != class)
		r.Whole.add(f.whole.confidence, f.whole.class != class)
	}
}

func (r *Recent) add(confidence float64, wrong bool) {
	r.Latest.Add(confidence, wrong)
	if n := r.Latest.Len(); n >= 16 && n >= 2*r.Earlier.Len() {
		r.Earlier, r.Latest = r.Latest, selective.Record{}
	}
}

// joined returns all predictions.
func (r *Recent) joined() selective.Record {
	whole := r.Earlier
	whole.Join(&r.Latest)
	return whole
}

func (r *Recent) validate() error { return cmp.Or(r.Earlier.Validate(), r.Latest.Validate()) }

var (
	errNoRecord = errors.New("classifier: no promise, as there is no record of predictions before learning")
	errOrder    = errors.New("classifier: no promise, as the classes came in an order, such as one after " +
		"another: the predictions before learning say little about other orders")
)

func (h *History) validate(m bnn.Model) error {
	inputs, classes := m.Shape()
	if h.Familiar != nil && len(h.Familiar.Low) != inputs {
		return fmt.Errorf("the familiarity of %d inputs, for a model with %d", len(h.Familiar.Low), inputs)
	}
	if h.Scaling != nil && !h.Scaling.fits(inputs) {
		return fmt.Errorf("the scaling is not that of %d inputs", inputs)
	}
	if r := h.Record; r != nil {
		if r.Order != nil && !r.Order.Fits(inputs, classes, 1) {
			return errors.New("the kept examples are not those of the model")
		}
		if n := len(r.Rows.Hashes); n > mostRows || r.Rows.Oldest < 0 || r.Rows.Oldest > max(0, n-1) {
			return errors.New("the rows are not the latest")
		}
		return cmp.Or(r.Next.validate(), r.Whole.validate())
	}
	return nil
}

// familiarity returns a p-value of the hypothesis that x, whose most probable class is given, is like the
// learned inputs. The input distribution gives one p-value, a predictor that is an output layer another. The
// result is twice the smaller of two p-values (Bonferroni), and 1 if there is none.
func familiarity(inputs *familiar.Inputs, knows bnn.Predictor, x []float64, class int) float64 {
	p, tests := 1.0, 0
	if inputs != nil {
		p, tests = inputs.P(x), 1
	}
	if f, ok := knows.(features.Predictor); ok {
		z := make([]float64, f.Size)
		_ = f.Standard(z, x) // no error: the prediction has checked x
		knows, x = f.Predictor, z
	}
	if l, ok := knows.(*readout.Layer); ok {
		by, _, err := l.Familiarity([][]float64{x}, []int{class})
		if err == nil && !math.IsNaN(by[0]) { // NaN: too few examples of the class
			p, tests = min(p, by[0]), tests+1
		}
	}
	return min(1, float64(max(1, tests))*p)
}

// repeats remembers the latest rows, each with its class, by hashes.
type repeats struct {
	Hashes []uint32 `json:"hashes"` // once there are mostRows, the oldest is replaced
	Oldest int      `json:"oldest"` // index of the oldest

	count map[uint32]int // how often Hashes has a hash; nil: not counted
}

const mostRows = 1 << 16

// add adds a row, and reports whether it is among the latest already.
func (r *repeats) add(x []float64, class int) bool {
	long := uint64(class)
	for _, v := range x {
		long = (long ^ math.Float64bits(v+0)) * 0x9e3779b97f4a7c15 // + 0 turns −0 into 0
		long ^= long >> 29
	}
	if r.count == nil {
		r.count = map[uint32]int{}
		for _, h := range r.Hashes {
			r.count[h]++
		}
	}
	h := uint32(long >> 32) // the low bits do not depend on the sign of the last number
	if len(r.Hashes) < mostRows {
		r.Hashes = append(r.Hashes, h)
	} else {
		oldest := &r.Hashes[r.Oldest]
		if r.count[*oldest]--; r.count[*oldest] == 0 {
			delete(r.count, *oldest)
		}
		*oldest, r.Oldest = h, (r.Oldest+1)%mostRows
	}
	r.count[h]++
	return r.count[h] > 1
}
