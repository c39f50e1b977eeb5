package manifest

import (
	"fmt"
	"testing"
)

// A λ or ρ that the sweep replaces cannot be set, not even to its default.
func TestAblationRefusesWhatIsSwept(t *testing.T) {
	for override, want := range map[string]string{
		"model.rho=0.5":            `-set model.rho=0.5: model.rho = 0.5: sweep.rho takes its place; allowed: to leave it out`,
		"model.lambda=0.3":         `-set model.lambda=0.3: model.lambda = 0.3: sweep.lambda takes its place; allowed: to leave it out`,
		"variant.total.lambda=0.3": `-set variant.total.lambda=0.3: variant.total.lambda = 0.3: sweep.lambda takes its place; allowed: to leave it out`,
		"model.prior_var=2":        `<nil>`,
	} {
		_, err := Parse("x.toml", []byte(ablationSrc), studies, []string{override})
		if got := fmt.Sprint(err); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// Monte Carlo has no more draws than there are.
func TestMonteCarloDraws(t *testing.T) {
	for override, want := range map[string]int{
		"moments.draws=4": 4, "moments.draws=40": 10, "moments.montecarlo_draws=50": 40, "moments.montecarlo_draws=7": 7,
	} {
		if got := parse(t, momentsSrc, override).Moments.MonteCarloDraws; got != want {
			t.Errorf("%s: %d draws for Monte Carlo, want %d", override, got, want)
		}
	}
}
