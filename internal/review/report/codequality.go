package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// qualityIssue is an entry of GitLab's report of code quality (https://docs.gitlab.com/ci/testing/code_quality/). The engine's name
// is a member of the format of Code Climate, which GitLab does not read.
type qualityIssue struct {
	Engine      string          `json:"engine_name"`
	Check       string          `json:"check_name"`
	Description string          `json:"description"`
	Fingerprint string          `json:"fingerprint"`
	Severity    string          `json:"severity"`
	Location    qualityLocation `json:"location"`
}

type qualityLocation struct {
	Path  string       `json:"path"`
	Lines qualityLines `json:"lines"`
}

type qualityLines struct {
	Begin int `json:"begin"`
}

var qualitySeverity = map[domain.Severity]string{domain.Critical: "blocker", domain.High: "critical", domain.Medium: "major",
	domain.Low: "minor", domain.Info: "info"}

// codeQuality writes a report for GitLab. Notices, the extent of the review, and the reason for an incomplete one are entries about the
// repository, because the format has no other place for them.
func codeQuality(w io.Writer, r Report, o Options) error {
	r = r.Quoted()
	issues := []qualityIssue{}
	for _, f := range r.shown(o.All) {
		issues = append(issues, issueOf(f))
	}
	note := func(check, severity, text string) {
		if text != "" {
			sum := sha256.Sum256([]byte(check + "\x00" + text))
			issues = append(issues, qualityIssue{"assay", check, plainText(text), hex.EncodeToString(sum[:]), severity,
				qualityLocation{".", qualityLines{1}}})
		}
	}
	note("assay/incomplete", qualitySeverity[domain.High], r.incomplete())
	note("assay/notice", qualitySeverity[domain.Info], r.emptyNote())
	if files := r.Files(); files.all() > 0 {
		note("assay/files", qualitySeverity[domain.Info], "Files: "+files.String()+".")
	}
	for _, g := range r.groups() {
		if g.field != engine.ExtentChecked {
			note("assay/files", qualitySeverity[domain.Low], g.String()+".")
		}
	}
	for _, n := range r.notices() {
		note("assay/notice", qualitySeverity[domain.Info], n)
	}
	return encode(w, issues)
}

func issueOf(f domain.Finding) qualityIssue {
	text := plainText(f.Title)
	if f.Explanation != "" {
		text += ": " + plainText(f.Explanation)
	}
	at := qualityLocation{f.Anchor.Path, qualityLines{max(f.Anchor.StartLine, 1)}}
	if at.Path == "" {
		at.Path = "."
	}
	if f.Anchor.Side == domain.Left { // removed lines have no number in the new version
		at.Lines.Begin = 1
	}
	fingerprint := f.Fingerprints.Exact
	if fingerprint == "" {
		fingerprint = f.ID
	}
	return qualityIssue{"assay", f.RuleID, text, fingerprint, qualitySeverity[f.Severity], at}
}
