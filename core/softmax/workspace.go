package softmax

import "sync"

// workspace is the scratch space of one computation. Each part fits itself to the
// number of classes.
type workspace struct {
	probit    probitTable
	exact     exactTable
	posterior posteriorTable
	cubature  *cubature
}

// workspaces are those not in use: results carry no scratch space, and computing
// into the same one again allocates nothing.
var workspaces = sync.Pool{New: func() any { return new(workspace) }}

// cutter hands out slices of one buffer.
type cutter []float64

func (c *cutter) next(n int) []float64 {
	s := (*c)[:n:n]
	*c = (*c)[n:]
	return s
}
