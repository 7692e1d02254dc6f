package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/engine"
)

// Every text of a report holds commands of continuous-integration systems. The formats for people and
// assistants break the commands, and those for programs keep the text.
func TestNothingCommandsAPipeline(t *testing.T) {
	t.Parallel()
	obeyed := regexp.MustCompile(`(?im)^[ \t]*::|##[a-z]*\[|section_(start|end):`)
	evil := "x\n::error::x\r  ::add-mask::a ##vso[task.setvariable variable=A]b ##[error] ##teamcity[a] section_start:1:a"
	r := sample()
	for i := range r.Result.Findings {
		f := &r.Result.Findings[i]
		f.Title, f.Explanation, f.Trigger = evil, evil, evil
	}
	f := &r.Result.Findings[1]
	f.Anchor.Path, f.RuleID, f.Evidence[0].Note, f.Suggestion.New, f.Suggestion.Old = "::error::x/b.py", evil, evil, evil, evil
	r.Frames[f.Anchor.Path] = strings.Split(strings.Repeat(evil+"\n", 6), "\n")
	r.Result.Notices, r.Base, r.Head = []string{evil, "::warning::x"}, "::debug::x", "##[group]"
	r.Result.Coverage.Skipped = []engine.FileNote{{Path: "::error::y", Why: "##vso[x]"}}
	for _, format := range []string{"terminal", "markdown", "agent"} {
		for _, color := range []bool{false, true} {
			var b bytes.Buffer
			if err := Write(&b, r, Options{Format: format, Width: 40, Color: color}); err != nil {
				t.Fatal(err)
			}
			if got := obeyed.FindAllString(b.String(), -1); len(got) > 0 {
				t.Errorf("%s: %q in\n%s", format, got, b.String())
			}
		}
	}
	for _, format := range []string{"json", "sarif"} {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "##vso[task") || !json.Valid(b.Bytes()) {
			t.Errorf("%s was changed:\n%s", format, b.String())
		}
	}
}

type logged struct {
	Runs []struct {
		Results []struct {
			Locations []struct {
				PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
			}
		}
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
	}
}

func asSARIF(t *testing.T, r Report) (out logged) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, Options{Format: "sarif"}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Addresses of files are relative references that lead back to the path.
func TestAddressesInSARIF(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"a.py": "a.py", "a:b.py": "./a:b.py", "x:y/z.py": "./x:y/z.py", "x/y:z.py": "x/y:z.py", "my page.py": "my%20page.py", "50%.py": "50%25.py", "[id].py": "%5Bid%5D.py",
		"ünï.py": "%C3%BCn%C3%AF.py", `a\b.py`: "a%5Cb.py", "a?b#c.py": "a%3Fb%23c.py", "http://x/y.py": "./http://x/y.py", "a%2Fb.py": "a%252Fb.py", "caf\xe9.py": "caf%E9.py",
		"C:/x.py": "./C:/x.py", "a;b=c,d.py": "a;b=c,d.py", "new\nline.py": "new%0Aline.py", "\"q\" <a>.py": "%22q%22%20%3Ca%3E.py", "~x/@y.py": "~x/@y.py", "*": "*",
	} {
		r := sample()
		r.Result.Findings[0].Anchor.Path = path
		got := asSARIF(t, r).Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI
		u, err := url.Parse(got)
		if got != want || err != nil || u.Scheme != "" || u.Host != "" || strings.TrimPrefix(u.Path, "./") != path {
			t.Errorf("%q is %q, want %q (%v)", path, got, want, err)
		}
	}
}

// A log of an incomplete review says so, whatever was found.
func TestIncompleteReviewsAreNotSuccessful(t *testing.T) {
	t.Parallel()
	state := func(state, note string, findings bool) Report {
		r := sample()
		r.Result.ModelState, r.Result.ModelNote = state, note
		if !findings {
			r.Result.Findings, r.Result.Blocking = nil, nil
		}
		return r
	}
	for name, c := range map[string]struct {
		r    Report
		good bool
		note string
	}{
		"whole":                   {state(engine.ModelComplete, "", true), true, ""},
		"no model was asked for":  {state(engine.ModelNone, engine.NoteNotConfigured, false), true, "no model is configured"},
		"in part":                 {state(engine.ModelPartial, "2 of 3 parts were reviewed.", false), false, "2 of 3 parts"},
		"in part, with findings":  {state(engine.ModelPartial, "", true), false, "."},
		"the model failed":        {state(engine.ModelUnavailable, "the model failed: 404", false), false, "the model failed"},
		"failed without a reason": {state(engine.ModelUnavailable, "", false), false, "."},
		"not done":                {Failed("1", errors.New("no base is known")), false, "no base is known"},
	} {
		got := asSARIF(t, c.r).Runs[0].Invocations[0]
		said := ""
		for _, n := range got.ToolExecutionNotifications {
			said += n.Level + ": " + n.Message.Text + "\n"
		}
		if got.ExecutionSuccessful != c.good || !strings.Contains(said, c.note) || !c.good && !strings.Contains(said, "error: ") {
			t.Errorf("%s: successful is %v, and it says %q", name, got.ExecutionSuccessful, said)
		}
		var b bytes.Buffer
		var doc Document
		if err := errors.Join(Write(&b, c.r, Options{Format: "json"}), json.Unmarshal(b.Bytes(), &doc)); err != nil || doc.Complete != c.good {
			t.Errorf("%s: complete is %v in JSON, %v", name, doc.Complete, err)
		}
		if doc.Failure != c.r.Failure {
			t.Errorf("%s: the failure is %q in JSON", name, doc.Failure)
		}
		if code := c.r.ExitCode(nil); (code == ExitError) == c.good {
			t.Errorf("%s: exit code %d", name, code)
		}
	}
}

// A report without changes names the compared commits in every format.
func TestAReportWithoutChangesNamesTheBase(t *testing.T) {
	t.Parallel()
	r := Report{Base: "origin/main", BaseSHA: "0123456789abcdef", Head: "the working tree"}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil || !strings.Contains(strings.ReplaceAll(b.String(), "`", ""), "the working tree does not differ from origin/main (0123456)") {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
}

// Notices are in every format.
func TestNoticesAreInEveryFormat(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Result.Notices = []string{"3 new files were left out"}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil || !strings.Contains(b.String(), "3 new files were left out") {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
}
