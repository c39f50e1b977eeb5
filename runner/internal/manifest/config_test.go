package manifest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/internal/field"
)

type Item struct {
	Name string `toml:"name"`
	Inner
}

type Inner struct {
	Rate  float64  `toml:"rate" range:"0 1"`
	Words []string `toml:"words,omitempty" check:"distinct"`
}

func (i *Inner) Validate() error {
	return field.Refuse(i.Rate > 0.9 && len(i.Words) > 2, "rate", i.Rate, "0.9 with three words")
}

type toy struct {
	Base  Inner  `toml:"base"`
	Items []Item `toml:"item" inherit:"base"`
	Sweep struct {
		Seed Ints `toml:"seed" check:"distinct"`
	} `toml:"sweep"`
	Extra struct {
		Rate float64 `toml:"rate,omitempty"`
	} `toml:"extra,omitempty"`
}

const text = `name = "toy"
study = "toy"
seed = 2

[base]   # a comment
rate = 0.5
words = [
  "a", "b",
]

[sweep]
seed = "1..3"

[[item]]
name = "first"

[[item]]
name = "second"
rate = 1
`

func decode(text string, overrides ...string) (*Manifest, toy, error) {
	v := toy{Base: Inner{Rate: 0.25}}
	m, err := Parse("x/toy.toml", []byte(text), overrides)
	if err == nil {
		err = m.Decode(&v)
	}
	return m, v, err
}

func TestDecode(t *testing.T) {
	m, v, err := decode(text)
	check.OK(t, err)
	check.Equal(t, "header", []any{m.Name, m.Folder, m.Seed}, []any{"toy", "x", 2})
	items := []Item{{"first", Inner{0.5, []string{"a", "b"}}}, {"second", Inner{1, []string{"a", "b"}}}}
	check.Equal(t, "items", v.Items, items)
	check.Equal(t, "seeds", v.Sweep.Seed, Ints{1, 2, 3})
	resolved := string(check.Must(m.Resolved(&v)))
	m, v, err = decode(resolved)
	check.OK(t, err)
	check.Equal(t, "items that are read again", v.Items, items)
	check.Equal(t, "resolved again", string(check.Must(m.Resolved(&v))), resolved)
	check.Equal(t, "an empty table is spelled out", strings.Contains(resolved, "extra"), false)
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		old, new, set string
		want          []string
	}{
		{"rate = 0.5", "rate = 2", "", []string{"x/toy.toml:6: base.rate: ", "0 to 1"}},
		{"rate = 1\n", "rate = 3\n", "", []string{"x/toy.toml:19: item.second.rate: "}},
		{"rate = 1\n", "rat = 1\n", "", []string{"x/toy.toml:19: item.second.rat: ", "mean rate? allowed: name"}},
		{`name = "second"`, `name = "first"`, "", []string{"x/toy.toml:", "item.first"}},
		{"", "", "item.second.name=..", []string{"-set item.second.name=..: item....name: \"..\" is not"}},
		{`"second"`, `"a/b"`, "", []string{`x/toy.toml:18: item.a/b.name: "a/b" is not allowed; allowed: letters`}},
		{"", "", "item=[]", []string{"-set item=[]: item: [] is not allowed; allowed: a list of tables, or"}},
		{"rate = 0.5", `rate = "fast"`, "", []string{"x/toy.toml:6: base.rate: ", "fast", "0 to 1"}},
		{`"1..3"`, `"3..1"`, "", []string{"x/toy.toml:12: sweep.seed: ", "range"}},
		{"[sweep]", "[swept]", "", []string{"x/toy.toml:11: swept: ", "did you mean sweep?"}},
		{"rate = 0.5", "rate = = 0.5", "", []string{"x/toy.toml:6: "}},
		{"seed = 2", "short = [\n'seed=3',\n]\nseed = 'a'", "", []string{"x/toy.toml:6: seed: "}},
		{"second\"", "1.5\"", "item.1.5.rate=2", []string{"-set item.1.5.rate=2: item.1.5.rate: 2 is not"}},
		{"second\"", "1.5\"", `item."1.5".rate=2`, []string{`-set item."1.5".rate=2: item.1.5.rate: 2 is not`}},
		{"", "", "item.third.rate=1", []string{"-set item.third.rate=1: ", "first, second"}},
		{"", "", "item.*.rate=-1", []string{"-set item.*.rate=-1: item.first.rate: "}},
		{"", "", "seed", []string{"key=value"}},
		{"", "", "base.unlike=1", []string{"base.unlike: not a key; allowed: rate, words"}},
		{"", "", "seed.x=1", []string{"-set seed.x=1: seed is not a table"}},
		{"", "", "base.words=[1]", []string{"-set base.words=[1]: base.words: ", "a list, each a text"}},
		{"", "", `seed="a"`, []string{`seed: "a" is not allowed; allowed: 0 to 2,147,483,647`}},
		{`"a", "b"`, `"a", "a"`, "", []string{"x/toy.toml:7: base.words: \"a\" twice is not allowed"}},
		{"", "", "item.second.words=3", []string{"-set item.second.words=3: "}},
		{"", "", "item=1", []string{"-set item=1: item: ", "a list of tables"}},
		{"name = ", "nam = ", "", []string{"x/toy.toml:1: nam: not a key; did you mean name?", "name: missing; "}},
		{"rate = 1\n", "rate = 3\n", "item.second.name=a", []string{"-set item.second.name=a: item.a.rate: "}},
		{"", "", "bsae.rate=1", []string{"-set bsae.rate=1: bsae: not a key; did you mean base?"}},
	} {
		var overrides []string
		if c.set != "" {
			overrides = []string{c.set}
		}
		_, _, err := decode(strings.Replace(text, c.old, c.new, 1), overrides...)
		check.Refuses(t, c.new+" "+c.set, err, c.want...)
	}
}

// All errors are found at once, and those of a base once.
func TestAllErrors(t *testing.T) {
	for _, c := range []struct{ base, item, want string }{
		{"rate = 2\nwords = 3", "rate = -1\nrat = 1", "" +
			"x/toy.toml:6: base.rate: 2 is not allowed; allowed: 0 to 1\n" +
			"x/toy.toml:7: base.words: 3 is not allowed; allowed: a list, each a text\n" +
			"x/toy.toml:17: item.second.rate: -1 is not allowed; allowed: 0 to 1\n" +
			"x/toy.toml:18: item.second.rat: not a key; did you mean rate? allowed: name, rate, words"},
		{"rate = 1\nwords = ['a', 'b', 'c']", "rate = 0.95", "x/toy.toml:6: base.rate: 1 is not allowed; " +
			"allowed: 0.9 with three words\nx/toy.toml:17: item.second.rate: 0.95 is not allowed; allowed: 0.9 with"},
	} {
		replaced := strings.NewReplacer("rate = 0.5\nwords = [\n  \"a\", \"b\",\n]", c.base, "rate = 1", c.item)
		_, _, err := decode(replaced.Replace(text))
		check.Refuses(t, c.base, err, c.want)
		check.Equal(t, "lines", strings.Count(err.Error(), "\n"), strings.Count(c.want, "\n"))
	}
}

// The lines of texts and comments are not those of keys.
func TestLines(t *testing.T) {
	m := check.Must(Parse("m.toml", []byte(`# """ and '''
name = "# \" #" # """
finding = """ one ""two"" \""" \\
seed = 3
[a]
""""
group = '''
'' seed = 9''''
seed = 10 # '''
[a] # """
words = ["'''", # "
  "seed = 13", '''
seed = 14''']
"seed" = 15
`), nil))
	want := map[string]string{
		"": "m.toml", "name": "m.toml:2", "finding": "m.toml:3", "group": "m.toml:7", "seed": "m.toml:9",
		"a": "m.toml:10", "a.words": "m.toml:11", "a.seed": "m.toml:14",
	}
	check.Equal(t, "places", m.places, want)
}

type strict struct {
	Table struct {
		Draws  int     `toml:"draws" check:"required" range:"1 1,000"`
		Spread float64 `toml:"spread" check:"required" range:"0 1e30"`
		Shift  float64 `toml:"shift" check:"required"`
	} `toml:"table"`
	Items []struct {
		Rate float64 `toml:"rate" check:"required"`
	} `toml:"item" check:"required"`
	Train int `toml:"train"`
}

func (s *strict) Validate() error { return field.Between("train", 1, 9, s.Train) }

// Required keys that are missing are named at once, with what is allowed.
func TestRequired(t *testing.T) {
	const all = "name = 'x'\ntrain = 1\n[table]\ndraws = 1\nspread = 0\n[[item]]\nrate = 0\n"
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"draws = 1\nspread = 0\n", "", "s.toml:3: table.draws: missing; allowed: 1 to 1,000\n" +
			"s.toml:3: table.spread: missing; allowed: 0 to 1e30"},
		{"name = 'x'\n", "", "s.toml: name: missing; allowed: a text"},
		{"rate = 0", "", "s.toml:6: item.1.rate: missing; allowed: a number"},
		{"[[item]]\nrate = 0\n", "", "s.toml: item: missing; allowed: at least one table headed [[item]]"},
		{"train = 1\n", "", "s.toml: train: missing; allowed: 1 to 9"},
		{"train = 1\n", "train = 0\n", "s.toml:2: train: 0 is not allowed; allowed: 1 to 9"},
		{"draws = 1\n", "draws = 0\n", "s.toml:4: table.draws: 0 is not allowed; allowed: 1 to 1,000"},
		{"draws = 1\n", "draws = 1\nshift = nan\n", "s.toml:5: table.shift: NaN is not allowed; allowed: a number"},
	} {
		v := strict{}
		v.Table.Shift = 0.5
		m, err := Parse("s.toml", []byte(strings.Replace(all, c.old, c.new, 1)), nil)
		if err == nil {
			err = m.Decode(&v)
		}
		if (err != nil || c.want != "") && (err == nil || err.Error() != c.want) {
			t.Errorf("%q: error %v, want %s", c.new, err, c.want)
		}
	}
}

func TestOverrides(t *testing.T) {
	// One value stands for a list of it. A list of tables may be written inline, too.
	inline := `item=[{name = "one", rate = 1}, {name = "two"}]`
	for want, set := range map[string][]string{
		"[2 3 4] [{first {0.5 [c d]}} {second {0.125 [a b]}}]": {
			"item.second.rate=0.125", "sweep.seed=2..4", "item.first.words=['c', 'd']",
		},
		"[1 2 3] [{first {0.5 []}} {second {1 []}}]": {"base.words=[]", "group=paper"},
		"[3] [{first {0.125 [a b]}} {second {0.125 [x]}}]": {
			"item.*.rate=0.125", "sweep.seed=3", "item.second.words=x", "seed=3",
		},
		"[1 2 3] [{one {1 [a b]}} {two {0.5 [x]}}]": {inline, "item.two.words=x"},
	} {
		m, v, err := decode(text, set...)
		check.OK(t, err)
		check.Equal(t, "overrides", m.Overrides, set)
		check.Equal(t, "seeds and items", fmt.Sprint(v.Sweep.Seed, v.Items), want)
	}
	table := strings.Split(text, "[[item]]")[0] + "[item]\nname = \"first\"\n"
	_, _, err := decode(table)
	check.Refuses(t, "a table for a list", err, "x/toy.toml:14: item: ", "allowed: a list of tables")
	_, _, err = decode("item = [{name = \"first\", rate = 2}]\n" + strings.Split(text, "[[item]]")[0])
	check.Refuses(t, "a rate", err, "x/toy.toml:1: item.first.rate: 2 is not allowed")
}

func TestInts(t *testing.T) {
	for written, want := range map[string]string{
		"'2..4'": `"2..4"`, "[4, 2]": "[4, 2]", "[5, 6, 7]": `"5..7"`, "[3]": "[3]", "'3..3'": "[3]", "[]": "[]",
	} {
		m, v, err := decode(text, "sweep.seed="+written)
		check.OK(t, err)
		check.Equal(t, written, string(check.Must(v.Sweep.Seed.MarshalTOML())), want)
		seeds, err := m.Seeds(v.Sweep.Seed)
		if slices.Contains(v.Sweep.Seed, 2) || written == "[]" {
			check.OK(t, err)
			check.Equal(t, "seeds", slices.Contains(seeds, 2), true)
		} else {
			check.Refuses(t, written, err, "one of sweep.seed")
		}
	}
}
