package app

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/review/check"
)

// scrub returns a function that replaces everything in a text that looks like a
// secret. It is the last look at what leaves the house. Where the scan itself
// fails, nothing of the text leaves.
func scrub(s *check.Scanner) func(text string) string {
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
