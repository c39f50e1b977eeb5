// Command runner runs the experiments that manifests describe and writes tables and figures into results/.
//
//	go run ./runner -exp fig1_12.toml
//
// The flag -h lists its commands.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
)

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30) // the garbage of several experiments goes before it adds up
	}
	// The first signal cancels the context; after stop, a second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(exitCode(run(ctx, os.Stdout, os.Stderr, os.Args[1:])))
}

// exitCode prints err and returns 0 for none, 1 for an error, 2 for wrong usage, 130 for an interrupted run.
func exitCode(err error) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "runner:", strings.Replace(err.Error(), context.Canceled.Error(), "interrupted", 1))
	switch {
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "runner: -h lists the commands, COMMAND -h the flags of one")
		return 2
	case errors.Is(err, context.Canceled):
		return 130
	}
	return 1
}
