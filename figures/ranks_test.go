package figures

import (
	"bytes"
	"fmt"
	"testing"
)

func testRanks() []Rank { return []Rank{{"b", 2.5}, {"adf", 1}, {"c", 3}, {"d", 3.5}} }

// Bars join the largest groups within the critical difference, and stand for no method alone.
func TestAlike(t *testing.T) {
	ranks := []Rank{{"a", 1}, {"b", 2.5}, {"c", 3}, {"d", 3.5}, {"e", 9}}
	for critical, want := range map[float64]string{
		0.1: "[]", 0.6: "[[2.5 3] [3 3.5]]", 1.1: "[[2.5 3.5]]", 1.5: "[[2.5 3.5]]", 2.1: "[[1 3] [2.5 3.5]]", 9: "[[1 9]]",
	} {
		if got := fmt.Sprint(alike(ranks, critical)); got != want {
			t.Errorf("critical difference %g: bars %s, want %s", critical, got, want)
		}
	}
}

func TestRanksShowTheirNumbers(t *testing.T) {
	ranks := testRanks()
	first := encode(t, Ranks(ranks, 1, "rank"), "svg")
	if ranks[0].Name != "b" {
		t.Error("the ranks were sorted in place")
	}
	for _, text := range []string{">ADF (1.0)<", ">CD = 1.0<", ">rank<"} {
		if !bytes.Contains(first, []byte(text)) {
			t.Errorf("no text %s", text)
		}
	}
	ranks[2].Mean = 3.2
	for i, other := range []*Figure{Ranks(ranks, 1, "rank"), Ranks(testRanks(), 1.6, "rank"), Ranks(testRanks(), 1, "place")} {
		if bytes.Equal(encode(t, other, "svg"), first) {
			t.Errorf("change %d is not seen", i)
		}
	}
}
