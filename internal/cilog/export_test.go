package cilog

import (
	"context"
	"io"
	"slices"
)

// CutAt is [Cut] with another bound than [MaxRead].
func CutAt(ctx context.Context, r io.Reader, limit int64, redactor Redactor) (Excerpt, error) {
	return cut(ctx, newReader(r, limit), redactor)
}

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
