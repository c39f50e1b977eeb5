package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Hold locks the file at path by a lock file beside it, which names the process and the time. The function
// release removes the lock file. The system releases the lock of a killed process.
func Hold(path string) (release func(), err error) {
	if release = hold(path + ".lock"); release == nil {
		by, _ := os.ReadFile(path + ".lock") // empty until the other process has written it
		err = fmt.Errorf("%s is held by %s; wait until it ends", path, cmp.Or(string(by), "another process"))
	}
	return release, err
}

// hold locks a file. If another process has locked it, release is nil. On a file system without locks, it
// returns a function that does nothing.
func hold(name string) (release func()) {
	lock := newLock(name)
	ours, err := lock.TryLock()
	if err != nil {
		return func() {}
	}
	if !ours {
		return nil
	}
	locked, _ := lock.Stat()
	if now, err := os.Stat(name); err != nil || !os.SameFile(now, locked) { // the last holder removed the file
		lock.Unlock()
		return hold(name)
	}
	by := fmt.Sprintf("process %d since %s", os.Getpid(), time.Now().Format(time.DateTime))
	os.WriteFile(name, []byte(by), 0o666)
	return func() { os.Remove(name); lock.Unlock() }
}

// newLock returns a lock of the file at path. It does not follow a link to another file.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(0o666), flock.SetFlag(os.O_CREATE|syscall.O_NOFOLLOW))
}

// WriteFile replaces the file at path atomically. A device or a pipe is written to. An error names the path.
func WriteFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	err := renameio.WriteFile(path, data, 0o666)
	if inner, ok := errors.AsType[*fs.PathError](err); ok { // err names the temporary file
		err = &fs.PathError{Op: "write", Path: path, Err: inner.Err}
	}
	return err
}

// SameFile reports whether two paths lead to the same file or folder, also through links, or would if it
// existed.
func SameFile(a, b string) bool {
	infoA, _ := os.Stat(a)
	infoB, _ := os.Stat(b)
	return os.SameFile(infoA, infoB) || Target(a) == Target(b)
}

// Target returns the absolute path without links. What does not exist yet may be in a folder with links.
func Target(path string) string {
	path, _ = filepath.Abs(path) // without a working directory it stays relative
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if folder := filepath.Dir(path); folder != path {
		return filepath.Join(Target(folder), filepath.Base(path))
	}
	return path
}

// Spare returns an error if writing the output would replace or grow one of the inputs. The inputs and the
// output may be "", for none; - is the standard input or output. Devices and pipes can be both.
func Spare(output string, inputs ...string) error {
	path, name := output, output
	if output == "-" {
		path, name = "/dev/stdout", "the standard output"
	}
	if info, err := os.Stat(path); output == "" || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		from := input
		if input == "-" {
			from = "/dev/stdin"
		}
		if input != "" && SameFile(from, path) {
			return fmt.Errorf("%s is the input %s, which would be lost: write to another file", name, input)
		}
	}
	return nil
}
