//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

func filterCalls(powers) error {
	return errors.New("it is made for amd64 and arm64, not for " + runtime.GOARCH)
}
