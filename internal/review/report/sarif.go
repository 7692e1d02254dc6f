package report

import (
	"cmp"
	"io"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
)

// The used parts of SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Results     []sarifResult     `json:"results"`
		ColumnKind  string            `json:"columnKind"`
		Invocations []sarifInvocation `json:"invocations"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string          `json:"id"`
		Name       string          `json:"name"`
		Short      sarifText       `json:"shortDescription"`
		Default    sarifLevel      `json:"defaultConfiguration"`
		Properties sarifProperties `json:"properties"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifProperties struct {
		Tags     []string `json:"tags,omitempty"`
		Security string   `json:"security-severity,omitempty"` // 0.0 to 10.0, read by GitHub code scanning
		Severity string   `json:"severity,omitempty"`
		Conf     *float64 `json:"confidence,omitempty"`
		Verdict  string   `json:"verdict,omitempty"`
		Route    string   `json:"route,omitempty"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Properties   sarifProperties   `json:"properties"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int        `json:"startLine"`
		EndLine   int        `json:"endLine,omitempty"`
		Snippet   *sarifText `json:"snippet,omitempty"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// fingerprintKey names our fingerprint; the number is its version.
const fingerprintKey = "assayExact/v1"

// sarif writes a SARIF 2.1.0 log with one run.
func sarif(w io.Writer, r Report, o Options) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Tool:        sarifTool{sarifDriver{Name: "assay", Version: r.Version, Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{invocation(r)}}
	index := map[string]int{}
	for _, f := range r.shown(o.All) {
		i, known := index[f.RuleID]
		if !known {
			i = len(run.Tool.Driver.Rules)
			index[f.RuleID] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(f))
		}
		run.Results = append(run.Results, result(f, i))
	}
	return encode(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// invocation reports whether the review is complete. Programs that import a log close findings that it no
// longer has, so an incomplete review must not count as successful.
func invocation(r Report) sarifInvocation {
	out := sarifInvocation{Successful: true}
	note := func(level, text string) {
		if text != "" {
			out.Notifications = append(out.Notifications, sarifNotification{level, sarifText{plainText(text)}})
		}
	}
	if why := r.incomplete(); why != "" {
		out.Successful = false
		note("error", why)
	} else {
		note("warning", engine.Incomplete(r.Result.ModelState, r.Result.ModelNote).English())
	}
	note("note", r.emptyNote())
	if files := r.Files(); files.all() > 0 {
		note("note", "Files: "+files.String()+".")
	}
	for _, g := range r.Quoted().groups() {
		if g.field != engine.ExtentChecked {
			note("warning", g.String()+".")
		}
	}
	for _, n := range r.Result.Notices {
		note("warning", n)
	}
	return out
}

func rule(f domain.Finding) sarifRule {
	name := f.RuleID[strings.LastIndexByte(f.RuleID, '/')+1:]
	p := sarifProperties{Tags: []string{string(f.Category)}}
	if f.Category == domain.CategorySecurity || f.Category == domain.CategorySecret {
		p.Tags = append([]string{"security"}, p.Tags...)
		p.Security = map[domain.Severity]string{domain.Critical: "9.5", domain.High: "8.0", domain.Medium: "5.5", domain.Low: "2.0"}[f.Severity]
	}
	return sarifRule{ID: f.RuleID, Name: name, Short: sarifText{strings.ReplaceAll(name, "-", " ")},
		Default: sarifLevel{level(f.Severity)}, Properties: p}
}

func result(f domain.Finding, index int) sarifResult {
	text := plainText(f.Title)
	if f.Explanation != "" {
		text += "\n\n" + plainText(f.Explanation)
	}
	if f.Trigger != "" {
		before := " "
		if strings.Contains(f.Trigger, "\n") {
			before = "\n"
		}
		text += "\n\nWhen:" + before + plainText(f.Trigger)
	}
	for _, e := range f.Evidence {
		if e.Kind == domain.EvidenceDoc {
			text += "\n\n" + plainText(evidenceNote(e)) + "."
		}
	}
	if meant := meantSo(f); meant != "" {
		text += "\n\n" + meant + "."
	}
	confidence := f.Confidence
	out := sarifResult{RuleID: f.RuleID, RuleIndex: index, Level: level(f.Severity), Message: sarifText{text},
		Properties: sarifProperties{Severity: f.Severity.String(), Conf: &confidence, Verdict: string(f.Verdict), Route: string(f.Route)}}
	if f.Fingerprints.Exact != "" {
		out.Fingerprints = map[string]string{fingerprintKey: f.Fingerprints.Exact}
	}
	if f.Anchor.Path != "" {
		loc := sarifLocation{Physical: physical(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)}
		if f.Anchor.Side == domain.Left { // removed lines have no number in the new version
			loc.Physical.Region = nil
		}
		out.Locations = []sarifLocation{loc}
	}
	for i, e := range f.Evidence {
		if e.Path == "" {
			continue
		}
		loc := sarifLocation{ID: i + 1, Physical: physical(e.Path, e.Start, e.End)}
		if note := cmp.Or(e.Note, sentence(e), placeNote(e)); note != "" {
			loc.Message = &sarifText{plainText(note)}
		}
		out.Related = append(out.Related, loc)
	}
	if s := f.Suggestion; s != nil && s.Applies && s.Parses != "no" {
		rep := sarifReplacement{Deleted: sarifRegion{StartLine: s.Start, EndLine: s.End}}
		if s.New != "" {
			rep.Inserted = &sarifText{s.New}
		}
		out.Fixes = []sarifFix{{sarifText{"Suggested change"}, []sarifChange{{sarifArtifact{uri(s.Path)}, []sarifReplacement{rep}}}}}
	}
	return out
}

func physical(p string, start, end int) sarifPhysical {
	out := sarifPhysical{Artifact: sarifArtifact{uri(p)}}
	if start > 0 {
		out.Region = &sarifRegion{StartLine: start, EndLine: max(start, end)}
	}
	return out
}

// uri returns a relative reference (RFC 3986, section 4.2) to a file of the repository. If its first part
// has a colon, it begins with "./", because it would otherwise read as a scheme.
func uri(p string) string { return (&url.URL{Path: p}).String() }

func level(s domain.Severity) string {
	switch {
	case s >= domain.High:
		return "error"
	case s == domain.Medium:
		return "warning"
	}
	return "note"
}

func plainText(s string) string { return strings.TrimSpace(change.StripInvisible(s)) }
