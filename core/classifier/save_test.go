package classifier

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/familiar"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

func saved(t *testing.T, c *Classifier) []byte {
	t.Helper()
	var file bytes.Buffer
	check.OK(t, c.Save(&file))
	return file.Bytes()
}

// A stream in two parts with a file between them leaves the same bytes, with or without predictions between
// the examples, an input that comes again, and changes of the caller's slice.
func TestSave(t *testing.T) {
	whole, first := newTriangle(), newTriangle()
	first.Note = json.RawMessage(`{"names":["a","b<c"]}`)
	first.Decision = Decision{Confidence: math.Inf(1), Familiarity: 0.01}
	draw, again := stream(), stream()
	learn(t, whole, 70, draw)
	learn(t, first, 70, again)
	second := check.Must(Load(bytes.NewReader(saved(t, first))))
	check.Equal(t, "decision", second.Decision, first.Decision)
	check.True(t, bytes.Equal(saved(t, second), saved(t, first)), "loaded, other bytes with note %s", second.Note)
	var p Prediction
	buffer := make([]float64, 2)
	for i := range 60 {
		x, class := again()
		for k := range 4 { // the last repeats the first, and adds no prediction to the record
			check.OK(t, whole.Learn(slices.Clone(x), (class+k)%3))
			if k < 2 { // else as it was predicted for the example before
				check.OK(t, second.Predict(&p, buffer))
			}
			copy(buffer, x)
			check.OK(t, second.Learn(buffer, (class+k)%3))
		}
		if copy(buffer, []float64{9, 9}); i == 30 {
			check.OK(t, errors.Join(whole.AddClass(), second.AddClass()))
			check.Must(second.Snapshot())
		}
	}
	whole.Note, whole.Decision = second.Note, second.Decision
	check.True(t, bytes.Equal(saved(t, whole), saved(t, second)), "what was loaded has learned something else")
	next, record := second.Record.Next.joined(), second.Record.Whole.joined() // the last half or more
	check.Equal(t, "predictions", [2]int{next.Len(), record.Len()}, [2]int{70 + 3*60 - 112, 70 + 3*60 - 112})
	copy(buffer, []float64{1, 1})
	check.NoAllocs(t, "a prediction", func() { _ = second.Predict(&p, buffer) })
	first.Note = json.RawMessage(`{"names"`)
	check.Refuses(t, "a note that is not JSON", first.Save(new(bytes.Buffer)), "classifier: ")
}

// A default with two inputs is saved in 1.5 MB, and its prediction is a short line of JSON.
func TestSmall(t *testing.T) {
	c := check.Must(New(Options{Inputs: 2, Classes: 3}, random.Source("small")))
	learn(t, c, 2500, stream())
	check.True(t, len(saved(t, c)) <= 1_500_000, "a file of %d bytes", len(saved(t, c)))
	var p, again Prediction
	check.OK(t, c.Predict(&p, []float64{1, 1}))
	for dst, v := range map[any]any{&again: p, &again.Details: p.Details} {
		text := check.Must(json.Marshal(v))
		var fields map[string]any
		check.OK(t, errors.Join(json.Unmarshal(text, &fields), json.Unmarshal(text, dst)))
		check.True(t, len(text) < 500 && len(fields) == 4, "%d bytes: %s", len(text), text)
	}
	check.Equal(t, "read again", again.P, p.P)
	check.Equal(t, "read again", again.Details.Weights, p.Details.Weights)
}

// A model of another program has no history. Its note is kept if it is JSON; a history that does not fit the
// model is refused.
func TestLoadAny(t *testing.T) {
	network := newNetwork(bnn.Default(2, 3)).Model()
	load := func(note string) (*Classifier, error) {
		var file bytes.Buffer
		check.OK(t, checkpoint.Save(&file, network, note))
		return Load(&file)
	}
	for note, want := range map[string]string{"": "", "hello": "", "[1]": "[1]", `{"a":2}`: `{"a":2}`} {
		c := check.Must(load(note))
		check.Equal(t, "note", string(c.Note), want)
		check.Refuses(t, "threshold without a record", check.Err(c.Threshold(0.1, 0.9)))
		check.True(t, c.Familiar == nil, "note %q: familiarity", note)
		check.OK(t, c.Learn([]float64{1, 1}, 1))
		var p Prediction
		check.OK(t, c.Predict(&p, []float64{9, 9}))
		check.Equal(t, "familiarity", p.Familiarity, 1)
	}
	three := string(check.Must(json.Marshal(familiar.New(3))))
	for _, history := range []string{
		`"record":{"next":{"latest":{"predicted":[1],"wrong":[2]}}}`, `"familiar":` + three,
		`"record":{"whole":{"earlier":{"predicted":[1],"wrong":[2]}}}`,
		`"record":{"order":{"counts":[0],"latest":[0],"away":[0],"kept":[[]]}}`, `"record":{"rows":[1]}`,
		`"record":{"rows":{"hashes":[1],"oldest":1}}`, `"record":{"rows":{"oldest":-1}}`,
	} {
		check.Refuses(t, history, check.Err(load(`{"decision":{},`+history+`}`)), "classifier: ")
	}
	many := strings.Repeat(",0", 3e6)[1:] // the familiarity of 3,000,000 inputs has 1.5 GB of directions
	high, d := fmt.Sprintf(`"high":[%s],"low":[%[1]s]`, many), strings.Repeat(",0", 2080)[1:]
	check.Frugal(t, func() {
		check.Refuses(t, "inputs", check.Err(load(fmt.Sprintf(`{"decision":{},"familiar":{%s,"means":[[%s]],"step":1,`+
			`"counts":[0],"scatter":[[%s],[%[3]s]],"fit":[[%[3]s],[%[3]s]]}}`, high, d[:127], d))), "the familiarity of 3000000 inputs")
	})
}
