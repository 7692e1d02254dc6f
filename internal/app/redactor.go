package app

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/review/check"
)

// newRedactor returns a function that replaces possible secrets in a text. It is the last check of outgoing text.
// If the scan fails, a notice replaces the whole text.
func newRedactor(s *check.Scanner) func(text string) string {
	return func(text string) string {
		found, err := s.ScanText(context.Background(), text)
		if err != nil {
			return "(this text could not be checked for secrets and was left out)"
		}
		var b strings.Builder
		at := 0
		for _, f := range found {
			if f.Start < at || f.End > len(text) || f.Start >= f.End {
				continue
			}
			b.WriteString(text[at:f.Start] + "[redacted]")
			at = f.End
		}
		return b.String() + text[at:]
	}
}
