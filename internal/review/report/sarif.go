package report

import (
	"cmp"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/sarif"
)

// fingerprintKey names our fingerprint; the number is its version.
const fingerprintKey = "assayExact/v1"

// writeSARIF writes a SARIF 2.1.0 log with one run.
func writeSARIF(w io.Writer, r Report, o Options) error {
	run := runOf(r.Version, r.shown(o.All))
	run.Invocations = []sarif.LogInvocation{invocation(r)}
	return sarif.Log{Runs: []sarif.LogRun{run}}.Write(w)
}

// runOf returns the run of SARIF with some findings.
func runOf(version string, findings []domain.Finding) sarif.LogRun {
	run := sarif.NewRun("assay", version)
	index := map[string]int{}
	for _, f := range findings {
		i, known := index[f.RuleID]
		if !known {
			i = len(run.Tool.Driver.Rules)
			index[f.RuleID] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, rule(f))
		}
		run.Results = append(run.Results, result(f, i))
	}
	return run
}

// invocation reports whether the review is complete. Programs that import a log close findings that it no
// longer has, so an incomplete review must not count as successful.
func invocation(r Report) sarif.LogInvocation {
	out := sarif.LogInvocation{Successful: true}
	note := func(level, text string) {
		if text != "" {
			out.Notifications = append(out.Notifications, sarif.LogNotification{Level: level, Message: sarif.LogText{Text: plainText(text)}})
		}
	}
	if why := r.incomplete(); why != "" {
		out.Successful = false
		note("error", why)
	} else {
		note("warning", r.Result.Lack().English())
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
	for _, n := range r.notices() {
		note("warning", n)
	}
	return out
}

func rule(f domain.Finding) sarif.LogRule {
	name := f.RuleID[strings.LastIndexByte(f.RuleID, '/')+1:]
	p := sarif.LogProperties{Tags: []string{string(f.Category)}}
	if f.Category == domain.CategorySecurity || f.Category == domain.CategorySecret {
		if f.Category != domain.CategorySecurity { // the tags of a rule are distinct (section 3.8.2)
			p.Tags = append([]string{"security"}, p.Tags...)
		}
		p.Security = map[domain.Severity]string{domain.Critical: "9.5", domain.High: "8.0", domain.Medium: "5.5", domain.Low: "2.0"}[f.Severity]
	}
	return sarif.LogRule{ID: f.RuleID, Name: name, Short: sarif.LogText{Text: strings.ReplaceAll(name, "-", " ")},
		Default: sarif.LogLevel{Level: level(f.Severity)}, Properties: p}
}

func result(f domain.Finding, index int) sarif.LogResult {
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
		if e.Kind == domain.EvidenceDoc || e.Kind == domain.EvidenceModel {
			text += "\n\n" + strings.TrimSuffix(plainText(evidenceNote(e)), ".") + "."
		}
	}
	if meant := meantSo(f); meant != "" {
		text += "\n\n" + meant + "."
	}
	confidence := f.Confidence
	out := sarif.LogResult{RuleID: f.RuleID, RuleIndex: index, Level: level(f.Severity), Message: sarif.LogText{Text: text},
		Properties: sarif.LogProperties{Severity: f.Severity.String(), Conf: &confidence, Verdict: string(f.Verdict), Route: string(f.Route)}}
	if f.Fingerprints.Exact != "" {
		out.Fingerprints = map[string]string{fingerprintKey: f.Fingerprints.Exact}
	}
	if f.Anchor.Path != "" {
		loc := sarif.LogLocation{Physical: physical(f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine)}
		if f.Anchor.Side == domain.Left { // removed lines have no number in the new version
			loc.Physical.Region = nil
		}
		out.Locations = []sarif.LogLocation{loc}
	}
	for i, e := range f.Evidence {
		if e.Path == "" {
			continue
		}
		loc := sarif.LogLocation{ID: i + 1, Physical: physical(e.Path, e.Start, e.End)}
		if note := cmp.Or(e.Note, sentence(e), placeNote(e)); note != "" {
			loc.Message = &sarif.LogText{Text: plainText(note)}
		}
		out.Related = append(out.Related, loc)
	}
	if s := f.Suggestion; s != nil && s.Applies && s.Parses != "no" {
		rep := sarif.LogReplacement{Deleted: sarif.LogRegion{StartLine: s.Start, EndLine: s.End}}
		if s.New != "" {
			rep.Inserted = &sarif.LogText{Text: s.New}
		}
		out.Fixes = []sarif.LogFix{{Description: sarif.LogText{Text: "Suggested change"}, Changes: []sarif.LogChange{{
			Artifact: sarif.LogArtifact{URI: sarif.FileURI(s.Path)}, Replacements: []sarif.LogReplacement{rep}}}}}
	}
	return out
}

func physical(p string, start, end int) sarif.LogPhysical {
	out := sarif.LogPhysical{Artifact: sarif.LogArtifact{URI: sarif.FileURI(p)}}
	if start > 0 {
		out.Region = &sarif.LogRegion{StartLine: start, EndLine: max(start, end)}
	}
	return out
}

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
