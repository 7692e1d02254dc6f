package config

//go:generate go test . -run ^TestDocumentationIsUpToDate$ -update

import "strings"

// Markdown returns docs/configuration.md. A test keeps the file up to date.
func Markdown() string {
	var b strings.Builder
	b.WriteString(intro)
	standard := Default()
	group := "-"
	for _, s := range standard.Effective() {
		g := ""
		if i := strings.LastIndexByte(s.Name, '.'); i >= 0 {
			g = s.Name[:i]
		}
		if g != group {
			group = g
			title := "General"
			if g != "" {
				title = "`" + g + "`"
			}
			b.WriteString("\n## " + title + "\n\n| environment | file | default | meaning |\n|---|---|---|---|\n")
		}
		env := "`" + s.Env + "`"
		if s.Secret {
			env += " (secret)"
		}
		value := ""
		if s.Default != "" {
			value = "`" + s.Default + "`"
		}
		b.WriteString("| " + env + " | `" + s.Name + "` | " + value + " | " + strings.ReplaceAll(s.Doc, "|", `\|`) + " |\n")
	}
	return b.String()
}

const intro = `# Configuration

This page is generated from the source (` + "`make generate`" + `); a test keeps it up to date.

` + "`assay serve`" + ` works with no setting at all. Settings come from the environment or from a YAML file
(` + "`--config`" + ` or ` + "`ASSAY_CONFIG`" + `); the environment wins. ` + "`assay config check`" + ` shows every value, where it came
from, and everything that is wrong at once.

Settings marked *secret* are never shown. Each can be given as a file instead: ` + "`ASSAY_DATABASE_URL_FILE=/run/secrets/database`" + `
in the environment, or ` + "`databaseUrlFile: /run/secrets/database`" + ` in the YAML file. Lists are separated by commas in the
environment and are YAML lists in the file. An unknown key in the file is an error with its line and column.

Every secret is looked at when the process starts, and by ` + "`assay config check`" + `: keys must be keys, addresses must be understood, and
tokens and passwords are on one line without white space, quotation marks or unfilled placeholders around them. A wrong
setting ends the start with its name, never with its value. Files may begin with a byte order mark.
`
