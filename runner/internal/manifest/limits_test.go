package manifest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// Sources of the largest size, made to cost as much as they can, are read or
// refused within a bounded amount of memory.
func TestHostileSources(t *testing.T) {
	fill := func(head, repeat, tail string) string {
		return head + strings.Repeat(repeat, (maxFile-len(head)-len(tail))/len(repeat)) + tail
	}
	for name, src := range map[string]string{
		"brackets": fill("a = ", "[", ""),
		"braces":   fill("a = ", "{a=", ""),
		"dots":     fill("a", ".a", " = 1"),
		"headers":  fill("", "[["+strings.Repeat("a", 60)+"]]\n", ""),
		"numbers":  fill("a = [", "1,", "]"),
		"rows":     fill("a = [", "[],", "]"),
		"quotes":   fill("a = \"\"\"", "\\\\", "\"\"\""),
		"key":      fill("", "a", " = 1"),
		"seeds":    fill(small+"[sweep]\nseed = [", "3,", "]"),
		"comments": fill(small, "#\n", ""),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse("x.toml", []byte(src), studies, nil)
		runtime.ReadMemStats(&after)
		if (err == nil) != (name == "comments") {
			t.Errorf("%s: error %v", name, err)
		}
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 256 {
			t.Errorf("%s: allocated %d MiB", name, mib)
		}
	}
}

func TestTooManyModels(t *testing.T) {
	var lambdas, rhos []string
	for i := range 101 {
		lambdas = append(lambdas, fmt.Sprint(i+1))
		rhos = append(rhos, fmt.Sprintf("0.%03d", i))
	}
	src := fmt.Sprintf("%s[sweep]\nlambda = [%s]\nrho = [%s]\n", small, strings.Join(lambdas, ","), strings.Join(rhos, ","))
	_, err := Parse("x.toml", []byte(src), studies, nil)
	want := "x.toml:12: sweep = {…}: asks for 10201 models (variants × lambda × rho); allowed: at most 10000"
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
