package checkpoint

import (
	"encoding/json"
	"fmt"

	"closedform/core/bnn"
	"closedform/core/softmax"
)

// config is a configuration as it stands in the file.
type config struct {
	bnn.Config
	Softmax approximation `json:"softmax"`
}

// approximation is the softmax of a configuration; a kind has either λ and ρ or
// fast.
type approximation struct {
	Kind   string   `json:"kind"`
	Lambda *float64 `json:"lambda,omitempty"`
	Rho    *float64 `json:"rho,omitempty"`
	Fast   *bool    `json:"fast,omitempty"`
}

// encode returns the configuration as JSON.
func encode(cfg bnn.Config) (string, error) {
	c := config{Config: cfg}
	switch s := cfg.Softmax.(type) {
	case softmax.Probit:
		c.Softmax = approximation{Kind: "probit", Lambda: &s.Lambda, Rho: &s.Rho}
	case softmax.Exact:
		c.Softmax = approximation{Kind: "exact", Fast: &s.Fast}
	default:
		return "", fmt.Errorf("a network whose softmax is a %T cannot be stored; allowed: softmax.Probit, softmax.Exact", s)
	}
	text, err := json.Marshal(c)
	return string(text), err
}

// decode returns the configuration that encode made the text of, which is valid.
func decode(text string) (bnn.Config, error) {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return bnn.Config{}, fmt.Errorf("configuration: %w", err)
	}
	switch s := c.Softmax; {
	case s.Kind == "probit" && s.Lambda != nil && s.Rho != nil:
		c.Config.Softmax = softmax.Probit{Lambda: *s.Lambda, Rho: *s.Rho}
	case s.Kind == "exact" && s.Fast != nil:
		c.Config.Softmax = softmax.Exact{Fast: *s.Fast}
	default:
		return c.Config, fmt.Errorf("configuration: softmax of kind %q: need probit with lambda and rho, or exact with fast", s.Kind)
	}
	// Nothing was missing, unknown or said twice if it reads the same again.
	again, err := encode(c.Config)
	if err == nil && again != text {
		err = fmt.Errorf("read %s as %s", text, again)
	}
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		return c.Config, fmt.Errorf("configuration: %w", err)
	}
	return c.Config, nil
}
