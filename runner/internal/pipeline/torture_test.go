package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	check "closedform/internal/checktest"
)

// tortured is a manifest with figures whose cells, publishing and page take about as long.
func tortured(t testing.TB) (manifest, whole string, want map[string]string) {
	t.Helper()
	manifest = check.Write(t, edit(t, drawn, "[1, 2]", `"1..6"`, "points = 5", "points = 5\nsleep = 1"))
	whole = t.TempDir()
	program.Run(t, "-exp", manifest, "-out", whole)
	return manifest, whole, checksummed(t, filepath.Join(whole, "small"))
}

// complete runs the manifest to its end and compares what is there with the undisturbed run.
func complete(t *testing.T, manifest, out string, want map[string]string) {
	t.Helper()
	program.Run(t, "-exp", manifest, "-out", out)
	dir := filepath.Join(out, "small")
	same(t, checksummed(t, dir), want)
	left := slices.Concat(check.Glob(dir, "cells", "at", "*"), check.Glob(dir, ".*"), check.Glob(out, ".*"))
	check.Equal(t, "temporary files are left", len(left), 0)
}

// wholeFiles fails unless each published file that is there is whole.
func wholeFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		whole := !check.Exists(dir, name) || check.Read(dir, name) == text
		check.True(t, whole, "%s is there and has other bytes", name)
	}
}

// files returns the files of the results and of the cells.
func files(out string) []string {
	return slices.Concat(check.Glob(out, "small", "*"), check.Glob(out, "small", "cells", "*"))
}

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
	manifest, whole, want := tortured(t)
	var sizes []uint64
	for _, path := range files(whole) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Size() > 0 {
			sizes = append(sizes, uint64(info.Size()))
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	limits := []uint64{0, 28} // nothing, and a part of the digest that names a run
	for i := range min(rounds, len(sizes)) {
		limits = append(limits, sizes[i*len(sizes)/min(rounds, len(sizes))]-1)
	}
	for _, limit := range limits {
		out := t.TempDir()
		p := check.NewProcess("-exp", manifest, "-out", out, "-quiet")
		p.Env = append(p.Env, fmt.Sprintf("%s=%d", fileLimit, limit))
		p.Run()
		code, said := p.ProcessState.ExitCode(), p.Err.String()
		if code != 1 || !strings.Contains(said, "write /") || strings.Contains(said, "goroutine") {
			t.Errorf("files of %d bytes: %v: %s", limit, p.ProcessState, said)
		}
		wholeFiles(t, filepath.Join(out, "small"), want)
		complete(t, manifest, out, want)
	}
}

// damages are what may happen to a file. The links are to one outside of the results, which is there or not.
var damages = map[string]func(path, outside string) error{
	"vanishes": func(path, _ string) error { return os.Remove(path) },
	"is cut":   func(path, _ string) error { return os.Truncate(path, 100) },
	"has another byte": func(path, _ string) error {
		data, err := os.ReadFile(path)
		if len(data) > 0 {
			data[len(data)/2] ^= 1
		}
		return cmp.Or(err, os.WriteFile(path, data, 0o666))
	},
	"is a link": func(path, outside string) error {
		return cmp.Or(os.WriteFile(outside, []byte("mine"), 0o666), os.Remove(path), os.Symlink(outside, path))
	},
	"is a link to nothing": func(path, outside string) error {
		return cmp.Or(os.Remove(path), os.Symlink(outside, path))
	},
}

// Whatever happens to a file of the results or of the cells, the same command puts it right, and writes
// nowhere else.
func TestTortureDamage(t *testing.T) {
	stride := check.Torture(t, 11, 2, 1)
	manifest, whole, want := tortured(t)
	for i, path := range files(whole) {
		for k, name := range slices.Sorted(maps.Keys(damages)) {
			if info, err := os.Stat(path); err != nil || info.IsDir() || (i*len(damages)+k)%stride > 0 {
				continue
			}
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				out, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
				check.OK(t, os.CopyFS(out, os.DirFS(whole)))
				if strings.HasSuffix(path, ".cell") {
					check.Remove(t, out, "small", "cells", "published") // or nobody reads the cells
				}
				check.OK(t, damages[name](out+strings.TrimPrefix(path, whole), outside))
				_, _, err := program.Try(t, "-exp", manifest, "-out", out, "-quiet")
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
