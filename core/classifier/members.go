package classifier

import (
	"math/rand/v2"

	"closedform/core/bnn"
)

// NewBank returns the bank of the untuned default for networks of a configuration, such as that of
// [bnn.Default]: those of [bnn.DefaultMembers].
func NewBank(cfg bnn.Config, _ bool, src rand.Source) (*bnn.Bank, error) {
	networks, err := bnn.DefaultMembers(cfg, src)
	if err != nil {
		return nil, err
	}
	var members []bnn.Model
	for _, n := range networks {
		members = append(members, n)
	}
	return bnn.NewBank(members...)
}
