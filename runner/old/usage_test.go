package main

import (
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	code, stdout, stderr := exit(t, "-h")
	if code != 0 || stderr != "" {
		t.Errorf("-h: exit code %d, and %q", code, stderr)
	}
	contains(t, stdout, "Usage: runner [flags]\n", "\nExamples:\n  go run ./runner -list ",
		"\n  go run ./runner -exp fig1_12.toml ", " -shard 1/3 ", " -all -verify ", "Exit code 0, 1 on an error, 2 on wrong usage, 130 if interrupted.")
	for _, flag := range []string{"exp", "all", "list", "effort", "out", "workers", "force", "set", "shard", "progress", "verify", "fetch", "mirror"} {
		if !strings.Contains(stdout, "\n  -"+flag) {
			t.Errorf("-h does not tell of -%s", flag)
		}
	}
}

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	m := write(t, small)
	for _, c := range []struct {
		args string // M stands for a manifest
		want string
	}{
		{"", "nothing to do; give -exp MANIFEST, -all, -list or -fetch NAME"},
		{"-workers 2", "nothing to do; give -exp MANIFEST, -all, -list or -fetch NAME"},
		{"-experiment M", "flag provided but not defined: -experiment"},
		{"-exp", "flag needs an argument: -exp"},
		{"-exp M -workers 0", "-workers 0: need at least 1"},
		{"-exp M -workers -3", "-workers -3: need at least 1"},
		{"-exp M -workers two", `invalid value "two" for flag -workers: parse error`},
		{"-exp M -shard 0/3", `invalid value "0/3" for flag -shard: need i/n with 1 ≤ i ≤ n, such as 1/3`},
		{"-exp M -shard 4/3", `invalid value "4/3" for flag -shard: need i/n with 1 ≤ i ≤ n, such as 1/3`},
		{"-exp M -shard x", `invalid value "x" for flag -shard: need i/n with 1 ≤ i ≤ n, such as 1/3`},
		{"-exp M -shard 1", `invalid value "1" for flag -shard: need i/n with 1 ≤ i ≤ n, such as 1/3`},
		{"-exp M -shard 1/2/3", `invalid value "1/2/3" for flag -shard: need i/n with 1 ≤ i ≤ n, such as 1/3`},
		{"-exp M -progress maybe", `invalid value "maybe" for flag -progress: progress "maybe": want auto, plain or off`},
		{"-exp M -out=", "-out is empty; need a folder"},
		{"-exp M -force yes", `unexpected argument "yes"; a manifest is given with -exp`},
		{"M", `unexpected argument "` + m + `"; a manifest is given with -exp`},
		{"-all -effort slow", `invalid value "slow" for flag -effort: need quick, full or any`},
		{"-exp M -effort quick", "-effort chooses among the manifests of -all or -list"},
		{"-all -exp M", "-all and -exp exclude each other"},
		{"-fetch iris -all", "-fetch excludes -exp, -all and -list"},
		{"-fetch iris -exp M", "-fetch excludes -exp, -all and -list"},
		{"-fetch iris -list", "-fetch excludes -exp, -all and -list"},
		{"-exp M -mirror /", "-mirror is for -fetch"},
		{"-exp M -verify -shard 1/2", "-verify needs all cells, not a -shard"},
	} {
		var args []string
		for _, a := range strings.Fields(c.args) {
			if a == "M" {
				a = m
			}
			args = append(args, a)
		}
		code, stdout, stderr := exit(t, args...)
		if code != 2 || stdout != "" {
			t.Errorf("%s: exit code %d, want 2; it prints %q", c.args, code, stdout)
		}
		if want := "runner: usage: " + c.want + "\nrunner: -h tells what is allowed\n"; stderr != want {
			t.Errorf("%s: %q, want %q", c.args, stderr, want)
		}
	}
	if exists("results") {
		t.Error("wrong usage made a folder")
	}
}
