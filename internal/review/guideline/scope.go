package guideline

import (
	"errors"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the head of a file, between two lines "---".
const (
	maxHead = 4 << 10 // bytes
	maxGlob = 20      // patterns
)

// head is the head of a rule file, in the words of Cursor (docs.cursor.com, "Rules"), of GitHub Copilot
// (docs.github.com, "Adding repository custom instructions") and of Cline (docs.cline.bot, "Cline Rules").
type head struct {
	ApplyTo      any    `yaml:"applyTo"`
	Globs        any    `yaml:"globs"`
	Paths        any    `yaml:"paths"`
	AlwaysApply  *bool  `yaml:"alwaysApply"`
	ExcludeAgent string `yaml:"excludeAgent"`
}

// errHead means that the head of a file cannot be understood.
var errHead = errors.New("the head of the file cannot be understood")

// bareGlob matches a value that begins with an asterisk, as patterns do. YAML would take it for an alias.
var bareGlob = regexp.MustCompile(`(?m)^([ \t]*(?:globs|applyTo|paths)[ \t]*:[ \t]*|[ \t]*-[ \t]+)(\*[^\r\n]*?)[ \t]*\r?$`)

// splitHead separates the head from a text. ok is false if the file is for other programs, or only for
// explicit requests.
func splitHead(text string) (h head, body string, ok bool, err error) {
	rest, has := strings.CutPrefix(text, "---\n")
	if !has {
		rest, has = strings.CutPrefix(text, "---\r\n")
	}
	if !has {
		return head{}, text, true, nil
	}
	raw, body, closed := strings.Cut("\n"+rest, "\n---")
	if !closed { // a horizontal rule, not a head
		return head{}, text, true, nil
	}
	_, body, _ = strings.Cut(body, "\n")
	if len(raw) > maxHead {
		return head{}, "", false, errHead
	}
	// heads do not need anchors and tags, which can make a document grow
	if raw = ownKeys(raw); strings.ContainsAny(raw, "&!") {
		return head{}, "", false, errHead
	}
	raw = bareGlob.ReplaceAllString(raw, "$1'$2'")
	if err := yaml.Unmarshal([]byte(raw), &h); err != nil {
		return head{}, "", false, errHead
	}
	byRequest := h.AlwaysApply != nil && !*h.AlwaysApply && len(list(h.Globs)) == 0
	return h, body, !byRequest && h.ExcludeAgent != "code-review", nil
}

// headKey matches a line of a head that begins with a key.
var headKey = regexp.MustCompile(`^["']?([A-Za-z][\w-]*)["']?[ \t]*:`)

// ownKeys returns the lines of a head for the keys of [head]. The others are free text, such as a description with a colon, and often no
// valid YAML.
func ownKeys(raw string) string {
	var b strings.Builder
	keep := true // lines before the first key are checked with the rest
	for line := range strings.Lines(raw) {
		if m := headKey.FindStringSubmatch(line); m != nil {
			keep = slices.Contains([]string{"applyTo", "globs", "paths", "alwaysApply", "excludeAgent"}, m[1])
		}
		if keep {
			b.WriteString(line)
		}
	}
	return b.String()
}

// patterns returns the patterns of the files that a head names, from the root of the repository. It returns
// nil if the head covers everything below the folder.
func (h head) patterns(folder string) ([]string, error) {
	named := slices.Concat(list(h.ApplyTo), list(h.Globs), list(h.Paths))
	if h.AlwaysApply != nil && *h.AlwaysApply {
		named = nil
	}
	if len(named) > maxGlob {
		return nil, errHead
	}
	within := ""
	if folder != "" {
		within = literal(folder) + "/"
	}
	var out []string
	for _, g := range named {
		g = strings.TrimPrefix(strings.TrimPrefix(g, "./"), "/")
		if !glob.Valid(g) || len(g) > maxSentence {
			return nil, errHead
		}
		if within != "" && !strings.Contains(strings.TrimSuffix(g, "/"), "/") {
			g = "**/" + g
		}
		out = append(out, within+g)
	}
	if len(out) == 0 && within != "" {
		out = []string{within + "**"}
	}
	return out, nil
}

// list reads a list of patterns, or a text with patterns between commas.
func list(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return commas(v)
	case []any:
		for _, one := range v {
			if s, is := one.(string); is {
				out = append(out, commas(s)...)
			}
		}
	}
	return out
}

// commas splits a text at its commas, except those within braces.
func commas(s string) (out []string) {
	open, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	for i := range len(s) {
		switch s[i] {
		case '{':
			open++
		case '}':
			open--
		case ',':
			if open <= 0 {
				add(s[from:i])
				from = i + 1
			}
		}
	}
	add(s[from:])
	return out
}

// literal returns a pattern that matches only the name.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`, `}`, `\}`).Replace(name)
}
