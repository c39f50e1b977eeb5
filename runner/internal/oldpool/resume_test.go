package pool

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	store "closedform/runner/internal/oldstore"
)

// cell stands for a study: rows that follow from the key alone.
func cell(key string) *store.Cell {
	h := fnv.New64a()
	h.Write([]byte(key))
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	table := store.Table{Name: "grid", Header: []string{"key", "p"}}
	for range 50 {
		table.Rows = append(table.Rows, []string{key, store.Float(r.NormFloat64())})
	}
	return &store.Cell{Key: key, Fingerprint: "f", Tables: []store.Table{table}, Seconds: r.Float64()}
}

// shard runs those cells of shard i of n that are not there yet, and is
// cancelled when it has run as many as limit says.
func shard(dir string, keys []string, workers, i, n, limit int) error {
	f, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	var todo []string
	for k, key := range keys {
		if k%n == i && !f.HasCell(key, "f") {
			todo = append(todo, key)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return Run(ctx, workers, todo, func(_ context.Context, k int) error {
		if k == limit {
			cancel()
		}
		return f.SaveCell(cell(todo[k]))
	}, silent{})
}

// merge publishes the table of all cells and returns the checksums.
func merge(t *testing.T, dir string, keys []string) string {
	t.Helper()
	f, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	grid := store.Table{Name: "grid", Header: []string{"key", "p"}}
	var cells []*store.Cell
	for _, key := range keys {
		c, ok, err := f.LoadCell(key, "f")
		if !ok || err != nil {
			t.Fatalf("cell %s: %v, %v", key, ok, err)
		}
		grid.Rows = append(grid.Rows, c.Tables[0].Rows...)
		cells = append(cells, c)
	}
	if err := f.Publish("f", []store.File{{Name: "grid.csv", Data: grid.CSV()}}, new(store.Run), cells); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	return string(sums)
}

// The bytes of the results do not depend on how many workers there are, how
// often they were interrupted, and how the cells were shared out.
func TestSameBytesHoweverTheWorkIsShared(t *testing.T) {
	keys := make([]string, 30)
	for i := range keys {
		keys[i] = fmt.Sprintf("lambda=%g seed=%d", 0.1*float64(i%5), i/5)
	}
	never := len(keys)
	one := t.TempDir()
	if err := shard(one, keys, 1, 0, 1, never); err != nil {
		t.Fatal(err)
	}
	want := merge(t, one, keys)

	eight := t.TempDir()
	if err := shard(eight, keys, 8, 0, 1, never); err != nil {
		t.Fatal(err)
	}
	if got := merge(t, eight, keys); got != want {
		t.Errorf("8 workers: %s, want %s", got, want)
	}

	interrupted := t.TempDir()
	for _, limit := range []int{3, 5, never} {
		err := shard(interrupted, keys, 2, 0, 1, limit)
		if limit < never && !errors.Is(err, context.Canceled) || limit == never && err != nil {
			t.Fatalf("limit %d: %v", limit, err)
		}
	}
	if got := merge(t, interrupted, keys); got != want {
		t.Errorf("interrupted: %s, want %s", got, want)
	}

	shards := t.TempDir()
	errs := make(chan error)
	for i := range 3 {
		go func() { errs <- shard(shards, keys, 2, i, 3, never) }()
	}
	for range 3 {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
	if got := merge(t, shards, keys); got != want {
		t.Errorf("3 shards: %s, want %s", got, want)
	}
}
