// Package markdown builds the text that the service publishes: reviews, comments, check runs, answers.
//
// The interfaces of code hosts accept only [Text]. A Text consists of constants of the program, and of
// other text that passed the sanitiser ([Line], [Prose], [Span], [Code]). Therefore code that publishes raw
// untrusted text does not compile.
//
// Other packages decide what to publish and where.
package markdown

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// Text is Markdown that is safe to publish. The zero value is empty.
type Text struct{ s string }

// words is the type of the program's constants. Because other packages cannot name it, they can pass only
// untyped constants.
type words string

// Const returns the text of a constant, which may contain Markdown.
func Const(s words) Text { return Text{string(s)} }

// Stored returns the text of an earlier String result that a database stored. It must not be used for
// anything else, because it escapes nothing.
func Stored(s string) Text { return Text{s} }

// String returns the Markdown.
func (t Text) String() string { return t.s }

// Empty reports whether the text is empty.
func (t Text) Empty() bool { return t.s == "" }

// Len returns the number of characters (code points).
func (t Text) Len() int { return utf8.RuneCountInString(t.s) }

// MarshalJSON writes the Markdown as a string.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.s) }

// UnmarshalJSON reads the output of MarshalJSON. Like [Stored] it must be used only for text of this
// program.
func (t *Text) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &t.s) }

// joiner concatenates texts. It keeps two code spans apart, because their adjacent backticks would form a
// longer run. It also keeps a code span apart from text that would form an email address with it.
type joiner struct{ b strings.Builder }

func (j *joiner) add(s string) {
	before := j.b.String()
	if strings.HasPrefix(s, "`") && (strings.HasSuffix(before, "`") || becomesMail(before, s)) {
		j.b.WriteByte(' ')
	}
	j.b.WriteString(s)
}

// becomesMail reports whether a parser takes a code span as part of an email address that begins in the
// word before it. goldmark, the parser of Gitea, accepts backticks in the name before the @, and parses
// addresses before code. In "x`a@b.cc` y" the span then disappears, and the text after it is no longer
// code.
func becomesMail(before, span string) bool {
	name := span[:len(span)-len(strings.TrimLeft(span, mailName))]
	if !strings.HasPrefix(span[len(name):], "@") {
		return false
	}
	before = before[max(len(before)-maxMailName, 0):]
	word := before[len(strings.TrimRight(before, mailName)):]
	return strings.ContainsFunc(word, letterOrDigit)
}

// mailName are the characters before the @, and maxMailName is their maximum number (goldmark v1.8.7,
// util.FindEmailIndex).
const (
	mailName    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&'*+/=?^_`{|}~-"
	maxMailName = 64
)

// Format replaces each %s in a constant by the next text. A %s without a text becomes empty, and extra
// texts are ignored.
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

// Phrase is a text of a catalogue, with places for [Fill]. One is the form for a single thing, or "" if the
// language has no such form.
type Phrase struct{ One, Other words }

// Fill replaces {0}, {1}, … in a constant by the texts. Their order may differ between languages. A place
// without a text becomes empty, and unused texts are ignored.
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

// Join joins the texts that are not empty, with a constant between them.
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

// Blocks joins paragraphs.
func Blocks(parts ...Text) Text { return Join("\n\n", parts...) }

// Bold returns bold text, or the empty text for the empty text.
func Bold(t Text) Text { return around("**", t) }

// Struck returns text with a line through it.
func Struck(t Text) Text { return around("~~", t) }

func around(mark string, t Text) Text {
	if t.Empty() {
		return t
	}
	return Text{mark + t.s + mark}
}

// Fold returns text that the reader unfolds by a click on its summary. The summary is in HTML, where
// Markdown escapes do not work, so it keeps only letters, digits and spaces, or becomes "…".
func Fold(summary, body Text) Text {
	if summary.s = strings.TrimSpace(noWords.ReplaceAllString(summary.s, "")); summary.s == "" {
		summary = Const("…")
	}
	return Format("<details><summary>%s</summary>\n\n%s\n\n</details>", summary, body)
}

var noWords = regexp.MustCompile(`[^\pL\pN\p{Zs}]+`)

// List returns a list with an item for each text.
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

// Row returns a table row with a cell for each text. It escapes bars, which would otherwise end a cell even
// in code (GFM, 4.10: tables), and joins lines.
func Row(cells ...Text) Text {
	var b strings.Builder
	for _, c := range cells {
		b.WriteString("| ")
		slashes := 0
		for _, r := range joinLines(c.s) {
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

// Number returns a number in digits.
func Number(n int) Text { return Text{strconv.Itoa(n)} }

// Amount returns a number in a language's format, such as 1.234,5. It removes characters other than digits
// and separators.
func Amount(s string) Text { return Text{noAmount.ReplaceAllString(s, "")} }

var noAmount = regexp.MustCompile(`[^0-9.,\x{a0}\x{202f}-]+`)

// Hex returns a digest in lower-case hexadecimal digits. It removes other characters.
func Hex(s string) Text { return Text{noHex.ReplaceAllString(s, "")} }

var noHex = regexp.MustCompile(`[^0-9a-f]+`)

// Link returns a link to an address of ours or of the host, never of an author. It returns only the label
// if Markdown cannot contain the address, or if the label contains "]:". At the beginning of a line "[a]:"
// defines a reference, even inside a code span, because parsers find blocks before inline code (CommonMark
// 0.31.2, 3.1 and 4.7).
func Link(label Text, url string) Text {
	if label.Empty() || !Linkable(url) || strings.Contains(label.s, "]:") {
		return label
	}
	return Text{"[" + label.s + "](" + url + ")"}
}

var address = regexp.MustCompile("^https?://[!#-&*-;=?-Z\\[\\]^_a-~]+$")

// Linkable reports whether a URL can be the target of a Markdown link: http or https, in printable ASCII
// without characters that end or escape a target.
func Linkable(url string) bool { return address.MatchString(url) }

// hidden matches both forms of a mark, which readers do not see. One is an HTML comment. The other is the
// definition of an unused link (CommonMark 0.31.2, 4.7), for hosts that show HTML as text. It must be a
// paragraph of its own, because it would be visible after another one. It has the project's address,
// because some parsers require one.
var hidden = regexp.MustCompile(`^(?:<!-- ` + markNames + ` -->|\[` + markNames + `\]: ` + regexp.QuoteMeta(MarkAddress) + `)$`)

const markNames = `assay:[a-z]+=[A-Za-z0-9_.:-]+(?: [a-z]+=[A-Za-z0-9_.:-]+)*`

// MarkAddress is the address in a mark that is a link definition.
const MarkAddress = "https://github.com/assay-dev/assay"

// WithoutMarks returns the text without the lines of marks.
func (t Text) WithoutMarks() Text {
	lines := slices.DeleteFunc(strings.Split(t.s, "\n"), hidden.MatchString)
	return Text{strings.TrimSpace(strings.Join(lines, "\n"))}
}

// SplitMark returns the text without its last line, and that line, if it is a mark. Otherwise it returns
// the text and "". Text before the mark is unchanged but for blank space at its end.
func (t Text) SplitMark() (text, mark string) {
	whole := strings.TrimRight(t.s, "\n")
	at := strings.LastIndexByte(whole, '\n') + 1
	if !hidden.MatchString(whole[at:]) {
		return t.s, ""
	}
	return strings.TrimRight(whole[:at], " \n"), whole[at:]
}

// JoinMark returns a text from a host with a mark that was kept beside it as its last line, so that marks
// are found as on other hosts. The result is text from outside.
func JoinMark(text, mark string) string {
	if mark == "" {
		return text
	}
	return text + "\n\n" + mark
}

// Hidden returns a mark, which readers do not see. It returns false if line is not a mark.
func Hidden(line string) (Text, bool) {
	if !hidden.MatchString(line) {
		return Text{}, false
	}
	return Text{line}, true
}
