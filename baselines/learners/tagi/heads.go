package tagi

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/core/activation"
	"closedform/core/bnn"
	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Head says how labels are told to the outputs.
type Head string

const (
	// Tree has an output for each node of a binary tree of the classes: the paper, Sec. 4.
	Tree Head = "tree"

	// Remax has an output for each class, see [remax].
	Remax Head = "remax"
)

// head turns labels into steps of the outputs, and outputs into probabilities of the classes.
type head interface {
	outputs() int // their number

	// observe sets (m̃ − m)/v and (ṽ − v)/v² of the outputs to what a label says of them.
	observe(d, e []float64, outputs bnn.Layer, class int)

	// predict sets p to the probabilities of the classes. It reports whether they do not overflow.
	predict(p []float64, outputs bnn.Layer) bool
}

// tree is the binary tree whose leaves are the classes: class c is found by the ⌈log₂ n⌉ binary digits of c,
// most significant first. Its nodes are the beginnings of these codes, 11 for 10 classes.
type tree struct {
	nodes int
	path  [][]step  // the way from the root to each class
	noise float64   // σ_V²
	ratio []float64 // m/√(v + σ_P²) of the nodes
}

// sigmaP is the deviation that a prediction adds to an output, as in the authors' program.
const sigmaP = 1. / 3

// step is a node and the target of a class there: +1 for the digit 0, −1 for 1.
type step struct {
	node   int
	target float64
}

func newTree(classes int, sigmaV float64) *tree {
	t := &tree{path: make([][]step, classes), noise: sigmaV * sigmaV}
	for below := bits.Len(uint(classes - 1)); below > 0; below-- { // digits that are still open
		for c := range classes {
			target := 1.0
			if c>>(below-1)&1 == 1 {
				target = -1
			}
			// The nodes of a level are in the order of their codes.
			t.path[c] = append(t.path[c], step{t.nodes + c>>below, target})
		}
		t.nodes += (classes-1)>>below + 1
	}
	t.ratio = make([]float64, t.nodes)
	return t
}

func (t *tree) outputs() int { return t.nodes }

func (t *tree) observe(d, e []float64, outputs bnn.Layer, class int) {
	clear(d)
	clear(e)
	for _, s := range t.path[class] {
		precision := 1 / (outputs.Variance[s.node] + t.noise)
		d[s.node], e[s.node] = (s.target-outputs.Mean[s.node])*precision, -precision
	}
}

func (t *tree) predict(p []float64, outputs bnn.Layer) bool {
	for i := range t.ratio {
		t.ratio[i] = outputs.Mean[i] / kernel.Hypot(sigmaP, math.Sqrt(outputs.Variance[i]))
	}
	return t.probabilities(p, t.ratio)
}

// probabilities sets p to those of the classes, where that of the target y at node i is Φ(y x_i): the
// products along the paths, divided by their sum, since some nodes have one way that leads to no class. It
// reports whether their logarithms do not overflow.
func (t *tree) probabilities(p, x []float64) bool {
	for c := range p {
		p[c] = 0
		for _, s := range t.path[c] {
			p[c] += gauss.LogCDF(s.target * x[s.node])
		}
	}
	top := floats.Max(p)
	if !(top >= -math.MaxFloat64) {
		return false
	}
	for c, log := range p {
		p[c] = kernel.Exp(log - top)
	}
	floats.Scale(1/kernel.Sum(p), p)
	return true
}

// remax is the softmax with rectifiers in place of exponentials, A_j = M_j/M̃ with M_j = max(0, Z_j),
// M̃ = Σ_j M_j, of independent outputs Z_j ~ N(m_j, v_j), by the moments of the authors' program cuTAGI
// (Nguyen and Goulet; Remax in src/activation.cpp). M_j, M̃ and A_j are taken for log-normal: with μ the mean
// and σ² the variance of each, and Cov(M_j, M̃) = σ²_Mj,
//
//	Var ln M = ln(1 + σ²/μ²),   E ln M = ln μ − ½ Var ln M,
//	Cov(ln M_j, ln M̃) = ln(1 + σ²_Mj/(μ_Mj μ_M̃)),
//	ln A_j = ln M_j − ln M̃,   E A_j = exp(E ln A_j + ½ Var ln A_j),
//	Var A_j = (exp(Var ln A_j) − 1) (E A_j)²,
//	Cov(A_j, M_j) = (exp(Var ln M_j − Cov(ln M_j, ln M̃)) − 1) E A_j μ_Mj,
//	Cov(A_j, Z_j) = min(√(Var A_j · v_j), Cov(A_j, M_j)/Φ(m_j/√v_j)),
//
// E A_j not below 10⁻⁶ and divided by its sum. The label says y_j = A_j + ε, ε ~ N(0, σ_V²),
// with y the one-hot vector, each j by itself; the prediction is E A_j.
type remax struct {
	noise            float64   // σ_V²
	mean, variance   []float64 // of M, and then of A
	cov              []float64 // of M and Z, and then of A and Z
	logVar, logCross []float64 // Var ln M_j, Cov(ln M_j, ln M̃)
}

func newRemax(classes int, sigmaV float64) *remax {
	r := &remax{noise: sigmaV * sigmaV}
	for _, x := range []*[]float64{&r.mean, &r.variance, &r.cov, &r.logVar, &r.logCross} {
		*x = make([]float64, classes)
	}
	return r
}

func (r *remax) outputs() int { return len(r.mean) }

// leastMean is that of a rectified output: it may underflow far below zero.
const leastMean = 1e-100

// moments sets those of A for outputs with means m and variances v.
func (r *remax) moments(m, v []float64) {
	activation.PiecewiseLinear{Beta: 1}.AllMoments(r.mean, r.variance, r.cov, m, v)
	for j, mean := range r.mean {
		r.mean[j] = max(mean, leastMean)
	}
	sum := kernel.Sum(r.mean)
	whole := math.Log1p(kernel.Sum(r.variance) / sum / sum) // Var ln M̃
	for j, mean := range r.mean {
		r.logVar[j] = math.Log1p(r.variance[j] / mean / mean)
		r.logCross[j] = math.Log1p(r.variance[j] / mean / sum)
	}
	for j, mean := range r.mean {
		spread := max(0, r.logVar[j]+whole-2*r.logCross[j]) // Var ln A_j
		// E ln A_j + ½ Var ln A_j
		a := max(1e-6, mean/sum*kernel.Exp(whole-r.logCross[j]))
		prob := max(r.cov[j]/v[j], leastMean)                          // Φ
		r.cov[j] = math.Expm1(r.logVar[j]-r.logCross[j]) * mean / prob // but for E A_j
		r.mean[j], r.variance[j] = a, math.Expm1(spread)
	}
	floats.Scale(1/kernel.Sum(r.mean), r.mean)
	for j, a := range r.mean {
		r.variance[j] *= a * a
		r.cov[j] = min(r.cov[j]*a, math.Sqrt(r.variance[j])*math.Sqrt(v[j]))
	}
}

// observe takes m̃ = m + c (y − E A)/(Var A + σ_V²), c the covariance of A and Z.
func (r *remax) observe(d, e []float64, outputs bnn.Layer, class int) {
	r.moments(outputs.Mean, outputs.Variance)
	for j, a := range r.mean {
		y := 0.0
		if j == class {
			y = 1
		}
		slope, precision := r.cov[j]/outputs.Variance[j], 1/(r.variance[j]+r.noise)
		d[j], e[j] = slope*(y-a)*precision, -slope*slope*precision
	}
}

func (r *remax) predict(p []float64, outputs bnn.Layer) bool {
	r.moments(outputs.Mean, outputs.Variance)
	copy(p, r.mean)
	return mlp.Finite(p...)
}
