package bnn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
)

// mixture is models of any kind with the same inputs and classes that learn the same examples, and
// whose predictions are averaged. Large networks learn at the same time, on all processors.
//
// Predict may be called by several goroutines at once, each with its own prediction; the other methods
// need the mixture for themselves.
type mixture struct {
	models   []Model
	networks []*Network // of the models
	weights  []float64  // of the models, 1 in total
	parallel bool       // each model learns in a goroutine

	// Scratch space of Observe: the example, and what each model reports.
	x       []float64
	class   int
	updates []Update
	errs    []error
	logP    []float64
}

// largeNetwork is the number of connections of a network whose step takes longer than to start a
// goroutine.
const largeNetwork = 1 << 14

func newMixture(models []Model) (mixture, error) {
	n := len(models)
	if n == 0 {
		return mixture{}, errors.New("bnn: no members")
	}
	m := mixture{
		models: slices.Clone(models), weights: slices.Repeat([]float64{1 / float64(n)}, n),
		updates: make([]Update, n), errs: make([]error, n), logP: make([]float64, n),
	}
	inputs, classes := m.Shape()
	for k, model := range models {
		if in, out := model.Shape(); in != inputs || out != classes {
			return m, fmt.Errorf("bnn: member %d has %d inputs and %d classes, and member 0 %d and %d; need the same",
				k, in, out, inputs, classes)
		}
		repeated := slices.Contains(models[:k], model)
		for _, network := range model.Members() {
			repeated = repeated || slices.Contains(m.networks, network)
			m.networks = append(m.networks, network)
		}
		if repeated {
			return m, fmt.Errorf("bnn: member %d, or a network of it, is a member twice", k)
		}
	}
	m.parallel = n > 1 && runtime.GOMAXPROCS(0) > 1 && slices.ContainsFunc(m.networks, (*Network).large)
	return m, nil
}

func (n *Network) large() bool {
	connections := 0
	for l, out := range n.cfg.Layers[1:] {
		connections += out * n.cfg.Layers[l]
	}
	return connections >= largeNetwork
}

// Members implements [Model]: the networks of all members. Changing one changes the mixture.
func (m *mixture) Members() []*Network { return m.networks }

// Models returns the members. Changing one changes the mixture.
func (m *mixture) Models() []Model { return m.models }

// Weights returns a copy of the weights of the members.
func (m *mixture) Weights() []float64 { return slices.Clone(m.weights) }

// Shape implements [Model].
func (m *mixture) Shape() (inputs, classes int) { return m.models[0].Shape() }

// each calls do for every member.
func (m *mixture) each(do func(m *mixture, k int)) {
	if !m.parallel {
		for k := range m.models {
			do(m, k)
		}
		return
	}
	var busy sync.WaitGroup
	for k := range m.models {
		busy.Go(func() { do(m, k) })
	}
	busy.Wait()
}

// observe has a member learn the example. In an ensemble, whose members are networks, prepare computes
// the step of a member, and move applies it.
func (m *mixture) observe(k int) { m.updates[k], m.errs[k] = m.models[k].Observe(m.x, m.class) }
func (m *mixture) prepare(k int) { m.updates[k], m.errs[k] = m.networks[k].prepare(m.x, m.class) }

func (m *mixture) move(k int) {
	if m.updates[k].Action != Skipped {
		m.networks[k].move()
	}
}

// update returns that of the mixture: LogP is the logarithm of its probability of the class. Members
// that failed do not count, but that they gave the class the probability 0.
func (m *mixture) update() Update {
	all := Update{MinEigenvalue: math.Inf(1), MinVariance: math.Inf(1)}
	for k, u := range m.updates {
		if m.logP[k] = u.LogP; m.errs[k] != nil {
			m.logP[k] = math.Inf(-1)
			continue
		}
		all.MinEigenvalue = min(all.MinEigenvalue, u.MinEigenvalue)
		all.MinVariance = min(all.MinVariance, u.MinVariance)
		all.Indefinite = all.Indefinite || u.Indefinite
		all.Floored += u.Floored
		all.Capped += u.Capped
		all.Action = max(all.Action, u.Action)
	}
	all.LogP = mixtureLogP(m.weights, m.logP)
	return all
}

// mixtureLogP returns the logarithm of the weighted mean of probabilities, given by their
// logarithms. Those of weight zero do not count.
func mixtureLogP(weights, logP []float64) float64 {
	top, sum := math.Inf(-1), 0.0
	for k, w := range weights {
		if w > 0 {
			top = max(top, logP[k])
		}
	}
	if math.IsInf(top, -1) {
		return top
	}
	for k, w := range weights {
		if w > 0 {
			sum += w * kernel.Exp(logP[k]-top)
		}
	}
	return top + kernel.Log(sum)
}

// predict sets dst.Members by a method of theirs, and dst.Weights to the weights, 0 for members that
// cannot predict x, of which it returns the last error.
func (m *mixture) predict(dst *Prediction, x []float64, by func(Model, *Prediction, []float64) error) error {
	if _, classes := m.Shape(); !dst.fits(m, classes) {
		*dst = newPrediction(m, classes)
		dst.Mean, dst.Variance = make([]float64, classes), make([]float64, classes)
		dst.Members, dst.Weights = make([]Prediction, len(m.models)), make([]float64, len(m.models))
	}
	err := checkInput(m.models[0], x)
	if err != nil {
		clear(dst.Weights)
		return err
	}
	copy(dst.Weights, m.weights)
	for k, model := range m.models {
		if dst.Weights[k] == 0 {
			dst.Members[k].invalidate()
		} else if failed := by(model, &dst.Members[k], x); failed != nil {
			dst.Weights[k], err = 0, fmt.Errorf("member %d: %w", k, failed)
		}
	}
	return err
}

// mix sets all but Members and Weights to the mixture of the members.
func (p *Prediction) mix() {
	p.Moments.Zero()
	clear(p.Mean)
	clear(p.Variance)
	for k, w := range p.Weights {
		if m := &p.Members[k]; w > 0 {
			p.Moments.AddScaled(w, m.Moments)
			floats.AddScaled(p.Mean, w, m.Mean)
			floats.AddScaled(p.Variance, w, m.Variance)
		}
	}
	p.Moments.Cov(p.Cov)
	for k, w := range p.Weights {
		for j, mean := range p.Members[k].Mean {
			if d := mean - p.Mean[j]; w > 0 {
				p.Variance[j] += w * d * d
			}
		}
	}
}
