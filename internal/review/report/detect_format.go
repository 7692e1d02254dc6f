package report

import "github.com/assay-dev/assay/internal/regexp"

// formatStarts are the beginnings of reports by format.
var formatStarts = []struct {
	format string
	begin  *regexp.Regexp
}{
	{"json", regexp.MustCompile(`^\{\s*"version"\s*:\s*\d+\s*,\s*"tool"\s*:\s*\{\s*"name"\s*:\s*"assay"`)},
	{"sarif", regexp.MustCompile(`^\{\s*"\$schema"\s*:\s*"[^"]*"\s*,\s*"version"\s*:\s*"2\.1\.0"\s*,\s*` +
		`"runs"\s*:\s*\[\s*\{\s*"tool"\s*:\s*\{\s*"driver"\s*:\s*\{\s*"name"\s*:\s*"assay"`)},
	{"code-quality", regexp.MustCompile(`^\[(?:\]\s*$|\s*\{\s*"engine_name"\s*:\s*"assay"\s*,)`)},
	{"agent", regexp.MustCompile(`^assay-review: \d+\n`)},
	{"markdown", regexp.MustCompile(`^# (?:Review of .+ against .+\n\n(?:Reviewed|Nothing to review): |The review could not be done\n)`)},
	{"terminal", regexp.MustCompile(`^\n?(?:Reviewed .+ against .+ in [\d.]+\S+: .+\n|Nothing to review: |The review could not be done: ` +
		`|(?:critical|high|medium|low|info)  .+\n  .+  [a-z-]+ · \S|Acceptance criteria\n  [a-z ]+  )`)},
}

// Written returns the format of a report by its beginning, "" for a text that [Write] did not write.
func Written(begin []byte) string {
	for _, w := range formatStarts {
		if w.begin.Match(begin) {
			return w.format
		}
	}
	return ""
}
