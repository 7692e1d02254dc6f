package config

//go:generate go test . -run ^TestDocumentationIsUpToDate$ -update

import "strings"

// chapter is a page about settings. groups are the parts of names before the last dot, "" for those without one.
type chapter struct {
	file, title, after string
	groups             []string
}

// chapters are the pages with the reference tables. The first is the entry page, which lists the others.
func chapters() []chapter {
	return []chapter{
		{"configuration.md", "Configuration", "you can configure the process, check its settings, and find the page of each setting", []string{""}},
		{"configuration/work.md", "Settings of work",
			"you can look up how jobs, lanes, webhooks, requests and the rate gate are bounded, and which analysers run",
			[]string{"jobs", "lanes", "ingest", "http", "gate", "analysers"}},
		{"configuration/outside.md", "Settings of connections to other servers",
			"you can look up how assay reaches models, other servers, git and mail, from an air-gapped network too",
			[]string{"model", "outbound", "outbound.airGap", "git", "smtp"}},
		{"configuration/lifetimes.md", "Settings of sessions and retention",
			"you can look up how long sessions last and how long data is kept", []string{"session", "retention"}},
		{"configuration/bootstrap.md", "Settings of the first start",
			"you can look up the settings that make the first tenant with its code host and model",
			[]string{"bootstrap", "bootstrap.github", "bootstrap.connection", "bootstrap.model"}},
	}
}

// group returns the part of a setting's name before the last dot, and "" if there is none.
func group(name string) string { return name[:max(0, strings.LastIndexByte(name, '.'))] }

// Markdown returns the pages of docs/ about settings by their files. A test keeps them up to date.
func Markdown() map[string]string {
	out := map[string]string{}
	for i, c := range chapters() {
		var b strings.Builder
		b.WriteString("# " + c.title + "\n\nAfter this page " + c.after + ".\n\n" + made)
		if i == 0 {
			b.WriteString(intro)
			for _, other := range chapters()[1:] {
				b.WriteString("| [" + other.file + "](" + other.file + ") | `" + strings.Join(other.groups, "`, `") + "` |\n")
			}
		} else {
			b.WriteString("[configuration.md](../configuration.md) explains how settings are given.\n")
		}
		for _, g := range c.groups {
			title := "General"
			if g != "" {
				title = "`" + g + "`"
			}
			b.WriteString("\n## " + title + "\n\n| environment | file | default | meaning |\n|---|---|---|---|\n" + rowsOf(g))
		}
		out[c.file] = b.String()
	}
	return out
}

// rowsOf returns the lines of the table of a group.
func rowsOf(g string) string {
	var b strings.Builder
	standard := Default()
	for _, s := range standard.Effective() {
		if group(s.Name) != g {
			continue
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

const made = "This page is generated from the source (`make generate`); a test keeps it up to date.\n\n"

const intro = "`assay serve`" + ` works without any setting. Settings come from the environment or from a YAML file
(` + "`--config` or `ASSAY_CONFIG`" + `); the environment wins. Check them all before a start:

` + "```sh\nassay config check      # every value, its source, and all errors at once\n```" + `

- Settings marked *secret* are never shown. Each can be given as a file instead: ` + "`ASSAY_DATABASE_URL_FILE=/run/secrets/database`" + `
  in the environment, or ` + "`databaseUrlFile: /run/secrets/database`" + ` in the YAML file.
- Lists are separated by commas in the environment and are YAML lists in the file.
- An unknown key in the file is an error with its line and column. Files may begin with a byte order mark.
- The start of the process and ` + "`assay config check`" + ` look at every secret: keys must be keys, addresses must be readable, and tokens
  and passwords are on one line without white space, quotation marks or unfilled placeholders around them. A wrong setting ends the
  start with its name, never with its value.

| page | groups |
|---|---|
| this page | [General](#general) |
`
