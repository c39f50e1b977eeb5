package bnn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Prediction is the prediction of a [Model] for one input. Predicting into it again overwrites its slices and
// matrices. This allocates nothing, except in features of images and in an output layer that is not sequential,
// such as that of a snapshot. After an error all numbers are NaN. The methods only read. JSON has the probabilities, the logits
// and the weights.
type Prediction struct {
	P        []float64     `json:"p"`        // probabilities of the classes, E[y]; add up to Sum
	Cov      *mat.SymDense `json:"-"`        // Σ_y, covariance of the probabilities, classes × classes
	Mean     []float64     `json:"mean"`     // means of the logits
	Variance []float64     `json:"variance"` // variances of the logits

	// Moments are the moments of the softmax, which give Cov. P is Moments.P, unless a mixture calibrates its P.
	// Approximation errors may make the diagonal of Cov negative.
	Moments *softmax.Moments `json:"-"`

	// Members are the predictions of the members of an [Ensemble] or another mixture, Weights their weights,
	// which add up to 1; nil for a network. A member has no Cov; one of weight zero is the zero Prediction or NaN.
	Members []Prediction `json:"-"`
	Weights []float64    `json:"weights,omitempty"`

	// Layers are the layers of a network; nil for a mixture, whose Members have them.
	Layers []Layer `json:"-"`

	// Brief leaves out Cov and Moments.E, which have classes² numbers. Set it before predicting.
	Brief bool `json:"-"`

	owner  Predictor // the model whose predictions the allocated memory fits
	member bool      // whether it is one of Members, without Cov
	flows  []flow
}

// Sum returns the sum of P: 1 if P is calibrated, else 1 + Moments.Excess(); NaN after an error.
func (p *Prediction) Sum() float64 {
	switch {
	case p.Moments == nil:
		return math.NaN()
	case p.valid() && &p.P[0] != &p.Moments.P[0]:
		return 1
	}
	return 1 + p.Moments.Excess()
}

func (p *Prediction) invalidate() {
	for _, l := range append(p.Layers, Layer{p.P, p.Mean, p.Variance}) {
		floats.AddConst(math.NaN(), l.Input)
		floats.AddConst(math.NaN(), l.Mean)
		floats.AddConst(math.NaN(), l.Variance)
	}
	if p.Moments != nil {
		floats.AddConst(math.NaN(), p.Moments.P)
		if p.Moments.E != nil {
			floats.AddConst(math.NaN(), p.Moments.E.RawMatrix().Data)
		}
		p.setCov()
	}
	for k := range p.Members {
		p.Members[k].invalidate()
	}
}

// Layer is the input of one layer of weights, and its pre-activations.
type Layer struct {
	Input          []float64 // means of the inputs, without the bias
	Mean, Variance []float64 // moments of the pre-activations; in the last layer, of the logits
}

// Fit allocates P, Moments and, unless p is Brief, Cov for predictions of the owner, unless p has them, and
// reports whether it did.
func (p *Prediction) Fit(owner Predictor, classes int) bool {
	if p.owner == owner && len(p.P) == classes && (p.Moments.E == nil) == p.Brief {
		return false
	}
	m := &softmax.Moments{P: make([]float64, classes)}
	if !p.Brief {
		m = softmax.NewMoments(classes)
	}
	*p = Prediction{P: m.P, Moments: m, Brief: p.Brief, owner: owner, member: p.member}
	if !p.Brief && !p.member {
		p.Cov = mat.NewSymDense(classes, nil)
	}
	return true
}

func (p *Prediction) setCov() {
	if p.Cov != nil {
		p.Moments.Cov(p.Cov)
	}
}

// Unknown is the class of an input that is not classified.
const Unknown = -1

// Class returns the most probable class, from 0, or Unknown in the zero Prediction and after an error.
func (p *Prediction) Class() int {
	if !p.valid() {
		return Unknown
	}
	return floats.MaxIdx(p.P)
}

// Confidence ranks predictions: it is 1 − Π_k (1 − p_k)^w_k, where member k gives the most probable class the
// probability p_k and has the weight w_k of Weights, or p of a model without members. Unlike P it is small
// only if members of large weight doubt. In streams, predictions of large Confidence were wrong less often
// than those of large P (results/CHOICES.md). After an error it is NaN.
func (p *Prediction) Confidence() float64 {
	best := p.Class()
	if best == Unknown {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return p.P[best] / p.Sum()
	}
	logError := 0.0
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			logError += float64(w * kernel.Log(max(0, 1-m.P[best]/m.Sum())))
		}
	}
	return 1 - kernel.Exp(logError)
}

func (p *Prediction) valid() bool { return len(p.P) > 0 && !floats.HasNaN(p.P) }

// LabelVariance splits the variance Σ_j p_j(1 − p_j), p = P/Sum, of the one-hot label y into an aleatoric
// part, which no number of examples reduces, and an epistemic part. By the law of total variance, for s =
// softmax(z) and i ≠ j, Σ_j Var y_j = Σ_ij E[s_j s_i] + Σ_j Var s_j. The two fractions are those of the
// moments of the softmax itself, before any calibration of P, as a variance of the probit may be negative.
// After an error both parts are NaN.
func (p *Prediction) LabelVariance() (aleatoric, epistemic float64) {
	if !p.valid() {
		return math.NaN(), math.NaN()
	}
	m := p.softmaxMoments()
	whole, total := labelVariance(m.P, 1), labelVariance(p.P, p.Sum())
	if within := whole - kernel.Sum(m.E.RawMatrix().Data); within > momentErr {
		epistemic = total * (within / whole)
	}
	return total - epistemic, epistemic
}

// momentErr bounds the error of the softmax moments: smaller variances count as zero.
const momentErr = 1e-10

func labelVariance(p []float64, sum float64) (total float64) {
	for _, x := range p {
		total += x / sum * (1 - x/sum)
	}
	return total
}

func (p *Prediction) softmaxMoments() *softmax.Moments {
	m := softmax.NewMoments(len(p.P))
	if len(p.Members) == 0 {
		softmax.Exact{}.Moments(m, p.Mean, p.Variance)
		return m
	}
	m.Zero()
	for k, w := range p.Weights {
		if w > 0 {
			m.AddScaled(w, p.Members[k].softmaxMoments())
		}
	}
	return m
}

// MutualInformation returns the mutual information of the label and the member, I = H(p) − Σ_k w_k H(p_k) ≥ 0
// in nats, with the entropy H, Weights w_k, and p, p_k from Moments; it is 0 for a network. Probabilities
// that do not add up to 1 are divided by their sum, and w_k is multiplied by the sum of p_k over that of p.
func (p *Prediction) MutualInformation() float64 {
	if !p.valid() {
		return math.NaN()
	}
	if len(p.Members) == 0 {
		return 0
	}
	sum := 1 + p.Moments.Excess()
	information := kernel.Entropy(p.Moments.P, sum)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			share := 1 + m.Moments.Excess()
			information -= share / sum * w * kernel.Entropy(m.P, share)
		}
	}
	return max(0, information) // only rounding makes the information negative
}
