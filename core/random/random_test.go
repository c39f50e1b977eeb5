package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func first(path ...any) uint64 { return Source(path...).Uint64() }

// The stream is part of every committed result: its numbers must never change.
func TestSourceIsPinned(t *testing.T) {
	src := Source("fig1_12", 1, "data")
	got := fmt.Sprintf("%016x %016x %016x", src.Uint64(), src.Uint64(), src.Uint64())
	if want := "071b40795a081430 86a7e97da61fb7e6 c4b37e51f4183bb0"; got != want {
		t.Errorf("stream fig1_12/1/data starts with %s, want %s", got, want)
	}
}

func TestSourceNames(t *testing.T) {
	seen := map[uint64][]any{}
	words := [][]any{{}, {""}, {"", ""}, {"a", "b"}, {"ab"}, {"b", "a"}, {"a", "b", ""}, {"1"}}
	mixed := [][]any{{"s", 1}, {1, "s"}, {"\x00\x00\x00\x00\x00\x00\x00\x01"}}
	numbers := [][]any{{1}, {-1}, {0}, {math.MinInt64}, {math.MaxInt64}, {uint64(math.MaxUint64)}, {uint64(1) << 63}}
	for _, path := range slices.Concat(words, mixed, numbers) {
		u := first(path...)
		if other, ok := seen[u]; ok {
			t.Errorf("paths %#v and %#v name the same stream", path, other)
		}
		seen[u] = path
	}
	if first(7) != first(uint64(7)) {
		t.Error("the type of an integer changes the stream")
	}
	defer func() {
		if s := fmt.Sprint(recover()); !strings.HasPrefix(s, "random: ") {
			t.Errorf("Source(1.5) panics with %q", s)
		}
	}()
	Source(1.5)
}

// Committed results were drawn by math/rand/v2 and gonum: the same numbers must come.
func TestDrawsAreThoseOfOthers(t *testing.T) {
	ours, theirs := rand.New(Source("draws")), rand.New(Source("draws"))
	chi := distuv.ChiSquared{K: 10, Src: theirs}
	far := 0
	for i := range 2_000_000 {
		got, want := Normal(ours), theirs.NormFloat64()
		if i%10 == 0 {
			got, want = ChiSquared(ours, 10), chi.Rand()
		}
		if math.Abs(got) > 3.5 && i%10 != 0 {
			far++
		}
		if got != want && (math.Abs(got) < tailFrom || !(math.Abs(got-want) < 2e-15*math.Abs(want))) {
			t.Fatalf("draw %d: %v, want %v", i, got, want)
		}
	}
	if far < 500 {
		t.Errorf("%d of the draws are in the tail", far)
	}
}
