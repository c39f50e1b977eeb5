package study

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// unknownCell is one pupil and what it says.
type unknownCell struct {
	unknownSpec
	pupil pupil
	names []string // of the classes it has learned
	by    []bnn.Confidence

	decisions, selection, curve, outside, predictions store.Table
}

// run teaches a pupil, chooses thresholds by the part for validation, and decides
// about the test part and all else with these.
func (s unknownSpec) run(ctx context.Context) ([]store.Table, error) {
	c := &unknownCell{unknownSpec: s}
	c.header()
	all, test, err := s.Unknown.Source.Unscaled(s.stream("data"))
	if err != nil {
		return nil, err
	}
	unseen := c.kept(test)
	if all, test, err = c.keepBack(all, test); err != nil {
		return nil, err
	}
	learn, judge, err := all.SplitFraction(s.Unknown.Validation, s.stream("validation"))
	if err != nil {
		return nil, err
	}
	train, validation := all.Subset(learn), all.Subset(judge)
	scaler, err := train.Scaler(dataset.Scaling(s.Unknown.Source.Scale))
	if err != nil {
		return nil, err
	}
	c.names = train.Classes()
	if err := c.learn(ctx, scaler.Apply(train)); err != nil {
		return nil, err
	}
	inside := c.ask(scaler.Apply(test))
	if s.Without {
		c.distinguish(manifest.UnseenClass, inside, c.ask(scaler.Apply(unseen)))
		return []store.Table{c.outside, c.predictions}, nil
	}
	c.decide(c.ask(scaler.Apply(validation)), inside)
	c.write(manifest.TestPart, inside)
	for _, o := range s.Unknown.Outside {
		c.distinguish(o.Name, inside, c.ask(scaler.Apply(o.Examples())))
	}
	tables := []store.Table{c.decisions, c.selection, c.outside, c.predictions}
	if s.Curves {
		tables = append(tables, c.curve)
	}
	return tables, nil
}

func (s unknownSpec) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

func (c *unknownCell) header() {
	c.decisions = store.Table{Name: "decisions", Header: []string{
		"method", "seed", "confidence", "wanted", "threshold", "correct", "unknown", "wrong", "risk",
	}}
	c.selection = store.Table{Name: "selection", Header: []string{"method", "seed", "confidence", "error", "aurc"}}
	c.curve = store.Table{Name: "risk_coverage", Header: []string{"method", "confidence", "threshold", "coverage", "risk"}}
	c.outside = store.Table{Name: "outside", Header: []string{"method", "seed", "confidence", "data", "auroc", "fpr95"}}
	c.predictions = store.Table{Name: "predictions", Packed: true, Header: []string{"method", "seed", "data", "example", "class", "p", "settledness"}}
}

// keepBack returns both parts without the classes that are not learned. The test
// part may have fewer classes than the training part, whose numbers they have.
func (c *unknownCell) keepBack(train, test *dataset.Examples) (_, _ *dataset.Examples, err error) {
	if !c.Without {
		return train, test, nil
	}
	learned, _, err := dataset.Parts(train, c.rows(train, false), nil)
	if err != nil {
		return nil, nil, err
	}
	test, err = dataset.Align(learned, test.Subset(c.rows(test, false)))
	return learned, test, err
}

// kept returns the examples of the other classes.
func (c *unknownCell) kept(e *dataset.Examples) *dataset.Examples { return e.Subset(c.rows(e, true)) }

// rows returns the examples of classes that are unseen, or of those that are not.
func (c *unknownCell) rows(e *dataset.Examples, unseen bool) []int {
	var rows []int
	for i := range e.Len() {
		if slices.Contains(c.Unknown.Unseen, e.Classes()[e.Class(i)]) == unseen {
			rows = append(rows, i)
		}
	}
	return rows
}

func (c *unknownCell) learn(ctx context.Context, train *dataset.Examples) error {
	var err error
	c.pupil, err = enrol(&c.Method, c.Method.Hyper, train.Inputs(), len(c.names), c.stream("method", c.Method.Name))
	if err != nil {
		return err
	}
	c.by = confidences
	if _, ok := c.pupil.(*learner); !ok {
		c.by = confidences[:2] // it has no variances
	}
	return teach(ctx, c.pupil, train, c.Method.Passes, func(pass int) rand.Source { return c.stream("pass", pass) })
}

// answers are what a pupil says about some examples.
type answers struct {
	p          [][]float64
	class      []int // 0 where the true class is not one of those that were learned
	confidence map[bnn.Confidence][]float64
}

// ask returns what the pupil says.
func (c *unknownCell) ask(e *dataset.Examples) answers {
	a := answers{confidence: map[bnn.Confidence][]float64{}}
	a.p, a.class = answer(c.pupil, e)
	for _, p := range a.p {
		a.confidence[bnn.Probability] = append(a.confidence[bnn.Probability], floats.Max(p))
		a.confidence[bnn.EntropyBased] = append(a.confidence[bnn.EntropyBased], 1-metric.Entropy(p)/math.Log(float64(len(p))))
	}
	if l, ok := c.pupil.(*learner); ok {
		a.confidence[bnn.Epistemic] = l.settledness(e)
	}
	return a
}

// settledness returns one minus the epistemic share of the variance of the label,
// by the moments of the softmax itself: the probit's variances are negative where
// the logits are far apart and nearly certain.
func (l *learner) settledness(e *dataset.Examples) []float64 {
	out := make([]float64, e.Len())
	x := make([]float64, e.Inputs())
	var own bnn.Prediction
	exact := bnn.Prediction{Moments: softmax.NewMoments(l.classes)}
	for i := range out {
		e.Input(x, i)
		if l.failed = l.failed || l.network.Predict(&own, x) != nil; l.failed {
			return make([]float64, len(out))
		}
		softmax.Exact{Fast: true}.Moments(exact.Moments, own.Mean, own.Variance)
		exact.P, exact.Cov = exact.Moments.P, own.Cov
		exact.Moments.Cov(exact.Cov)
		out[i] = exact.Confidence(bnn.Epistemic)
	}
	return out
}

// decide writes down what share of the test examples is answered right, wrong and
// not at all, with thresholds that were fixed before or that the part for
// validation gives, and how well the confidences sort the errors out.
func (c *unknownCell) decide(validation, test answers) {
	for _, by := range c.by {
		for _, share := range c.Unknown.Wrong {
			threshold := leastThreshold(validation.confidence[by], mistakes(validation), share)
			c.writeDecision(by, "wrong="+store.Float(share), threshold, test)
		}
		if by == bnn.Probability {
			for _, threshold := range c.Unknown.Thresholds {
				c.writeDecision(by, "threshold="+store.Float(threshold), threshold, test)
			}
		}
		wrong := mistakes(test)
		c.selection.Rows = append(c.selection.Rows, []string{
			c.Method.Name, strconv.Itoa(c.Seed), by.String(),
			store.Float(metric.Error(test.p, test.class)), store.Float(metric.AURC(test.confidence[by], wrong)),
		})
		if c.Curves {
			c.writeCurve(by, test)
		}
	}
}

// mistakes reports which examples are classified wrong.
func mistakes(a answers) []bool {
	wrong := make([]bool, len(a.p))
	for i, p := range a.p {
		wrong[i] = floats.MaxIdx(p) != a.class[i]
	}
	return wrong
}

// leastThreshold returns the least confidence among those that occur with which no
// more than a share of all examples is answered wrong; more than 1 if there is
// none.
func leastThreshold(confidence []float64, wrong []bool, share float64) float64 {
	threshold, coverage, risk := metric.RiskCoverage(confidence, wrong)
	least := math.Nextafter(1, 2)
	for i, t := range threshold {
		if coverage[i]*risk[i] <= share {
			least = t
		} else {
			break
		}
	}
	return least
}

func (c *unknownCell) writeDecision(by bnn.Confidence, wanted string, threshold float64, test answers) {
	var correct, wrong float64
	n := float64(len(test.p))
	for i, mistake := range mistakes(test) {
		switch {
		case !(test.confidence[by][i] >= threshold):
		case mistake:
			wrong++
		default:
			correct++
		}
	}
	row := []string{c.Method.Name, strconv.Itoa(c.Seed), by.String(), wanted}
	for _, x := range []float64{threshold, correct / n, (n - correct - wrong) / n, wrong / n} {
		row = append(row, store.Float(x))
	}
	c.decisions.Rows = append(c.decisions.Rows, append(row, gapped(wrong/(correct+wrong))))
}

// curvePoints is the number of points of a curve that is written down.
const curvePoints = 200

func (c *unknownCell) writeCurve(by bnn.Confidence, test answers) {
	threshold, coverage, risk := metric.RiskCoverage(test.confidence[by], mistakes(test))
	next := 0.0
	for i := range threshold {
		if coverage[i] < next && i < len(threshold)-1 {
			continue
		}
		next = coverage[i] + 1./curvePoints
		c.curve.Rows = append(c.curve.Rows, []string{
			c.Method.Name, by.String(), store.Float(threshold[i]), store.Float(coverage[i]), store.Float(risk[i]),
		})
	}
}

// distinguish writes down how well the confidences tell the test examples from
// others.
func (c *unknownCell) distinguish(data string, inside, outside answers) {
	for _, by := range c.by {
		score := slices.Concat(inside.confidence[by], outside.confidence[by])
		known := slices.Concat(slices.Repeat([]bool{true}, len(inside.p)), make([]bool, len(outside.p)))
		c.outside.Rows = append(c.outside.Rows, []string{
			c.Method.Name, strconv.Itoa(c.Seed), by.String(), data,
			gapped(metric.AUROC(score, known)), gapped(metric.FalsePositives(score, known, 0.95)),
		})
	}
	c.write(data, outside)
}

// write lists the probabilities of all examples to six digits, separated by
// spaces, in the order of the classes that were learned.
func (c *unknownCell) write(data string, a answers) {
	settled := a.confidence[bnn.Epistemic]
	for i, p := range a.p {
		class, epistemic := "", ""
		if data == manifest.TestPart {
			class = c.names[a.class[i]]
		}
		if settled != nil {
			epistemic = strconv.FormatFloat(settled[i], 'g', 6, 64)
		}
		c.predictions.Rows = append(c.predictions.Rows, []string{
			c.Method.Name, strconv.Itoa(c.Seed), data, strconv.Itoa(i + 1), class, spelled(p), epistemic,
		})
	}
}
