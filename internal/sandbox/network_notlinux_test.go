//go:build !linux

package sandbox_test

import "github.com/assay-dev/assay/internal/sandbox"

func tryNetwork(*sandbox.Conn) error { return nil }

// hostile begins no command line here, because programs are confined on Linux only.
const hostile = "assay-test-hostile"

func attack([]string) {}

func keepProgram(_, _, _, _ string) {}
