package store

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Stock knows which cells of an experiment a folder has. It does not read them: what
// is damaged counts as there.
type Stock struct {
	Has   []bool
	Count int
	f     Folder
	names []string
	index map[string]int // of a cell, by name and fingerprint
	print []string
}

// NewStock returns the stock of the cells with these keys, made under these fingerprints,
// in the folder dir. It has none until the first [Stock.Look].
func NewStock(dir string, keys, fingerprints []string) *Stock {
	s := &Stock{f: Folder{dir: dir}, print: fingerprints, index: map[string]int{}}
	s.Has, s.names = make([]bool, len(keys)), make([]string, len(keys))
	for i, key := range keys {
		s.names[i] = filepath.Base(s.f.cellFile(key))
		s.index[s.names[i]+" "+fingerprints[i]] = i
	}
	return s
}

// Look looks for cells that it has not found before.
func (s *Stock) Look() {
	there := map[string]bool{}
	files, _ := os.ReadDir(s.f.cells())
	for _, file := range files {
		there[file.Name()] = strings.HasSuffix(file.Name(), ".cell")
	}
	for i, name := range s.names {
		if !s.Has[i] && there[name] && hasPrint(filepath.Join(s.f.cells(), name), s.print[i]) {
			s.add(i)
		}
	}
	// Files become packs, and not the other way: what is packed meanwhile is seen here.
	for _, c := range s.f.packs.look(s.f.packed()) {
		if i, ok := s.index[c.name+" "+c.print]; ok {
			s.add(i)
		}
	}
}

func (s *Stock) add(i int) {
	if !s.Has[i] {
		s.Has[i] = true
		s.Count++
	}
}

// hasPrint reports whether a file is of a cell that was made under this fingerprint.
func hasPrint(path, fingerprint string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	line := []byte(magic + fingerprint + " ")
	start := make([]byte, len(line))
	_, err = io.ReadFull(file, start)
	return err == nil && bytes.Equal(start, line)
}
