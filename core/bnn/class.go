package bnn

import (
	"fmt"

	"closedform/core/softmax"
)

// AddClass adds a class behind the others. The weights of its output neuron have means of zero, which
// need no source of randomness under any PriorDraw, and the prior covariance; in a Shared layer they have
// the covariance of the layer. The other weights stay. Layers of Config change, and the λ of a
// softmax.Probit if it is the [softmax.SlopeLambda] of the classes. Predictions made into the same
// memory are allotted anew.
//
// The new class may be quite probable before its first example, as no example of another class has
// lowered its logit. Many examples of it alone have the network forget the other classes.
//
// AddClass returns an error that changes nothing if there are MostClasses already, or if the softmax is
// of a fixed number of classes. A member of an ensemble or a bank must not have a class that the others
// do not have: use their AddClass.
func (n *Network) AddClass() error {
	cfg, err := n.grown()
	if err == nil {
		n.grow(cfg)
	}
	return err
}

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none. The weights of
// the members stay.
func (m *mixture) AddClass() error {
	for _, n := range m.networks {
		if _, err := n.grown(); err != nil {
			return err
		}
	}
	for _, model := range m.models {
		if err := model.AddClass(); err != nil {
			return err // of too many classes, of the first member
		}
	}
	return nil
}

// grown returns the configuration with one more class.
func (n *Network) grown() (Config, error) {
	c, classes := n.Config(), n.cfg.classes()
	c.Layers[len(c.Layers)-1]++
	if p, ok := c.Softmax.(softmax.Probit); ok && p.Lambda == softmax.SlopeLambda(classes, p.Rho) {
		p.Lambda = softmax.SlopeLambda(classes+1, p.Rho)
		c.Softmax = p
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("bnn: a network of %d classes and one more: %w", classes, err)
	}
	return c, nil
}

// grow makes the network one of the configuration, which has more classes.
func (n *Network) grow(cfg Config) {
	l := len(n.layers) - 1
	old, larger := n.layers[l], zero(cfg)
	mean, spread := larger.layers[l].MeanMatrix(), cfg.priorSpread(l)
	mean.Copy(old.MeanMatrix())
	spread.Copy(old.spread())
	larger.layers[l].SetMean(mean)
	larger.layers[l].restore(spread)
	copy(larger.layers, n.layers[:l])
	*n = *larger
}
