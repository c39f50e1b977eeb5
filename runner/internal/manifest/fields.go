package manifest

import (
	"bytes"
	"fmt"
	"slices"
)

// fields goes over the keys of one table after the other, in the order of the
// file that Resolved writes. It has two modes: to read the values, or to write
// them as TOML.
type fields struct {
	from    *table  // the table to read, nil when writing
	studies []Study // that a manifest may name; only for reading
	inherit bool    // a key that is not there keeps the value that its field has

	to *bytes.Buffer // what was written, nil when reading
}

// newReader returns the fields that read the table t.
func newReader(t *table, studies []Study) *fields { return &fields{from: t, studies: studies} }

// field reads or writes the value of key, which is *dst. Without the key a
// value that is read becomes the default of its kind; if there is none, that is
// reported.
func field[T any](f *fields, key string, dst *T, k kind[T]) {
	if f.to != nil {
		if s := k.write(*dst); s != "" {
			fmt.Fprintf(f.to, "%s = %s\n", key, s)
		}
		return
	}
	t := f.from
	t.known = append(t.known, key)
	switch {
	case t.has(key):
		if x, ok := k.read(t.at(key)); ok {
			*dst = x
		}
	case f.inherit:
	case k.fallback != nil:
		*dst = *k.fallback
	default:
		t.missing(key, k.want)
	}
}

// table goes over the keys of the table [key].
func (f *fields) table(key string, visit func(*fields)) {
	if f.to != nil {
		fmt.Fprintf(f.to, "\n[%s]\n", key)
		visit(f)
		return
	}
	visit(newReader(f.from.sub(key), f.studies))
}

// blocks goes over the keys of every table [[key]], whose values are the entries
// of *dst. An entry that is read begins as a copy of first.
func blocks[T any](f *fields, key string, dst *[]T, first T, visit func(*T, *fields)) {
	if f.to != nil {
		for i := range *dst {
			fmt.Fprintf(f.to, "\n[[%s]]\n", key)
			visit(&(*dst)[i], f)
		}
		return
	}
	for _, t := range f.from.list(key) {
		entry := first
		visit(&entry, newReader(t, f.studies))
		*dst = append(*dst, entry)
	}
}

// names returns the names of the studies.
func (f *fields) names() []string {
	names := make([]string, len(f.studies))
	for i, s := range f.studies {
		names[i] = s.Name
	}
	return names
}

// study returns the study of that name. When writing it is empty: values are
// not checked again.
func (f *fields) study(name string) Study {
	if i := slices.Index(f.names(), name); i >= 0 {
		return f.studies[i]
	}
	return Study{}
}

// allKeys lets the table have the keys of any study. It is for a manifest
// without a study: what is wrong with it is that, and not the first key that
// follows.
func (f *fields) allKeys() {
	for _, name := range f.names() {
		m := &Manifest{Study: name}
		r := &reader{}
		t := r.table(value{r: r})
		m.section().fields(newReader(t, f.studies), m)
		if name == "learn" {
			m.Stream = &Stream{}
			m.section().fields(newReader(t, f.studies), m)
		}
		f.from.known = append(f.from.known, t.known...)
	}
}
