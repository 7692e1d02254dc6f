// Package sast turns the results of static analysers into findings of a change: it finds the changed file of each result, tells
// results on added lines from older ones, and counts and names what is left out.
//
// It reads no file and starts no program. Documents come from the programs of an operator, from uploads of a pipeline, and from
// files of the command line. Every text in them is text of strangers.
package sast

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/sarif"
)

// Bounds of one review (design choices).
const (
	MaxFindings = 200 // new ones
	maxNotes    = 50
	maxNamed    = 5 // examples of a note
	maxSteps    = 5 // of a code flow, as evidence
)

// The sources of documents.
const (
	SourceProgram = "program" // an analyser that the service started
	SourceUpload  = "upload"  // a pipeline uploaded it
	SourceFile    = "file"    // a file of the command line
	SourceNone    = "none"    // there is no document
)

// Input is a document with its source.
type Input struct {
	ID       string // of its row; "" without one
	Source   string // program, upload or file
	Name     string // of the analyser, in place of the one in the document; "" for that one
	Root     string // absolute path of the analysed tree; "" if unknown
	Document sarif.Document
}

// Notes names the runs of the document that do not count: those beyond the bound, and those that cannot be read.
func (in Input) Notes() (out []Note) {
	name := cmp.Or(in.Name, "SARIF")
	if n := in.Document.CutRuns; n > 0 {
		out = append(out, Note{Analyser: name, Why: WhyTooManyRun, Unit: UnitRuns, Count: n})
	}
	if broken := in.Document.Broken; len(broken) > 0 {
		n := Note{Analyser: name, Why: WhyBrokenRun, Unit: UnitRuns, Count: len(broken)}
		for _, at := range broken[:min(len(broken), maxNamed)] {
			n.Examples = append(n.Examples, fmt.Sprintf("runs[%d]", at))
		}
		out = append(out, n)
	}
	return out
}

// Outcome is what the documents say about a change.
type Outcome struct {
	New       []domain.Finding // on added lines, at most [MaxFindings], in the order of the diff
	Old       int              // results on other lines, and in files that the change does not touch
	Cut       int              // new findings beyond the limit
	Analyses  []Analysis       // one for each run of a document, in their order
	LeftOut   []Note           // results that are in none of these, and faults of analysers; at most 50
	CutLeft   int              // further notes
	Analysers map[string]bool  // by the names in rule ids: true if all results of the analyser are known
}

// Analysis counts the results of one run of an analyser.
type Analysis struct {
	ID         string `json:"id,omitempty"` // of the document's row
	Source     string `json:"source"`
	Name       string `json:"name"`
	Version    string `json:"version,omitempty"`
	DurationMS int64  `json:"durationMs"`
	Results    int    `json:"results"` // in the document
	New        int    `json:"new"`
	Old        int    `json:"old"`
	Suppressed int    `json:"suppressed"`
	LeftOut    int    `json:"leftOut"`
	Failed     bool   `json:"failed,omitempty"` // the tool reports that it did not finish
	// Stays counts the open findings of earlier reviews whose analyser has not reported on this head.
	Stays int `json:"stays,omitempty"`
}

// The reasons of notes. They are texts for people.
const (
	WhyRoot       = "the document does not name its root, and more than one folder can be it"
	WhyOutside    = "the path is outside the repository"
	WhyNoPlace    = "the result names no file"
	WhyNoLine     = "the result names no line, and the file is not new"
	WhyNoLines    = "the change shows no lines of the file"
	WhyTwin       = "another check reports the same lines"
	WhyRepeated   = "an earlier result has the same rule and lines"
	WhyUnreadable = "the result does not follow the format"
	WhyTooMany    = "there are more results than one document may have"
	WhyFailed     = "the analyser reports that it did not finish"
	WhyTooManyRun = "there are more runs than one document may have"
	WhyBrokenRun  = sarif.BrokenRun
)

// The units of notes.
const (
	UnitResults   = "results"
	UnitFiles     = "files" // that an analyser did not get
	UnitRuns      = sarif.UnitRuns
	UnitAnalysers = "analysers" // that did not run or did not finish
)

// Note says what was left out of a document, and why.
type Note struct {
	Analyser string   `json:"analyser"`
	Why      string   `json:"why"`
	Unit     string   `json:"unit,omitempty"` // what Count counts, such as [UnitFiles]; "" in older rows
	Count    int      `json:"count"`
	Examples []string `json:"examples,omitempty"` // rule ids with places, paths or messages, at most 5
}

// Counted returns a number of a note's units in words, such as "2 files".
func Counted(unit string, n int) string {
	unit = cmp.Or(unit, UnitResults)
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%d %s", n, unit)
}

// ruleID returns the rule id of findings of an analyser's rule; see [domain.AnalyserPrefix]. Both names come from outside, so that
// only letters, digits and a few signs stay.
func ruleID(analyser, rule string) string {
	return domain.AnalyserPrefix + Slug(analyser) + "/" + cmp.Or(plain(rule, 120, "-_.:/@"), "unnamed")
}

// Slug returns the name of an analyser as it stands in rule ids.
func Slug(analyser string) string {
	if s := strings.ToLower(plain(analyser, 40, "-_.")); s != "" {
		return s
	}
	return "unnamed"
}

// plain returns at most n letters, digits and given signs of s; each run of others becomes a hyphen.
func plain(s string, n int, signs string) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case b.Len() >= n:
			return strings.Trim(b.String(), "-/")
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.ContainsRune(signs, c):
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-/")
}

// severity returns the severity of a result: by the property security-severity of its rule if it has one, else by its level.
func severity(r sarif.Result, rule sarif.Rule) domain.Severity {
	if rule.HasSecurity && r.Level != sarif.LevelNone {
		switch s := rule.Security; { // the bounds of GitHub code scanning
		case s >= 9:
			return domain.Critical
		case s >= 7:
			return domain.High
		case s >= 4:
			return domain.Medium
		case s > 0:
			return domain.Low
		}
		return domain.Info
	}
	switch r.Level {
	case sarif.LevelError:
		return domain.High
	case sarif.LevelWarning:
		return domain.Medium
	case sarif.LevelNote:
		return domain.Low
	}
	return domain.Info
}

// category returns security for rules about weaknesses, by their tags and severity, and else static analysis.
func category(rule sarif.Rule) domain.Category {
	if rule.HasSecurity {
		return domain.CategorySecurity
	}
	for _, tag := range rule.Tags {
		if tag = strings.ToLower(tag); tag == "security" || strings.HasPrefix(tag, "external/cwe/") || strings.HasPrefix(tag, "cwe-") {
			return domain.CategorySecurity
		}
	}
	return domain.CategoryStaticAnalysis
}
