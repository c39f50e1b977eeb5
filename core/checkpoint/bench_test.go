package checkpoint

import (
	"bytes"
	"io"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
)

// The bytes are those of the file of a 64-50-10 network with full covariances.
func Benchmark(b *testing.B) {
	n, err := bnn.New(bnn.Default(64, 50, 10), random.Source("checkpoint", "bench"))
	if err != nil {
		b.Fatal(err)
	}
	file := written(b, n)
	b.Run("Write", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			if err := Save(io.Discard, n, ""); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Read", func(b *testing.B) {
		b.SetBytes(int64(len(file)))
		for b.Loop() {
			if _, _, err := Load(bytes.NewReader(file)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
