package errs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		err  error
		want Kind
	}{
		"unknown errors are internal": {errors.New("boom"), Internal},
		"own error":                   {New(Conflict, "busy", "busy"), Conflict},
		"wrapped twice":               {fmt.Errorf("outer: %w", Wrap(errors.New("x"), Unavailable, "", "down")), Unavailable},
		"absent":                      {Absent(), NotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := KindOf(tc.err); got != tc.want {
				t.Fatalf("KindOf = %v, want %v", got, tc.want)
			}
		})
	}
	if Is(nil, Internal) {
		t.Fatal("a nil error has no kind")
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	err := &Error{Kind: Invalid, Message: "One field is wrong.", Fields: []Field{{"/name", "must not be empty"}}, Cause: errors.New("inner")}
	for _, want := range []string{"invalid", "/name", "must not be empty", "inner"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err.Error(), want)
		}
	}
}
