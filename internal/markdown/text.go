// Package markdown makes the text that is published in the service's name:
// reviews, comments, check runs, answers.
//
// [Text] is the only thing that the ports to code hosts take. It is made of
// constants of the program, and of anything else by way of the sanitiser
// ([Line], [Prose], [Span], [Code]), so that a raw path, title or message of a
// stranger in something published does not compile.
//
// What is said, and to whom it is sent, is decided elsewhere.
package markdown

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// Text is Markdown that may be shown. The zero value is empty.
type Text struct{ s string }

// words are the constants of the program: no other package can name this type,
// so what is passed for it is an untyped constant.
type words string

// Const makes text of a constant of the program, which may hold Markdown.
func Const(s words) Text { return Text{string(s)} }

// Stored makes text of what String gave before and a database has kept since. It
// is not for anything else: nothing is escaped.
func Stored(s string) Text { return Text{s} }

// String returns the Markdown.
func (t Text) String() string { return t.s }

// Empty reports whether there is nothing to show.
func (t Text) Empty() bool { return t.s == "" }

// Len counts the characters (code points).
func (t Text) Len() int { return utf8.RuneCountInString(t.s) }

// MarshalJSON writes a string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.s) }

// UnmarshalJSON reads back what MarshalJSON wrote. Like [Stored] it is for what
// this program has frozen.
func (t *Text) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &t.s) }

// joiner puts texts behind each other. Two code spans never touch: together
// their backticks would be a run of another length. Nor does a code span touch what
// would become an address of mail with it.
type joiner struct{ b strings.Builder }

func (j *joiner) add(s string) {
	before := j.b.String()
	if strings.HasPrefix(s, "`") && (strings.HasSuffix(before, "`") || becomesMail(before, s)) {
		j.b.WriteByte(' ')
	}
	j.b.WriteString(s)
}

// becomesMail reports whether a code span is taken for a part of an address of mail
// that begins in the word before it. To goldmark, the parser of Gitea, backticks may
// stand in the name before the @, and addresses come before code: in "x`a@b.cc` y"
// the span is gone, and what stands behind it is no code any more.
func becomesMail(before, span string) bool {
	name := span[:len(span)-len(strings.TrimLeft(span, mailName))]
	if !strings.HasPrefix(span[len(name):], "@") {
		return false
	}
	before = before[max(len(before)-maxMailName, 0):]
	word := before[len(strings.TrimRight(before, mailName)):]
	return strings.ContainsFunc(word, letterOrDigit)
}

// mailName are the characters before the @, maxMailName is how many there may be
// (goldmark v1.8.7, util.FindEmailIndex).
const (
	mailName    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+/=?^_`{|}~-"
	maxMailName = 64
)

// Format puts texts in the places of %s in a constant, in their order. A place
// without a text stays empty; texts without a place are left out.
func Format(format words, args ...Text) Text {
	var j joiner
	rest := string(format)
	for rest != "" {
		before, after, found := strings.Cut(rest, "%s")
		j.add(before)
		if found && len(args) > 0 {
			j.add(args[0].s)
			args = args[1:]
		}
		rest = after
	}
	return Text{j.b.String()}
}

// Phrase is a text of a catalogue, made of constants of the program: One is its
// form for a single thing, "" where there is no such form. Texts have the places
// that [Fill] fills.
type Phrase struct{ One, Other words }

// Fill puts texts in the places {0}, {1}, … of a constant, in whatever order they
// stand: that differs from language to language. A place without a text stays
// empty; texts without a place are left out.
func Fill(form words, args ...Text) Text {
	var j joiner
	rest := string(form)
	for {
		at := place.FindStringSubmatchIndex(rest)
		if at == nil {
			j.add(rest)
			return Text{j.b.String()}
		}
		j.add(rest[:at[0]])
		if n, err := strconv.Atoi(rest[at[2]:at[3]]); err == nil && n < len(args) {
			j.add(args[n].s)
		}
		rest = rest[at[1]:]
	}
}

var place = regexp.MustCompile(`\{(\d)\}`)

// Join puts a constant between the texts that are not empty.
func Join(between words, parts ...Text) Text {
	var j joiner
	for _, p := range parts {
		if p.Empty() {
			continue
		}
		if j.b.Len() > 0 {
			j.add(string(between))
		}
		j.add(p.s)
	}
	return Text{j.b.String()}
}

// Blocks puts paragraphs below each other.
func Blocks(parts ...Text) Text { return Join("\n\n", parts...) }

// Bold is strong text; nothing stays nothing.
func Bold(t Text) Text { return around("**", t) }

// Struck is text with a line through it.
func Struck(t Text) Text { return around("~~", t) }

func around(mark string, t Text) Text {
	if t.Empty() {
		return t
	}
	return Text{mark + t.s + mark}
}

// Fold is text that a click shows below its summary. The summary stands in HTML,
// where Markdown protects nothing: only letters, digits and spaces of it are shown,
// and "…" where it has none.
func Fold(summary, body Text) Text {
	if summary.s = strings.TrimSpace(noWords.ReplaceAllString(summary.s, "")); summary.s == "" {
		summary = Const("…")
	}
	return Format("<details><summary>%s</summary>\n\n%s\n\n</details>", summary, body)
}

var noWords = regexp.MustCompile(`[^\pL\pN\p{Zs}]+`)

// List makes an item of each text.
func List(items ...Text) Text {
	var lines []string
	for _, item := range items {
		for i, l := range strings.Split(item.s, "\n") {
			switch {
			case i == 0:
				l = "- " + l
			case l != "":
				l = "  " + l
			}
			lines = append(lines, l)
		}
	}
	return Text{strings.Join(lines, "\n")}
}

// Row is a row of a table, a cell for each text. A bar in a cell ends none, also in code
// (GFM, 4.10: tables); a cell has one line.
func Row(cells ...Text) Text {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| ")
		slashes := 0
		for _, r := range flat(c.s) {
			if r == '|' && slashes%2 == 0 {
				b.WriteByte('\\')
			}
			if slashes++; r != '\\' {
				slashes = 0
			}
			b.WriteRune(r)
		}
		b.WriteByte(' ')
	}
	return Text{b.String() + "|"}
}

// Number is a number in digits.
func Number(n int) Text { return Text{strconv.Itoa(n)} }

// Amount is a number as a language writes it, such as 1.234,5: digits and what
// stands between them. Anything else is left out.
func Amount(s string) Text { return Text{noAmount.ReplaceAllString(s, "")} }

var noAmount = regexp.MustCompile(`[^0-9.,\x{a0}\x{202f}-]+`)

// Hex is a number in lower-case hexadecimal digits, as a digest is written. Anything else is
// left out.
func Hex(s string) Text { return Text{noHex.ReplaceAllString(s, "")} }

var noHex = regexp.MustCompile(`[^0-9a-f]+`)

// Link makes a link to an address of ours or of the host; the label alone where
// the address cannot stand in Markdown, or where the label would end early: "[a]:"
// at the beginning of a line defines a reference, also within a code span, as
// blocks are found before what stands in them (CommonMark 0.31.2, 3.1 and 4.7).
// The address must not be an author's.
func Link(label Text, url string) Text {
	if label.Empty() || !Linkable(url) || strings.Contains(label.s, "]:") {
		return label
	}
	return Text{"[" + label.s + "](" + url + ")"}
}

var address = regexp.MustCompile("^https?://[!#-&*-;=?-Z\\[\\]^_a-~]+$")

// Linkable reports whether a URL can stand as the target of a link in Markdown:
// http or https, of printable ASCII without what ends or escapes a target.
func Linkable(url string) bool { return address.MatchString(url) }

// hidden are the forms of a mark: nothing in it can be seen, or end it early. One is an
// HTML comment, the other the definition of a link that nothing refers to (CommonMark
// 0.31.2, 4.7), for hosts that show HTML as text. It stands in a paragraph of its own,
// as it would be shown behind one; its address is that of the project, since not every
// parser takes a definition without one.
var hidden = regexp.MustCompile(`^(?:<!-- ` + markNames + ` -->|\[` + markNames + `\]: ` + regexp.QuoteMeta(MarkAddress) + `)$`)

const markNames = `assay:[a-z]+=[A-Za-z0-9_.:-]+(?: [a-z]+=[A-Za-z0-9_.:-]+)*`

// MarkAddress is the address in a mark that is the definition of a link.
const MarkAddress = "https://github.com/assay-dev/assay"

// WithoutMarks drops the lines of marks.
func (t Text) WithoutMarks() Text {
	lines := slices.DeleteFunc(strings.Split(t.s, "\n"), hidden.MatchString)
	return Text{strings.TrimSpace(strings.Join(lines, "\n"))}
}

// Hidden makes the line of a mark, which no reader sees. It reports false for
// what is none.
func Hidden(line string) (Text, bool) {
	if !hidden.MatchString(line) {
		return Text{}, false
	}
	return Text{line}, true
}
