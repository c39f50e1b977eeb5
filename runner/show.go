package main

import (
	"context"
	"flag"

	"closedform/runner/internal/own"
)

func showCommand(*flag.FlagSet) action {
	return func(_ context.Context, in *invocation, args []string) error {
		n, err := own.Read(args[0])
		if err == nil {
			n.Show(in.stdout)
		}
		return err
	}
}
