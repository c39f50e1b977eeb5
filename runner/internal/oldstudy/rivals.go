package study

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/baselines/bayesbackprop"
	"closedform/baselines/dropout"
	"closedform/baselines/kalman"
	"closedform/baselines/laplace"
	"closedform/baselines/majority"
	"closedform/baselines/mlp"
	"closedform/baselines/neighbours"
	"closedform/baselines/tagi"
	"closedform/baselines/variational"
	"closedform/runner/internal/manifest"
)

// newRival returns a rival that is online, or else the function that fits it.
func newRival(m *manifest.Method, hyper map[string]float64, inputs, classes int, src rand.Source) (
	online classifier, fit func(x [][]float64, class []int) (classifier, error), err error,
) {
	layers := slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes})
	switch m.Kind {
	case "kalman":
		online, err = kalman.New(kalman.Config{
			Layers: layers, Covariance: word[kalman.Covariance](m.Covariance),
			PriorVar: hyper["prior_var"], PriorMeanVar: hyper["prior_mean_var"], ProcessNoise: hyper["process_noise"],
		}, src)
	case "tagi":
		online, err = tagi.New(tagi.Config{
			Layers: layers, Unit: tagi.Mixture,
			SigmaV: hyper["sigma_v"], PriorVar: hyper["prior_var"], PriorMeanVar: hyper["prior_mean_var"],
		}, src)
	case "majority":
		online, err = majority.New(majority.Config{Classes: classes}, src)
	case "neighbours":
		cfg := neighbours.Config{Classes: classes, Neighbours: int(hyper["neighbours"])}
		fit = func(x [][]float64, class []int) (classifier, error) { return neighbours.Fit(cfg, x, class, src) }
	case "laplace":
		cfg := laplace.Config{
			Layers: layers, PriorVar: hyper["prior_var"], LaplaceVar: hyper["laplace_var"],
			Covariance: word[laplace.Covariance](m.Covariance), Predictive: word[laplace.Predictive](m.Predictive),
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return laplace.Fit(cfg, x, class, src) }
	case "variational":
		cfg := variational.Config{Inputs: inputs, Classes: classes, PriorVar: hyper["prior_var"], Bound: word[variational.Bound](m.Bound)}
		fit = func(x [][]float64, class []int) (classifier, error) { return variational.Fit(cfg, x, class, src) }
	case "backprop":
		cfg := bayesbackprop.Config{Layers: layers, PriorVar: hyper["prior_var"], Descent: mlp.Descent{Step: hyper["step"], Epochs: int(hyper["epochs"])}}
		fit = func(x [][]float64, class []int) (classifier, error) { return bayesbackprop.Fit(cfg, x, class, src) }
	case "dropout":
		cfg := dropout.Config{
			Layers: layers, Rate: hyper["rate"], Decay: hyper["decay"],
			Descent: mlp.Descent{Step: hyper["step"], Epochs: int(hyper["epochs"])},
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return dropout.Fit(cfg, x, class, src) }
	default:
		err = fmt.Errorf("no method of kind %q", m.Kind)
	}
	return online, fit, err
}

// word returns the constant of a word that the manifest has checked.
func word[T any, P interface {
	*T
	UnmarshalText([]byte) error
}](text string) (x T) {
	_ = P(&x).UnmarshalText([]byte(text))
	return x
}
