package app

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/review/check"
)

// newRedactor returns a function that replaces possible secrets in a text. It is the last check of outgoing text.
// A secret that invisible characters interrupt counts as people see it: then all invisible characters are removed.
// If a scan fails, a notice replaces the whole text.
func newRedactor(s *check.Scanner) func(text string) string {
	redact := newBoundedRedactor(s)
	return func(text string) string { return redact(context.Background(), text) }
}

// newBoundedRedactor is as [newRedactor]. The search ends with a context.
func newBoundedRedactor(s *check.Scanner) func(ctx context.Context, text string) string {
	return func(ctx context.Context, text string) string {
		clean, _, err := redactOnce(ctx, s, text)
		if shown := clip.Visible(clean); err == nil && shown != clean {
			var found bool
			if shown, found, err = redactOnce(ctx, s, shown); found {
				clean = shown
			}
		}
		if err != nil {
			return "(this text could not be checked for secrets and was left out)"
		}
		return clean
	}
}

// redactOnce replaces the secrets that one scan finds, and reports whether it found any.
func redactOnce(ctx context.Context, s *check.Scanner, text string) (clean string, any bool, err error) {
	found, err := s.ScanText(ctx, text)
	var b strings.Builder
	at := 0
	for _, f := range found {
		if f.Start < at || f.End > len(text) || f.Start >= f.End {
			continue
		}
		b.WriteString(text[at:f.Start] + "[redacted]")
		at = f.End
	}
	return b.String() + text[at:], len(found) > 0, err
}
