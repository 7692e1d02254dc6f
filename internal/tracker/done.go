package tracker

import (
	"slices"
	"strings"
)

// DoneBy reports whether an issue counts as done. If a connection names the states that count, only these
// count, else the tracker decides.
func (i Issue) DoneBy(states []string) bool {
	if len(states) == 0 {
		return i.Done
	}
	return slices.ContainsFunc(states, func(s string) bool { return strings.EqualFold(s, i.State) })
}
