package study

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/baselines/bayesbackprop"
	"closedform/baselines/control"
	"closedform/baselines/dropout"
	"closedform/baselines/kalman"
	"closedform/baselines/laplace"
	"closedform/baselines/mlp"
	"closedform/baselines/tagi"
	"closedform/baselines/variational"
	"closedform/core/bnn"
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
			Layers:     layers,
			Covariance: map[string]kalman.Covariance{"full": kalman.Full, "diagonal": kalman.Diagonal}[m.Covariance],
			PriorVar:   hyper["prior_var"], PriorMeanVar: hyper["prior_mean_var"], ProcessNoise: hyper["process_noise"],
		}, src)
	case "tagi":
		online, err = tagi.New(tagi.Config{
			Layers: layers, Unit: tagi.Mixture,
			SigmaV: hyper["sigma_v"], PriorVar: hyper["prior_var"], PriorMeanVar: hyper["prior_mean_var"],
		}, src)
	case "majority":
		online, err = control.NewMajority(control.MajorityConfig{Classes: classes})
	case "neighbours":
		fit = func(x [][]float64, class []int) (classifier, error) {
			return control.FitNeighbours(control.NeighboursConfig{Classes: classes, K: min(len(x), int(hyper["neighbours"]))}, x, class)
		}
	case "laplace":
		cfg := laplace.Config{
			Layers: layers, Prior: bnn.ScaledPrior, PriorVar: hyper["prior_var"], LaplaceVar: hyper["laplace_var"],
			Covariance: map[string]laplace.Covariance{"full": laplace.Full, "last-layer": laplace.LastLayer, "diagonal": laplace.Diagonal}[m.Covariance],
			Predictive: map[string]laplace.Predictive{
				"probit": laplace.Probit, "pairwise": laplace.Pairwise, "monte-carlo": laplace.MonteCarlo, "plug-in": laplace.PlugIn,
			}[m.Predictive],
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return laplace.Fit(cfg, x, class, src) }
	case "variational":
		cfg := variational.Config{
			Inputs: inputs, Classes: classes, PriorVar: hyper["prior_var"] / float64(inputs+1), Tolerance: 1e-6,
			Bound: map[string]variational.Bound{
				"bohning": variational.Bohning, "bohning-joint": variational.BohningJoint, "probit": variational.Probit,
			}[m.Bound],
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return variational.Fit(cfg, x, class) }
	case "backprop":
		cfg := bayesbackprop.Config{
			Layers: layers, PriorVar: hyper["prior_var"], Descent: mlp.Descent{Rate: hyper["step"], Epochs: int(hyper["epochs"])},
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return bayesbackprop.Fit(cfg, x, class, src) }
	case "dropout":
		cfg := dropout.Config{
			Layers: layers, Rate: hyper["rate"], WeightDecay: hyper["decay"],
			Descent: mlp.Descent{Rate: hyper["step"], Epochs: int(hyper["epochs"])},
		}
		fit = func(x [][]float64, class []int) (classifier, error) { return dropout.Fit(cfg, x, class, src) }
	default:
		err = fmt.Errorf("no method of kind %q", m.Kind)
	}
	return online, fit, err
}
