package simapi

import (
	"fmt"
	"slices"
	"strings"
)

// Doubt is a question about a host without an answer in any source, or with different answers between versions
// and plans. Both answers can be simulated. Each doubt is off unless it is named.
type Doubt string

// Doubts are all doubts of a host.
type Doubts []Doubt

// Check returns an error if the host does not have the doubt.
func (all Doubts) Check(d Doubt) error {
	if !slices.Contains(all, d) {
		return fmt.Errorf("doubt: must be one of %v", all)
	}
	return nil
}

// Parse reads decisions such as "one-slot=on" and returns the doubts that are on; the last decision about a
// doubt counts.
func (all Doubts) Parse(list []string) ([]Doubt, error) {
	on := map[Doubt]bool{}
	for _, text := range list {
		name, position, _ := strings.Cut(text, "=")
		if position != "on" && position != "off" {
			return nil, fmt.Errorf("doubt: must be a name with =on or =off")
		}
		if err := all.Check(Doubt(name)); err != nil {
			return nil, err
		}
		on[Doubt(name)] = position == "on"
	}
	return slices.DeleteFunc(slices.Clone(all), func(d Doubt) bool { return !on[d] }), nil
}
