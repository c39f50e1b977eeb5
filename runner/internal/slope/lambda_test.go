package slope

import (
	"math"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
)

// A number or a word is read, stands for its λ, and is written so that it reads back.
func TestLambda(t *testing.T) {
	const n, rho = 3, 0.5
	for text, want := range map[string]float64{
		"0.3": 0.3, "2": 2, `"slope"`: 0.5570285054735558, `"lsq"`: 0.5659105014928423,
		`"minimax"`: 0.5698516815497554,
	} {
		var v, again struct{ L Lambda }
		check.Must(toml.Decode("L = "+text, &v))
		spelled := check.Must(v.L.MarshalTOML())
		_, err := toml.Decode("L = "+string(spelled), &again)
		if err != nil || again != v || !(math.Abs(v.L.Value(n, rho)-want) < 1e-9) {
			t.Errorf("%s: %v, λ = %g, want %g; spelled %s", text, err, v.L.Value(n, rho), want, spelled)
		}
	}
	for _, text := range []string{"0", "-1", `"steep"`, "nan", "inf", "[1]"} {
		var v struct{ L Lambda }
		_, err := toml.Decode("L = "+text, &v)
		check.Refuses(t, text, err, "minimax")
	}
}

func TestPanics(t *testing.T) {
	check.Panics(t, "softmax: ", "ρ = 1", func() { Lambda{Word: "lsq"}.Value(3, 1) })
	check.Panics(t, "slope: ", "steep", func() { Lambda{Word: "steep"}.Value(3, 0.5) })
}
