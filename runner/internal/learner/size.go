package learner

import (
	"cmp"
	"maps"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// Bytes returns the size of the memory that the learners can reach: their state and scratch space. Slices
// count by their lengths, and memory that is shared counts once, so equal learners have equal sizes. The memory of
// another program is not known: NaN.
func (c *Classifier) Bytes() float64 {
	w := walk{seen: map[memory]bool{}}
	for _, l := range c.Learners {
		switch l := l.(type) {
		case program:
			return math.NaN()
		case *Network:
			w.visit(reflect.ValueOf(l.Model))
		default:
			w.visit(reflect.ValueOf(l))
		}
	}
	w.visit(reflect.ValueOf(c.Map))
	return float64(w.size())
}

// walk has the memory of the visited values, and how many bytes have no address, as those in maps.
type walk struct {
	seen  map[memory]bool
	other int
}

// memory is a range of memory, to the address before end, with values of a type.
type memory struct {
	begin, end uintptr
	typ        reflect.Type
}

// enter adds memory, and reports whether values of this type in it have not been visited.
func (w *walk) enter(at unsafe.Pointer, size uintptr, typ reflect.Type) bool {
	m := memory{uintptr(at), uintptr(at) + size, typ}
	if size == 0 || w.seen[m] {
		return false
	}
	w.seen[m] = true
	return true
}

func (w *walk) visit(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		w.visit(v.Elem())
	case reflect.Pointer:
		if !v.IsNil() && w.enter(v.UnsafePointer(), v.Type().Elem().Size(), v.Type().Elem()) {
			w.visit(v.Elem())
		}
	case reflect.Slice:
		element := v.Type().Elem()
		if w.enter(v.UnsafePointer(), uintptr(v.Len())*element.Size(), element) && !plain(element) {
			for i := range v.Len() {
				w.visit(v.Index(i))
			}
		}
	case reflect.Array:
		for i := 0; i < v.Len() && !plain(v.Type().Elem()); i++ {
			w.visit(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			w.visit(v.Field(i))
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			w.other += int(v.Type().Key().Size() + v.Type().Elem().Size())
			w.visit(i.Value())
		}
	}
}

// plain reports whether values of the type refer to no other memory.
func plain(t reflect.Type) bool { return t.Kind() <= reflect.Complex128 }

func (w *walk) size() int {
	byBegin := func(a, b memory) int { return cmp.Compare(a.begin, b.begin) }
	total, end := w.other, uintptr(0)
	for _, m := range slices.SortedFunc(maps.Keys(w.seen), byBegin) {
		if m.end > end {
			total += int(m.end - max(m.begin, end))
			end = m.end
		}
	}
	return total
}
