package softmax

import (
	"gonum.org/v1/gonum/blas/blas64"

	"closedform/internal/kernel"
)

// mostNodes is the largest number of nodes whose contributions are added together.
const mostNodes = 64

// nodeBlock is some nodes of a mesh and their weights.
type nodeBlock struct {
	node, weight []float64
	room         [2 * mostNodes]float64
}

// next takes the next nodes of the mesh, a multiple of four. Those beyond the last have a
// negligible integrand and do no harm.
func (n *nodeBlock) next(nodes *mesh) {
	blocks := (nodes.left + mostNodes - 1) / mostNodes
	q := ((nodes.left+blocks-1)/blocks + 3) &^ 3
	n.node, n.weight = n.room[:q], n.room[mostNodes:mostNodes+q]
	for b := range q {
		n.node[b], n.weight[b] = nodes.next()
	}
}

// momentBlock has the tables, class × node, whose products are the moments: a node b
// contributes a_jb g_ib to E_ji but for a factor of i.
type momentBlock struct {
	nodeBlock
	a, g []float64
}

func (n *momentBlock) forClasses(classes int) {
	fit((classes+3)&^3*mostNodes, &n.a, &n.g) // the sums are done for four classes at a time
}

// add adds factor_j Σ_b weight_b f_jb to p_j, and the contributions of all nodes to E, with
// a_jb = factor_j weight_b f_jb times the number perA, and factor of i in E_ji as given. Of
// E it leaves what is below the diagonal to [mirror] if f is g.
func (n *momentBlock) add(dst *Moments, f, factorF, factorG []float64, perA float64) {
	q := len(n.node)
	for j, r := range factorF {
		row, a := f[j*q:(j+1)*q], n.a[j*q:(j+1)*q]
		dst.P[j] += r * kernel.Dot(n.weight, row)
		r *= perA
		for b, w := range n.weight {
			a[b] = w * r * row[b]
		}
	}
	n.addPairs(dst.E.RawMatrix(), factorG, &f[0] == &n.g[0])
}

func (n *momentBlock) addPairs(e blas64.General, factor []float64, upper bool) {
	const rows = 16 // of the table a that stay in the nearest cache
	q := len(n.node)
	var sums [8]float64
	for top := 0; top < e.Rows; top += rows {
		first := 0
		if upper {
			first = top
		}
		for i := first; i < e.Rows; i += 4 {
			end := min(top+rows, e.Rows)
			if upper {
				end = min(end, i+4)
			}
			for j := top; j < end; j += 2 {
				kernel.Products(&sums, n.a[j*q:(j+2)*q], n.g[i*q:(i+4)*q])
				for k := range min(2, e.Rows-j) {
					row := e.Data[(j+k)*e.Stride+i : (j+k)*e.Stride+min(i+4, e.Rows)]
					for l := range row {
						row[l] += sums[4*k+l] * factor[i+l]
					}
				}
			}
		}
	}
}

// mirror copies the upper triangle of E to the lower, and clears the diagonal.
func mirror(e blas64.General, symmetric bool) {
	for j := range e.Rows {
		for i := range j {
			if symmetric {
				e.Data[j*e.Stride+i] = e.Data[i*e.Stride+j]
			}
		}
		e.Data[j*e.Stride+j] = 0
	}
}
