package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// examples is a file of examples in the format of "ast-grep test".
type examples struct {
	ID      string   `yaml:"id"`
	Valid   []string `yaml:"valid"`
	Invalid []string `yaml:"invalid"`
}

// folders maps the languages of rules to their folders.
var folders = map[string]string{langGo: "go", langJava: "java", langPython: "python", langTypeScript: "typescript"}

// prefixes maps the languages of rules to the beginning of their ids.
var prefixes = map[string]string{langGo: "go-", langJava: "java-", langPython: "py-", langTypeScript: "ts-"}

// loadExamples reads the examples of all rules.
func loadExamples(t *testing.T) map[string]examples {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.yml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]examples{}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var e examples
		if err := yaml.UnmarshalWithOptions(raw, &e, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if e.ID != strings.TrimSuffix(filepath.Base(p), ".yml") {
			t.Errorf("%s: the id is %s", p, e.ID)
		}
		all[e.ID] = e
	}
	return all
}

func loadRules(t *testing.T) []Rule {
	t.Helper()
	e, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return e.rules
}

// maxWords bounds a sentence of a message.
const maxWords = 25

// vague matches words that docs/style.md avoids.
var vague = regexp.MustCompile(`(?i)\b(nobody|somebody|whoever|anew|of which|of what|is none|has none)\b|` +
	`^(What|Which|Whether|Whom|Of|That|None) `)

func TestRulesHaveTextsAndExamples(t *testing.T) {
	t.Parallel()
	all := loadRules(t)
	found := loadExamples(t)
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.ID] {
			t.Errorf("%s: two rules have this id", r.ID)
		}
		seen[r.ID] = true
		if !strings.HasPrefix(r.ID, prefixes[r.Language]) || prefixes[r.Language] == "" {
			t.Errorf("%s: the id does not begin with the prefix of %s", r.ID, r.Language)
		}
		if _, err := os.Stat(filepath.Join(folders[r.Language], r.ID+".yml")); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
		if r.Severity != "error" && r.Severity != "warning" {
			t.Errorf("%s: the severity is %q", r.ID, r.Severity)
		}
		if r.Title == "" || strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: the title is %q", r.ID, r.Title)
		}
		for _, text := range []string{r.Message, r.Advice} {
			checkText(t, r.ID, text)
		}
		if e := found[r.ID]; len(e.Valid) == 0 || len(e.Invalid) == 0 {
			t.Errorf("%s: examples are absent: %d valid, %d invalid", r.ID, len(e.Valid), len(e.Invalid))
		}
	}
	for id := range found {
		if !seen[id] {
			t.Errorf("examples of %s: there is no such rule", id)
		}
	}
	if len(all) < 60 {
		t.Errorf("there are %d rules, fewer than 60", len(all))
	}
}

// checkText reports texts that are not sentences of the length that docs/style.md demands.
func checkText(t *testing.T, id, text string) {
	t.Helper()
	if !strings.HasSuffix(text, ".") || strings.Contains(text, "$") {
		t.Errorf("%s: %q does not end with a full stop, or has a placeholder of ast-grep", id, text)
	}
	for sentence := range strings.SplitSeq(text, ". ") {
		if n := len(strings.Fields(sentence)); n > maxWords {
			t.Errorf("%s: %d words: %q", id, n, sentence)
		}
		if vague.MatchString(sentence) {
			t.Errorf("%s: a word is vague: %q", id, sentence)
		}
	}
}

// Each rule for TypeScript has a copy for files with JSX, which ast-grep treats as another language.
func TestWrittenRulesHaveCopiesForJSX(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := Write(folder); err != nil {
		t.Fatal(err)
	}
	config, err := os.ReadFile(filepath.Join(folder, Config))
	if err != nil || string(config) != configuration {
		t.Errorf("the configuration is %q: %v", config, err)
	}
	written, err := filepath.Glob(filepath.Join(folder, "typescript", "*.yml"))
	if err != nil || len(written) == 0 {
		t.Fatalf("%d rules for TypeScript: %v", len(written), err)
	}
	for _, name := range written {
		rule, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		changed, err := os.ReadFile(filepath.Join(folder, "tsx", filepath.Base(name)))
		want := strings.NewReplacer("language: TypeScript", "language: Tsx", "id: ts-", "id: js-").Replace(string(rule))
		if err != nil || string(changed) != want {
			t.Errorf("%s: the copy for JSX is %q: %v", name, changed, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"go-sql-from-text": "go-sql-from-text", "js-nan-comparison": "ts-nan-comparison",
		"ts-nan-comparison": "ts-nan-comparison", "js-unknown": "", "": ""} {
		r, found, err := Find(id)
		if err != nil || r.ID != want || found != (want != "") {
			t.Errorf("Find(%q) = %q, %v, %v, expected %q", id, r.ID, found, err, want)
		}
	}
	if r, _, _ := Find("py-sql-from-text"); !r.Security || r.CWE != "CWE-89" || r.Page != "https://cwe.mitre.org/data/definitions/89.html" {
		t.Errorf("%+v", r)
	}
}
