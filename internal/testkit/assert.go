package testkit

import "testing"

// OK ends the test when err is not nil.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Equal fails the test when two values differ, and lets it go on, so that what
// comes after is seen as well; what names them in the message.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Require is [Equal] for what the rest of the test stands on, such as the
// length of a list that it takes an element of: it ends the test.
func Require[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}
