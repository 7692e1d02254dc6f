package rules

//go:generate go test . -run TestPageListsRules -update

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table of docs/analysers/rules.md")

// tableMark is the line of the page that begins the generated part, which reaches to the end of the page.
const tableMark = "<!-- made by \"go generate ./internal/analysers/rules\" from the rule files: change those -->\n"

// table returns the rules as Markdown, a table for each language.
func table(all []Rule) string {
	var b strings.Builder
	for _, language := range []string{langGo, langTypeScript, langPython, langJava} {
		fmt.Fprintf(&b, "\n**%s**\n\n| rule | severity | finds |\n|---|---|---|\n", language)
		for _, r := range all {
			if r.Language != language {
				continue
			}
			finds := strings.ToLower(r.Title[:1]) + r.Title[1:]
			if strings.ToUpper(r.Title[:2]) == r.Title[:2] { // an abbreviation, such as TLS
				finds = r.Title
			}
			if r.CWE != "" {
				finds += ", " + r.CWE
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Severity, finds)
		}
	}
	return b.String()
}

func TestPageListsRules(t *testing.T) {
	t.Parallel()
	all := loadRules(t)
	name := filepath.Join("..", "..", "..", "docs", "analysers", "rules.md")
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, now, found := strings.Cut(string(raw), tableMark)
	if !found {
		t.Fatalf("%s: the line %q is absent", name, tableMark)
	}
	want := table(all)
	if *update {
		if err := os.WriteFile(name, []byte(head+tableMark+want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if now != want {
		t.Errorf("%s is not up to date: run go generate ./internal/analysers/rules", name)
	}
}
