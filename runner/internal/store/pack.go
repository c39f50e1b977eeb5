package store

import (
	"bufio"
	"bytes"
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

// packs has the tables of contents of the packs of a folder, as far as they were read.
type packs struct {
	mu    sync.Mutex
	seen  map[string]bool
	cells map[string]entry // by name and fingerprint
}

// look reads the contents of new packs. A pack that cannot be read has none.
func (p *packs) look(dir string) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	}
}

// readPacked returns the file of a cell that was packed, and the path of the pack. The error is
// fs.ErrNotExist if no pack that was seen has the cell.
func (f *Folder) readPacked(name, fingerprint string) (path string, data []byte, err error) {
	f.packs.mu.Lock()
	c, ok := f.packs.cells[name+" "+fingerprint]
	f.packs.mu.Unlock()
	if !ok {
		return "", nil, fs.ErrNotExist
	}
	file, err := os.Open(c.pack)
	if err != nil {
		return c.pack, nil, err
	}
	defer file.Close()
	data = make([]byte, c.length)
	_, err = file.ReadAt(data, c.offset)
	return c.pack, data, err
}

// readContents reads the table of contents of a pack.
func readContents(path string) (contents []entry, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := bufio.NewReader(file)
	first, err := in.ReadString('\n')
	var text strings.Builder
	for line := ""; err == nil && line != "\n"; {
		line, err = in.ReadString('\n')
		text.WriteString(line)
	}
	lines := strings.TrimSuffix(text.String(), "\n") // without the empty line
	if err != nil || first != packMagic+sumOf([]byte(lines))+"\n" {
		return nil, ErrDamaged
	}
	start := int64(len(first) + text.Len())
	for line := range strings.Lines(lines) {
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
		print, _, _, ok := splitCell(data)
		if err != nil || !ok || len(data) > packSmall {
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
