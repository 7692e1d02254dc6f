package cilog

import "slices"

// Tools lists the tools that [Cut] recognises, sorted.
func Tools() []string {
	var out []string
	for _, p := range patterns {
		if p.role != adds {
			out = append(out, p.tool)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
