package main

import "fmt"

// wrongUsage is an error of the command line that the grammar cannot detect.
type wrongUsage struct{ message string }

func (w *wrongUsage) Error() string { return w.message }

func usageError(format string, args ...any) error {
	return &wrongUsage{fmt.Sprintf(format, args...)}
}

// failure is an error with its own exit code.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }
