package ask

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrFault is wrapped by the error of a step that a fault of the program ended.
var ErrFault = errors.New("a fault of the program")

// maxStack is the most bytes of a stack in an error.
const maxStack = 8 << 10

// Contained runs a step and returns an error that wraps [ErrFault] if it panics. Text from outside, which parsers of the step
// read in a goroutine, then ends one part of a review and not the process.
func Contained(step func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			stack := debug.Stack()
			err = fmt.Errorf("%w: %v\n%s", ErrFault, p, stack[:min(len(stack), maxStack)])
		}
	}()
	return step()
}
