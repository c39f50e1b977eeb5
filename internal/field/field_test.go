package field_test

import (
	"errors"
	"math"
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/field"
)

type colour string

func (colour) Words() []string { return field.Words[colour]("red", "blue") }

type paint struct {
	Layers []int     `toml:"layers,omitempty" check:"increasing" range:"1 1,000"`
	Share  []float64 `toml:"share" check:"distinct" range:"0 1"`
	Coats  int       `toml:"coats" check:"required" range:"1 9"`
	Speed  float64   `toml:"speed" default:"0.25" range:"0.1 1e3"`
	Colour colour    `toml:"colour" default:"red"`
	Mix    []colour  `toml:"mix"`
	Finish string    `toml:"finish" words:"dull gloss"`
	Maker  string    `toml:"maker" check:"required"`
	Sample [][]any   `toml:"sample"`
	Can
}

// Can is embedded.
type Can struct {
	Litres float64 `toml:"litres"`
	Lid    string  `toml:"-"`
}

func (p *paint) Validate() error {
	return field.Refuse(p.Finish == "gloss" && p.Coats < 2, "finish", p.Finish, "with coats = 2 or more")
}

func TestResolve(t *testing.T) {
	p := paint{Coats: 2, Maker: "me", Finish: "gloss"}
	check.OK(t, field.Resolve(&p))
	check.Equal(t, "defaults", []any{p.Speed, p.Colour}, []any{0.25, colour("red")})
	nan := math.NaN()
	for want, change := range map[string]func(p *paint){
		"layers: [3, 3] is not allowed; allowed: an increasing":   func(p *paint) { p.Layers = []int{3, 3} },
		"layers: 2000 is not allowed; allowed: an increasing":     func(p *paint) { p.Layers = []int{1, 2000} },
		"share: 1 twice is not allowed; allowed: each value once": func(p *paint) { p.Share = []float64{1, 0, 1} },
		"share: -1 is not allowed; allowed: a list, each 0 to 1":  func(p *paint) { p.Share = []float64{0, -1} },
		"coats: 0 is not allowed; allowed: 1 to 9":                func(p *paint) { p.Coats = 0 },
		"speed: NaN is not allowed; allowed: 0.1 to 1e3":          func(p *paint) { p.Speed = nan },
		`colour: "pink" is not allowed; allowed: "red", "blue"`:   func(p *paint) { p.Colour = "pink" },
		`mix: "" is not allowed; allowed: a list, each "red", `:   func(p *paint) { p.Mix = []colour{"red", ""} },
		`finish: "x" is not allowed; allowed: "dull", "gloss"`:    func(p *paint) { p.Finish = "x" },
		`maker: "" is not allowed; allowed: a text`:               func(p *paint) { p.Maker = "" },
		"sample: NaN is not allowed; allowed: a list":             func(p *paint) { p.Sample = [][]any{{"a", nan}} },
		"litres: NaN is not allowed; allowed: a number":           func(p *paint) { p.Litres = nan },
		`finish: "gloss" is not allowed; allowed: with coats = 2`: func(p *paint) { p.Coats = 1 },
		"coats: 10 is not allowed; allowed: 1 to 9\nmaker: \"\"":  func(p *paint) { p.Coats, p.Maker = 10, "" },
	} {
		wrong := p
		change(&wrong)
		check.Refuses(t, want, field.Resolve(&wrong), want)
	}
	wrongTag := struct {
		X int `toml:"x" range:"one 2"`
	}{1}
	check.Panics(t, "", "", func() { _ = field.Check(&wrongTag) })
}

func TestErrors(t *testing.T) {
	among := field.Among("a", []string{"b", "c"}, "c", "d")
	err := errors.Join(nil, among, field.Between("e", 1, 2, 1, 3), errors.New("f"))
	check.Equal(t, "in a table", field.In("t", err).Error(),
		"t.a: \"d\" is not allowed; allowed: \"b\", \"c\"\nt.e: 3 is not allowed; allowed: 1 to 2\nf")
	check.Equal(t, "none", field.In("t", errors.Join(field.Among("a", []string{"b"}), nil)), nil)
	check.Equal(t, "missing", field.Refuse(true, "a", nil, "a text").Error(), "a: missing; allowed: a text")
	check.Equal(t, "a problem", field.Errorf("a", "no file %s", "x").Error(), "a: no file x")
	err = errors.Join(field.Between("litres", 0, 1, 2.0), field.Between("coats", 1, 9, 0))
	check.Equal(t, "in Go", field.InGo(err, paint{}).Error(),
		"Can.Litres: 2 is not allowed; allowed: 0 to 1\nCoats: 0 is not allowed; allowed: 1 to 9")
}

func TestExamples(t *testing.T) {
	check.OK(t, errors.Join(field.Input([]float64{1, 2}, 2), field.Class(1, 2)))
	check.Refuses(t, "a length", field.Input([]float64{1}, 2), "need 2 numbers")
	check.Refuses(t, "an infinity", field.Input([]float64{1, math.Inf(1)}, 2), "input 1 is +Inf")
	check.Refuses(t, "a class", field.Class(2, 2), "need one of 0 to 1")
}
