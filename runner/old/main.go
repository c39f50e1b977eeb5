// Command runner runs the experiments that manifests describe, and leaves
// tables and figures in results/.
//
// Usage:
//
//	go run ./runner -exp fig1_12.toml
//
// See the README and -h for the rest.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// The first signal cancels the context; stop then restores the default, so
	// that a second one ends the program at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(exitCode(run(ctx, os.Stdout, os.Stderr, os.Args[1:])))
}

// exitCode prints err and returns 0 for none, 1 for an error, 2 for wrong usage
// and, as shells do, 130 for an interrupted run.
func exitCode(err error) int {
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "runner:", err)
		fmt.Fprintln(os.Stderr, "runner: -h tells what is allowed")
		return 2
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "runner:", err)
		return 130
	}
	fmt.Fprintln(os.Stderr, "runner:", err)
	return 1
}
