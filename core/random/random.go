// Package random has reproducible streams of random numbers, each named by a path of strings and integers.
//
// A stream depends on its name alone, not on the order in which streams are made or the number of workers.
// The functions are safe for concurrent use; one stream is not.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	randv2 "math/rand/v2"

	//lint:ignore SA1019 Deprecated upstream, and the generator that this project is specified with.
	"golang.org/x/exp/rand"
)

// Source returns a PCG-XSL-RR-128/64 generator (O'Neill 2014) whose state is the first half of a SHA-256 hash
// of the path of strings and integers (int or uint64); it panics for other types. ("a", "b"), ("ab"), ("1")
// and (1) name different streams, int(1) and uint64(1) the same. The source is not safe for concurrent use.
func Source(path ...any) randv2.Source {
	h := sha256.New()
	for _, element := range path {
		tag, data := byte('+'), []byte(nil)
		switch e := element.(type) {
		case string:
			tag, data = 's', []byte(e)
		case uint64:
			data = binary.BigEndian.AppendUint64(nil, e)
		case int:
			if e < 0 {
				tag, e = '-', -(e + 1)
			}
			data = binary.BigEndian.AppendUint64(nil, uint64(e))
		default:
			panic(fmt.Sprintf("random: path element %v has type %T; allowed: string, int, uint64", element, element))
		}
		h.Write(binary.BigEndian.AppendUint64([]byte{tag}, uint64(len(data))))
		h.Write(data)
	}
	state := append([]byte("pcg:"), h.Sum(nil)[:16]...)
	source := new(rand.PCGSource)
	if err := source.UnmarshalBinary(state); err != nil {
		panic("random: " + err.Error()) // The layout of the state is fixed upstream.
	}
	return source
}
