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
func (n *Network) AddClass() error { return addClass(n.Members()) }

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none.
func (e *Ensemble) AddClass() error { return addClass(e.members) }

// AddClass adds a class to all members, see [Network.AddClass], or after an error to none. The weights of
// the members stay.
func (b *Bank) AddClass() error {
	if _, err := grown(b.all); err != nil {
		return err
	}
	for _, m := range b.members {
		if err := m.AddClass(); err != nil {
			return err // of too many classes, of the first member
		}
	}
	return nil
}

// addClass adds a class to all networks, or after an error to none.
func addClass(members []*Network) error {
	configs, err := grown(members)
	if err != nil {
		return err
	}
	for k, n := range members {
		n.grow(configs[k])
	}
	return nil
}

// grown returns the configurations of the networks with one more class.
func grown(members []*Network) ([]Config, error) {
	configs := make([]Config, len(members))
	for k, n := range members {
		c, classes := n.Config(), n.cfg.classes()
		c.Layers[len(c.Layers)-1]++
		if p, ok := c.Softmax.(softmax.Probit); ok && p.Lambda == softmax.SlopeLambda(classes, p.Rho) {
			p.Lambda = softmax.SlopeLambda(classes+1, p.Rho)
			c.Softmax = p
		}
		if err := c.Validate(); err != nil {
			return nil, fmt.Errorf("bnn: a network of %d classes and one more: %w", classes, err)
		}
		configs[k] = c
	}
	return configs, nil
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
