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

// Expiry is the time after which a claim of a silent process is free.
var Expiry = 90 * time.Second

// A process that computes has a file in cells/at/ and writes to it every few seconds. Its
// claims are hard links to this file, so one write renews all claims. Ages are
// differences of times that the file system has set, so clocks need not agree. Without
// hard links there are no claims. If a claim becomes visible late, a cell is computed
// twice, to the same bytes.
type owner struct {
	mu   sync.Mutex
	path string // of its file; empty: not yet
	line string // what is in it
	stop chan struct{}
}

// machine identifies the scope of process ids: a host since it was booted, and on
// Linux a container.
var machine = sync.OnceValue(func() string {
	host, _ := os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return fmt.Sprintf("%s %s%s", host, strings.TrimSpace(string(boot)), space)
})

// enter makes the file of this process if it is missing, and returns its path and content.
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

// now marks this process as alive and returns the time of the file system.
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

// Claim claims a cell before it is computed and returns a function that gives up the claim.
// It returns nil if a live process has claimed the cell.
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

// Others returns an error if a live process computes a cell of one of these
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
			return fmt.Errorf("a run of other values or other code is using %s: host %s, %s", f.dir, host, lines[1])
		}
	}
	return nil
}

// dead reports whether the process of a file in cells/at/ has ended.
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

// sweep removes claims and temporary files of dead processes.
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

// locked waits for the lock of publishing and sweeping, on a file system that has locks, and
// returns a function that releases it.
func (f *Folder) locked() (unlock func()) {
	f.mu.Lock()
	f.lock.Lock()
	return func() {
		f.lock.Unlock()
		f.mu.Unlock()
	}
}

// remove removes a file; a missing file is not an error.
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
