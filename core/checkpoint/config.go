package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"closedform/core/bnn"
	"closedform/core/softmax"
)

// config is bnn.Config as it stands in the file.
type config struct {
	Layers           []int         `json:"layers"`
	Bias             bool          `json:"bias"`
	Alpha            float64       `json:"alpha"`
	Beta             float64       `json:"beta"`
	Output           string        `json:"output"`
	Hidden           string        `json:"hidden"`
	Covariance       []string      `json:"covariance"`
	OutputCovariance string        `json:"output_covariance"`
	Softmax          approximation `json:"softmax"`
	OnIndefinite     string        `json:"on_indefinite"`
	EigenvalueFloor  float64       `json:"eigenvalue_floor"`
	VarianceFloor    float64       `json:"variance_floor"`
	PriorVar         float64       `json:"prior_var"`
	Prior            string        `json:"prior"`
	PriorMeanVar     float64       `json:"prior_mean_var"`
	PriorScale       []float64     `json:"prior_scale,omitempty"`
	Information      []float64     `json:"information,omitempty"`
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
	c := config{
		Layers: cfg.Layers,
		Bias:   cfg.Bias,
		Alpha:  cfg.Alpha, Beta: cfg.Beta,
		Output:           cfg.Output.String(),
		Hidden:           cfg.Hidden.String(),
		Covariance:       []string{},
		OutputCovariance: cfg.OutputCovariance.String(),
		OnIndefinite:     cfg.OnIndefinite.String(),
		EigenvalueFloor:  cfg.EigenvalueFloor,
		VarianceFloor:    cfg.VarianceFloor,
		PriorVar:         cfg.PriorVar,
		Prior:            cfg.Prior.String(),
		PriorMeanVar:     cfg.PriorMeanVar,
		PriorScale:       cfg.PriorScale,
		Information:      cfg.Information,
	}
	for _, kind := range cfg.Covariance {
		c.Covariance = append(c.Covariance, kind.String())
	}
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

// decode returns the configuration that encode made the text of.
func decode(text string) (bnn.Config, error) {
	cfg, err := parse(text)
	if err != nil {
		return cfg, fmt.Errorf("configuration: %w", err)
	}
	// Nothing was missing, unknown or said twice if it reads the same again.
	again, err := encode(cfg)
	if err == nil && again != text {
		err = fmt.Errorf("read %s as %s", text, again)
	}
	if err != nil {
		return cfg, fmt.Errorf("configuration: %w", err)
	}
	return cfg, nil
}

func parse(text string) (cfg bnn.Config, err error) {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return cfg, err
	}
	cfg = bnn.Config{
		Layers: c.Layers,
		Bias:   c.Bias,
		Alpha:  c.Alpha, Beta: c.Beta,
		EigenvalueFloor: c.EigenvalueFloor,
		VarianceFloor:   c.VarianceFloor,
		PriorVar:        c.PriorVar,
		PriorMeanVar:    c.PriorMeanVar,
		PriorScale:      c.PriorScale,
		Information:     c.Information,
	}
	for _, word := range c.Covariance {
		var kind bnn.Covariance
		err = errors.Join(err, set(&kind, "covariance", word, bnn.Full, bnn.Diagonal, bnn.Shared))
		cfg.Covariance = append(cfg.Covariance, kind)
	}
	switch s := c.Softmax; {
	case s.Kind == "probit" && s.Lambda != nil && s.Rho != nil:
		cfg.Softmax = softmax.Probit{Lambda: *s.Lambda, Rho: *s.Rho}
	case s.Kind == "exact" && s.Fast != nil:
		cfg.Softmax = softmax.Exact{Fast: *s.Fast}
	default:
		err = errors.Join(err, fmt.Errorf("softmax of kind %q: need probit with lambda and rho, or exact with fast", s.Kind))
	}
	return cfg, errors.Join(
		err,
		set(&cfg.Output, "output", c.Output, bnn.Joint, bnn.Total, bnn.ADF, bnn.ADFExact),
		set(&cfg.OutputCovariance, "output_covariance", c.OutputCovariance, bnn.PerNeuron, bnn.JointNeurons),
		set(&cfg.Hidden, "hidden", c.Hidden, bnn.Frozen, bnn.Smooth, bnn.SmoothMean),
		set(&cfg.OnIndefinite, "on_indefinite", c.OnIndefinite, bnn.Fail, bnn.Skip, bnn.Project),
		set(&cfg.Prior, "prior", c.Prior, bnn.PaperPrior, bnn.ScaledPrior),
	)
}

// set sets dst to that of the values whose name is the word.
func set[T fmt.Stringer](dst *T, key, word string, values ...T) error {
	var names []string
	for _, v := range values {
		if v.String() == word {
			*dst = v
			return nil
		}
		names = append(names, v.String())
	}
	return fmt.Errorf("%s = %q: allowed: %s", key, word, strings.Join(names, ", "))
}
