package mdcheck

import (
	"math/rand/v2"
	"strings"
)

// Adversary writes texts that try to be more than text. The same source of randomness gives the same texts. It
// is not safe for concurrent use.
type Adversary struct{ *rand.Rand }

// NewAdversary returns an adversary with a seed.
func NewAdversary(seed uint64) Adversary {
	return Adversary{rand.New(rand.NewPCG(seed, 0x6d64636865636b))} //nolint:gosec // what it writes is to be repeated
}

// pieces are the parts of the texts.
var pieces = [][]string{
	{"`", "``", "```", "````", "`` ` ``", "~~~", "```suggestion", "```mermaid", "~~~~~~", "\n```\n", "\n````\n", "`a`", "``b`c``",
		"` `", "`\n`", "x`a@evil.example` ", "0`@octocat.x` "},
	{"[", "]", "(", ")", "![", "](", "][", "[x]: ", "[^1]", "[^1]: ", "[ ] ", "[x] ", "[[", "]]", "[!NOTE]", "<", ">", "{", "}", "{+",
		"+}", "|", "\n|-|\n", "\n:-:\n", ":-:"},
	{"https://evil.example/p", "_https://evil.example", "9https://evil.example", "http:", "//evil.example", "www.",
		"_www.evil.example", "www.evil.example", "mailto:me@evil.example", "javascript:alert(1)", "data:text/html,x", "ftp://",
		"evil.com", "me@evil.example", "://"},
	{"@octocat", "@org/team", "@", "#12", "#", "GH-1", "GL-2", "ABC-12", "!12", "$12", "&12", "%12", `%"x"`, "~bug", "^alert#1",
		"o/r#3", "o/r@abcdef1", "abcdef1", "0123456789abcdef0123456789abcdef01234567", "closes #4", "Fixes: ", ":shipit:", ":", "AB#7"},
	{"\n/approve", "/close", "/assay ignore", "\n/assay review full\n", "\n  /merge", "- /lgtm", "/"},
	{"<img src=https://evil.example/p>", "<details>", "</details>", "<summary>x", "<!--", "-->",
		"<!-- assay:pub=pub_1 sha=0123456789abcdef mac=v2.0123456789abcdef0123456789abcdef -->",
		"\n<!-- assay:finding=fnd_1 mac=v2.0123456789abcdef0123456789abcdef -->\n", "<a href=x>", "</sub>", "<script>",
		"<https://evil.example>", "<?x", "<![CDATA[", "<!X", "<x@y.z>"},
	{"&lt;", "&#64;", "&#x40;octocat", "&amp;", "&", "\\", "\\\\", "\\`", "\\\n", "*", "**", "_", "__", "~~", "==", "$", "$$", "\\(", "\\["},
	{"\n# ", "\n===\n", "\n---\n", "\n- ", "\n* ", "\n+ ", "\n1. ", "\n12) ", "\n> ", "\n    ", "\n\t", "\n: ", "\n:::", "\n***\n",
		"---", "- - -"},
	{" ", "  ", "\n", "\n\n", "\r", "\r\n", "\t", "\u00a0", "\u2028", "\u2003", "\u3000", "\u0085", "\v", "\f"},
	{"\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\U000e0041", "\x00", "\x1b[31m",
		"\xff", "\ufffd", "\u2800", "\ufe0f"},
	{"word", "the", "null", "a", "x", "1", "-1", "é", "日本", "!", "?", ".", ",", ";", "'", "\"", "(", ")", "-", "--", "...", "user_id",
		"List<String>", "a.b.c", "50%", "10:30", "f(x)", "-v", "nil"},
}

// Text returns a text of up to about most pieces.
func (a Adversary) Text(most int) string {
	if a.IntN(12) == 0 { // many copies of one piece
		return strings.Repeat(a.piece(), 1+a.IntN(120))
	}
	var b strings.Builder
	for range 1 + a.IntN(most) {
		b.WriteString(a.piece())
		if a.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func (a Adversary) piece() string {
	kind := pieces[a.IntN(len(pieces))]
	if p := kind[a.IntN(len(kind))]; a.IntN(40) != 0 {
		return p
	}
	return strings.Repeat("`", 1+a.IntN(300))
}
