package tracker

import (
	"slices"
	"strings"
)

// DoneBy reports whether an issue counts as done: where a connection names the states
// that do, by those alone, else as its tracker counts it.
func (i Issue) DoneBy(states []string) bool {
	if len(states) == 0 {
		return i.Done
	}
	return slices.ContainsFunc(states, func(s string) bool { return strings.EqualFold(s, i.State) })
}
