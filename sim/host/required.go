package host

import "fmt"

// UnmetCheck returns an error that names the first required check that does not pass and why, nil if all do. state returns the
// word for the state of a check ("" if none has reported), and whether a check in this state passes.
func UnmetCheck(required []string, state func(name string) (word string, passes bool)) error {
	for _, name := range required {
		word, passes := state(name)
		switch {
		case passes:
		case word == "":
			return fmt.Errorf("state: the required check %q is missing, because nothing has reported it for the newest commit yet", name)
		default:
			return fmt.Errorf("state: the required check %q does not pass: it is %q", name, word)
		}
	}
	return nil
}
