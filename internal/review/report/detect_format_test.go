package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// A report of every format and outcome is recognised by its beginning, and no other file is.
func TestReportsAreKnownByTheirBeginning(t *testing.T) {
	t.Parallel()
	clean, criteria := sample(), sample()
	clean.Result.Findings, criteria.Result.Findings = nil, nil
	criteria.Result.CriterionChecks = []domain.CriterionCheck{{Verdict: domain.CriterionNotMet}}
	incomplete := clean
	incomplete.Result.ModelState = engine.ModelUnavailable
	for name, r := range map[string]Report{"findings": sample(), "clean": clean, "incomplete": incomplete, "criteria": criteria, "failed": Failed("1", errors.New("no base")),
		"nothing": {Base: "main", Head: "the working tree"}} {
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := Write(&b, r, Options{Format: format}); err != nil {
				t.Fatal(err)
			}
			if got := Written(b.Bytes()); got != format {
				t.Errorf("%s, %s: known as %q:\n%.200s", name, format, got, b.String())
			}
		}
	}
	for _, text := range []string{"", "an older report", "{}", `{"version": 1, "tool": {"name": "other"}}`, `{"version": 1, "name": "assay"}`, "# Review of the year\n\nIt was good.\n", "package main\n",
		"# `assay review`: a local checkout\n\nReviewed x against y in 1s: nothing found.\nFiles: 0 read, 0 in part, 0 checked, 0 unread.\n", "high  tide\n  at noon\n", "\x89PNG\r\n",
		`{"$schema": "x", "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "other"}}}]}`} {
		if got := Written([]byte(text)); got != "" {
			t.Errorf("%q is detected as a report: %s", text, got)
		}
	}
}

// A review that failed says why, and does not mention what ran or was compared.
func TestAFailedReviewSaysOnlyThat(t *testing.T) {
	t.Parallel()
	r := Failed("1", errors.New("no base is known"))
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if !strings.Contains(got, "no base is known") || strings.Contains(got, "Only deterministic") || strings.Contains(got, "against") || strings.Contains(got, "nothing found") {
			t.Errorf("%s:\n%s", format, got)
		}
	}
}
