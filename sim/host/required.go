package host

import "fmt"

// UnmetCheck returns an error that names the first required check that does not pass, nil if all do.
func UnmetCheck(required []string, passes func(name string) bool) error {
	for _, name := range required {
		if !passes(name) {
			return fmt.Errorf("state: the required check %q does not pass", name)
		}
	}
	return nil
}
