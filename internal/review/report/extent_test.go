package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Every format counts files by their extent, in the same words, whichever list of the coverage they are in.
func TestFilesCountByTheirExtent(t *testing.T) {
	t.Parallel()
	r := Report{Base: "main", Head: "the working tree", Result: engine.Result{ModelState: engine.ModelComplete, Coverage: engine.Coverage{
		Reviewed: []engine.FileNote{{Path: "read.go", Extent: engine.ExtentRead}, {Path: "gone.go", Extent: engine.ExtentChecked}, {Path: "long.go", Extent: engine.ExtentPart}},
		Skimmed:  []engine.FileNote{{Path: "README.md", Why: "docs", Extent: engine.ExtentChecked}, {Path: "huge.go", Why: "change too large for a model", Extent: engine.ExtentUnread}},
		Skipped:  []engine.FileNote{{Path: "a.bin", Why: "binary", Extent: engine.ExtentChecked}, {Path: "x.pb.go", Why: "named like generated code, which nothing in it confirms", Extent: engine.ExtentUnread}},
	}}}
	const counts = "1 read, 1 in part, 3 checked, 2 unread"
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if format == "json" {
			var doc Document
			if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Files.String() != counts {
				t.Errorf("%s: %v: %v", format, doc.Files, err)
			}
			continue
		}
		if format == "sarif" && !strings.Contains(got, "Unread: huge.go (change too large for a model), x.pb.go (named") {
			t.Errorf("%s does not name unread files:\n%s", format, got)
		}
		if !strings.Contains(got, counts) {
			t.Errorf("%s lacks %q:\n%s", format, counts, got)
		}
	}
	var text, agent bytes.Buffer
	if err := writeTerminal(&text, r, Options{}); err != nil {
		t.Fatal(err)
	}
	if err := Agent(&agent, r, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Unread: huge.go (change too large for a model), x.pb.go (named", "In part: long.go", "Checked: gone.go, README.md (docs), a.bin (binary)"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in:\n%s", want, text.String())
		}
	}
	for _, want := range []string{"unread: huge.go: change too large", "unread: x.pb.go: named", "part: long.go"} {
		if !strings.Contains(agent.String(), "\n"+want) {
			t.Errorf("no %q in:\n%s", want, agent.String())
		}
	}
}

// The most severe findings come first in every format, then they are in the order of paths and lines.
func TestFindingsInTheOrderOfSeverity(t *testing.T) {
	t.Parallel()
	finding := func(id string, s domain.Severity, path string, line int) domain.Finding {
		return domain.Finding{ID: id, Title: "title-" + id, RuleID: "assay/x", Severity: s, State: domain.FindingOpen, Route: domain.RouteInline, Origin: domain.OriginStatic,
			Anchor: domain.Anchor{Path: path, StartLine: line, EndLine: line}}
	}
	r := Report{Base: "main", Head: "the working tree", Result: engine.Result{Findings: []domain.Finding{finding("5", domain.High, "b.go", 1), finding("4", domain.High, "a.go", 10),
		finding("3", domain.High, "a.go", 9), finding("6", domain.Low, "a.go", 1), finding("2", domain.Critical, "z.go", 2), finding("1", domain.Critical, "c.go", 7)},
		Coverage: engine.Coverage{Reviewed: []engine.FileNote{{Path: "a.go"}}}}}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		rest := b.String()
		for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
			_, after, found := strings.Cut(rest, "title-"+id)
			if !found {
				t.Fatalf("%s: finding %s is not in its place:\n%s", format, id, b.String())
			}
			rest = after
		}
	}
}
