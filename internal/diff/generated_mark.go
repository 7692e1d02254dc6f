package diff

import (
	"bytes"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// maxMark bounds the beginning of a file that is searched for a mark, in bytes. nearMark is the maximum
// distance in lines between the two halves of a mark: "generated", and the request not to edit the file.
const (
	maxMark  = 4 << 10
	nearMark = 6
)

// Parts of a mark: a file as the subject of its own comment, and words for an automatic process.
const (
	itself = `this (source )?(file|document|module|script|source code|workflow|manifest)`
	madeBy = `(auto[- ]?|automatically[ -]|machine[ -]?|programmatically[ -])`
)

// Marks of generated code. Each is a whole comment line about the file, in a form that generators write.
// The first one is Go's rule (https://go.dev/s/generatedcode).
var (
	marks = regexp.MustCompile(`(?i)^(code generated .*do not edit\b\W*(@generated\W*)?$|@generated($|[\s:;.,(])|<auto-?generated\b|` +
		itself + ` (is|was|has been) ((an? )?` + madeBy + `@?generated|generated automatically|automatically @generated|@generated)\b|` +
		`this is (an? )?` + madeBy + `generated (file|source|module|script|document)|` + madeBy + `generated (file|source|code)\W*$|` +
		madeBy + `generated (by|with|using) [\w./@-]+( [\w-]+){0,2} \(?v?\d)`)
	// markHalf is a mark only together with markOther.
	markHalf = regexp.MustCompile(`(?i)^((warning|note|notice|attention|caution|important|do(n't| not) (edit|modify)( this file)?)\W+)?(` +
		`this (source )?(file|document|module|script|source|code|class|header|interface|package|schema|unit|page|workflow|manifest)( \S+)? ` +
		`(is|was|has been)( an?)? [\w-]*?[ -]?@?generated\b|this is (an? )?[\w-]*?[ -]?generated (file|code|class|module|source|document)|` +
		madeBy + `?generated (file|code|source|by|from|with|using|on)\b|generated\W*$)`)
	markOther = regexp.MustCompile(`(?i)\bdo(n't| not) (manually |hand-?)?(edit|modify|make (direct|manual) changes)|` +
		`\b(edits?|changes|modifications)\b.{0,60}\bwill be (lost|overwritten)|(editing|edit) it directly is not|\bshould not be ` +
		`(manually |hand-?)?(edited|modified)`)
	// markShown matches the end of a line that introduces an example.
	markShown = regexp.MustCompile(`(:|\b(with|like|as|line|header|mark|comment|begins?|starts?))\s*$`)

	comment = regexp.MustCompile(`^\s*(//|#|--|/\*|\*|<!--|;|%|"""|'''|'|\{-|\(\*|=begin|REM |@rem |!|C\s|dnl|"(//|_?comment|` +
		`_?generated|\$comment)"\s*:)`)
	opens    = regexp.MustCompile(`^\s*(/\*+!?|<!--+|"""|'''|\{-|\(\*|=begin)`)
	closes   = regexp.MustCompile(`\*/|-->|"""\s*$|'''\s*$|-\}|\*\)|^=end`)
	signs    = regexp.MustCompile(`^\s*(//[/!]*|#+!?|--+|;+|%+|'|REM\b|@rem\b|!|C\b|dnl\b|"[^"]*"\s*:\s*")`)
	adorned  = regexp.MustCompile(`^ {0,3}([*=~_+-]+ ?)?`)
	preamble = regexp.MustCompile(`(?i)^\s*(<\?(php|xml)\b.*|<!doctype\b.*|["']use \w+["'];?|[{[]|---|%YAML.*|` +
		`declare\(strict_types=1\);)?\s*$`)
)

// templateExt are the extensions of templates. They contain the marks of the files that they produce.
var templateExt = strings.Fields(`.j2 .jinja .jinja2 .tmpl .tpl .gotmpl .gotpl .template .erb .ejs .mustache .hbs .handlebars .mako
	.liquid .tt .t4 .in
	.stg .ftl .vm .twig .njk .pug .eta .xslt .dot`)

// marked reports whether a comment before any code has a line that calls this file generated, in a form
// that generators write. Sentences about generated values and examples of marks do not count.
func marked(content []byte) bool {
	inside, fenced, before := false, false, ""
	half, other := -nearMark-1, -nearMark-1
	n := 0
	for line := range bytes.Lines(head(bytes.TrimPrefix(content, []byte("\uFEFF")), maxMark)) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		rest, begins, ended := line, false, inside && closes.Match(line)
		if !inside {
			if at := opens.FindIndex(line); at != nil {
				rest, begins = line[at[1]:], true
				ended = closes.Match(rest)
			} else if preamble.Match(line) {
				continue
			} else if at := signs.FindIndex(line); at != nil {
				rest = line[at[1]:]
			} else {
				return false
			}
		} else if star := bytes.TrimLeft(line, " \t"); bytes.HasPrefix(star, []byte("*")) {
			rest = star[1:]
		} else {
			rest = star
		}
		inside = (inside || begins) && !ended
		if bytes.HasPrefix(bytes.TrimSpace(rest), []byte("```")) {
			fenced = !fenced
		}
		text := strings.TrimRight(string(adorned.ReplaceAll(rest, nil)), " \t*/->\"")
		if fenced || strings.HasPrefix(text, "\t") || strings.HasPrefix(text, " ") || markShown.MatchString(before) {
			before = text
			continue
		}
		before = text
		if marks.MatchString(text) {
			return true
		}
		if markHalf.MatchString(text) {
			half = n
		}
		if markOther.MatchString(text) {
			other = n
		}
		if max(half, other)-min(half, other) <= nearMark && min(half, other) > 0 {
			return true
		}
	}
	return false
}

// Marked reports whether a comment at the beginning of a text calls the file generated.
func Marked(content []byte) bool { return marked(content) }
