package dataset

import "fmt"

// byteTable is a table of numbers from 0 to 255 in a byte each. It is kept in
// blocks, so that it can grow without being copied.
type byteTable struct {
	file     string
	width    int
	perBlock int // rows of a block, except for the last
	blocks   [][]byte
}

// blockSize is the size of a block in bytes, if that is at least a row.
const blockSize = 1 << 20

func (t *byteTable) inputs() int { return t.width }

func (t *byteTable) bytes(row int) []byte {
	at := row % t.perBlock * t.width
	return t.blocks[row/t.perBlock][at : at+t.width]
}

func (t *byteTable) put(dst []float64, row int) {
	for j, b := range t.bytes(row) {
		dst[j] = float64(b)
	}
}

func (t *byteTable) where(row int) string { return fmt.Sprintf("%s: image %d", t.file, row+1) }
