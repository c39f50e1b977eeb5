package store

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Many small cells are packed into one file in cells/packs/: a line with the checksum of
// the table of contents; in this a line for each cell with its fingerprint, where it
// begins after the table, how long it is, and the name that its file had; an empty line;
// and the files.
const (
	packMagic = "closedform pack 1 "
	packSmall = 1 << 20 // the longest file that is packed
)

type entry struct {
	pack, name, print string
	offset, length    int64
}

// packs is what the packs of a folder have, as far as they were looked at.
type packs struct {
	mu    sync.Mutex
	seen  map[string]bool
	cells map[string]entry // by name and fingerprint
	file  *os.File         // the one read last
}

// look takes note of new packs. One that cannot be read has nothing.
func (p *packs) look(dir string) (fresh []entry) {
	if p.seen == nil {
		p.seen, p.cells = map[string]bool{}, map[string]entry{}
	}
	for _, name := range list(dir, ".pack") {
		if p.seen[name] {
			continue
		}
		p.seen[name] = true
		contents, _ := readContents(name)
		for _, c := range contents {
			p.cells[c.name+" "+c.print] = c
		}
		fresh = append(fresh, contents...)
	}
	return fresh
}

// read returns the file of a cell that was packed, and the path of the pack; no data if
// none of those has it that were seen, or are there at a new look.
func (p *packs) read(dir, name, fingerprint string, look bool) (path string, data []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if look || p.seen == nil {
		p.look(dir)
	}
	c, ok := p.cells[name+" "+fingerprint]
	if !ok {
		return "", nil, nil
	}
	if p.file == nil || p.file.Name() != c.pack {
		p.close()
		if p.file, err = os.Open(c.pack); err != nil {
			p.file = nil
			delete(p.cells, name+" "+fingerprint)
			return c.pack, nil, err
		}
	}
	data = make([]byte, c.length)
	_, err = p.file.ReadAt(data, c.offset)
	if err != nil {
		data = nil
	}
	return c.pack, data, err
}

func (p *packs) close() {
	if p.file != nil {
		p.file.Close()
		p.file = nil
	}
}

// readContents reads the table of contents of a pack.
func readContents(path string) ([]entry, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	first, err := in.ReadString('\n')
	var text strings.Builder
	for err == nil {
		var line string
		if line, err = in.ReadString('\n'); line == "\n" {
			break
		}
		text.WriteString(line)
	}
	if err != nil || first != packMagic+sumOf([]byte(text.String()))+"\n" {
		return nil, ErrDamaged
	}
	start := int64(len(first) + text.Len() + 1)
	var contents []entry
	for line := range strings.Lines(text.String()) {
		c := entry{pack: path}
		_, err := fmt.Sscanf(line, "%s %d %d %s\n", &c.print, &c.offset, &c.length, &c.name)
		if err != nil || c.length < 0 || c.length > packSmall {
			return nil, ErrDamaged
		}
		c.offset += start
		contents = append(contents, c)
	}
	return contents, nil
}

// Pack packs the small cells of these keys that have a file each, and removes the files.
func (f *Folder) Pack(keys []string) error {
	var contents, body bytes.Buffer
	var files []string
	for _, key := range keys {
		path := f.cellFile(key)
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || len(data) > packSmall {
			continue
		}
		rest, _ := bytes.CutPrefix(data, []byte(magic))
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		print, _, ok := bytes.Cut(line, []byte(" "))
		if err != nil || !ok {
			continue
		}
		fmt.Fprintf(&contents, "%s %d %d %s\n", print, body.Len(), len(data), filepath.Base(path))
		body.Write(data)
		files = append(files, path)
	}
	if len(files) < 2 {
		return nil
	}
	sum := sumOf(contents.Bytes())
	whole := slices.Concat([]byte(packMagic+sum+"\n"), contents.Bytes(), []byte("\n"), body.Bytes())
	if err := os.MkdirAll(f.packed(), 0o777); err != nil {
		return err
	}
	if err := f.write(filepath.Join(f.packed(), sumOf(whole)[:16]+".pack"), whole); err != nil {
		return err
	}
	for _, path := range files {
		os.Remove(path)
	}
	return nil
}

// Prune removes the packs that have none of the cells with these fingerprints.
func (f *Folder) Prune(fingerprints []string) {
	wanted := map[string]bool{}
	for _, print := range fingerprints {
		wanted[print] = true
	}
	for _, file := range list(f.packed(), ".pack") {
		contents, err := readContents(file)
		if err == nil && !slices.ContainsFunc(contents, func(c entry) bool { return wanted[c.print] }) {
			os.Remove(file)
		}
	}
}

func (f *Folder) packed() string { return filepath.Join(f.cells(), "packs") }
