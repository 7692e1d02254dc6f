package toolsettings

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/field"
)

var update = flag.Bool("update", false, "rewrite the expected results")

// Each folder of testdata has the files of one repository, and the result of mapping them.
func TestSettingsOfRepositories(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/*")
	if err != nil || len(folders) < 10 {
		t.Fatalf("%d folders: %v", len(folders), err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			files := map[string][]byte{}
			for _, name := range Files() {
				if content, err := os.ReadFile(filepath.Join(folder, name)); err == nil {
					files[name] = content
				}
			}
			var guidelines []string
			for _, name := range []string{"REVIEW.md", "BUGBOT.md", "GEMINI.md", ".gemini/styleguide.md"} {
				if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
					guidelines = append(guidelines, name)
				}
			}
			got, err := Map(files, guidelines)
			if err != nil {
				t.Fatal(err)
			}
			c := &field.Check{}
			got.Policy.Validate(c)
			if len(c.Fields()) > 0 {
				t.Errorf("the policy is refused: %v", c.Fields())
			}
			raw, err := json.MarshalIndent(got, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "want.json")
			if *update {
				if err := os.WriteFile(file, append(raw, '\n'), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || string(want) != string(raw)+"\n" {
				t.Errorf("%v: the result differs from %s:\n%s", err, file, raw)
			}
		})
	}
}

// A value that the policy does not take is named with its place, its line and the reason, and the others count.
func TestUnmappedValues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, content, want string }{
		"unknown setting":           {CodeRabbit, "reviews:\n  shouting: true\n", ".coderabbit.yaml:2 reviews.shouting: assay does not know this setting"},
		"wrong kind":                {CodeRabbit, "reviews:\n  auto_review:\n    drafts: often\n", ".coderabbit.yaml:3 reviews.auto_review.drafts: must be true or false"},
		"no group":                  {CodeRabbit, "reviews: 7\n", ".coderabbit.yaml:1 reviews: must be a group of settings"},
		"a place of another group":  {CodeRabbit, "auto_review:\n  enabled: true\n", ".coderabbit.yaml:1 auto_review: stands at another place than the tool reads it, which is reviews.auto_review"},
		"patterns within a group":   {Gemini, "code_review:\n  ignore_patterns: [a]\n", ".gemini/config.yaml:2 code_review.ignore_patterns: stands at another place than the tool reads it, which is ignore_patterns"},
		"no limit of comments":      {Gemini, "code_review:\n  max_review_comments: -1\n", ".gemini/config.yaml:2 code_review.max_review_comments: means no limit: assay has at most 40 comments"},
		"a rule but not for a path": {Greptile, `{"customContext": {"rules": [{"rule": "x", "scope": ["!a/**"]}]}}`, "greptile.json customContext.rules[0]: must be a text with at most 20 valid patterns, none with an exclamation mark"},
		"unknown word":              {CodeRabbit, "reviews:\n  profile: loud\n", ".coderabbit.yaml:2 reviews.profile: must be one of assertive, chill"},
		"unknown language":          {CodeRabbit, "language: no language at all\n", ".coderabbit.yaml:1 language: language must be the tag of a language after BCP 47, such as en or pt-BR"},
		"alias":                     {CodeRabbit, "x: &a 1\nlanguage: *a\n", ".coderabbit.yaml:2 language: anchors, aliases and tags of YAML are not followed"},
		"bad pattern":               {Gemini, "ignore_patterns: ['[a', 'b/**']\n", ".gemini/config.yaml:1 ignore_patterns: has a pattern that cannot be understood; the others are taken over"},
		"too many comments":         {PRAgent, "[pr_reviewer]\nnum_max_findings = 41\n", ".pr_agent.toml pr_reviewer.num_max_findings: maxInlineComments takes whole numbers from 0 to 40"},
		"a date":                    {PRAgent, "[config]\nresponse_language = 2026-01-01\n", ".pr_agent.toml config.response_language: a value of this kind is not read"},
		"101 patterns":              {Greptile, `{"ignorePatterns": "a` + strings.Repeat(`\nb`, 2) + many(101) + `"}`, "greptile.json ignorePatterns: paths.exclude takes at most 100 patterns"},
		"201 authors":               {Greptile, `{"excludeAuthors": ["a"` + strings.Repeat(`,"a"`, 200) + `]}`, "greptile.json excludeAuthors: must be a list of at most 200 texts"},
		"two authors of a name":     {Greptile, `{"excludeAuthors": ["a", "A"]}`, "greptile.json excludeAuthors: triggers.excludedAuthors "},
		"a rule that is too long":   {PRAgent, "[pr_reviewer]\nextra_instructions = '" + strings.Repeat("x", 4001) + "'\n", ".pr_agent.toml pr_reviewer.extra_instructions: a rule has at most 4000 characters: split the text"},
		"an instruction of numbers": {CodeRabbit, "reviews:\n  path_instructions:\n    - path: 7\n", ".coderabbit.yaml:3 reviews.path_instructions[0]: must be a text with at most 20 valid patterns, none with an exclamation mark before it, within 40 texts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Map(map[string][]byte{tt.file: []byte(tt.content)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(got.Unmapped, func(u Unmapped) bool { return strings.HasPrefix(u.Source.String()+": "+u.Reason, tt.want) }) {
				t.Errorf("unmapped %+v, want %s", got.Unmapped, tt.want)
			}
		})
	}
}

func many(n int) (out string) {
	for i := range n {
		out += `\np` + strings.Repeat("x", i)
	}
	return out
}

// A file that cannot be read is an error with its name, its line where known, and what would be right.
func TestSettingsFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, content, want string }{
		"YAML":      {CodeRabbit, "language: en\nreviews: [\n", ".coderabbit.yaml:2: must be valid YAML"},
		"TOML":      {PRAgent, "[config]\nmodel = \n", ".pr_agent.toml:2: must be valid TOML"},
		"JSON":      {Greptile, "{\n\"strictness\": two}", "greptile.json:2: must be valid JSON"},
		"JSON, cut": {Greptile, "{\n\"strictness\":", "greptile.json:2: must be valid JSON"},
		"documents": {CodeRabbit, "a: 1\n---\nb: 2\n", ".coderabbit.yaml: must have one document"},
		"size":      {Gemini, strings.Repeat("#", MaxFile+1), ".gemini/config.yaml: must have at most 64 KiB"},
		"nesting":   {CodeRabbit, "a: " + strings.Repeat("[", 100), ".coderabbit.yaml: must not nest more than 64 levels"},
		"binary":    {Greptile, "\x00{}", "greptile.json: must be text in UTF-8"},
		"list":      {Greptile, "[]", "greptile.json:1: must be a group of settings: names with their values"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Map(map[string][]byte{tt.file: []byte(tt.content)}, nil)
			if e, ok := errors.AsType[*fileError](err); !ok || e.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// mapped returns the result of mapping files, as JSON.
func mapped(t *testing.T, files map[string][]byte, guidelines ...string) string {
	t.Helper()
	got, err := Map(files, guidelines)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(struct {
		Policy   any
		Unmapped []Unmapped
	}{got.Policy, got.Unmapped})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// A mark for the end of the first document, with or without a comment behind it, leaves the settings before it.
func TestAnEmptyDocumentAtTheEndChangesNothing(t *testing.T) {
	t.Parallel()
	want := mapped(t, map[string][]byte{CodeRabbit: []byte("language: de\n")})
	for _, end := range []string{"---\n", "---\n# nothing\n", "...\n"} {
		if got := mapped(t, map[string][]byte{CodeRabbit: []byte("language: de\n" + end)}); got != want {
			t.Errorf("%q: %s, want %s", end, got, want)
		}
	}
}

// A tool that does not review opened pull requests reviews no push either.
func TestGeminiWithoutReviewsStartsNone(t *testing.T) {
	t.Parallel()
	want := mapped(t, map[string][]byte{CodeRabbit: []byte("reviews:\n  auto_review:\n    enabled: false\n")})
	if got := mapped(t, map[string][]byte{Gemini: []byte("code_review:\n  pull_request_opened:\n    code_review: false\n")}); got != want || !strings.Contains(got, `"push":false`) {
		t.Errorf("%s, want %s", got, want)
	}
}

// A text file that a setting leaves out is named, and one that a setting reads as well is not.
func TestGuidelineFilesThatASettingLeavesOut(t *testing.T) {
	t.Parallel()
	off := mapped(t, map[string][]byte{CodeRabbit: []byte("knowledge_base:\n  code_guidelines:\n    enabled: false\n")}, "REVIEW.md", "GEMINI.md")
	for _, file := range []string{"REVIEW.md", "GEMINI.md"} {
		if want := `{"file":"` + file + `","reason":"guidelineFiles comes from .coderabbit.yaml:3 knowledge_base.code_guidelines.enabled already"}`; !strings.Contains(off, want) {
			t.Errorf("%s, want %s", off, want)
		}
	}
	on := mapped(t, map[string][]byte{CodeRabbit: []byte("knowledge_base:\n  code_guidelines:\n    enabled: true\n")}, "REVIEW.md", "GEMINI.md")
	if alone := mapped(t, nil, "REVIEW.md", "GEMINI.md"); on != alone {
		t.Errorf("%s, want %s", on, alone)
	}
}
