package engine

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

var update = flag.Bool("update", false, "write the golden files")

var random = regexp.MustCompile(`DATA-[0-9a-f]{16}|cnry[0-9a-f]{32}`)

// The form of prompts is a contract: scripted models and recorded answers read it.
func TestPromptFormat(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(division()), verify: confirmAll}
	in := sampleChange(t)
	in.PullRequest.Body = "Adds the average."
	in.Rules = []Rule{{ID: "R1", Title: "No panics", Instruction: "Library code returns errors.", Paths: []string{"shop/**"}, Severity: domain.High},
		{ID: "R2", Title: "Elsewhere", Instruction: "Not for this change.", Paths: []string{"other/**"}}}
	in.Models = models(m)
	review(t, in, Deps{})
	if len(m.requests) != 2 {
		t.Fatalf("%d requests", len(m.requests))
	}
	for _, r := range m.requests {
		system, user := enginetest.Prompt(r)
		stage := "generate"
		if strings.HasPrefix(system, "stage: verify\n") {
			stage = "verify"
		}
		if n := len(random.FindAllString(system, -1)); n != 3 {
			t.Errorf("%s: %d delimiters and canaries in the system text", stage, n)
		}
		got := random.ReplaceAllString("----- system\n"+system+"\n----- user\n"+user, "RANDOM")
		path := filepath.Join("testdata", stage+".txt")
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v (run with -update to write it)", err)
		}
		if got != string(want) {
			t.Errorf("%s differs (raise the version of the prompt, or promptForm, then -update):\n%s", path, got)
		}
	}
}

func TestPathsCannotForgeLines(t *testing.T) {
	t.Parallel()
	for _, p := range []string{"a\n=== b", "a\u202eb", "a\x00b", "\xff"} {
		if got := change.CleanPath(p); strings.ContainsAny(got, "\n\u202e\x00") {
			t.Errorf("cleanPath(%q) = %q", p, got)
		}
	}
}
