package baselines

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/classgaussian"
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/majority"
	"closedform/baselines/learners/nearest"
	"closedform/baselines/learners/perceptron"
	"closedform/baselines/learners/sgd"
	"closedform/baselines/learners/tagi"
	check "closedform/internal/checktest"
)

// splitmix is the source splitmix64 (Steele, Lea and Flood 2014), which starts at 0.
type splitmix uint64

func (s *splitmix) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// problem returns the examples of reference.py, and the inputs at which it predicts.
func problem() (x [][]float64, class []int, at [][]float64) {
	for k := range 40 {
		c := k % 3
		if k%10 == 9 {
			c = 0
		}
		row := make([]float64, 3)
		for i := range row {
			row[i] = math.Sin(1.3*float64((k+1)*(i+1)) + float64(i))
		}
		row[c]++
		x, class = append(x, row), append(class, c)
	}
	for k := range 3 {
		at = append(at, []float64{math.Sin(float64(k)), math.Sin(float64(k + 2)), math.Sin(float64(k + 4))})
	}
	return x, class, at
}

// The probabilities of every baseline are those of other programs: scikit-learn, or reference.py.
func TestReference(t *testing.T) {
	linear, layers := []int{3, 3}, []int{3, 4, 3}
	x, class, at := problem()
	learned := func(l check.Observer, err error) check.Predictor {
		check.OK(t, err)
		for k := range x {
			check.OK(t, l.Observe(x[k], class[k]))
		}
		return l
	}
	filter := func(c kalman.Covariance, rank int) check.Predictor {
		cfg := kalman.Config{Covariance: c, Rank: rank, PriorVar: 2}
		return learned(kalman.New(cfg, layers, new(splitmix)))
	}
	step := func(rule sgd.Rule, rate float64) check.Predictor {
		return learned(sgd.New(sgd.Config{Rule: rule, LearningRate: rate}, layers, new(splitmix)))
	}
	mode := func(p laplace.Predictive) check.Predictor {
		cfg := laplace.Config{PriorVar: 2, Predictive: p}
		return check.Must(laplace.Fit(cfg, linear, x, class, new(splitmix)))
	}
	targets := tagi.Config{SigmaV: 0.5, PriorVar: 0.8, PriorMeanVar: 0.5}
	models := map[string]check.Predictor{
		"majority":        learned(majority.New(majority.Config{}, 3, 3, nil)),
		"nearest":         learned(nearest.New(nearest.Config{Window: 30}, 3, 3, nil)),
		"class-gaussian":  learned(classgaussian.New(classgaussian.Config{Shrinkage: 0.1}, 3, 3, nil)),
		"map":             mode(laplace.PlugIn),
		"laplace":         mode(laplace.Probit),
		"sgd":             step(sgd.SGD, 0.1),
		"adam":            step(sgd.Adam, 0.02),
		"kalman":          filter(kalman.Full, 0),
		"kalman-diagonal": filter(kalman.Diagonal, 0),
		"low-rank":        filter(kalman.LowRank, 3),
		"bong":            filter(kalman.Bong, 0),
		"tagi":            learned(tagi.New(targets, layers, new(splitmix))),
		"perceptron":      newPerceptron(t),
	}
	records := check.Records(t, "testdata/reference.csv")
	check.True(t, len(records) == len(models), "%d references for %d baselines", len(records), len(models))
	for _, record := range records {
		var got []float64
		for _, x := range at {
			p := make([]float64, (len(record)-1)/len(at))
			check.OK(t, models[record[0]].Predict(p, x))
			got = append(got, p...)
		}
		check.NearAll(t, record[0], got, check.Numbers(record[1:]), 1e-6)
	}
}

// binary is a perceptron of class 0 against the others.
type binary struct{ *perceptron.Perceptron }

func newPerceptron(t *testing.T) check.Predictor {
	cov := mat.NewDiagDense(4, []float64{2, 2, 2, 2})
	c := perceptron.Config{Rule: perceptron.ADF, Lambda: 0.5}
	b := binary{perceptron.New(c, make([]float64, 4), cov)}
	x, class, _ := problem()
	for k := range x {
		check.Must(b.Observe(append(x[k], 1), class[k] == 0))
	}
	return b
}

func (b binary) Predict(p, x []float64) error {
	of, err := b.Perceptron.Predict(append(x, 1))
	p[0], p[1] = of.Positive, of.Negative
	return err
}
