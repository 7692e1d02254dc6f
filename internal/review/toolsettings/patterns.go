package toolsettings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/glob"
)

// maxPaths is the maximum number of patterns of paths.include and paths.exclude.
const maxPaths = 100

// Reasons why a pattern is not taken over.
const (
	reasonPattern  = "has a pattern that cannot be understood"
	reasonRootFile = "has a pattern for files of the root folder only, which paths.exclude cannot express"
	reasonStars    = "has a pattern with several stars within names, which match across folders"
	reasonComma    = "has a line with a comma: write one pattern in each line"
)

// filters maps a list of patterns to the files that are reviewed and, with an exclamation mark, those that are not.
func filters(m *mapper, at Source, v any) string {
	list, ok := texts(v)
	if !ok {
		return "must be a list of patterns"
	}
	var include, exclude []string
	for _, p := range list {
		p, negative := strings.CutPrefix(strings.TrimSpace(p), "!")
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		switch {
		case p == "" || !glob.Valid(p):
			m.drop(at, reasonPattern+"; the others are taken over")
		case negative:
			exclude = append(exclude, p)
		default:
			include = append(include, p)
		}
	}
	if reason := m.paths(at, "paths.include", distinct(include)); reason != "" {
		return reason
	}
	return m.paths(at, "paths.exclude", distinct(exclude))
}

// ignores maps a list of patterns of files that are not reviewed, or a text that split divides. convert returns the patterns of
// paths.exclude for one of the tool, or the reason for which the pattern is left out.
func ignores(split func(text string) []any, convert func(pattern string) (out []string, reason string)) handler {
	return func(m *mapper, at Source, v any) string {
		if text, is := v.(string); is {
			v = split(text)
		}
		list, ok := texts(v)
		if !ok {
			return "must be a list of patterns"
		}
		var exclude []string
		var reasons []string
		for _, p := range list {
			if p = strings.TrimSpace(p); strings.HasPrefix(p, "!") { // "but not these" has no counterpart
				reasons = append(reasons, "has patterns that begin with an exclamation mark, which paths.exclude does not know")
				continue
			}
			out, reason := convert(p)
			if reason == "" && (len(out) == 0 || slices.ContainsFunc(out, func(p string) bool { return !glob.Valid(p) })) {
				reason = reasonPattern
			}
			if reason != "" {
				reasons = append(reasons, reason)
				continue
			}
			exclude = append(exclude, out...)
		}
		for _, reason := range distinct(reasons) {
			m.drop(at, reason+"; the others are taken over")
		}
		return m.paths(at, "paths.exclude", distinct(exclude))
	}
}

func (m *mapper) paths(at Source, setting string, list []string) (reason string) {
	switch {
	case len(list) == 0:
		return ""
	case len(list) > maxPaths:
		return fmt.Sprintf("%s takes at most %d patterns", setting, maxPaths)
	}
	return m.set(at, setting, list)
}

// lines returns the lines of a text that are neither empty nor comments.
func lines(text string) (out []any) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// commas returns the parts of a text between commas, as PR-Agent reads a list that is written as a text.
func commas(text string) (out []any) {
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(text), "[]"), ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// fromGlob takes a pattern over as it is.
func fromGlob(p string) ([]string, string) {
	if p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/"); p == "" {
		return nil, ""
	}
	return []string{p}, ""
}

// literalBraces escapes the characters that have a meaning in our patterns and none in others.
var literalBraces = strings.NewReplacer("{", `\{`, "}", `\}`)

// fromGitignore converts a pattern of gitignore: without a slash before its end it counts in every folder, and a name is a file or
// a folder with all that is in it.
func fromGitignore(p string) ([]string, string) {
	if strings.Contains(p, ",") {
		return nil, reasonComma
	}
	p, folder := strings.CutSuffix(literalBraces.Replace(p), "/")
	anchored := strings.Contains(p, "/")
	if p = strings.TrimPrefix(p, "/"); p == "" {
		return nil, ""
	}
	if !anchored {
		p = "**/" + p
	}
	switch {
	case folder:
		p += "/**/*"
	case !strings.HasSuffix(p, "/**"):
		p += "/**"
	}
	return []string{p}, ""
}

// fromFnmatch converts a pattern of Python's fnmatch, in which a star matches across folders, for whole paths from the root. One
// that begins with **/ counts in the root folder, too, as PR-Agent reads it.
func fromFnmatch(p string) ([]string, string) {
	p = literalBraces.Replace(p)
	start := ""
	if rest, everywhere := strings.CutPrefix(p, "**/"); everywhere {
		start, p = "**/", rest
	}
	if p == "" {
		return nil, ""
	}
	for strings.Contains(p, "**") {
		p = strings.ReplaceAll(p, "**", "*")
	}
	out, within := []string{start}, 0
	for i, c := range []byte(p) {
		next := []string{string(c)}
		if c == '*' {
			before, after := i == 0 || p[i-1] == '/', i+1 == len(p)
			switch slash := !after && p[i+1] == '/'; {
			case before && after:
				next = []string{"**"}
			case before && slash, !before && slash:
				next = []string{"*/**"}
			case before:
				next = []string{"**/*"}
			case after:
				next = []string{"*/**"}
			default:
				within++
				next = []string{"*", "*/**/*"}
			}
		}
		if within > 1 {
			return nil, reasonStars
		}
		var longer []string
		for _, o := range out {
			for _, n := range next {
				longer = append(longer, strings.Replace(o+n, "**/**", "**", 1))
			}
		}
		out = longer
	}
	for _, o := range out {
		if !strings.Contains(o, "/") && o != "**" {
			return nil, reasonRootFile
		}
	}
	return out, ""
}
