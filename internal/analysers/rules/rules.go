// Package rules holds the rules that assay gives to ast-grep 0.51.1: faults of Go, TypeScript, JavaScript, Python and Java that are
// wrong almost always.
//
// Each rule is a file in ast-grep's format (https://ast-grep.github.io/reference/yaml.html), with examples of the same name below
// testdata. The package runs nothing: its caller stores the rules by [Write] and starts the program. docs/analysers/rules.md lists
// the rules and the figures of their precision.
package rules

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
)

//go:embed go/*.yml java/*.yml python/*.yml typescript/*.yml
var sources embed.FS

// Config is the name of ast-grep's configuration in the folder of [Write], for the option --config.
const Config = "sgconfig.yml"

// configuration makes ast-grep read JavaScript with the grammar of Tsx, which contains it.
const configuration = `ruleDirs: [go, java, python, typescript, tsx]
languageGlobs:
  tsx: ['*.tsx', '*.jsx', '*.js', '*.mjs', '*.cjs']
`

// The languages of the rules, as ast-grep names them. A rule for TypeScript is also a rule for JavaScript and for both with JSX.
const (
	langGo         = "Go"
	langJava       = "Java"
	langPython     = "Python"
	langTypeScript = "TypeScript"
	langTsx        = "Tsx"
)

// Rule describes a rule to people.
type Rule struct {
	ID       string
	Language string // Go, Java, Python or TypeScript
	Severity string // error or warning
	Title    string // a noun phrase without a full stop
	Message  string // what happens, in one sentence
	Advice   string // what to do, in one sentence
	CWE      string // such as CWE-89; "" if the fault is not in that list
	Page     string // the address of the CWE's page; "" without a CWE
	Security bool   // the fault is a weakness that an attacker can use
}

// document is a rule file. Its message is a title and a sentence. Its parts rule and constraints are read by ast-grep alone.
type document struct {
	ID       string   `yaml:"id"`
	Language string   `yaml:"language"`
	Severity string   `yaml:"severity"`
	Message  string   `yaml:"message"`
	Note     string   `yaml:"note"`
	URL      string   `yaml:"url"`
	Ignores  []string `yaml:"ignores"`
	Metadata struct {
		CWE      string `yaml:"cwe"`
		Category string `yaml:"category"` // security, or empty
	} `yaml:"metadata"`
	Rule        any `yaml:"rule"`
	Constraints any `yaml:"constraints"`
}

// embedded is the result of reading the embedded rule files.
type embedded struct {
	rules []Rule
	files []file
}

// file is a file to store for ast-grep. Its path is relative, with slashes.
type file struct {
	path    string
	content []byte
}

var load = sync.OnceValues(read)

// Find returns the rule that ast-grep reports under an id, and false if no rule has it. Rules for TypeScript have two ids: in
// JavaScript, and in files with JSX, they are reported with js- instead of ts-.
func Find(id string) (Rule, bool, error) {
	e, err := load()
	if err != nil {
		return Rule{}, false, err
	}
	if base, isJavaScript := strings.CutPrefix(id, "js-"); isJavaScript {
		id = "ts-" + base
	}
	at, found := slices.BinarySearchFunc(e.rules, id, func(r Rule, id string) int { return cmp.Compare(r.ID, id) })
	if !found {
		return Rule{}, false, nil
	}
	return e.rules[at], true, nil
}

// Write stores the configuration and the rules for ast-grep in a folder, which it creates. Every user can read them.
func Write(folder string) error {
	e, err := load()
	if err != nil {
		return err
	}
	for _, f := range e.files {
		at := filepath.Join(folder, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // the rules are public
			return fmt.Errorf("write the rules for ast-grep: %w", err)
		}
		if err := os.WriteFile(at, f.content, 0o644); err != nil { //nolint:gosec // the rules are public
			return fmt.Errorf("write the rules for ast-grep: %w", err)
		}
	}
	return nil
}

func read() (embedded, error) {
	e := embedded{files: []file{{Config, []byte(configuration)}}}
	for _, folder := range []string{"go", "java", "python", "typescript"} {
		entries, err := sources.ReadDir(folder)
		if err != nil {
			return embedded{}, err
		}
		for _, entry := range entries {
			name := path.Join(folder, entry.Name())
			raw, err := sources.ReadFile(name)
			if err != nil {
				return embedded{}, err
			}
			var d document
			if err := yaml.UnmarshalWithOptions(raw, &d, yaml.Strict()); err != nil {
				return embedded{}, fmt.Errorf("rule file %s: %w", name, err)
			}
			title, message, _ := strings.Cut(d.Message, ". ")
			e.rules = append(e.rules, Rule{ID: d.ID, Language: d.Language, Severity: d.Severity, Title: title, Message: message,
				Advice: d.Note, CWE: d.Metadata.CWE, Page: d.URL, Security: d.Metadata.Category == "security"})
			e.files = append(e.files, file{name, raw})
			if d.Language == langTypeScript {
				e.files = append(e.files, file{path.Join("tsx", entry.Name()), withJSX(raw)})
			}
		}
	}
	slices.SortFunc(e.rules, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(e.files, func(a, b file) int { return cmp.Compare(a.path, b.path) })
	return e, nil
}

// withJSX returns a rule for TypeScript as a rule for Tsx, which ast-grep treats as another language. Ids are unique among all
// languages, so its id begins with js- instead of ts-.
func withJSX(rule []byte) []byte {
	rule = bytes.Replace(rule, []byte("id: ts-"), []byte("id: js-"), 1)
	return bytes.Replace(rule, []byte("\nlanguage: "+langTypeScript+"\n"), []byte("\nlanguage: "+langTsx+"\n"), 1)
}

// ignoreMark is the word of a comment by which ast-grep leaves out the hits of the next line.
const ignoreMark = "ast-grep-ignore"

// Unmute returns the content of a file in which no comment keeps ast-grep from reporting, because the author of a change could hide
// faults by such a comment. Lines and columns stay as they are.
func Unmute(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte(ignoreMark), []byte(strings.ReplaceAll(ignoreMark, "-", "_")))
}
