package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

// Each format names the further places of a finding, the documented behaviour on which it rests, a model's explanation, and that its
// author means it so.
func TestFurtherPlacesAndIntentions(t *testing.T) {
	t.Parallel()
	r := sample()
	f := &r.Result.Findings[1]
	f.Verdict, f.Route, f.Aside = domain.VerdictConfirmed, domain.RouteSummary, wording.English(wording.AsideIntended)
	f.Evidence = append(f.Evidence, domain.Evidence{Kind: domain.EvidencePlace, Path: "pkg/other.go", Start: 7, End: 7, Quote: "x()"},
		domain.Evidence{Kind: domain.EvidenceDoc, Note: "readline keeps the history POSIX 2018"},
		domain.Evidence{Kind: domain.EvidenceModel, Note: "The call fails."})
	const meant = "A question to the author, because this is meant so, by the words of the change"
	for format, want := range map[string][]string{
		"terminal": {"  Also at pkg/other.go:7\n", "readline keeps the history POSIX 2018", meant, "A model explains: The call fails."},
		"markdown": {"\nAlso at `pkg/other.go:7`\n", meant, "\nA model explains: The call fails.\n"},
		"agent":    {"also-at: pkg/other.go:7-7\n", "evidence: ", "readline keeps the history POSIX 2018", "question: " + meant + "\n", "A model explains: The call fails."},
		"json":     {`"kind": "place"`, `"kind": "doc"`, `"kind": "model"`, `"aside": "meant so, by the words of the change"`},
		"sarif":    {`"text": "Also here"`, `Rests on documented behaviour: readline keeps the history POSIX 2018.`, meant + ".", "A model explains: The call fails."},
	} {
		var b bytes.Buffer
		testkit.OK(t, Write(&b, r, Options{Format: format}))
		for _, w := range want {
			if strings.Count(strings.ReplaceAll(b.String(), "\n  the words", " the words"), w) != 1 && w != "evidence: " {
				t.Errorf("%s: no %q in\n%s", format, w, b.String())
			}
		}
	}
	var b bytes.Buffer
	testkit.OK(t, Write(&b, r, Options{Format: "sarif"}))
	var out struct {
		Runs []struct {
			Results []struct {
				RelatedLocations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	testkit.OK(t, json.Unmarshal(b.Bytes(), &out))
	found := 0
	for _, res := range out.Runs[0].Results {
		for _, l := range res.RelatedLocations {
			if p := l.PhysicalLocation; p.ArtifactLocation.URI == "pkg/other.go" && p.Region.StartLine == 7 {
				found++
			}
		}
	}
	testkit.Equal(t, "related locations", found, 1)
}

// The Markdown format writes the path of each place as code, so that no path has a meaning for Markdown or hides the places behind it.
func TestFurtherPlacesInMarkdown(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"pkg/a.go":                       "Also at `pkg/a.go:7`, `pkg/last.go:9`",
		"a`b](http://evil.example)|x.go": "Also at ``a`b](http://evil.example)|x.go:7``, `pkg/last.go:9`",
		"see www.evil.example/x.go":      "Also at `see www.evil.example/x.go:7`, `pkg/last.go:9`",
		"a\nb.go":                        "Also at `a\\u{a}b.go:7`, `pkg/last.go:9`",
	} {
		r := sample()
		f := &r.Result.Findings[1]
		f.Evidence = append(f.Evidence, domain.Evidence{Kind: domain.EvidencePlace, Path: path, Start: 7, End: 7, Quote: "x()"},
			domain.Evidence{Kind: domain.EvidencePlace, Path: "pkg/last.go", Start: 9, End: 9, Quote: "x()"})
		var b bytes.Buffer
		testkit.OK(t, Write(&b, r, Options{Format: "markdown"}))
		if !strings.Contains(b.String(), "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
