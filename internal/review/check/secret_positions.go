package check

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Forms of values. A quoted value has no white space, because sentences beside such a name are texts for
// people.
const (
	quotedForm = `(?:"([^"\s]{8,})"|'([^'\s]{8,})'|\x60([^\x60\s]{8,})\x60)`
	bareForm   = `(?:"([^"\s]{8,})"|'([^'\s]{8,})'|([^\s"'\x60,;]{8,}))`
	// dataForm is white space with the beginning of a text in XML.
	dataForm = `\s*(?:<!\[CDATA\[\s*)?`
	// nextLine is white space that may continue on the next line.
	nextLine = `[ \t]*(?:\\?\r?\n[ \t]*)?`
	// operators stand between a name, or an expression that ends with it, and its value or default value.
	operators = `(?:=>|:=|={1,3}|!==?|\?\?=?|\|\|=?|\?[:=]|\+=|[:(]|\bor\b|(?:\.\w*(?:or|Or|OR)\w*)\()`
	// typeForm is the type of a constant after its name: ": &str", ": String", " string", "[]".
	typeForm = `(?:[!?]?:[ \t]*[\w&'.:<>\[\] ?|*]{0,40}?|[ \t]+[\w.*\[\]]{1,40}|\[\w*\])?`
	// wrapForm converts a literal to another type.
	wrapForm = `(?:(?:[\w.:]*(?:::(?:from|new)|\.(?:from|of|valueOf|encode)|[sS]ecret\w*|[sS]tring|bytes|[bB]uffer|str|byte)|` +
		`\[\](?:byte|rune))\()?[ \t(]*(?:&|[@$bruLfR]{1,2})?`
)

// position finds a value after a name. The groups of its expression are forms of the value.
type position struct {
	before *regexp.Regexp // the end of the text before the name on its line; nil: anything
	after  *regexp.Regexp // the text after the name
	when   func(syntax) bool
	has    string // a necessary part of the text after the name, "" if the expression suffices
}

func after(form string) *regexp.Regexp { return regexp.MustCompile(`^` + form) }

func before(form string) *regexp.Regexp { return regexp.MustCompile(`(?:` + form + `)$`) }

var (
	lineStart = `^[ \t]*(?:-[ \t]+)?(?:(?:export|set|setx|ARG|ENV|declare|readonly|local|typeset)[ \t]+(?:-\w+[ \t]+)?)?["']?`

	isBare   = func(s syntax) bool { return s.bare }
	isColons = func(s syntax) bool { return s.colons }
	isSpaces = func(s syntax) bool { return s.spaces }
	isMarkup = func(s syntax) bool { return s.markup }
)

var positions = []position{
	// key: Type = "value", setKey("value"), put("key", "value"), process.env.KEY || "value"
	{after: after(`["'\x60\])!]{0,3}` + typeForm + `[ \t]*(?:,[ \t]*` + wrapForm + `|` + operators + nextLine + wrapForm + nextLine +
		`)` + quotedForm)},
	{after: after(`["'][ \t]*[\])][ \t]*(?:as[ \t]+\w+[ \t]*)?[)\]]?[ \t]*(?:` + operators + `|\{)` + nextLine + quotedForm)},
	// #define KEY "value", storePassword 'value', PASSWORD 'value'
	{after: after(`[ \t]+` + wrapForm + quotedForm)},
	{before: before(`(?:^|[\s"'{(;,=:])(?:-D|--?|\$env:)?`), after: after(`=` + bareForm), when: isBare},
	{before: before(lineStart), after: after(`["']?[ \t]*[:?+]?=` + nextLine + bareForm), when: isBare},
	// key: value, key: |, key: &anchor value
	{before: before(lineStart), when: isColons, after: after(`["']?[ \t]*:[ \t]+(?:(?:&[\w-]+|!{1,2}[\w/]+)[ ` +
		`\t]+)?(?:[|>][-+\d]{0,2}[ \t]*\r?\n[ \t]+|\\\r?\n[ \t]*)?` +
		`(?:"([^"\s]{8,})"|'([^'\s]{8,})'|([^\s"'\x60,;*&|>][^\s"'\x60,;]{7,}))`)},
	{before: before(lineStart), after: after(`[ \t]+` + bareForm + `[ \t;]*(?:\r?\n|$)`), when: isSpaces},
	{before: before(`(?:^|[ \t"'\[,])--`), after: after(
		`(?:[ \t]+(?:\\\r?\n[ \t]*)?|["'],[ \t]*|["']?,?[ \t]*\r?\n[ \t]*(?:-[ \t]+)?)` + bareForm)},
	{before: before(`["'\x60]-{0,2}`), has: "=", after: after(
		`["'\x60][^\n{}]*?[,( ](?:default|value|defaultValue|default_value|fallback)["']?[ \t]*[:=][ \t]*` + quotedForm)},
	// ${KEY:-value}, ${key:value}
	{before: before(`\$\{|#\{`), after: after(`(?::?[-=]|:)([^{}\s"'\x60?+][^{}\s"'\x60]{7,})\}`)},
	// parts of connection strings and of queries
	{before: before(`["';][ \t]*(?:[\w.]+ )*`), after: after(
		`[ \t]*=[ \t]*([^\s;"'<>\\(){}\[\],=]{8,}={0,2})(?:[;"'\s\\<]|$)`)},
	{before: before(`[&?]`), after: after(`=([^\s;&"'<>\\(){}\[\],=]{8,}={0,2})(?:[;&"'\s\\<#]|$)`)},
	// <key>value</key>, <entry name="key">value</entry>, <key>name</key><string>value</string>
	{before: before(`<(?:[\w-]+:)?`), has: "</", after: after(
		`(?:\s[^<>]*)?>` + dataForm + `([^<>\s]{8,}?)\s*(?:\]\]>\s*)?</`), when: isMarkup},
	{before: before(`(?:name|key|id)\s*=\s*["']`), has: "</", after: after(
		`["'][^<>]*>` + dataForm + `(?:<(?:value|string|text)>` + dataForm + `)?([^<>\s]{8,}?)\s*(?:\]\]>\s*)?</`)},
	{before: before(`<key>`), after: after(`</key>\s*<string>([^<>\s]{8,})</string>`)},
	// name and value as a pair
	{before: before(`(?i)\b(?:name|key|parameterkey|variable)["']?\s*[:=]\s*["']?`), after: after(
		`(?i)["']?\s*[,;]?\s*["']?(?:value|parametervalue|default)["']?\s*[:=]\s*` + bareForm)},
	{has: "{", after: after(`(?i)["']?\s*[:=]?\s*\{[^{}]*?\b(?:value|default)["']?\s*[:=]\s*` + quotedForm)},
}

// commands are positions of passwords without a name. The expression is used if the text contains the word.
var commands = []struct {
	word string // in lower case
	form *regexp.Regexp
}{
	{"machine", regexp.MustCompile(`(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s"'\x60]{8,})`)},
	{"sshpass", regexp.MustCompile(`\bsshpass\s+-p\s*` + bareForm)},
	{"mysql", regexp.MustCompile(`\bmysql(?:dump|admin)?\b[^|;\n]*\s-p` + bareForm)},
	{"mariadb", regexp.MustCompile(`\bmariadb(?:-dump)?\b[^|;\n]*\s-p` + bareForm)},
	{"login", regexp.MustCompile(`\b(?:docker|podman|helm|buildah|skopeo|nerdctl|oc|cf)\s[^|;\n]*\blogin\b[^|;\n]*\s-p[ =]?` + bareForm)},
	{"identified", regexp.MustCompile(`(?i)\bidentified\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?` + bareForm)},
	{"convertto-securestring", regexp.MustCompile(`(?i)\bConvertTo-SecureString\b[^|;\n"']*` + quotedForm)},
}

// services are forms of tokens that gitleaks recognises only beside a name.
var services = []struct {
	word string // in lower case
	form *regexp.Regexp
}{
	// Telegram
	{":aa", regexp.MustCompile(`\b(\d{8,10}:AA[\w-]{33})(?:[^\w-]|$)`)},
	// Discord
	{".g", regexp.MustCompile(`\b([MNO][A-Za-z\d_-]{23,27}\.G[\w-]{5}\.[\w-]{27,40})(?:[^\w-]|$)`)},
	// Discord
	{"/api/webhooks/", regexp.MustCompile(`\bdiscord(?:app)?\.com/api/webhooks/\d{17,20}/([\w-]{60,80})(?:[^\w-]|$)`)},
	// Azure
	{"sig=", regexp.MustCompile(`(?:[?&]|&amp;)sig=([A-Za-z0-9+/_-]{43}=|(?:[A-Za-z0-9]|%2[BbFf]|[-_]){40,60}(?:%3[Dd])?)(?:[^\w%=]|$)`)},
	// signed addresses of Amazon and Google storage (their references, query parameters of signature version 4)
	{"-signature=", regexp.MustCompile(`(?i)(?:[?&]|&amp;)X-(?:Amz|Goog)-Signature=([0-9a-f]{64,600})(?:[^\w%=]|$)`)},
}

// nounParts are in lower case; every name of a secret contains one.
var nounParts = strings.Fields("pass pwd psw pw kennwort senha secret token key auth")

// name is the name of a secret in a text.
type name struct {
	start, end int
	kind       valueKind
}

// maxName bounds names of secrets, in bytes; a longer word is data.
const maxName = 120

func isNameByte(b byte) bool { return isWordByte(b) || b == '.' || b == '-' }

// secretNames finds the names of secrets in a text. lower is the same text in lower case.
func secretNames(text, lower string) (out []name) {
	for _, part := range nounParts {
		for at := 0; ; {
			i := strings.Index(lower[at:], part)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(part)
			for from > at && isNameByte(lower[from-1]) {
				from--
			}
			for to < len(lower) && isNameByte(lower[to]) {
				to++
			}
			at = to
			if to-from > maxName {
				continue
			}
			if n, is := nameAt(text, from, to); is {
				out = append(out, n)
			}
		}
	}
	return out
}

// nameAt reads a word as a name.
func nameAt(text string, from, to int) (name, bool) {
	if strings.HasSuffix(text[:from], "${") { // ${KEY-value}
		if i := strings.IndexByte(text[from:to], '-'); i > 0 {
			to = from + i
		}
	}
	kind := valueKindOf(text[from:to])
	if kind == noNoun && strings.EqualFold(text[from:to], "key") && from > 0 && text[from-1] == ' ' { // Account Key=
		start := from - 1
		for start > 0 && isWordByte(text[start-1]) && from-start < maxName {
			start--
		}
		from, kind = start, valueKindOf(text[start:to])
	}
	for kind != noNoun && from < to-1 && (text[from] == '-' || text[from] == '.') { // the dashes of an option
		from++
	}
	return name{from, to, kind}, kind != noNoun
}

// lowerASCII converts a text to lower case without changing its length.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
