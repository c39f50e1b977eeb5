package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Expiry is how long a claim outlives the last sign of life of the process that made it.
var Expiry = 90 * time.Second

// A process that computes is known to the others by a file in cells/at/, and writes to
// it every few seconds. What it claims are hard links to this file, so that one write
// renews all claims. Ages are differences of times that the file system has set, so
// that clocks need not agree. Where there are no hard links there are no claims, and
// where claims are seen late, a cell is computed twice: to the same bytes.
type owner struct {
	mu   sync.Mutex
	path string // of its file; empty: not yet
	line string // what is in it
	stop chan struct{}
}

// machine names what process ids are unique in: a host since it was booted, and on
// Linux a container.
var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("%s %s%s", host, strings.TrimSpace(string(boot)), space)
})

// enter makes the file of this process, unless it is there, and returns its path and what
// is in it.
func (f *Folder) enter() (path, line string, err error) {
	o := &f.owner
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, err := os.Stat(o.path); err == nil {
		return o.path, o.line, nil
	}
	if err := os.MkdirAll(f.at(), 0o777); err != nil {
		return "", "", err
	}
	file, err := os.CreateTemp(f.at(), fmt.Sprintf("%d-*.owner", os.Getpid()))
	if err != nil {
		return "", "", err
	}
	o.path = file.Name()
	o.line = fmt.Sprintf("%s\npid %d\njob %s\n%s\n",
		machine(), os.Getpid(), os.Getenv("SLURM_JOB_ID"), filepath.Base(o.path))
	_, err = file.WriteString(o.line)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(o.path) // half-written it would be nobody's
		return "", "", err
	}
	if o.stop == nil {
		stop, tick := make(chan struct{}), time.Tick(Expiry/6)
		o.stop = stop
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-tick:
					f.now()
				}
			}
		}()
	}
	return o.path, o.line, nil
}

// now shows that this process is alive, and returns the time of the file system.
func (f *Folder) now() (time.Time, error) {
	f.owner.mu.Lock()
	defer f.owner.mu.Unlock()
	file, err := os.OpenFile(f.owner.path, os.O_WRONLY, 0)
	if err != nil {
		return time.Time{}, err
	}
	_, err1 := file.WriteAt([]byte(f.owner.line), 0)
	err2 := file.Close()
	info, err3 := os.Stat(f.owner.path)
	if err := errors.Join(err1, err2, err3); err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// Claim claims a cell that is about to be computed. If another process has it, and is
// alive, it returns nil; otherwise what gives the claim up.
func (f *Folder) Claim(key, fingerprint string) (release func()) {
	path := f.claimFile(key, fingerprint)
	for range 3 {
		owner, line, err := f.enter()
		ours := func() bool {
			claim, err := os.ReadFile(path)
			return err == nil && string(claim) == line
		}
		release = func() {
			if ours() { // it may have slept for so long that another has the cell
				os.Remove(path)
			}
		}
		if err == nil {
			err = os.Link(owner, path)
		}
		switch {
		case err == nil:
			return release
		case errors.Is(err, fs.ErrNotExist): // of the owner: declared dead, while the machine slept
		case !errors.Is(err, fs.ErrExist):
			return func() {} // a file system without hard links; one that is full will tell
		default:
			if ours() { // the answer was lost on a network
				return release
			}
			if !f.dead(path) {
				return nil
			}
			f.sweep()
		}
	}
	return nil
}

// Others returns an error if a process that is alive computes a cell of one of these
// keys under another fingerprint.
func (f *Folder) Others(keys, fingerprints []string) error {
	ours := map[string]string{}
	for i, key := range keys {
		claim := f.claimFile(key, fingerprints[i])
		ours[keyOf(claim)] = claim
	}
	for _, claim := range list(f.at(), ".claim") {
		if own, ok := ours[keyOf(claim)]; ok && own != claim && !f.dead(claim) {
			line, _ := os.ReadFile(claim)
			lines := append(strings.SplitN(string(line), "\n", 3), "", "")
			host, _, _ := strings.Cut(lines[0], " ")
			return fmt.Errorf("another run, of other values or other code, is at work in %s: host %s, %s", f.dir, host, lines[1])
		}
	}
	return nil
}

// dead reports whether the process that a file of cells/at/ belongs to is no more.
func (f *Folder) dead(path string) bool {
	file, err := os.Open(path) // to be told of the newest state by a file server
	if err != nil {
		return false // it is gone, and needs no care
	}
	defer file.Close()
	info, err := file.Stat()
	line := make([]byte, 1000)
	n, _ := file.Read(line)
	if err != nil {
		return false
	}
	on, rest, _ := strings.Cut(string(line[:n]), "\n")
	if n == 0 { // its process was killed before it wrote, or is about to; its name begins with the number
		on, rest = machine(), "pid "+filepath.Base(path)
	}
	if on == machine() {
		var pid int
		if k, _ := fmt.Sscanf(rest, "pid %d", &pid); k == 1 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
	}
	if _, _, err := f.enter(); err != nil {
		return false
	}
	now, err := f.now()
	age := now.Sub(info.ModTime())
	return err == nil && (age > Expiry || age < -Expiry)
}

// sweep removes what dead processes have left: claims, and temporary files.
func (f *Folder) sweep() {
	left := append(list(f.at(), ".claim"), list(f.at(), ".owner")...)
	if len(left) == 0 {
		return
	}
	defer f.locked()()
	for _, path := range left {
		if f.dead(path) {
			os.RemoveAll(temporary(path))
			os.Remove(path)
		}
	}
}

// locked waits until this process is the only one that publishes or sweeps, on a file
// system that can lock, and returns what ends this.
func (f *Folder) locked() (unlock func()) {
	f.mu.Lock()
	f.lock.Lock()
	return func() {
		f.lock.Unlock()
		f.mu.Unlock()
	}
}

// remove removes a file, unless it is not there.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// list returns the paths of the files of a folder with an extension.
func list(dir, extension string) (paths []string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		if filepath.Ext(file.Name()) == extension {
			paths = append(paths, filepath.Join(dir, file.Name()))
		}
	}
	return paths
}

func (f *Folder) at() string { return filepath.Join(f.cells(), "at") }

func (f *Folder) claimFile(key, fingerprint string) string {
	name := strings.TrimSuffix(filepath.Base(f.cellFile(key)), ".cell")
	return filepath.Join(f.at(), name+"."+fingerprint[:min(len(fingerprint), 8)]+".claim")
}

// keyOf returns the path of a claim without its fingerprint.
func keyOf(claim string) string {
	claim = strings.TrimSuffix(claim, ".claim")
	return strings.TrimSuffix(claim, filepath.Ext(claim))
}
