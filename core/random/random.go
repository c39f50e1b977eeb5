// Package random hands out reproducible streams of random numbers, each named
// by a path of strings and integers.
//
// A stream depends on its name and on nothing else: not on the order in which streams are made, not
// on the number of workers. The functions are safe for concurrent use with different streams; one
// stream is not.
package random

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	randv2 "math/rand/v2"

	//lint:ignore SA1019 Deprecated upstream, and the generator that this project is specified with.
	"golang.org/x/exp/rand"
)

// Source returns a new PCG-XSL-RR-128/64 generator (O'Neill 2014) whose 128
// bits of state are the first half of a SHA-256 hash of the path, of strings and
// integers (int, int64 or uint64); Source panics for any other type. ("a", "b"),
// ("ab") and ("1"), (1) name four different streams, int(1), int64(1) and uint64(1)
// the same. The source is not safe for concurrent use.
func Source(path ...any) randv2.Source {
	h := sha256.New()
	for _, element := range path {
		var tag byte
		var data []byte
		switch e := element.(type) {
		case string:
			tag, data = 's', []byte(e)
		case int:
			tag, data = integer(int64(e))
		case int64:
			tag, data = integer(e)
		case uint64:
			tag, data = natural(e)
		default:
			panic(fmt.Sprintf("random: path element %v has type %T; allowed: string, int, int64, uint64", element, element))
		}
		var header [9]byte
		header[0] = tag
		binary.BigEndian.PutUint64(header[1:], uint64(len(data)))
		h.Write(header[:])
		h.Write(data)
	}
	state := append([]byte("pcg:"), h.Sum(nil)[:16]...)
	source := new(rand.PCGSource)
	if err := source.UnmarshalBinary(state); err != nil {
		panic("random: " + err.Error()) // The layout of the state is fixed upstream.
	}
	return source
}

// integer and natural encode a number so that equal numbers have equal bytes
// whatever their type, and negative ones differ from large positive ones.
func integer(i int64) (tag byte, data []byte) {
	if i >= 0 {
		return natural(uint64(i))
	}
	return '-', binary.BigEndian.AppendUint64(nil, uint64(-(i + 1)))
}

func natural(u uint64) (tag byte, data []byte) {
	return '+', binary.BigEndian.AppendUint64(nil, u)
}
