package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// fileLimit is the environment variable that limits the size of files of a program.
const fileLimit = "RUNNER_TEST_FILE_LIMIT"

// limitFiles makes writing beyond the limit an error, as on a full disk.
func limitFiles() {
	if limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
}

// Each size of a file is once too much for the disk: the run says which file, and the next one goes on.
func TestTortureFullDisk(t *testing.T) {
	rounds := check.Torture(t, 3, 10, 1000)
	manifest, want := tortured(t)
	whole := t.TempDir()
	mustRun(t, "-exp", manifest, "-out", whole)
	sizes := []uint64{1}
	filepath.WalkDir(whole, func(_ string, e fs.DirEntry, _ error) error {
		if info, err := e.Info(); err == nil && !e.IsDir() && info.Size() > 0 {
			sizes = append(sizes, uint64(info.Size()))
		}
		return nil
	})
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for i := range min(rounds, len(sizes)) {
		limit := sizes[i*len(sizes)/min(rounds, len(sizes))] - 1
		out := t.TempDir()
		p := newProcess(t, "-exp", manifest, "-out", out, "-quiet")
		p.Env = append(p.Env, fmt.Sprintf("%s=%d", fileLimit, limit))
		p.Run()
		said := p.stderr.String()
		if p.ProcessState.ExitCode() != 1 || !strings.Contains(said, "write /") || strings.Contains(said, "goroutine") {
			t.Errorf("files of %d bytes: %v: %s", limit, p.ProcessState, said)
		}
		wholeFiles(t, filepath.Join(out, "small"), want)
		complete(t, manifest, out, want)
	}
}

// damages are what may happen to a file. The links are to one outside of the results, which is there or not.
var damages = map[string]func(path, outside string) error{
	"vanishes": func(path, _ string) error { return os.Remove(path) },
	"is empty": func(path, _ string) error { return os.Truncate(path, 0) },
	"is cut": func(path, _ string) error {
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, info.Size()/2)
		}
		return err
	},
	"has another byte": func(path, _ string) error {
		data, err := os.ReadFile(path)
		if len(data) > 0 {
			data[len(data)/2] ^= 1
		}
		return cmp.Or(err, os.WriteFile(path, data, 0o666))
	},
	"is of the next century": func(path, _ string) error {
		future := time.Now().AddDate(100, 0, 0)
		return os.Chtimes(path, future, future)
	},
	"is a link": func(path, outside string) error {
		return cmp.Or(os.WriteFile(outside, []byte("mine"), 0o666), os.Remove(path), os.Symlink(outside, path))
	},
	"is a link to nothing": func(path, outside string) error {
		return cmp.Or(os.Remove(path), os.Symlink(outside, path))
	},
}

// Whatever happens to a file of the results or of the cells, the same command puts it right, and writes nowhere else.
func TestTortureDamage(t *testing.T) {
	stride := check.Torture(t, 7, 2, 1)
	manifest, want := tortured(t)
	whole := t.TempDir()
	mustRun(t, "-exp", manifest, "-out", whole)
	paths := slices.Concat(glob(t, whole, "small", "*"), glob(t, whole, "small", "cells", "*"))
	for i, path := range paths {
		for k, name := range slices.Sorted(maps.Keys(damages)) {
			if info, err := os.Stat(path); err != nil || info.IsDir() || (i*len(damages)+k)%stride > 0 {
				continue
			}
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				out, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
				check.OK(t, os.CopyFS(out, os.DirFS(whole)))
				if strings.HasSuffix(path, ".cell") {
					remove(t, out, "small", "cells", "published") // or nobody reads the cells
				}
				check.OK(t, damages[name](out+strings.TrimPrefix(path, whole), outside))
				_, _, err := try(t, "-exp", manifest, "-out", out, "-quiet")
				check.OK(t, err)
				complete(t, manifest, out, want)
				mine, err := os.ReadFile(outside)
				if name == "is a link" && string(mine) != "mine" || name != "is a link" && err == nil {
					t.Errorf("outside of the results there is %q", mine)
				}
			})
		}
	}
}

// Damaged data are others, or an error that names the file.
func TestTortureData(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(damages)) {
		manifest := write(t, edit(t, small, "threshold", "file = \"data.txt\"\nthreshold"))
		data := write(t, "some points", filepath.Dir(manifest), "data.txt")
		out, fresh := t.TempDir(), t.TempDir()
		mustRun(t, "-exp", manifest, "-out", out)
		check.OK(t, damages[name](data, filepath.Join(t.TempDir(), "outside")))
		_, _, err := try(t, "-exp", manifest, "-out", out, "-quiet")
		_, _, err2 := try(t, "-exp", manifest, "-out", fresh, "-quiet")
		if err != nil || err2 != nil {
			if exists(fresh, "small", "SHA256SUMS") || !strings.Contains(fmt.Sprint(err), "data.txt") {
				t.Errorf("data that %s: %v, %v", name, err, err2)
			}
			continue
		}
		same(t, results(t, filepath.Join(out, "small")), results(t, filepath.Join(fresh, "small")))
	}
}

// Where it may not write or read, the program says so, and leaves what is there.
func TestTorturePermissions(t *testing.T) {
	check.Torture(t, 0, 1, 1)
	manifest, want := tortured(t)
	for _, locked := range []string{".", "small", "small/cells", "small/cells/published", "small/runs.csv"} {
		for _, complete := range []bool{false, true} {
			for _, mode := range []fs.FileMode{0o000, 0o555} {
				lockedOut(t, manifest, want, locked, complete, mode)
			}
		}
	}
}

func lockedOut(t *testing.T, manifest string, want map[string]string, locked string, published bool, mode fs.FileMode) {
	out := t.TempDir()
	mustRun(t, "-exp", manifest, "-out", out)
	if !published {
		remove(t, out, "small", "cells", "published")
		remove(t, cellFiles(t, filepath.Join(out, "small"))[0])
	}
	err := filepath.WalkDir(out, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Chmod(path, 0o777))
	})
	locked = filepath.Join(out, locked)
	err = cmp.Or(err, os.Chmod(filepath.Dir(out), 0o777), os.Chmod(filepath.Dir(manifest), 0o777),
		os.Chmod(filepath.Dir(filepath.Dir(manifest)), 0o777), os.Chmod(locked, mode))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	p := newProcess(t, "-exp", manifest, "-out", out, "-quiet")
	if os.Geteuid() == 0 { // who may do anything
		if runtime.GOOS != "linux" {
			t.Skip("run by root")
		}
		p.Path, p.SysProcAttr = "/proc/self/exe", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	p.Run()
	code, said := p.ProcessState.ExitCode(), p.stderr.String()
	t.Logf("%s of mode %v, published %t: %d, %s", locked, mode, published, code, said)
	if code > 1 || code < 0 || code == 1 && !strings.Contains(said, syscall.EACCES.Error()) || strings.Contains(said, "goroutine") {
		t.Errorf("%s of mode %v: %v, %s", locked, mode, p.ProcessState, said)
	}
	err = filepath.WalkDir(out, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(os.Chmod(path, 0o777), err)
	})
	os.Chmod(locked, 0o777)
	check.OK(t, err)
	wholeFiles(t, filepath.Join(out, "small"), want)
	complete(t, manifest, out, want)
}
