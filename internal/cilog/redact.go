package cilog

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// maxBorder is the most bytes on each side of a line break in which a divided secret is looked for.
const maxBorder = 128

// border returns at most n bytes of a line from an offset on, as valid UTF-8.
func border(line string, from, n int) string {
	from = max(0, from)
	return strings.ToValidUTF8(line[from:min(len(line), from+n)], "")
}

// errLines means that a redactor changed the number of lines, so that its text does not belong to them.
var errLines = errors.New("the redactor changed the number of lines")

// clean sets the lines and replaces secrets in all texts of an excerpt. The redactor gets one text with the lines,
// the places where two lines meet, and the fields of failures, so that a value found anywhere is replaced everywhere.
func (e *Excerpt) clean(ctx context.Context, kept []entry, redactor Redactor) error {
	if len(kept) == 0 {
		return nil
	}
	var texts []string
	for _, k := range kept {
		texts = append(texts, k.text, k.before+k.head(), k.tail()+k.after)
	}
	for _, f := range e.Failures {
		texts = append(texts, f.Name, f.File, f.Message)
	}
	clean, err := redactor.Clean(ctx, "", []byte(strings.Join(texts, "\n")))
	if err != nil {
		*e = Excerpt{}
		return err
	}
	lines := strings.Split(string(clean), "\n")
	if len(lines) != len(texts) {
		*e = Excerpt{}
		return errLines
	}
	for i, k := range kept {
		text := lines[3*i]
		if k.head() != "" && divided(lines[3*i+1], k.before, k.head()) {
			prefix := k.text[:k.skip]
			if !strings.HasPrefix(text, prefix) { // a secret was replaced in it
				prefix = ""
			}
			_, rest, _ := strings.Cut(text[len(prefix):], " ")
			text = strings.TrimRight(prefix+dividedMark+" "+rest, " ")
		}
		if strings.HasPrefix(k.after, dividedMark) || k.after != "" && divided(lines[3*i+2], k.tail(), k.after) {
			text = text[:strings.LastIndexByte(text, ' ')+1] + dividedMark
		}
		text = scrub(text)
		if k.long || len(text) > MaxLineBytes {
			text = clip.Bytes(text, MaxLineBytes-len("…")) + "…"
		}
		e.Lines = append(e.Lines, Line{Number: k.number, Text: text})
	}
	at := 3 * len(kept)
	for i := range e.Failures {
		f := &e.Failures[i]
		f.Name, f.File, f.Message = bounded(lines[at]), bounded(lines[at+1]), bounded(lines[at+2])
		at += 3
	}
	return nil
}

func bounded(s string) string { return clip.Bytes(scrub(s), MaxField) }

// assigned finds secrets by the names that commands, environments and headers in logs give to them. The rules of source code
// do not look for these forms, because code has many such names without a secret.
var assigned = regexp.MustCompile(`(?i)` +
	`((?:[\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api_?key|access_?key|credentials?)=` + // in an environment
	`|["'][\w.-]*(?:passw(?:or)?d|passphrase|secret|token|api_?key|access_?key)["']\s*:\s*` + // in JSON
	`|\b[\w.-]*_(?:passw(?:or)?d|passphrase|secret|token|api_?key|access_?key|credentials?)\s*[:=]\s+` + // in YAML and shells of Windows
	`|(?:^|\s)(?:[\w.-]+|\*):(?:543\d|6432|\*):[a-z_*][\w.*-]*:[\w.*-]+:` + // in .pgpass
	`|\bmachine\s+\S+\s+login\s+\S+\s+password\s+` + // in .netrc
	`|\s--?(?:password|passwd|passphrase|secret|token|auth-token|api-key)\s+)` + // of a command
	`(?:\\?["'])?)[^\s"'&;,)$\[-][^\s"'&;,)]{3,}` +
	`|(\bmysql\w*\s(?:.*\s)?-p)\S+|(\b(?:set-)?cookie:\s*).+`)

// entryOf finds the entry of a password or a token in YAML that is alone in its line. Messages that begin with such a word
// have several words, or one of letters alone, after it.
var (
	entryOf = regexp.MustCompile(`(?i)^(\s*(?:-\s+)?["']?(?:[\w.-]*[.-])?` +
		`(?:passw(?:or)?d|passphrase|secret|token|api-?key|access-?key)["']?:\s+["']?)` +
		`([^\s"':$*<{\[][^\s"':]{7,})["']?,?$`)
	notWord = regexp.MustCompile(`[^A-Za-z]`)
)

// withoutEntry replaces the value of an entry of YAML.
func withoutEntry(line string) string {
	m := entryOf.FindStringSubmatch(line[len(prefix(line)):])
	if m == nil || !notWord.MatchString(m[2]) {
		return line
	}
	return prefix(line) + m[1] + secret.Redacted
}

// scrub is [secret.Scrub] for logs.
func scrub(text string) string {
	text = withoutEntry(text)
	return secret.Scrub(assigned.ReplaceAllString(text, "${1}${2}${3}"+secret.Redacted))
}

const dividedMark = "[redacted:divided]"

func (k entry) head() string { return border(k.text, k.skip, maxBorder) }
func (k entry) tail() string { return border(k.text, len(k.text)-maxBorder, maxBorder) }

// divided reports whether a secret spans the place where two texts meet: the redactor replaced the end of the one
// together with the beginning of the other. Terminals break long lines between any two characters.
func divided(clean, before, after string) bool {
	if before == "" || after == "" || after[0] == ' ' || after[0] == '\t' {
		return false
	}
	from, to := max(0, len(before)-4), min(4, len(after))
	for from > 0 && !utf8.RuneStart(before[from]) {
		from--
	}
	for to < len(after) && !utf8.RuneStart(after[to]) {
		to++
	}
	return !strings.Contains(clean, before[from:]+after[:to]) && !strings.HasPrefix(clean, before) && !strings.HasSuffix(clean, after)
}
