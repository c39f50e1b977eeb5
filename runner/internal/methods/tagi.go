package methods

import (
	"cmp"
	"math/rand/v2"

	"closedform/baselines/learners/tagi"
	"closedform/runner/internal/learner"
)

func init() {
	k := online(tagis{}, true, func(c *tagis, layers []int) { c.Layers = layers }, tagis.learner)
	k.numbers = func(config any, _ []int, weights float64) float64 {
		return weights * float64(max(1, config.(*tagis).Members))
	}
	kinds["tagi"] = k
}

// tagis is an ensemble of TAGI's networks, or one.
type tagis struct {
	tagi.Config
	Members int `toml:"members,omitempty" json:",omitempty"` // see [learner.Model]
}

// WithDefaults returns the configuration with its defaults filled in.
func (c tagis) WithDefaults() tagis {
	c.Config = c.Config.WithDefaults()
	return c
}

// Validate reports what is not allowed.
func (c tagis) Validate() error {
	return cmp.Or(learner.CheckMembers(c.Members), c.Config.Validate())
}

func (c tagis) members() int { return c.Members }

func (c tagis) learner(src rand.Source) (learner.Learner, error) {
	return learner.NewEnsemble(c.Members, src, func(src rand.Source) (learner.Learner, error) { return tagi.New(c.Config, src) })
}
